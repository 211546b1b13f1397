package search

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/tree"
)

// A variant is a search with other options, and what it found.
type variant struct {
	name   string
	search *Search

	hits, files *atomic.Int64
}

func (v *variant) count(ctx context.Context, t *tree.Tree, p string, c tree.Content) {
	if n := v.search.file(ctx, t, p, c, false).Hits; n > 0 {
		v.hits.Add(int64(n))
		v.files.Add(1)
	}
}

// readings are other ways to read the patterns of a query.
var readings = []struct {
	name  string
	apply func(*options)
}{
	{"case=insensitive", func(o *options) { o.fold = true }},
	{"word=false", func(o *options) { o.word = false }},
	{"literal=true", func(o *options) { o.literal = true }},
}

// variants returns the readings that differ from the search: the cheap ones, which the search itself counts until it
// has a hit, or the others. A cheap one has needles.
func (s *Search) variants(cheap bool) []variant {
	var all []variant
	for _, r := range readings {
		v := s.with(r.apply)
		if v == nil {
			continue
		}
		slow := slices.ContainsFunc(v.patterns, func(m *pattern) bool { return m.multiline || len(m.needles.list) == 0 })
		if slow != cheap {
			all = append(all, variant{name: r.name, search: v, hits: &atomic.Int64{}, files: &atomic.Int64{}})
		}
	}
	return all
}

// Hints explains a search without a hit, whose result is found: it names other readings of the patterns that have hits,
// and near words in the files. It returns nil when the time is up.
func (s *Search) Hints(ctx context.Context, t *tree.Tree, base tree.Place, found *Result) []string {
	word, ends := nearWord(s.Query.Patterns)
	words := newVocabulary(ends, 1+uint32(found.bytes/maxNear))
	slow := s.variants(false)
	if err := s.compare(ctx, t, base, slow, words); err != nil {
		return nil
	}
	var hints []string
	for _, r := range readings {
		for _, v := range slices.Concat(found.variants, slow) {
			if n := int(v.hits.Load()); v.name == r.name && n > 0 {
				hits, files := line.Count(n, "hit"), line.Count(int(v.files.Load()), "file")
				hints = append(hints, fmt.Sprintf("with %s: %s in %s", v.name, hits, files))
			}
		}
	}
	long := func(s string) bool { return len(s) > 2*len(word)+8 }
	if closest := slices.DeleteFunc(line.Closest(word, words.sorted(), 5), long); len(closest) > 0 {
		hints = append(hints, "nearest words: "+strings.Join(closest, ", "))
	}
	return hints
}

// with returns the search with changed options, or nil if they change nothing or make a pattern invalid.
func (s *Search) with(apply func(*options)) *Search {
	v := *s
	v.patterns = nil
	same := true
	for i, source := range s.Query.Patterns {
		o := s.options[i]
		apply(&o)
		same = same && (o == s.options[i] || o.literal != s.options[i].literal && regexp.QuoteMeta(source) == source)
		p, err := compile(source, o)
		if err != nil {
			return nil
		}
		v.patterns = append(v.patterns, p)
	}
	if same {
		return nil
	}
	return &v
}

// compare counts the hits of the variants, and collects words. Without variants, it reads only the files for the words.
func (s *Search) compare(
	ctx context.Context, t *tree.Tree, base tree.Place, variants []variant, words *vocabulary,
) error {
	if len(variants) == 0 && len(words.parts) == 0 {
		return nil
	}
	sweep := s.sweep(base.Path, func(_ *tally, p string, c tree.Content) {
		if words.takes(p) {
			words.read(t, c)
		}
		for i := range variants {
			variants[i].count(ctx, t, p, c)
		}
	})
	if take := sweep.Take; len(variants) == 0 {
		sweep.Take = func(p string) bool { return words.takes(p) && (take == nil || take(p)) }
	}
	_, _, err := sweep.Run(ctx, t, base)
	return err
}

var wordPattern = regexp.MustCompile(`[\pL_][\pL\p{Nd}_]{2,63}`)

// nearWord returns the longest word of the patterns, or "" if they have none, with the beginnings and endings of its
// parts: a word that differs in one place only still contains one of these.
func nearWord(sources []string) (word string, ends []string) {
	for _, w := range wordPattern.FindAllString(strings.Join(sources, " "), -1) {
		if len(w) > len(word) {
			word = w
		}
	}
	for _, part := range parts(word) {
		if r := []rune(part); len(r) >= 3 {
			n := min(4, len(r))
			ends = append(ends, string(r[:n]), string(r[len(r)-n:]))
		}
	}
	return word, ends[:min(len(ends), maxNeedles)]
}

// parts splits an identifier at underscores and changes of case.
func parts(word string) []string {
	var b strings.Builder
	r := []rune(word)
	for i, c := range r {
		lowerBefore := i > 0 && !unicode.IsUpper(r[i-1])
		lowerAfter := i+1 < len(r) && unicode.IsLower(r[i+1])
		if i > 0 && unicode.IsUpper(c) && (lowerBefore || lowerAfter) {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return c == '_' })
}
