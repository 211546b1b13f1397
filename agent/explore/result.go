package explore

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/internal/asked"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// A Result is what an exploration found.
type Result struct {
	Report     *report.Report     // the accepted report, or else one of the lines that were read; nil: see Text
	Text       string             // the answer of a model that submitted no report
	Found      bool               // something relevant was found
	Partial    string             // why it is incomplete; empty if it is not
	Relevant   []string           // the cited lines, best first; each resolves
	NotCovered []string           // what Text does not cover; a report has its own list
	Fallback   string             // why Report is that of the heuristic explorer instead; empty if it is not
	Said       string             // what the model said beside the Report of the heuristic explorer: unchecked
	Doubt      string             // why the Text of a small model may be about other code; empty if nothing says so
	Beside     []report.Statement // what the heuristic explorer says beside the Text of a small model
	Lacks      *tools.Problem     // why the tree itself is not whole, as in a partial clone; nil if it is
	Run        *agent.Result

	title  string
	others []string // questions of the message besides
}

const maxTitle = 200 // runes

// Title returns the first line of the message, or the first that asks, or what an overview is of: at most 200 runes.
func (r *Result) Title() string { return r.title }

// Conclude makes the result of a run: from its last accepted report, else from the model's text, else from the lines
// that were read. If a run began with evidence, and its text is not an answer, the result is the report of the
// heuristic explorer, with a Fallback that says so.
func (t *Tree) Conclude(question string, r *agent.Result) *Result {
	out := t.conclude(question, r)
	out.Lacks = t.Partial()
	if out.Lacks == nil {
		return out
	}
	why := out.Lacks.Message
	out.Partial = strings.TrimPrefix(out.Partial+"; "+why, "; ")
	if out.Report != nil {
		out.Report.NotCovered = append(slices.Clip(out.Report.NotCovered), why)
	} else {
		out.NotCovered = append(out.NotCovered, why)
	}
	return out
}

func (t *Tree) conclude(question string, r *agent.Result) *Result {
	out := &Result{Run: r, Partial: WhyPartial(r), Relevant: []string{}}
	_, out.others = rules.Subject(question)
	out.title = line.Truncate(line.Flat(cmp.Or(asked.Read(question).Title, "Overview of "+filepath.Base(t.Dir))), maxTitle)
	if given := lastAnswer(r.Tools); given != "" {
		answered := *r
		answered.Stop, answered.Text = agent.Answered, given
		r, out.Run = &answered, &answered
	}
	found, known := lastReport(r.Tools), evidenceOf(r.Tools)
	switch {
	case found != nil:
		out.Partial = ""
		if !found.Found && timedOut(r.Tools) {
			out.Partial = "the time was up before all files were searched"
		}
	case known != nil:
		out.takeAnswer(t, known)
		return out
	case strings.TrimSpace(r.Text) != "":
		a, _ := t.checkedAnswer(r, nil)
		out.takeText(a)
		return out
	default:
		if found = partialReport(r); found == nil {
			out.Text, out.NotCovered = "There is no answer yet.", []string{out.Partial}
			return out
		}
	}
	out.takeReport(*found)
	return out
}

// checkedAnswer resolves the citations of a model's text, after they are checked and repaired by the citer. What the
// heuristic explorer writes was checked before.
func (t *Tree) checkedAnswer(r *agent.Result, known *evidence) (answer, *citer) {
	c := t.citerOf(known, r)
	if isData(r.Text) || strings.HasPrefix(r.Text, rules.Disclosure) {
		return readAnswer(t.Files, r.Text), c
	}
	a := readAnswer(t.Files, c.repair(r.Text))
	a.broken = append(c.notes, a.broken...)
	return a, c
}

// absent reports whether a model may say without lines that nothing is there: every file was searched, and exact tools
// found nothing, or a ranking did and the model denies it.
func (e *evidence) absent(said string) bool {
	return !e.found.Found && e.found.Partial == "" && (e.exact || denial.MatchString(said))
}

