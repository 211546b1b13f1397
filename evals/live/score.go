package live

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/evals/internal/cited"
	"github.com/forayhq/foray/tools/report"
)

// Grades of an answer, the best last.
const (
	wrong = iota
	half
	right
)

var gradeNames = [...]string{wrong: "wrong", half: "half", right: "right"}

// maxCited is how many citations count, of the text and of the list.
const maxCited = 3

// A score is what is known of an answer.
type score struct {
	grade        int
	place, words bool // a place is cited; the text has the words
	cited, valid int  // citations, and those that name lines of the module
}

// An answered question is the part of a result that is scored.
type answered struct {
	text  string
	inner []string // citations of the text
	list  []string // RELEVANT_FILES, or the places of a report
}

// answerOf returns what a result says and cites. What a fallback says first, that it is one, is not part of the answer.
func answerOf(r *explore.Result) answered {
	a := answered{text: r.Text, list: r.Relevant}
	if r.Report != nil {
		var b strings.Builder
		statements := r.Report.Summary
		if r.Fallback != "" && len(statements) > 0 {
			statements = statements[1:]
		}
		for _, s := range statements {
			b.WriteString(s.Text + "\n")
			a.inner = append(a.inner, s.Citations...)
		}
		a.text = b.String()
	}
	a.inner = append(a.inner, cited.Pattern.FindAllString(a.text, -1)...)
	return a
}

// score grades an answer. Places are the lines of q.Places; resolve looks up a citation in the module.
func (q *question) score(a answered, places []report.Citation, resolve func(string) error) score {
	var s score
	seen := map[string]bool{}
	for _, list := range [][]string{a.inner, a.list} {
		for i, text := range list {
			c, err := report.ParseCitation(text)
			if err != nil {
				continue
			}
			if i < maxCited && within(c, places) {
				s.place = true
			}
			if key := c.String(); !seen[key] {
				seen[key] = true
				s.cited++
				if resolve(key) == nil {
					s.valid++
				}
			}
		}
	}
	words, forbidden := q.says(cited.Pattern.ReplaceAllString(a.text, "")) // the name of a file says nothing
	s.words = words
	switch {
	case forbidden:
	case len(q.Places) == 0:
		if words {
			s.grade = right
		}
	case words && s.place:
		s.grade = right
	case words || s.place:
		s.grade = half
	}
	return s
}

// within reports whether a citation shows one of the places.
func within(c report.Citation, places []report.Citation) bool {
	return slices.ContainsFunc(places, func(p report.Citation) bool { return cited.Shows(c, p) })
}
