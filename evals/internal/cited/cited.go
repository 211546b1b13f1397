// Package cited finds and compares the citations of answers, by the grammar of package report.
//
// Start with [In] and [Shows].
package cited

import (
	"regexp"

	"github.com/forayhq/foray/tools/report"
)

// wideLines is how long a citation may be that still shows a shorter place, in lines.
const wideLines = 60

// Pattern finds citations in a text: a path with an extension and lines, as PATH:12, PATH:12-30 or PATH#L12-L30.
var Pattern = regexp.MustCompile(`[\w./@+-]+\.\w+(?::L?|#L)\d{1,9}(?:-L?\d{1,9})?`)

// In returns the citations of an answer in their order, each once: those of its text, then those of its list of files.
// Entries of the list without lines are returned apart.
func In(answer string) (all []report.Citation, files []string) {
	text, list := report.SplitList(answer)
	seen := make(map[report.Citation]bool)
	add := func(cited string) bool {
		c, err := report.ParseCitation(cited)
		if err == nil && !seen[c] {
			seen[c] = true
			all = append(all, c)
		}
		return err == nil
	}
	for _, found := range Pattern.FindAllString(text, -1) {
		add(found)
	}
	for _, entry := range list {
		if !add(entry) {
			files = append(files, entry)
		}
	}
	return all, files
}

// Shows reports whether a citation shows a place: their lines overlap, and the citation has at most 60 lines or twice
// those of the place.
func Shows(c, place report.Citation) bool {
	lines := c.End - c.Start + 1
	return c.Path == place.Path && c.Start <= place.End && place.Start <= c.End &&
		lines <= max(wideLines, 2*(place.End-place.Start+1))
}
