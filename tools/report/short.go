package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/line"
)

// maxShown is how many places the short form shows.
const maxShown = 5

// levels are the words for a confidence, by the least confidence that each needs.
var levels = []struct {
	least float64
	word  string
}{{.85, "strong"}, {.6, "likely"}, {0, OneOfThese}}

// OneOfThese is the word for a confidence that is low: any of the first places may be meant.
const OneOfThese = "one of these"

// Trust returns the word for the confidence of the first place: "strong" from .85, "likely" from .6, else "one of
// these". It returns "" if the first place has no confidence.
func (r *Report) Trust() string {
	if len(r.Places) == 0 {
		return ""
	}
	return word(r.Places[0].Confidence)
}

func word(confidence float64) string {
	for _, l := range levels {
		if confidence > 0 && confidence >= l.least {
			return l.word
		}
	}
	return ""
}

// leastShown is the confidence below which a place is not one of several that are meant.
const leastShown = .1

// trust returns the word for the place at an index: that of the report for the first, and for the others only if the
// first one is no more than one of several.
func (r *Report) trust(i int) string {
	first := r.Trust()
	if i > 0 && (first != OneOfThese || r.Places[i].Confidence < leastShown) {
		return ""
	}
	return first
}

// shorten returns what the short form shows of a report.
func (p *printer) shorten(all *Report, o *PrintOptions) *Report {
	r := *all
	r.Excerpts, r.Tests, r.Commits = all.deciding(), nil, nil
	r.Edges, p.numbered = all.path(), true
	p.listed = slices.ContainsFunc(r.Summary, func(s Statement) bool { return s.Topic != "" })
	switch {
	case !r.Found || o.Partial:
	case p.listed:
		r.Places = nil
	case o.Sentences > 0:
		r.Summary = r.Summary[:min(len(r.Summary), o.Sentences)]
	}
	if r.Found && !o.Partial {
		r.NotCovered, r.NextQuestion = nil, ""
	}
	r.Places = r.Places[:min(len(r.Places), maxShown)]
	var left []string
	for _, part := range []struct {
		n    int
		name string
	}{
		{len(all.Summary) - len(r.Summary), "sentence"}, {len(all.Places) - len(r.Places), "place"},
		{len(all.Edges) - len(r.Edges), "relation"}, {len(all.Excerpts) - len(r.Excerpts), "excerpt"},
		{len(all.Tests), "test"}, {len(all.Commits), "commit"}, {len(all.NotCovered) - len(r.NotCovered), "note"},
	} {
		if part.n > 0 {
			left = append(left, line.Count(part.n, part.name))
		}
	}
	if len(left) > 0 {
		p.rest = fmt.Sprintf("More with %s: %s.\n\n", o.Short, strings.Join(left, ", "))
	}
	return &r
}

// Bounds of the code in the short form.
const (
	shownExcerpts = 2
	shownLines    = 20 // of one excerpt
	sharedLines   = 12 // of each of two
	fewMore       = .4 // of these: an excerpt that is not longer than so much more is shown whole
)

// deciding returns the code that the first sentence is about: for each of its citations, narrow ones first, the
// shortest excerpt that has lines of it, cut to a few lines around. What the sentence quotes whole is left out.
func (r *Report) deciding() (all []Excerpt) {
	if len(r.Summary) == 0 {
		return nil
	}
	cited := r.Summary[0].narrowFirst()
	var at []int
	for _, c := range cited {
		e := c.shortest(r.Excerpts)
		if len(e.Lines) == 0 || len(all) == shownExcerpts || slices.ContainsFunc(all, e.Citation().overlaps) ||
			len(e.Lines) == 1 && strings.Contains(r.Summary[0].Text, strings.TrimSpace(e.Lines[0])) {
			continue
		}
		all, at = append(all, e), append(at, c.Start)
	}
	most := shownLines
	if len(all) > 1 {
		most = sharedLines
	}
	for i, e := range all {
		all[i] = e.around(at[i], most)
	}
	return all
}

// narrowFirst returns the citations of a sentence, those of few lines first.
func (s Statement) narrowFirst() (all []Citation) {
	for _, text := range s.Citations {
		if c, err := ParseCitation(text); err == nil {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Citation) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) })
	return all
}

// shortest returns the shortest of the excerpts that have lines of a citation.
func (c Citation) shortest(of []Excerpt) (shortest Excerpt) {
	for _, e := range of {
		if len(e.Lines) > 0 && c.overlaps(e) && (len(shortest.Lines) == 0 || len(e.Lines) < len(shortest.Lines)) {
			shortest = e
		}
	}
	return shortest
}

// overlaps reports whether an excerpt has lines of a citation.
func (c Citation) overlaps(e Excerpt) bool {
	return e.Path == c.Path && e.Start <= c.End && c.Start <= e.End
}

// around returns at most so many lines of an excerpt, a third of them after the line at. It begins with the outermost
// line before that one, not with one that only ends something.
func (e Excerpt) around(at, most int) Excerpt {
	if float64(len(e.Lines)) <= (1+fewMore)*float64(most) {
		return e
	}
	at = min(max(at-e.Start, 0), len(e.Lines)-1)
	first := max(0, min(at-most*2/3, len(e.Lines)-most))
	outermost, least := first, math.MaxInt
	for i := first; i <= at; i++ {
		text, indent := strings.TrimSpace(e.Lines[i]), indentOf(e.Lines[i])
		opens := strings.ContainsFunc(text, unicode.IsLetter) || strings.HasPrefix(text, "/*")
		if indent < least && text != "end" && opens {
			outermost, least = i, indent
		}
	}
	first = outermost
	last := min(len(e.Lines), first+most)
	return Excerpt{e.Path, e.Start + first, e.Start + last - 1, e.Lines[first:last]}
}

// indentOf returns how many blanks and tabs a line begins with.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// path returns the longest chain of calls through the first place, in order: from a caller through it to another
// place.
func (r *Report) path() []Edge {
	if len(r.Places) == 0 || r.Places[0].Symbol == "" {
		return nil
	}
	first := r.Places[0].Symbol
	back := r.chain(first, []string{first}, func(e Edge) (string, string) { return e.To, e.From })
	on := []string{first}
	for _, e := range back {
		on = append(on, e.From)
	}
	slices.Reverse(back)
	ahead := r.chain(first, on, func(e Edge) (string, string) {
		if !slices.ContainsFunc(r.Places, func(p Place) bool { return p.Symbol == e.To }) {
			return "", "" // what it calls matters only if it was found, too
		}
		return e.From, e.To
	})
	return append(back, ahead...)
}

// chain returns the longest chain of calls from a name, with the ends of an edge as given, to names not on it.
func (r *Report) chain(from string, on []string, ends func(Edge) (from, to string)) (best []Edge) {
	for _, e := range r.Edges {
		a, b := ends(e)
		if a != from || e.Kind != "calls" || slices.Contains(on, b) {
			continue
		}
		if c := append([]Edge{e}, r.chain(b, append(slices.Clip(on), b), ends)...); len(c) > len(best) {
			best = c
		}
	}
	return best
}
