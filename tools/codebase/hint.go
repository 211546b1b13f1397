package codebase

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/forayhq/foray/tools"
)

// A variant is the same query, read otherwise.
type variant struct {
	name  string
	apply func(*matchOptions)
	query *query
	hits  int
	files int
}

func variants() []variant {
	return []variant{
		{name: "case=insensitive", apply: func(o *matchOptions) { o.fold = true }},
		{name: "word=false", apply: func(o *matchOptions) { o.word = false }},
		{name: "literal=true", apply: func(o *matchOptions) { o.literal = true }},
	}
}

// explainNothing says what a search without a hit looked at, and which other search would have found something.
func (t *tree) explainNothing(ctx context.Context, q *query, base place, out *SearchResult) {
	skipped := ""
	if s := out.Skipped.String(); s != "" {
		skipped = " (skipped: " + s + ")"
	}
	out.note("no hit in %s%s", plural(out.FilesSearched, "file"), skipped)
	if out.FilesSearched == 0 && len(q.include)+len(q.exclude) > 0 {
		out.note("no file passes include and exclude")
	}
	var tried []variant
	for _, v := range variants() {
		if v.query = q.as(v.apply); v.query != nil {
			tried = append(tried, v)
		}
	}
	word, near := nearOf(q.sources)
	if len(tried) == 0 && near == nil {
		return
	}
	words := t.try(ctx, q, base, tried, near)
	for _, v := range tried {
		if v.hits > 0 {
			out.note("with %s: %s in %s", v.name, plural(v.hits, "hit"), plural(v.files, "file"))
		}
	}
	closest := tools.Closest(word, words, 5)
	closest = slices.DeleteFunc(closest, func(s string) bool { return len(s) > 2*len(word)+8 })
	if len(closest) > 0 {
		out.note("nearest words: %s", strings.Join(closest, ", "))
	}
}

// as is the query with its patterns read otherwise; nil when that makes no difference, or no pattern.
func (q *query) as(apply func(*matchOptions)) *query {
	v := *q
	v.matchers = nil
	same := true
	for i, source := range q.sources {
		o := q.options
		o.fold = q.folds[i]
		before := o
		apply(&o)
		same = same && (o == before || (o.literal != before.literal && regexp.QuoteMeta(source) == source))
		m, err := compile(source, o)
		if err != nil {
			return nil
		}
		v.matchers = append(v.matchers, m)
	}
	if same {
		return nil
	}
	return &v
}

// try counts what the variants find, and collects the words near a hit of near, nil for none. When the time is up it
// has found nothing.
func (t *tree) try(ctx context.Context, q *query, base place, tried []variant, near *matcher) []string {
	var mu sync.Mutex
	seen := map[string]bool{}
	s := sweep{t: t, q: q, ctx: ctx, look: func(_ *batch, p string, c content) {
		var own map[string]bool
		if near != nil {
			own = words(ctx, near, t.shown(c))
		}
		hits := make([]int, len(tried))
		for i := range tried {
			hits[i] = t.hits(ctx, tried[i].query, p, c, false).hits
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range hits {
			tried[i].hits += n
			tried[i].files += min(n, 1)
		}
		for w := range own {
			seen[w] = true
		}
	}}
	var page Page
	if _, err := s.run(base, &page); err != nil || page.TimedOut {
		for i := range tried {
			tried[i].hits = 0
		}
		return nil
	}
	return slices.Sorted(maps.Keys(seen))
}

// maxWords is how many words of a file are compared with the one that was searched.
const maxWords = 20_000

var wordPattern = regexp.MustCompile(`[\pL_][\pL\p{Nd}_]{2,63}`)

// nearOf is the longest word of the patterns, and a matcher of what shares a beginning or an end of a part with it; nil
// when there is no such word.
func nearOf(sources []string) (word string, near *matcher) {
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
	near, err := compile(`(?:`+strings.Join(ends[:min(len(ends), maxNeedles)], "|")+`)`, matchOptions{fold: true})
	if err != nil {
		return "", nil
	}
	return word, near
}

// words are the identifiers in data of which near matches a part.
func words(ctx context.Context, near *matcher, data []byte) map[string]bool {
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