// minShared is how many words an answer shares with a question that was put in other words: one of those that the model
// added at least.
const minShared = 2

// guessed says why an answer of a small model is most likely about other code than the question, or returns "". Every
// file was searched, the words of the question found nothing, and what the answer cites has no other words for it.
func (e *evidence) guessed(doubtful bool) string {
	switch {
	case !doubtful || !e.unmet:
		return ""
	case e.missing != "":
		return "no file contains " + e.missing + ", so it most likely took the nearest code for the answer"
	}
	return "the words of the question found nothing, so it most likely took the nearest code for the answer"
}

// doubtful reports whether an answer of a small model may be about other code than the question: a word of that is in
// no file, or all words found nothing, and the model neither says so nor cites code with words that mean the same.
// Words of another language than English need not be in the code.
func (e *evidence) doubtful(c *citer, question, said string, cited []string) bool {
	if !e.small || e.exact && !e.unmet || !e.unmet && e.missing == "" || denial.MatchString(said) ||
		!english.MatchString(question) {
		return false
	}
	shown, asked, added := termsOf(c.around(cited)), termsOf(question), 0
	for word := range strings.FieldsSeq(e.synonyms) {
		terms := termsOf(word)
		if containsAll(shown, terms) && !containsAll(asked, terms) { // "text" of "cipherText" means something else
			added++
		}
	}
	maps.DeleteFunc(asked, func(t string, _ bool) bool { return !shown[t] })
	return added == 0 || added+len(asked) < minShared
}

func containsAll(set, some map[string]bool) bool {
	for t := range some {
		if !set[t] {
			return false
		}
	}
	return true
}

// english matches the beginning of a question in English.
var english = lazyregexp.New(`(?i)^\W*(?:wh(?:o|at|ich|ere|en|y|ose)|how|is|are|was|do|does|did|can|could|should|` +
	`will|has|have)\b`)

// takeAnswer takes the text of a run that began with evidence, or else the report that was made without it. If that
// one found nothing, it lists the lines that the model read.
func (r *Result) takeAnswer(t *Tree, known *evidence) {
	a, c := t.checkedAnswer(r.Run, known)
	if known.absent(r.Run.Text) && r.Run.Stop == agent.Answered && len(a.relevant) == 0 && !isEcho(r.Run.Text, r.Run, known) {
		r.Said = bounded(r.Run.Text, maxSaid) // no lines can show that there is nothing
		r.takeReport(*known.found.Report)
		return
	}
	switch {
	case r.Run.Stop == agent.Failed || r.Run.Stop == agent.Cancelled:
		r.Fallback = r.Partial
	case strings.TrimSpace(r.Run.Text) == "":
		r.Fallback = cmp.Or(r.Partial, "its answer is empty")
	case isEcho(r.Run.Text, r.Run, known):
		r.Fallback = "its answer repeats what it was sent"
	case asksBack(r.Run.Text, r.title):
		r.Fallback = "its answer repeats the question"
	case len(a.relevant) == 0:
		r.Fallback = "its answer cites no lines of the tree"
	default:
		doubtful := known.doubtful(c, r.title, r.Run.Text, a.relevant)
		if r.Fallback = known.guessed(doubtful); r.Fallback != "" {
			break
		}
		r.takeText(a)
		if doubtful {
			r.Doubt = "No file contains " + known.missing + ", and what the answer cites has no other word for it: " +
				"it may be about other code."
		}
		// Shown even if the explorer found nothing: the model may still have taken the nearest code for the answer.
		if beside := known.found.Report; known.small && (beside.Found || known.found.Partial == "") {
			r.Beside = beside.Summary[:min(len(beside.Summary), maxBeside)]
		}
		return
	}
	partial := cmp.Or(r.Partial, "the model gave no usable answer: "+r.Fallback)
	r.Said = bounded(r.Run.Text, maxSaid)
	found := *known.found.Report
	if read := partialReport(r.Run); !found.Found && read != nil {
		found = *read
	}
	note := report.Statement{Text: "The model gave no usable answer: " + r.Fallback + ". This report was made without it."}
	found.Summary = append([]report.Statement{note}, found.Summary...)
	r.Partial = "" // the note says it
	r.takeReport(found)
	r.Partial = partial
}

