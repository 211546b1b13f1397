package listing

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/units"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of a report.
const (
	maxNamed     = 24   // names in a sentence
	excerptLines = 28   // of a list
	maxBody      = 1200 // lines read of a definition
)

// A way is where a list may be.
type way interface {
	calls(step int) []rulemodel.Call
	report() *report.Report // nil: it is not there
}

// A Search is the answer to one question in the making.
type Search struct {
	Question
	words   []units.Word // of the question
	results lookup.Results
}

// New returns the search for a list with the results so far. The words are those of the question.
func New(q Question, words []units.Word, results []rulemodel.Result) *Search {
	return &Search{q, words, lookup.Of(results)}
}

// ways are tried in order.
func (s *Search) ways() []way {
	switch e, ok := edges[s.group]; {
	case s.group == flag:
		return []way{oneFlag{s}}
	case s.group == events:
		return []way{owners{s}, topics{s}, mentions{s, e}}
	case ok && s.alone:
		return []way{mentions{s, e}}
	case ok:
		return []way{mentions{s, e}, topics{s}}
	case s.group == packages:
		return []way{manifests{s}}
	case s.group == features:
		return []way{manifests{s}, topics{s}}
	}
	return []way{owners{s}, topics{s}, folders{s}}
}

// Steps is how many steps a search has at most.
const Steps = 3

// Calls returns the calls of a step, from 1.
func (s *Search) Calls(step int) (all []rulemodel.Call) {
	for _, w := range s.ways() {
		all = append(all, w.calls(step)...)
	}
	return all
}

// Report returns the report on the results so far, or nil if they do not answer the question.
func (s *Search) Report() *report.Report {
	for _, w := range s.ways() {
		if rep := w.report(); rep != nil {
			return rep
		}
	}
	return nil
}

// Scores of a place, by how the list was found.
const (
	byName  = .6
	byWords = .4
)

// A list is what a place of the source lists.
type list struct {
	path       string
	start, end int
	symbol     string
	says       string // what comes before the names: "`Retry` has 3 methods:"
	names      []string
	why        string
	cut        bool // there are more
	named      bool // it belongs to a name of the question, or is what package managers read
	score      int  // how many words of the question its path and its names have
}

// add adds a name once.
func (l *list) add(name string) {
	if !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
}

// count says how many names the list has, with the word for one.
func (l *list) count(noun string) string {
	if l.cut {
		return "at least " + line.Count(len(l.names), noun)
	}
	return line.Count(len(l.names), noun)
}

// text says what the list is, and names the first of what it has.
func (l *list) text() string {
	var names []string
	for _, n := range l.names[:min(len(l.names), maxNamed)] {
		names = append(names, "`"+strings.ReplaceAll(n, "`", "'")+"`")
	}
	text := l.says + " " + strings.Join(names, ", ")
	if more := len(l.names) - len(names); more > 0 && l.cut {
		text += fmt.Sprintf(" and at least %d more", more)
	} else if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func newReport() *report.Report { return &report.Report{Found: true, NotCovered: []string{}} }

// addTo adds the statement on a list and its place to a report.
func (l *list) addTo(rep *report.Report) {
	cite := []string{lookup.Cite(l.path, l.start, l.end)}
	rep.Summary = append(rep.Summary, report.Statement{Text: l.text(), Citations: cite})
	place := report.Place{Path: l.path, Start: l.start, End: l.end, Symbol: l.symbol, Why: l.why, Confidence: byWords}
	if l.named {
		place.Confidence = byName
	}
	rep.Places = append(rep.Places, place)
	end := min(l.end, l.start+excerptLines-1)
	rep.Excerpts = append(rep.Excerpts, report.Excerpt{Path: l.path, Start: l.start, End: end})
}

// where says where something is.
func where(path string, at int) string { return fmt.Sprintf("(%s, line %d)", path, at) }

func readCall(path string, from, to int) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": path, "start_line": from, "end_line": min(to, from+maxBody)},
		"the lines of the list")
}

// leafOf returns the last part of a qualified name, and ownerOf the one before it.
func leafOf(name string) string { return name[strings.LastIndexAny(name, ".:#")+1:] }

func ownerOf(name string) string {
	return leafOf(strings.TrimRight(strings.TrimSuffix(name, leafOf(name)), ".:#"))
}

func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}

// partsOf returns the parts of a name in lower case, in the singular.
func partsOf(name string) (parts []string) {
	var s textsearch.Splitter
	s.Split([]byte(name), func(word []byte) { parts = append(parts, singular(string(word))) })
	return parts
}

// singular returns a word without the ending of the plural.
func singular(w string) string {
	const least = 4 // letters
	base, s := strings.CutSuffix(w, "s")
	switch {
	case !s || len(w) < least || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > least:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	}
	return base
}

// capital returns a name with a capital first letter.
func capital(name string) string {
	c, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(c)) + name[n:]
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
