package search

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/tree"
)

// A variant is a search with other options, and what it found.
type variant struct {
	name        string
	search      *Search
	hits, files int
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

// Hints explains a search without a hit: it names other readings of the patterns that have hits, and near words in the
// files. It returns nil when the time is up.
func (s *Search) Hints(ctx context.Context, t *tree.Tree, base tree.Place) []string {
	var variants []*variant
	for _, r := range readings {
		if v := s.with(r.apply); v != nil {
			variants = append(variants, &variant{name: r.name, search: v})
		}
	}
	word, near := nearPattern(s.Query.Patterns)
	if len(variants) == 0 && near == nil {
		return nil
	}
	words, err := s.compare(ctx, t, base, variants, near)
	if err != nil {
		return nil
	}
	var hints []string
	for _, v := range variants {
		if v.hits > 0 {
			hits, files := line.Count(v.hits, "hit"), line.Count(v.files, "file")
			hints = append(hints, fmt.Sprintf("with %s: %s in %s", v.name, hits, files))
		}
	}
	long := func(s string) bool { return len(s) > 2*len(word)+8 }
	if closest := slices.DeleteFunc(line.Closest(word, words, 5), long); len(closest) > 0 {
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

// compare counts the hits of the variants, and returns the words of the files that near matches in part, if near is not
// nil.
func (s *Search) compare(
	ctx context.Context, t *tree.Tree, base tree.Place, variants []*variant, near *pattern,
) ([]string, error) {
	var mu sync.Mutex
	seen := map[string]bool{}
	sweep := s.sweep(base.Path, func(_ *tally, p string, c tree.Content) {
		var own map[string]bool
		if near != nil {
			own = words(ctx, near, t.Shown(c))
		}
		hits := make([]int, len(variants))
		for i, v := range variants {
			hits[i] = v.search.file(ctx, t, p, c, false).Hits
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range hits {
			variants[i].hits += n
			variants[i].files += min(n, 1)
		}
		for w := range own {
			seen[w] = true
		}
	})
	_, _, err := sweep.Run(ctx, t, base)
	return slices.Sorted(maps.Keys(seen)), err
}

// maxWords is how many near words of one file are kept.
const maxWords = 20_000

var wordPattern = regexp.MustCompile(`[\pL_][\pL\p{Nd}_]{2,63}`)

// nearPattern returns the longest word of the patterns, and a pattern for words that share the start or end of one of
// its parts; nil if the patterns have no word.
func nearPattern(sources []string) (word string, near *pattern) {
	var ends []string
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
	if len(ends) == 0 {
		return "", nil
	}
	near, err := compile(`(?:`+strings.Join(ends[:min(len(ends), maxNeedles)], "|")+`)`, options{fold: true})
	if err != nil {
		return "", nil
	}
	return word, near
}

// words returns the identifiers in data that near matches in part.
func words(ctx context.Context, near *pattern, data []byte) map[string]bool {
	own := map[string]bool{}
	err := near.each(ctx, data, func(s span) bool {
		for _, w := range wordPattern.FindAll(data[s.from:min(s.to, s.from+4096)], -1) {
			if near.re.Match(w) {
				own[string(w)] = true
			}
		}
		return len(own) < maxWords
	})
	if err != nil {
		return nil
	}
	return own
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
