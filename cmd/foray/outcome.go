package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
	codesearch "github.com/forayhq/foray/tools/search"
)

// An outcome is what explore prints: a report, or a model's text where there is no report.
type outcome struct {
	Question   string         `json:"question,omitempty"`
	Found      bool           `json:"found"`
	Stop       agent.Stop     `json:"stop"`
	Partial    string         `json:"partial,omitempty"` // why the report is not whole; "": it is
	Report     *report.Report `json:"report,omitempty"`
	Text       string         `json:"text,omitempty"`
	NotCovered []string       `json:"not_covered,omitempty"` // beside Text; a report has its own
	Relevant   []string       `json:"relevant_files"`
	Warnings   []string       `json:"warnings,omitempty"`
	Run        runFacts       `json:"run"`

	Context *contextwindow.Report `json:"context,omitempty"` // with --explain-context

	title string // of Text
}

// runFacts is what a run took.
type runFacts struct {
	Model    string          `json:"model"`
	Answered []string        `json:"answered_by,omitempty"` // where not only Model did: all that answered
	Steps    int             `json:"steps"`
	Calls    int             `json:"calls"`
	Files    int             `json:"files_read"`
	Bytes    int             `json:"bytes_read"`
	Tokens   providers.Usage `json:"tokens"`                 // none with the offline planner
	Cached   float64         `json:"cached_share,omitempty"` // of the input, 0 to 1, read from the provider's cache
	Cost     *float64        `json:"cost_usd,omitempty"`     // nil: not known, or the offline planner
	Seconds  float64         `json:"seconds"`
	Revision string          `json:"revision,omitempty"` // "": in no repository
	Quality  *guide.Quality  `json:"quality,omitempty"`  // of the exploration; nil: no language model

	rules bool
	took  time.Duration
	bill  providers.Bill
}

// outcome takes what a run gave: the last accepted report, else the text of the model, else what was read.
func (x *exploration) outcome(r *agent.Result) *outcome {
	o := &outcome{Question: x.question, Stop: r.Stop, Partial: partial(r), Relevant: []string{}, Warnings: r.Warnings, Run: x.facts(r)}
	if x.flags.explainContext {
		o.Context = &r.Context
	}
	report := lastReport(r.Tools)
	switch {
	case report != nil:
		o.Partial, o.Stop = "", agent.Answered
		if !report.Found && timedOut(r.Tools) {
			o.Partial = "the time was up before all files were looked at"
			if x.flags.timeout > 0 {
				o.Stop = agent.TimeLimit
			}
		}
	case strings.TrimSpace(r.Text) != "":
		a := readAnswer(x.root.FS(), r.Text)
		o.title = title(cmp.Or(x.question, x.overview()))
		o.Text, o.Relevant, o.NotCovered = a.text, append(o.Relevant, a.relevant...), a.broken
		o.Found = len(a.relevant) > 0
		o.notCovered()
		return o
	default:
		if report = looked(r); report == nil {
			o.title, o.Text, o.NotCovered = title(cmp.Or(x.question, x.overview())), "There is no answer yet.", []string{o.Partial}
			return o
		}
	}
	copied := *report
	copied.Question = title(cmp.Or(x.question, x.overview()))
	if o.Partial != "" {
		copied.NotCovered = append(copied.NotCovered[:len(copied.NotCovered):len(copied.NotCovered)], o.Partial)
	}
	o.Report, o.Found = &copied, copied.Found
	for _, p := range copied.Places {
		o.Relevant = append(o.Relevant, span(p.Path, p.Start, p.End))
	}
	for _, s := range copied.Summary {
		if len(copied.Places) == 0 {
			o.Relevant = append(o.Relevant, s.Citations...)
		}
	}
	return o
}

// maxTitle is how much of the first line of a question stands above its report, in columns.
const maxTitle = 200

// overview is the title of a report without a question.
func (x *exploration) overview() string { return "Overview of " + filepath.Base(x.root.Dir()) }

