package page

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// A row is a trial in the table.
type row struct {
	Task    string   `json:"task"`
	Subject int      `json:"subject"` // index in the page's subjects
	Trial   int      `json:"trial"`
	Tags    []string `json:"tags,omitempty"`
	Passed  bool     `json:"passed"`
	Score   float64  `json:"score"`
	Class   string   `json:"class,omitempty"` // of its failure
	Why     string   `json:"why,omitempty"`   // it failed
	Prompt  string   `json:"prompt,omitempty"`
	Tokens  int      `json:"tokens"`
	Cost    *float64 `json:"cost,omitempty"` // nil: unknown
	Steps   int      `json:"steps"`
	Seconds float64  `json:"seconds"`
	Block   int      `json:"block"` // that holds its details; -1 for none
	Line    int      `json:"line"`
}

// maxCause is how many runes of a reason the table shows.
const maxCause = 300

// rowOf returns the row of a result, without a place for its details.
func rowOf(r *trial.Row, subject int, t *known) row {
	out := row{Task: visible(r.Task), Subject: subject, Trial: r.Trial, Passed: r.Passed, Score: r.Score,
		Tokens: tokensOf(r), Steps: r.Steps, Seconds: r.Seconds, Block: -1}
	if r.Priced {
		out.Cost = &r.Cost
	}
	if t != nil {
		out.Prompt = headline(t.prompt)
	}
	for _, tag := range r.Tags {
		out.Tags = append(out.Tags, visible(tag))
	}
	if r.Passed {
		return out
	}
	out.Class = string(classOf(r))
	switch {
	case r.Failure != nil:
		out.Why = r.Failure.Text
	default:
		for _, v := range r.Checks {
			if !v.Passed {
				out.Why = v.Check + ": " + cmp.Or(v.Err, v.Why, "not passed")
				break
			}
		}
	}
	out.Why = visible(line.Truncate(line.Flat(out.Why), maxCause))
	return out
}

// wrong is shown as the class of a trial that ended, but did not pass a check.
const wrong trial.Class = "wrong"

// classOf returns the class of a trial that did not pass.
func classOf(r *trial.Row) trial.Class {
	if r.Failure != nil {
		return trial.Class(visible(string(r.Failure.Class)))
	}
	return wrong
}

func tokensOf(r *trial.Row) int { return r.Usage.Input + r.Usage.Output }

// details are what the page shows of an opened trial.
type details struct {
	Question string          `json:"question,omitempty"` // what the user said, if Prompt holds more
	Prompt   string          `json:"prompt"`
	Earlier  int             `json:"earlier,omitempty"` // messages before the prompt
	Before   []before        `json:"before,omitempty"`  // the first of them, for a trial without a trace
	Budget   string          `json:"budget,omitempty"`
	Checks   []string        `json:"checks,omitempty"` // as the task defines them
	Answer   string          `json:"answer"`
	Stop     string          `json:"stop,omitempty"`
	Verdicts []check.Verdict `json:"verdicts,omitempty"`
	Failure  *trial.Failure  `json:"failure,omitempty"`
	Calls    []madeCall      `json:"calls,omitempty"`
	Usage    providers.Usage `json:"usage"`
	Trace    string          `json:"trace,omitempty"`
	Session  *session        `json:"session,omitempty"`
	Left     omissions       `json:"left,omitempty"`
}

// A madeCall is a call of a tool.
type madeCall struct {
	Name   string `json:"name"`
	Args   string `json:"args,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// details returns what the page shows of a row, and reads its trace.
func (f *folder) details(ctx context.Context, r *trial.Row) (*details, error) {
	text := f.bounds.text
	d := &details{Answer: shown(r.Answer, text), Stop: visible(r.Stop), Usage: r.Usage, Trace: visible(r.Trace)}
	for _, v := range r.Checks {
		d.Verdicts = append(d.Verdicts, check.Verdict{Check: visible(v.Check), Passed: v.Passed, Score: v.Score,
			Why: shown(v.Why, text), Err: shown(v.Err, text)})
	}
	if r.Failure != nil {
		d.Failure = &trial.Failure{Class: classOf(r), Text: shown(r.Failure.Text, text)}
	}
	for _, c := range r.Calls {
		d.Calls = append(d.Calls, madeCall{visible(c.Name), visible(string(c.Args)), c.Failed})
	}
	if t := f.tasks[r.Task]; t != nil {
		d.Prompt, d.Earlier, d.Budget, d.Checks = t.prompt, t.earlier, budgetText(t.budget), t.checks
	}
	if r.Trace != "" {
		d.Session = f.session(ctx, r.Trace, &d.Left)
	} else {
		if t := f.tasks[r.Task]; t != nil {
			d.Before = t.before
		}
		d.Left.add("This trial has no trace, and so no timeline, window and requests.")
	}
	return d, ctx.Err()
}

// session reads a trace twice: for its events, and for those requests that the page shows. It returns nil, and says
// why, if the trace cannot be opened.
func (f *folder) session(ctx context.Context, name string, left *omissions) *session {
	read := func(take func(io.Reader)) bool {
		in, err := f.trace(name)
		if err == nil {
			take(in)
			err = in.Close()
		}
		if err != nil {
			left.add("The trace could not be read: %s", visible(err.Error()))
		}
		return err == nil
	}
	var s *sessionReader
	if !read(func(in io.Reader) { s = readSession(in, f.bounds) }) {
		return nil
	}
	read(func(in io.Reader) { s.readRequests(ctx, in) })
	return s.session
}

// budgetText writes the bounds of a budget: "40 steps, $0.50".
func budgetText(b task.Budget) string {
	var parts []string
	if b.Steps > 0 {
		parts = append(parts, line.Count(b.Steps, "step"))
	}
	if b.Tokens > 0 {
		parts = append(parts, line.Count(b.Tokens, "token"))
	}
	if b.Seconds > 0 {
		parts = append(parts, amount(b.Seconds)+" s")
	}
	if b.Dollars > 0 {
		parts = append(parts, line.Dollars(b.Dollars))
	}
	return strings.Join(parts, ", ")
}
