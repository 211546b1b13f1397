package codebase

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/tools"
)

// explainNothing says what a search without a hit looked at, and which other search would have found something.
func (t *tree) explainNothing(ctx context.Context, q *query, files []string, out *SearchResult) {
	skipped := ""
	if s := out.Skipped.String(); s != "" {
		skipped = " (skipped: " + s + ")"
	}
	out.note("no hit in %s%s", plural(out.FilesSearched, "file"), skipped)
	if len(files) == 0 && len(q.include)+len(q.exclude) > 0 {
		out.note("no file passes include and exclude")
	}
	for _, v := range []struct {
		name  string
		apply func(*matchOptions, *bool)
	}{
		{"case=insensitive", func(_ *matchOptions, fold *bool) { *fold = true }},
		{"word=false", func(o *matchOptions, _ *bool) { o.word = false }},
		{"literal=true", func(o *matchOptions, _ *bool) { o.literal = true }},
	} {
		if hits, in := t.variant(ctx, q, files, v.apply); hits > 0 {
			out.note("with %s: %s in %s", v.name, plural(hits, "hit"), plural(in, "file"))
		}
	}
	if near := t.nearestWords(ctx, q.sources, files); len(near) > 0 {
		out.note("nearest words: %s", strings.Join(near, ", "))
	}
}

// variant counts what the query finds when it is read otherwise; nothing when it would not differ.
func (t *tree) variant(ctx context.Context, q *query, files []string, apply func(*matchOptions, *bool)) (hits, in int) {
	v := *q
	v.matchers, v.perFile = nil, 1
	same := true
	for i, source := range q.sources {
		o := q.options
		o.fold = q.folds[i]
		before := o
		apply(&o, &o.fold)
		same = same && (o == before || (o.literal != before.literal && regexp.QuoteMeta(source) == source))
		m, err := compile(source, o)
		if err != nil {
			return 0, 0
		}
		v.matchers = append(v.matchers, m)
	}
	if same {
		return 0, 0
	}
	var other SearchResult
	if _, err := t.sweep(ctx, &v, files, &other); err != nil || other.TimedOut {
		return 0, 0
	}
	return other.Hits, other.FilesMatched
}

// maxWords is how many words of a tree are compared with the one that was searched.
const maxWords = 20_000

var wordPattern = regexp.MustCompile(`[\pL_][\pL\p{Nd}_]{2,63}`)

// nearestWords finds the identifiers in files that share a beginning or an end of a part with a word of the patterns,
// and returns the five closest by edit distance.
func (t *tree) nearestWords(ctx context.Context, sources, files []string) []string {
	word, ends := "", []string{}
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
		return nil
	}
	m, err := compile(`(?:`+strings.Join(ends[:min(len(ends), maxNeedles)], "|")+`)`, matchOptions{fold: true})
	if err != nil {
		return nil
	}
	words := t.words(ctx, m, files)
	near := tools.Closest(word, words, 5)
	return slices.DeleteFunc(near, func(s string) bool { return len(s) > 2*len(word)+8 })
}

// words collects the identifiers on lines that m matches, of which m matches a part, sorted.
func (t *tree) words(ctx context.Context, m *matcher, files []string) []string {
	var mu sync.Mutex
	seen := map[string]bool{}
	it := iter.Iterator[string]{MaxGoroutines: t.o.Workers}
	it.ForEach(files, func(p *string) {
		c, err := t.load(*p, nil)
		if err != nil || expired(ctx) != nil {
			return
		}
		own := map[string]bool{}
		data := t.redact(c.data)
		err = m.each(data, func(s span) bool {
			for _, w := range wordPattern.FindAll(data[s.from:min(s.to, s.from+4096)], -1) {
				if m.re.Match(w) {
					own[string(w)] = true
				}
			}
			return len(own) < maxWords
		})
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for w := range own {
			seen[w] = true
		}
	})
	words := make([]string, 0, len(seen))
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

// parts splits an identifier at underscores and where its case changes.
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