// title is the first line of a question.
func title(question string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(question), "\n")
	return ui.Fit(ui.Line(first), maxTitle)
}

// notCovered adds what is to be known about a text that no report checked.
func (o *outcome) notCovered() {
	if len(o.Relevant) == 0 {
		o.NotCovered = append(o.NotCovered, "the answer cites no lines of the tree: nothing of it could be checked")
	}
	if o.Partial != "" {
		o.NotCovered = append(o.NotCovered, o.Partial)
	}
}

func lastReport(records []agent.ToolRecord) *report.Report {
	for i := len(records) - 1; i >= 0; i-- {
		if receipt, ok := records[i].Value.(*codebase.Receipt); ok && receipt.Accepted {
			return receipt.Report
		}
	}
	return nil
}

// partial says why a run ended before its answer, "" if it did not.
func partial(r *agent.Result) string {
	switch r.Stop {
	case agent.StepLimit, agent.TimeLimit, agent.TokenLimit, agent.CostLimit:
		return fmt.Sprintf("the %s came first, after %s", r.Stop, line.Count(r.Steps, "step"))
	case agent.CutOff:
		return "the answer was cut off by its length limit"
	case agent.Stalled:
		return fmt.Sprintf("the run came no further, after %s", line.Count(r.Steps, "step"))
	case agent.Cancelled:
		return fmt.Sprintf("cancelled after %s", line.Count(r.Steps, "step"))
	case agent.Failed:
		return fmt.Sprintf("an error ended the run after %s", line.Count(r.Steps, "step"))
	case agent.Answered, agent.GuideStopped:
	}
	return ""
}

// facts sums up what a run took.
func (x *exploration) facts(r *agent.Result) runFacts {
	f := runFacts{
		Model: x.choice.name(), Steps: r.Steps, Calls: len(r.Tools), Seconds: r.Duration.Seconds(),
		Revision: x.root.revision, rules: x.choice.rules, took: r.Duration,
	}
	if !f.rules {
		if q := guide.Assess(x.steps, x.guided()); q.Score > 0 {
			f.Quality = &q
		}
		f.Tokens, f.bill, f.Answered = r.Usage, x.choice.meter.Total(), x.choice.answered()
		if r.Usage.Input > 0 {
			f.Cached = math.Round(1000*float64(r.Usage.Cached)/float64(r.Usage.Input)) / 1000
		}
		if f.bill.Answers > 0 && f.bill.Known() {
			dollars := math.Round(1e6*f.bill.Cost) / 1e6
			f.Cost = &dollars
		}
	}
	seen := map[string]bool{}
	for _, rec := range r.Tools {
		files, ok := rec.Value.(*codebase.FileResult)
		if !ok {
			continue
		}
		for _, item := range files.Items {
			seen[item.Path] = true
			for _, l := range item.Lines {
				f.Bytes += len(l) + 1
			}
		}
	}
	f.Files = len(seen)
	return f
}

// shortRevision is how many characters of a revision the footer shows: enough for any repository.
const shortRevision = 12

// footer is the last paragraph of a report.
func (f runFacts) footer() string {
	in := line.Number(f.Tokens.Input) + " tokens in"
	if f.Tokens.Cached > 0 {
		in += fmt.Sprintf(" (%s cached, %.0f %%)", line.Number(f.Tokens.Cached), 100*f.Cached)
	}
	tokens := in + ", " + line.Number(f.Tokens.Output) + " out, " + cost(f.bill)
	if f.rules {
		tokens = "no tokens"
	}
	revision := "no revision"
	if f.Revision != "" {
		revision = "revision " + f.Revision[:shortRevision]
	}
	if f.Quality != nil {
		tokens += fmt.Sprintf(", exploration %d of 100", f.Quality.Score)
	}
	model := f.Model
	if len(f.Answered) > 0 {
		model += ", answered by " + strings.Join(f.Answered, " and ")
	}
	return fmt.Sprintf("%s, %s, %s read (%s), %s, %s, %s, %s", line.Count(f.Steps, "step"), line.Count(f.Calls, "call"),
		line.Count(f.Files, "file"), line.Bytes(int64(f.Bytes)), tokens, ui.Seconds(f.took), revision, model)
}

