package pages

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// A Search is the answer to one question in the making.
type Search struct {
	topic   Topic
	results lookup.Results
}

// Bounds of an answer.
const (
	maxFound     = 8   // sections to rank
	maxRead      = 3   // sections to read and quote
	readLines    = 60  // lines read of a section
	maxPlaces    = 5   // sections and definitions
	maxFirst     = 2   // sections before an answer from the code
	maxNames     = 3   // names of code that the section contains
	maxLines     = 120 // lines of a place
	maxQuote     = 300 // runes of a sentence
	excerptLines = 20
	related      = .6 // least score of another section, against the first
)

// New returns the search for a topic with the results so far.
func New(t Topic, results []rulemodel.Result) *Search {
	return &Search{topic: t, results: lookup.Of(results)}
}

// Steps is how many steps a search has at most.
const Steps = 3

// Calls returns the calls of a step, from 1. A step may need none.
func (s *Search) Calls(step int) (calls []rulemodel.Call) {
	switch step {
	case 1:
		calls = append(calls, s.headingsCall())
	case 2:
		for _, h := range s.sections() {
			calls = append(calls, readCall(h))
		}
	case 3:
		for _, n := range s.names() {
			calls = append(calls, symbolCall(n))
		}
	}
	return calls
}

func (s *Search) headingsCall() rulemodel.Call {
	return rulemodel.Ask("find_symbol", map[string]any{"name": s.topic.Text, "kind": "heading", "limit": maxFound},
		"the sections of documents on the topic")
}

func readCall(h codebase.Symbol) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": h.Path, "start_line": h.Start,
		"end_line": min(h.End, h.Start+readLines-1)}, "what the section “"+h.Name+"” says")
}

func symbolCall(name string) rulemodel.Call {
	return rulemodel.Ask("find_symbol", map[string]any{"name": name, "limit": 3}, "the section names it")
}

// best returns the score of the section whose title and text fit best; 0 without one.
func (s *Search) best() float64 {
	r, ok := lookup.Decode[codebase.SymbolResult](s.results, s.headingsCall())
	if !ok || len(r.Items) == 0 {
		return 0
	}
	return r.Items[0].Score
}

// found returns the sections that answer the question or help, best first; nil if the best does not fit well enough.
func (s *Search) found() []codebase.Symbol {
	r, ok := lookup.Decode[codebase.SymbolResult](s.results, s.headingsCall())
	if !ok || s.best() < s.topic.need {
		return nil
	}
	all := slices.DeleteFunc(r.Items, func(h codebase.Symbol) bool {
		return h.Path == "" || h.Start < 1 || h.End < h.Start || h.Score < related*r.Items[0].Score ||
			s.topic.need == needHowTo && changes.MatchString(h.Path)
	})
	if len(all) == 0 {
		return nil
	}
	loose := r.Items[0].Score < wholeTitle
	slices.SortStableFunc(all, func(a, b codebase.Symbol) int { return cmp.Compare(s.fit(b, loose), s.fit(a, loose)) })
	return all
}

// Shares of where a section is, against its score by its words.
const (
	asideShare = .85 // factor of a document for those who work on the project
	pageBonus  = .2  // the first section of a page that is named after the topic
	partBonus  = .05 // any other section of it
	wholeTitle = .8  // least score of a title that is the topic, wherever it is
	pageStart  = 8   // last line on which the first section of a page begins
	sameStart  = 5   // letters that two forms of a word share
)

// changes matches documents that say what was new once.
var changes = lazyregexp.New(`(?i)(?:^|/)[^/]*(?:changelog|changes|release[-_ ]?notes|history|news)[^/]*\.\w+$`)

// aside matches documents for those who work on a project, and the history of its changes.
var aside = lazyregexp.New(`(?i)(?:^|/)(?:contrib\w*|dev|devel\w*|internals?|maint\w*|rfcs?|design|process|change\w*|` +
	`releas\w*|history|news|migrat\w*|upgrad\w*)(?:[/._-]|$)`)