const (
	maxSaid   = 2_000 // bytes of what a model said instead of an answer
	maxBeside = 4     // sentences of the heuristic explorer beside an answer
)

// bounded returns the beginning of a text, without blank lines at its ends.
func bounded(text string, most int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

func (r *Result) takeText(a answer) {
	r.Text, r.Relevant, r.NotCovered = a.text, append(r.Relevant, a.relevant...), a.broken
	r.Found = len(a.relevant) > 0
	if !r.Found {
		r.NotCovered = append(r.NotCovered, "the answer cites no lines of the tree, so nothing in it was checked")
	}
	if r.Partial != "" {
		r.NotCovered = append(r.NotCovered, r.Partial)
	}
}

func (r *Result) takeReport(found report.Report) {
	found.Question = r.title
	if r.Partial != "" {
		found.NotCovered = append(slices.Clip(found.NotCovered), r.Partial)
	}
	r.Report, r.Found = &found, found.Found
	for _, p := range found.Places {
		r.Relevant = append(r.Relevant, p.Citation().String())
	}
	if len(found.Places) > 0 {
		return
	}
	for _, s := range found.Summary {
		r.Relevant = append(r.Relevant, s.Citations...)
	}
}

// Markdown writes the report or, without one, the text in the same frame.
func (r *Result) Markdown(o report.PrintOptions) string {
	if r.Report != nil {
		o.Footer, o.Partial = r.said("> ")+r.unanswered()+o.Footer, r.unread()
		return r.Report.Markdown(o)
	}
	return r.frame("# ", "## ", "---\n", o.Footer)
}

// PlainText is [Result.Markdown] without marks.
func (r *Result) PlainText(o report.PrintOptions) string {
	if r.Report != nil {
		o.Footer, o.Partial = r.said("  ")+r.unanswered()+o.Footer, r.unread()
		return r.Report.PlainText(o)
	}
	return r.frame("", "", "", o.Footer)
}

// unread reports whether the run ended before everything was looked at. A report in place of a model's answer is whole.
func (r *Result) unread() bool { return r.Partial != "" && r.Fallback == "" }

// said quotes what the model said instead of an answer, each line after a mark.
func (r *Result) said(mark string) string {
	if r.Said == "" {
		return ""
	}
	return "The model said, unchecked:\n\n" + mark + strings.ReplaceAll(r.Said, "\n", "\n"+mark) + "\n\n"
}

// unanswered names the questions of the message that the report of the heuristic explorer does not answer.
func (r *Result) unanswered() string {
	if len(r.others) == 0 || r.Report.NextQuestion != r.others[0] {
		return ""
	}
	return "Only the first question is answered. Ask separately:\n\n- " + strings.Join(r.others, "\n- ") + "\n\n"
}

func (r *Result) frame(head, section, rule, footer string) string {
	var b strings.Builder
	b.WriteString(head + r.title + "\n\n")
	if r.Doubt != "" {
		b.WriteString(r.Doubt + "\n\n")
	}
	b.WriteString(r.Text + "\n\n")
	if len(r.Beside) > 0 {
		b.WriteString(section + "Found without the model\n\n")
		for _, s := range r.Beside {
			b.WriteString("- " + line.Flat(s.Text))
			for _, c := range s.Citations {
				b.WriteString(" [" + c + "]")
			}
			b.WriteByte('\n')
		}
		b.WriteString("\n")
	}
	if len(r.NotCovered) > 0 {
		b.WriteString(section + "Not covered\n\n- " + strings.Join(r.NotCovered, "\n- ") + "\n\n")
	}
	if footer != "" {
		b.WriteString(rule + footer + "\n\n")
	}
	b.WriteString(report.ListHead + "\n")
	for _, c := range r.Relevant {
		b.WriteString("- " + c + "\n")
	}
	return b.String()
}

// WhyPartial says why a run ended before its answer, or returns "".
func WhyPartial(r *agent.Result) string {
	switch r.Stop {
	case agent.StepLimit, agent.TimeLimit, agent.TokenLimit, agent.CostLimit:
		return fmt.Sprintf("the %s came first, after %s", r.Stop, line.Count(r.Steps, "step"))
	case agent.CutOff:
		return "the answer was cut off by its length limit"
	case agent.Stalled:
		return "the run made no progress, after " + line.Count(r.Steps, "step")
	case agent.Cancelled:
		return "cancelled after " + line.Count(r.Steps, "step")
	case agent.Failed:
		return "an error ended the run after " + line.Count(r.Steps, "step")
	case agent.Answered, agent.GuideStopped:
	}
	return ""
}

func lastReport(records []agent.ToolRecord) *report.Report {
	for _, rec := range slices.Backward(records) {
		if receipt, ok := rec.Value.(*codebase.Receipt); ok && receipt.Accepted {
			return receipt.Report
		}
	}
	return nil
}

// lastAnswer returns the text given to the tool answer, or "".
func lastAnswer(records []agent.ToolRecord) string {
	for _, rec := range slices.Backward(records) {
		if a, ok := rec.Value.(codebase.Answer); ok {
			return string(a)
		}
	}
	return ""
}

// timedOut reports whether a tool returned a partial result because its time was up.
func timedOut(records []agent.ToolRecord) bool {
	return slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		switch v := rec.Value.(type) {
		case *codebase.SearchResult:
			return v.TimedOut
		case *codebase.GlobResult:
			return v.TimedOut
		case *codebase.SymbolResult:
			return v.TimedOut
		case *locate.Result:
			return v.TimedOut
		}
		return false
	})
}

