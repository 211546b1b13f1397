package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/answerpage"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// defaultSteps is the default of --max-steps.
const defaultSteps = 24

// runFacts are the figures of a run.
type runFacts struct {
	Model    string          `json:"model"`
	Answered []string        `json:"answered_by,omitempty"` // all models that answered, if not only Model did
	Steps    int             `json:"steps"`
	Calls    int             `json:"calls"`
	Files    int             `json:"files_read"`
	Bytes    int             `json:"bytes_read"`
	Tokens   providers.Usage `json:"tokens"`                 // zero with rules
	Cached   float64         `json:"cached_share,omitempty"` // share of the input, 0 to 1, from the provider's cache
	Cost     *float64        `json:"cost_usd,omitempty"`     // nil if unknown, or with rules
	Seconds  float64         `json:"seconds"`
	Evidence int             `json:"evidence_tokens,omitempty"` // found without the model, part of its first request
	Revision string          `json:"revision,omitempty"`        // "" outside a repository
	Quality  *guide.Quality  `json:"quality,omitempty"`         // of the exploration; nil with rules

	rules bool
	took  time.Duration
	bill  providers.Bill
}

// runFactsOf returns the figures of a run.
func runFactsOf(r *agent.Result, c *choice, revision string) runFacts {
	f := runFacts{
		Model: c.name(), Steps: r.Steps, Calls: len(r.Tools), Seconds: r.Duration.Seconds(),
		Revision: revision, rules: c.rules, took: r.Duration,
	}
	if !f.rules {
		f.Tokens, f.bill, f.Answered = r.Usage, c.meter.Total(), c.answered()
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
		if rec.Step == 0 {
			f.Evidence, f.Calls = rec.TokensOut, f.Calls-1
		}
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

// assess adds the quality of an exploration by a language model.
func (f *runFacts) assess(steps []agent.Step, maxSteps int) {
	if f.rules {
		return
	}
	if q := guide.Assess(steps, &guide.Options{Steps: maxSteps}); q.Score > 0 {
		f.Quality = &q
	}
}

// shortRevision is the length of a revision in the footer.
const shortRevision = 12

// speedText writes what a local server measured of its speed, in tokens a second; "" without a measure.
func speedText(u providers.Usage) string {
	if u.Read == 0 || u.ReadTime <= 0 || u.WriteTime <= 0 {
		return ""
	}
	return fmt.Sprintf("read %s anew at %s a second, wrote at %s", line.Number(u.Read), rate(float64(u.Read)/u.ReadTime),
		rate(float64(u.Output)/u.WriteTime))
}

// rate writes tokens a second, with a decimal if they are few.
func rate(tokens float64) string {
	if tokens < 10 {
		return fmt.Sprintf("%.1f", tokens)
	}
	return line.Number(int(math.Round(tokens)))
}

// estimatedNote says that tokens are foray's own count.
const estimatedNote = "tokens estimated (the server's counts are missing or cannot be true)"

// footer writes the last paragraph of a report.
func (f runFacts) footer() string {
	in := line.Number(f.Tokens.Input) + " tokens in"
	if f.Tokens.Cached > 0 {
		in += fmt.Sprintf(" (%s cached, %.0f %%)", line.Number(f.Tokens.Cached), 100*f.Cached)
	}
	tokens := in + ", " + line.Number(f.Tokens.Output) + " out, " + costText(f.bill)
	if speed := speedText(f.Tokens); speed != "" {
		tokens += ", " + speed
	}
	if f.bill.Estimated > 0 {
		tokens += ", " + estimatedNote
	}
	if f.rules {
		tokens = "no tokens"
	}
	if f.Evidence > 0 {
		tokens = line.Number(f.Evidence) + " tokens of evidence, " + tokens
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

// costText writes what answers cost.
func costText(b providers.Bill) string {
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

// progressFlags say how much progress to print.
type progressFlags struct{ quiet, verbose bool }

func (f *progressFlags) define(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each tool call")
	cli.InGroup(cmd, cli.OutputGroup, "quiet", "verbose")
}

func (f *progressFlags) check() error {
	if f.quiet && f.verbose {
		return cli.Usage("--verbose", "--quiet and --verbose exclude each other")
	}
	return nil
}

// stopUnusable is how a run ended whose model answered with something that is not an answer.
const stopUnusable agent.Stop = "unusable answer"

// answeredBy says whose report it is.
func answeredBy(rules bool) string {
	if rules {
		return "rules"
	}
	return "model"
}

// An outcome is what explore prints: a report, or else the model's text.
type outcome struct {
	Question   string             `json:"question,omitempty"`
	Found      bool               `json:"found"`
	Stop       agent.Stop         `json:"stop"`
	By         string             `json:"answered_by"`                   // "model", or "rules" for the heuristic explorer
	Fallback   string             `json:"fallback,omitempty"`            // why rules answered instead of the model
	Said       string             `json:"model_said,omitempty"`          // what the model said then, unchecked
	Doubt      string             `json:"doubt,omitempty"`               // why the Text of a small model may be beside it
	Beside     []report.Statement `json:"found_without_model,omitempty"` // beside the Text of a small model
	Partial    string             `json:"partial,omitempty"`             // why the report is partial; "" if it is not
	Trust      string             `json:"confidence,omitempty"`          // in the first place, in a word
	Report     *report.Report     `json:"report,omitempty"`
	Text       string             `json:"text,omitempty"`
	NotCovered []string           `json:"not_covered,omitempty"` // of Text; a report has its own
	Relevant   []string           `json:"relevant_files"`
	Warnings   []string           `json:"warnings,omitempty"`
	Run        runFacts           `json:"run"`

	Context *contextwindow.Report `json:"context,omitempty"` // with --explain-context

	result *guide.Result
	page   string // of --format html
}

// outcome makes an outcome of the result of a run.
func (x *exploration) outcome(r *agent.Result) *outcome {
	found := x.root.Conclude(x.question, r)
	o := &outcome{
		Question: x.question, Found: found.Found, Stop: found.Run.Stop, Partial: found.Partial,
		By: answeredBy(x.choice.rules || found.Fallback != ""), Fallback: found.Fallback,
		Said: found.Said, Beside: found.Beside, Doubt: found.Doubt,
		Report: found.Report, Text: found.Text,
		NotCovered: found.NotCovered, Relevant: found.Relevant, Warnings: r.Warnings, Run: runFactsOf(r, x.choice,
			x.root.Revision),
		result: found,
	}
	o.Run.assess(x.steps, x.flags.maxSteps)
	if found.Report != nil {
		o.Trust = found.Report.Trust()
	}
	if x.flags.explainContext {
		o.Context = &r.Context
	}
	if found.Fallback != "" {
		if guide.WhyPartial(r) == "" {
			o.Stop = stopUnusable
		}
		return o
	}
	if found.Report != nil && (found.Partial == "" || guide.WhyPartial(r) == "") {
		o.Stop = agent.Answered
		if found.Partial != "" && found.Lacks == nil && x.flags.timeout > 0 {
			o.Stop = agent.TimeLimit
		}
	}
	return o
}

// render writes the outcome as --format says.
func (o *outcome) render(f *exploreFlags) string {
	switch {
	case f.format == "json":
		return cli.JSONText(o)
	case f.format == "html":
		return o.page
	case f.format == "text":
		return o.result.PlainText(o.print(f))
	}
	return o.result.Markdown(o.print(f))
}

// alternatives is how many sentences are printed if the first place may well be wrong.
const alternatives = 3

// print returns how to print the report.
func (o *outcome) print(f *exploreFlags) report.PrintOptions {
	p := report.PrintOptions{Mermaid: f.mermaid, Footer: o.Run.footer()}
	if f.long || f.mermaid || o.Report == nil {
		return p
	}
	p.Short = cmp.Or(f.more, "--long")
	if o.By == answeredBy(true) {
		p.Sentences = 1
		if o.Trust == report.OneOfThese {
			p.Sentences = alternatives
		}
		all := o.Report.Summary
		beside := func(n int) bool { return o.cites(all[n], documented) || o.cites(all[n], o.tests) }
		for n := p.Sentences; n < min(len(all), alternatives) && (beside(n) || n == 1 && o.cites(all[0], documented)); n++ {
			p.Sentences++ // a document or tests beside code, and code beside a document
		}
		if o.Fallback != "" {
			p.Sentences++ // the note that says so
		}
	}
	return p
}

// cites reports whether the first place that a statement cites is of a kind.
func (o *outcome) cites(s report.Statement, kind func(report.Citation) bool) bool {
	if len(s.Citations) == 0 {
		return false
	}
	c, err := report.ParseCitation(s.Citations[0])
	return err == nil && kind(c)
}

func documented(c report.Citation) bool { return documents.Is(c.Path) }

// tests reports whether a place is in a test that the report lists.
func (o *outcome) tests(c report.Citation) bool {
	return slices.ContainsFunc(o.Report.Tests, func(p report.Place) bool {
		return p.Path == c.Path && p.Start <= c.Start && c.Start <= p.End
	})
}

// draw writes the page of --format html.
func (x *exploration) draw(ctx context.Context, o *outcome) error {
	if x.flags.format != "html" {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // a partial report is drawn too
	files := tree.Open(x.root.Files, &tree.Options{Dir: x.root.Dir, AllowSecret: x.root.AllowSecret})
	p := &answerpage.Page{Title: o.result.Title(), Report: o.Report, Text: o.Text, Relevant: o.Relevant,
		Partial: o.Partial, Trust: o.Trust, NotCovered: o.NotCovered, Footer: o.Run.footer(),
		Beside: o.Beside, Said: o.Said, Doubt: o.Doubt,
		Lines: func(path string) []string {
			_, content, err := files.File(ctx, path)
			if err != nil {
				return nil
			}
			return strings.Split(strings.TrimSuffix(string(files.Shown(content)), "\n"), "\n")
		}}
	for _, r := range o.result.Run.Tools {
		p.Read = append(p.Read, answerpage.ReadingOf(r.Value)...)
	}
	if x.question == "" {
		p.Files = codeFiles(ctx, files)
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		return err
	}
	o.page = b.String()
	return nil
}

// codeFiles lists the files whose language is known.
func codeFiles(ctx context.Context, files *tree.Tree) (all []answerpage.File) {
	for f, err := range files.Files(ctx, ".") {
		if err != nil {
			return all // the picture shows what is known
		}
		if f.Skip == "" && symbols.Language(f.Path) != "" {
			all = append(all, answerpage.File{Path: f.Path, Size: f.Size})
		}
	}
	return all
}