// fit is the score of a section in its document. If no title is the topic, a page that is named after it fits better.
func (s *Search) fit(h codebase.Symbol, loose bool) float64 {
	score := h.Score
	if aside.MatchString(h.Path) && !aside.MatchString(strings.ReplaceAll(s.topic.Text, " ", "/")) {
		return score * asideShare
	}
	name := strings.ToLower(path.Base(h.Path))
	for w := range strings.FieldsSeq(strings.ToLower(s.topic.Text)) {
		if !loose || len(w) < sameStart || !strings.HasPrefix(name, w[:sameStart]) {
			continue
		}
		if h.Start <= pageStart {
			return score + pageBonus
		}
		return score + partBonus
	}
	return score
}

// sections returns the sections to quote.
func (s *Search) sections() []codebase.Symbol {
	all := s.found()
	return all[:min(len(all), maxRead)]
}

// lines returns the lines that were read of a section, the title first.
func (s *Search) lines(h codebase.Symbol) []string {
	r, ok := lookup.Decode[codebase.FileResult](s.results, readCall(h))
	if !ok || len(r.Items) == 0 || r.Items[0].StartLine != h.Start {
		return nil
	}
	return r.Items[0].Lines
}

var inCode = lazyregexp.New("`+([A-Za-z_][\\w.:]*)(?:\\([^`]*\\))?`+")