const maxPartialPlaces = 10 // places in the report of a run without an answer

// partialReport makes the report of a run without an answer: the lines that it read, or else the files with the most
// search hits. It returns nil for a run without either.
func partialReport(r *agent.Result) *report.Report {
	text, places := "There is no answer yet; these are the lines that were read.", readPlaces(r.Tools)
	if len(places) == 0 {
		text, places = "There is no answer yet; these are the files with the most search hits.", hitPlaces(r.Tools)
	}
	if len(places) == 0 {
		return nil
	}
	return &report.Report{
		Found:   true,
		Summary: []report.Statement{{Text: text}},
		Places:  places[:min(len(places), maxPartialPlaces)],
	}
}

func readPlaces(records []agent.ToolRecord) []report.Place {
	var places []report.Place
	for _, rec := range records {
		files, ok := rec.Value.(*codebase.FileResult)
		if !ok {
			continue
		}
		for _, f := range files.Items {
			if f.StartLine > 0 {
				places = append(places, report.Place{Path: f.Path, Start: f.StartLine, End: f.EndLine, Symbol: f.Symbol,
					Why: "was read"})
			}
		}
	}
	return places
}

// hitPlaces returns the first hit in each file, those with the most hits first, ties by path.
func hitPlaces(records []agent.ToolRecord) []report.Place {
	hits, first := map[string]int{}, map[string]search.Match{}
	for _, rec := range records {
		found, ok := rec.Value.(*codebase.SearchResult)
		if !ok {
			continue
		}
		for _, f := range found.Items {
			hits[f.Path] += f.Hits
			if len(f.Matches) > 0 && (first[f.Path].Line == 0 || f.Matches[0].Line < first[f.Path].Line) {
				first[f.Path] = f.Matches[0]
			}
		}
	}
	byHits := func(a, b string) int { return cmp.Or(hits[b]-hits[a], cmp.Compare(a, b)) }
	var places []report.Place
	for _, path := range slices.SortedFunc(maps.Keys(hits), byHits) {
		at := max(1, first[path].Line)
		places = append(places, report.Place{Path: path, Start: at, End: at, Symbol: first[path].Symbol,
			Why: line.Count(hits[path], "hit")})
	}
	return places
}
