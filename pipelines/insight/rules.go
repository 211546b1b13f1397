package insight

import (
	"fmt"
	"slices"
	"strings"
)

// insightRules is the table of what is looked for, by dimension. A rule takes part where its files are.
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

// analysis is what the rules of some dimensions found, as a list below a heading for each dimension: the most important
// first, at most so many in all.
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
	fmt.Fprintf(&b, "%d findings, by rules, without a language model, from %d searches.\n", len(all), len(s.results))
	for _, d := range dimensions {
		heading := "\n## " + d + "\n\n"
		for _, f := range all {
			if f.dimension == d {
				fmt.Fprintf(&b, "%s- [%s] %s: %s [%s]\n", heading, f.importance, f.title, f.claim, strings.Join(f.evidence, ", "))
				heading = ""
			}
		}
	}
	b.WriteString("\n## Open\n\n- the rules match single lines of Go, Python, JavaScript, TypeScript and Rust; anything " +
		"else was not examined\n")
	if left > 0 {
		fmt.Fprintf(&b, "- %d less important findings are left out: at most %d were requested\n", left, most)
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
