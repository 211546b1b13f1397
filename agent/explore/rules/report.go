package rules

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/rulemodel"
)

// The report as the tool of that name takes it.
type report struct {
	Question     string      `json:"question,omitempty"`
	Found        bool        `json:"found"`
	Summary      []statement `json:"summary"`
	Places       []place     `json:"places,omitempty"`
	Edges        []edge      `json:"edges,omitempty"`
	Excerpts     []excerpt   `json:"excerpts,omitempty"`
	Tests        []place     `json:"tests,omitempty"`
	Commits      []change    `json:"commits,omitempty"`
	NotCovered   []string    `json:"not_covered,omitempty"`
	NextQuestion string      `json:"next_question,omitempty"`
}

type statement struct {
	Text      string   `json:"text"`
	Citations []string `json:"citations,omitempty"`
	Quote     string   `json:"quote,omitempty"`
	Topic     string   `json:"topic,omitempty"`
}

type place struct {
	Path       string  `json:"path"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Symbol     string  `json:"symbol,omitempty"`
	Why        string  `json:"why,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Quote      string  `json:"quote,omitempty"`
}

type edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Kind     string `json:"kind"`
	Citation string `json:"citation"`
}

type excerpt struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Bounds of a report.
const (
	maxStatements = 4
	maxPlaces     = 18
	placesFiles   = 10 // files that the places name at least, where locate names as many
	maxExcerpts   = 3
	excerptLines  = 20
	maxEdgeNodes  = 8
	maxTests      = 5
	maxQuoteRunes = 220
	fewTests      = 2  // of one file
	tellingBlocks = 6  // of the chosen ones, that sentences are written of
	ownPlaces     = 3  // of an issue that are told before the definitions that locate ranks
	issuePlaces   = 10 // definitions that an issue's report names first
	hopsFrom      = 6  // places of a question before those that were found by a call
	maxHops       = 2
)

// reports is the call that submits the report.
func (r *run) reports() []rulemodel.Call {
	rep := r.build()
	return []rulemodel.Call{rulemodel.Ask("report", rep.arguments(), "what was found")}
}

func (rep *report) arguments() map[string]any {
	data, err := json.Marshal(rep)
	var args map[string]any
	if err != nil || json.Unmarshal(data, &args) != nil {
		return map[string]any{} // strings, numbers and lists always encode
	}
	return args
}

// reportsAgain submits the report without what was refused, if that is known.
func (r *run) reportsAgain() []rulemodel.Call {
	last, ok := r.submitted()
	if !ok || !last.failed {
		return nil
	}
	rep := r.build()
	if !rep.drop(last.text) {
		return nil
	}
	return []rulemodel.Call{rulemodel.Ask("report", rep.arguments(), "what was found")}
}

// submitted is the last report and what became of it.
func (r *run) submitted() (exchange, bool) {
	for i := len(r.talk.exchanges) - 1; i >= 0; i-- {
		if r.talk.exchanges[i].name == "report" {
			return r.talk.exchanges[i], true
		}
	}
	return exchange{}, false
}

var faultPattern = regexp.MustCompile(`(?m)\b(summary|places|edges|excerpts|tests|commits)\[(\d+)\]`)

// drop takes out what a refusal names, as "places[2]", and reports whether it named anything.
func (rep *report) drop(refusal string) bool {
	bad := make(map[string]bool)
	for _, m := range faultPattern.FindAllStringSubmatch(refusal, -1) {
		bad[m[1]+"["+m[2]+"]"] = true
	}
	rep.Summary = without(rep.Summary, "summary", bad)
	rep.Places = without(rep.Places, "places", bad)
	rep.Edges = without(rep.Edges, "edges", bad)
	rep.Excerpts = without(rep.Excerpts, "excerpts", bad)
	rep.Tests = without(rep.Tests, "tests", bad)
	rep.Commits = without(rep.Commits, "commits", bad)
	if len(rep.Summary) == 0 {
		rep.Found = false
		rep.Summary = []statement{{Text: "Nothing could be cited that stands."}}
	}
	return len(bad) > 0
}

func without[T any](all []T, field string, bad map[string]bool) []T {
	var kept []T
	for i, v := range all {
		if !bad[field+"["+strconv.Itoa(i)+"]"] {
			kept = append(kept, v)
		}
	}
	return kept
}

// build makes the report of what is known.
func (r *run) build() *report {
	if r.q.overview {
		return r.buildOverview()
	}
	rep := &report{Question: clip(r.q.text, 500)}
	chosen := r.chosen(maxPlaces)
	rep.Found = r.found(chosen)
	rep.Edges = r.edges()
	for _, b := range chosen {
		if p, ok := r.place(b); ok {
			rep.Places = append(rep.Places, p)
		}
	}
	if rep.Found {
		r.summarize(rep, chosen)
		rep.Places = r.placesOf(rep.Places)
		r.calibrated(rep.Places)
		rep.Tests = r.testsOf(chosen)
		rep.Commits = r.commits(rep.Places)
	} else {
		rep.Places = rep.Places[:min(len(rep.Places), 3)]
		rep.Edges = nil
		rep.Summary = r.absent()
	}
	rep.NotCovered = r.notCovered()
	rep.NextQuestion = r.nextQuestion(chosen)
	return rep
}

// summarize writes a sentence for each of the best blocks, and one for an edge between two of them.
func (r *run) summarize(rep *report, chosen []*block) {
	for _, b := range r.telling(chosen) {
		if len(rep.Summary) == maxStatements-1 {
			break
		}
		s, ok := r.statement(b)
		if !ok {
			continue
		}
		rep.Summary = append(rep.Summary, s)
		if e, ok := r.excerpt(b); ok && len(rep.Excerpts) < maxExcerpts {
			rep.Excerpts = append(rep.Excerpts, e)
		}
	}
	if len(rep.Edges) > 0 {
		e := rep.Edges[0]
		p, n := splitCitation(e.Citation)
		if text, ok := r.e.line(p, n); ok {
			rep.Summary = append(rep.Summary, statement{
				Text:      fmt.Sprintf("`%s` %s `%s`: `%s`", e.From, e.Kind, e.To, clip(strings.TrimSpace(text), maxQuoteRunes)),
				Citations: []string{e.Citation}, Quote: quotable(text),
			})
		}
	}
	if len(rep.Summary) == 0 {
		rep.Found, rep.Summary = false, r.absent()
	}
}

// declares reports whether b only declares something: a constant, a macro, a type of a few lines.
func (b *block) declares() bool { return kindFactors[b.kind] > 0 && b.end-b.start < shortBlock }

// telling are the chosen blocks to write sentences of: first those whose name, signature or documentation holds words of the
// question or that hold a name of it, then the others; none that is far behind the first.
func (r *run) telling(chosen []*block) []*block {
	var first, others []*block
	for i, b := range chosen {
		switch {
		case b.rank < goodShare*chosen[0].rank || i >= tellingBlocks || b.factor < 1 && i > 0:
		case b.declares():
			others = append(others, b)
		case len(b.inName)+len(b.inDoc) > 0 || b.ident+b.uses != "":
			first = append(first, b)
		default:
			others = append(others, b)
		}
	}
	return append(first, others...)
}

func splitCitation(c string) (string, int) {
	i := strings.LastIndexByte(c, ':')
	first, _, _ := strings.Cut(c[i+1:], "-")
	n, err := strconv.Atoi(first)
	if i < 0 || err != nil {
		return c, 0
	}
	return c[:i], n
}
