package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// insightRules is the table of rules, by dimension. A rule finds nothing in a tree without files of its language.
var insightRules = []dimensionRule{
	{"architecture", mutual},
	{"architecture", cycles},
	{"architecture", hub},
	{"architecture", large},
	{"concurrency", func(s *survey) []draft { return s.findAll(concurrencySigns) }},
	{"errors", func(s *survey) []draft { return s.findAll(errorSigns) }},
	{"performance", func(s *survey) []draft { return s.findAll(performanceSigns) }},
	{"security", func(s *survey) []draft { return s.findAll(securitySigns) }},
	{"testing", func(s *survey) []draft { return s.findAll(testingSigns) }},
	{"testing", untested},
}

// analysis lists the findings of the rules below a heading for each dimension, the most important first. It lists at
// most so many in all.
func (s *survey) analysis(dimensions []string, most int) string {
	var all []draft
	for _, d := range insightRules {
		if slices.Contains(dimensions, d.dimension) {
			for _, f := range d.find(s) {
				f.dimension = d.dimension
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b draft) int {
		return cmp.Or(rank(a.importance)-rank(b.importance), urgency(a)-urgency(b))
	})
	left := max(0, len(all)-most)
	all = all[:len(all)-left]
	var b strings.Builder
	fmt.Fprintf(&b, "%s, by rules, without a language model, from %s.\n", line.Count(len(all), "finding"),
		line.Count(len(s.results), "tool call"))
	for _, d := range urgent {
		heading := "\n## " + d + "\n\n"
		for _, f := range all {
			if f.dimension == d {
				fmt.Fprintf(&b, "%s- [%s] %s: %s [%s]\n", heading, f.importance, f.title, f.claim, strings.Join(f.evidence, ", "))
				heading = ""
			}
		}
	}
	b.WriteString("\n## Open\n\n" +
		"- the rules match single lines of Go, Python, JavaScript, TypeScript and Rust; anything else was not examined\n")
	if left > 0 {
		fmt.Fprintf(&b, "- left out: %s of less importance; at most %d were requested\n", line.Count(left, "finding"), most)
	}
	for _, note := range s.notes {
		b.WriteString("- " + note + "\n")
	}
	return b.String()
}

// urgent are the dimensions by how soon a maintainer wants to know.
var urgent = []string{"security", "concurrency", "errors", "testing", "performance", "architecture"}

// urgency orders findings of the same importance: by dimension, and those in doubt last.
func urgency(f draft) int {
	n := slices.Index(urgent, f.dimension)
	if f.doubtful {
		n += len(urgent)
	}
	return n
}

// A dimensionRule is a row of the table of rules.
type dimensionRule struct {
	dimension string
	find      func(*survey) []draft
}