// cost says what answers cost.
func cost(b providers.Bill) string {
	switch {
	case b.Answers > 0 && b.Unpriced == b.Answers:
		return "cost unknown"
	case b.Known() && b.Cost == 0:
		return "no cost"
	case b.Estimated > 0:
		return "about " + b.String()
	}
	return b.String()
}

func span(path string, start, end int) string {
	if start == end {
		return fmt.Sprintf("%s:%d", path, start)
	}
	return fmt.Sprintf("%s:%d-%d", path, start, end)
}

// render writes an outcome in the form that the flags ask for.
func (o *outcome) render(f *exploreFlags) string {
	switch {
	case f.format == "json":
		raw, err := json.MarshalIndent(o, "", "  ")
		if err != nil {
			panic(err) // plain data: numbers are finite, strings are strings
		}
		return string(raw) + "\n"
	case o.Report == nil:
		return ui.Printable(o.textReport(f.format == "md"))
	case f.format == "text":
		return ui.Printable(o.Report.PlainText(report.PrintOptions{Footer: o.Run.footer()}))
	}
	return ui.Printable(o.Report.Markdown(report.PrintOptions{Mermaid: f.mermaid, Footer: o.Run.footer()}))
}

// textReport frames a model's text as a report is: question, answer, what is not covered, footer, files.
func (o *outcome) textReport(markdown bool) string {
	var b strings.Builder
	head, section, rule := "", "", ""
	if markdown {
		head, section, rule = "# ", "## ", "---\n"
	}
	b.WriteString(head + o.title + "\n\n")
	b.WriteString(o.Text + "\n\n")
	if len(o.NotCovered) > 0 {
		b.WriteString(section + "Not covered\n\n- " + strings.Join(o.NotCovered, "\n- ") + "\n\n")
	}
	b.WriteString(rule + o.Run.footer() + "\n\n" + report.ListHead + "\n")
	for _, c := range o.Relevant {
		b.WriteString("- " + c + "\n")
	}
	return b.String()
}

// maxLooked is how many places a report of a run without an answer names.
const maxLooked = 10

// looked is the report of a run that came to no answer: the lines that it read, or else the files that its searches hit
// most often. It is nil if there are none.
func looked(r *agent.Result) *report.Report {
	text, places := "There is no answer yet; these are the lines that were read.", readPlaces(r.Tools)
	if len(places) == 0 {
		text, places = "There is no answer yet; these are the files that the searches hit most often.", hitPlaces(r.Tools)
	}
	if len(places) == 0 {
		return nil
	}
	return &report.Report{
		Found:   true,
		Summary: []report.Statement{{Text: text}},
		Places:  places[:min(len(places), maxLooked)],
	}
}

// timedOut reports whether a tool answered with what it had when its time was up.
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

func readPlaces(records []agent.ToolRecord) []report.Place {
	var places []report.Place
	for _, rec := range records {
		files, ok := rec.Value.(*codebase.FileResult)
		if !ok {
			continue
		}
		for _, f := range files.Items {
			if f.StartLine > 0 {
				places = append(places, report.Place{Path: f.Path, Start: f.StartLine, End: f.EndLine, Symbol: f.Symbol, Why: "was read"})
			}
		}
	}
	return places
}

// hitPlaces are the first hits in the files that have the most, ties by path.
func hitPlaces(records []agent.ToolRecord) []report.Place {
	hits, first := map[string]int{}, map[string]codesearch.Match{}
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
	var places []report.Place
	for _, path := range slices.SortedFunc(maps.Keys(hits), func(a, b string) int { return cmp.Or(hits[b]-hits[a], cmp.Compare(a, b)) }) {
		at := max(1, first[path].Line)
		places = append(places, report.Place{Path: path, Start: at, End: at, Symbol: first[path].Symbol, Why: line.Count(hits[path], "hit")})
	}
	return places
}