// names returns the names of code in the best section that are written as code.
func (s *Search) names() (names []string) {
	all := s.sections()
	if len(all) == 0 {
		return nil
	}
	for _, l := range s.lines(all[0]) {
		for _, m := range inCode.FindAllStringSubmatch(l, -1) {
			if n := m[1]; looksDefined(m[0], n) && len(names) < maxNames && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

var twoParts = lazyregexp.New(`\p{Ll}\p{Lu}|\w_\w|\w::\w|\w\.\p{Lu}`)

// looksDefined reports whether quoted text is a name that code may define, rather than a file or a command.
func looksDefined(quoted, name string) bool {
	return len(name) > 2 && (strings.Contains(quoted, "(") || twoParts.MatchString(name)) && path.Ext(name) != ".md"
}

// Report returns the report on the results so far, or nil if no document answers the question, or not alone.
func (s *Search) Report() *report.Report {
	if s.best() < s.topic.need || s.topic.code {
		return nil
	}
	return s.report(maxPlaces, maxPlaces)
}

// First returns a report of the sections that answer a question that code answers as well; nil without any.
func (s *Search) First() *report.Report {
	if !s.topic.code || s.best() < s.topic.need {
		return nil
	}
	return s.report(maxFirst, 1)
}

func (s *Search) place(h codebase.Symbol) report.Place {
	return report.Place{Path: h.Path, Start: h.Start, End: min(h.End, h.Start+maxLines-1), Symbol: h.Name,
		Why: "section “" + h.Name + "”"}
}

// report names so many sections, and says what so many of them say.
func (s *Search) report(sections, says int) *report.Report {
	all := s.found()
	if len(all) == 0 || s.lines(all[0]) == nil {
		return nil
	}
	rep := &report.Report{Found: true}
	for i, h := range all {
		if len(rep.Places) == sections {
			break
		}
		if st, ok := s.statement(h, i); ok && i < says {
			rep.Summary = append(rep.Summary, st)
		}
		p := s.place(h)
		p.Confidence = confidenceOf(s.topic.need, i)
		rep.Places = append(rep.Places, p)
	}
	first := rep.Places[0]
	rep.Excerpts = []report.Excerpt{{Path: first.Path, Start: first.Start, End: min(first.End, first.Start+excerptLines-1)}}
	s.addCode(rep)
	return rep
}

// confidences are that of the first section, and that of the next ones together, by how clearly a question asks for
// documentation. They were set by hand, below what recorded questions about 12 projects gave.
var confidences = map[float64][]float64{
	needDocs: {.9, .1}, needHowTo: {.9, .1}, needAbout: {.85, .08}, needTitle: {.9, .05},
}

func confidenceOf(need float64, rank int) float64 {
	if rank > 0 {
		return confidences[need][1] / float64(rank)
	}
	return confidences[need][0]
}

// statement says what a section says: its first sentence, and the first command below it.
func (s *Search) statement(h codebase.Symbol, rank int) (report.Statement, bool) {
	lines := s.lines(h)
	if len(lines) < 2 {
		return report.Statement{}, false
	}
	own := lines[1:]
	prose, said := s.sentence(own)
	command, runs := documents.Command(own)
	where := fmt.Sprintf("%s, “%s”", h.Path, h.Name)
	if rank > 0 {
		where = "See also " + where
	}
	st := report.Statement{Citations: []string{lookup.Cite(h.Path, h.Start, h.End)}}
	switch {
	case said && runs && rank == 0:
		st.Text = fmt.Sprintf("%s: “%s” Its first example: %s.", where, line.Truncate(prose.Text, maxQuote),
			command.Code(maxQuote))
	case said:
		st.Text = fmt.Sprintf("%s: “%s”", where, line.Truncate(prose.Text, maxQuote))
	case runs:
		st.Text = fmt.Sprintf("%s: %s", where, command.Code(maxQuote))
	default:
		st.Text = where + "."
		return st, true
	}
	from, to := prose.Start, prose.End
	if !said {
		from, to = command.Start, command.End
	}
	at := h.Start + 1
	st.Citations = []string{lookup.Cite(h.Path, at+from, at+to)}
	if said && runs && rank == 0 && (command.Start < from || command.Start > to) {
		st.Citations = append(st.Citations, lookup.Cite(h.Path, at+command.Start, at+command.End))
	}
	st.Quote = lookup.Quotable(own[from], maxQuote)
	return st, true
}

// sentence returns the first sentence of the paragraph with most words of the topic, if the question asks how to do
// something, and otherwise that of the first.
func (s *Search) sentence(lines []string) (best documents.Quote, said bool) {
	best, said = documents.Sentence(lines)
	q, ok := documents.Parse(s.topic.Text)
	if !said || !ok || s.topic.need != needHowTo {
		return best, said
	}
	most := q.Count(best.Text)
	for at := nextParagraph(lines, best.End); at < len(lines); {
		next, more := documents.Sentence(lines[at:])
		if !more {
			break
		}
		next.Start, next.End = next.Start+at, next.End+at
		if n := q.Count(next.Text); n > most {
			best, most = next, n
		}
		at = nextParagraph(lines, next.End)
	}
	return best, true
}

// nextParagraph returns the index of the next line that begins a paragraph outside of code.
func nextParagraph(lines []string, at int) int {
	code := false
	for at++; at < len(lines); at++ {
		if strings.HasPrefix(strings.TrimSpace(lines[at-1]), "```") {
			code = !code
		}
		if !code && strings.TrimSpace(lines[at-1]) == "" {
			break
		}
	}
	return at
}

// addCode adds the definitions that the best section names.
func (s *Search) addCode(rep *report.Report) {
	for _, n := range s.names() {
		r, ok := lookup.Decode[codebase.SymbolResult](s.results, symbolCall(n))
		if !ok || len(r.Items) == 0 || len(r.Notes) > 0 {
			continue // no definition has exactly this name
		}
		d := r.Items[0]
		if d.Path == "" || d.Start < 1 || d.End < d.Start {
			continue
		}
		rep.Summary = append(rep.Summary, report.Statement{
			Text:      fmt.Sprintf("`%s`, which the section names, is defined in %s: `%s`", n, d.Path, line.Truncate(d.Signature, 120)),
			Citations: []string{lookup.Cite(d.Path, d.Start, d.Start)}})
		if len(rep.Places) == maxPlaces {
			rep.Places = rep.Places[:maxPlaces-1]
		}
		rep.Places = append(rep.Places, report.Place{Path: d.Path, Start: d.Start, End: min(d.End, d.Start+maxLines-1),
			Symbol: d.Name, Why: "the section names it", Confidence: .05})
		return
	}
}
