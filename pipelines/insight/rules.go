package insight

import (
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
	rank := map[string]int{high: 0, medium: 1, low: 2}
	slices.SortStableFunc(all, func(a, b draft) int { return rank[a.importance] - rank[b.importance] })
	left := max(0, len(all)-most)
	all = all[:len(all)-left]
	var b strings.Builder
	fmt.Fprintf(&b, "%s, by rules, without a language model, from %s.\n", line.Count(len(all), "finding"),
		line.Count(len(s.results), "tool call"))
	for _, d := range dimensions {
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

// A dimensionRule is a row of the table of rules.
type dimensionRule struct {
	dimension string
	find      func(*survey) []draft
}
