package rules

import (
	"math"
	"slices"
	"strings"
)

// A candidate is a file that locate names, with its best definitions.
type candidate struct {
	path      string
	place     int     // from 1
	score     float64 // as locate gives it
	why       []string
	functions []symbol // best first
	scores    []float64
}

// locate takes up the ranking of the tree. The first ranking of a run stands.
func (e *evidence) locate(result object) {
	if len(e.located) > 0 {
		return
	}
	for _, item := range result.objects("items") {
		p := item.text("path")
		score := read[float64](item, "score")
		if p == "" || math.IsNaN(score) || slices.ContainsFunc(e.located, func(c *candidate) bool { return c.path == p }) {
			continue
		}
		c := &candidate{path: p, place: len(e.located) + 1, score: score, why: item.texts("why")}
		for _, f := range append(item.objects("functions"), item) {
			s := symbol{path: p, name: f.text("symbol"), kind: f.text("kind"), start: f.number("start"), end: f.number("end")}
			if s.name != "" && s.start > 0 && s.end >= s.start && !slices.ContainsFunc(c.functions, func(o symbol) bool { return o.start == s.start }) {
				c.functions = append(c.functions, s)
				c.scores = append(c.scores, read[float64](f, "score"))
			}
		}
		e.located = append(e.located, c)
		e.at(p).candidate = c
	}
}

// priorOf is what the ranking of the tree says of a file, 1 for its first.
func (e *evidence) priorOf(f *file) float64 {
	if f.candidate == nil || e.located[0].score <= 0 {
		return 0
	}
	return max(0, f.candidate.score/e.located[0].score)
}

// adoptLocated makes definitions of what locate names in files that were not outlined.
func (e *evidence) adoptLocated() {
	for _, c := range e.located {
		f := e.at(c.path)
		if len(f.symbols) > 0 {
			continue
		}
		for _, s := range c.functions {
			s.depth = 1 + strings.Count(s.name, ".")
			f.symbols = append(f.symbols, s)
		}
	}
}
