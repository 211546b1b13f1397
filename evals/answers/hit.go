package answers

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// longest is how many lines a place may have beyond its gold, by family. A longer one shows a file, not an answer.
var longest = map[string]int{"definition": 60, "callers": 60, "tests": 60, "docs": 80}

// longestDeciding is how many lines a place with the deciding line, or with the answer to an open question, may have.
const longestDeciding = 400

// A span is a range of lines that is cited.
type span struct {
	path       string
	start, end int
}

func (s span) lines() int { return s.end - s.start + 1 }

func (s span) holds(line int) bool { return s.start <= line && line <= s.end }

func (s span) overlaps(g gold) bool { return s.start <= g.End && s.end >= g.Start }

// spanOf returns the lines of a place.
func spanOf(p report.Place) span { return span{p.Path, p.Start, p.End} }

// cited reads a citation. One without lines is a whole file, which hits nothing.
func cited(text string) span {
	c, err := report.ParseCitation(text)
	if err != nil {
		return span{path: text}
	}
	return span{c.Path, c.Start, c.End}
}

// hit reports whether a place hits a range of the gold.
func (q *Question) hit(s span, g gold) bool {
	if q.Notes.Sub == "packages" {
		return strings.HasPrefix(s.path, g.Path) || g.Path == strings.TrimRight(s.path, "/")+"/"
	}
	if s.path != g.Path {
		return false
	}
	most, bounded := longest[q.Family]
	short := !bounded || s.lines() <= g.End-g.Start+1+most
	switch q.Family {
	case "definition":
		return s.start-1 <= g.Start && g.Start <= s.end+1 && short
	case "behaviour":
		return s.holds(g.Line) && s.lines() <= longestDeciding
	}
	return s.overlaps(g) && short && (q.Family != "open" || s.lines() <= longestDeciding)
}

// right reports whether a place hits any range of the gold.
func (q *Question) right(s span) bool {
	for _, g := range q.Gold {
		if q.hit(s, g) {
			return true
		}
	}
	return false
}

// inGold reports whether a file has a range of the gold.
func (q *Question) inGold(path string) bool {
	for _, g := range q.Gold {
		if g.Path == path {
			return true
		}
	}
	return false
}

// isDefinition reports whether a place only shows the name that is asked about.
func (q *Question) isDefinition(s span) bool {
	const above = 5 // lines of comments and annotations
	for _, text := range q.Notes.Definitions {
		d := cited(text)
		if s.path == d.path && s.start-above <= d.start && d.start <= s.end && !q.right(s) {
			return true
		}
	}
	return false
}

// uses reports whether a place holds a line that uses the name that is asked about.
func (q *Question) uses(s span) bool {
	for _, text := range q.Notes.AnyUse {
		if u := cited(text); u.path == s.path && s.holds(u.start) {
			return true
		}
	}
	return false
}

// tests matches the paths of tests and examples.
var tests = regexp.MustCompile(`(^|/)(tests?|spec|specs|__tests__|testing|e2e|docs_src|examples?)/|` +
	`_test\.\w+$|(^|/)test_[^/]*$|\.(test|spec)\.[cm]?[jt]sx?$|Tests?\.(java|php)$|(^|/)spec_[^/]*\.rb$`)
