package sessions

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
)

// A Session is a session to be shown.
type Session struct {
	ID      string
	Records []session.Record
	State   *session.State
}

// budget returns the budget of the newest run.
func (s *Session) budget() contextwindow.Budget {
	last := s.State.Last()
	b := catalog.BudgetFor(last.Model, last.Profile)
	b.Limit = last.Limit
	return b
}

// shownLines is how many lines of a text a transcript shows, and shownRunes how much of each: JSON has one long line.
const (
	shownLines = 12
	shownRunes = 400
)

// Show returns the transcript of a session as Markdown, with what the window holds and what was left out of it.
func (s *Session) Show() (string, error) {
	w, err := contextwindow.Load(s.State.Entries, s.budget(), nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range s.State.Runs {
		s.run(&b, &s.State.Runs[i])
	}
	s.questions(&b)
	fmt.Fprintf(&b, "\n## Window\n\n```\n%s```\n", w.Explain())
	return b.String(), nil
}

// run writes a run.
func (s *Session) run(b *strings.Builder, r *session.RunState) {
	asked := r.Input
	if asked == "" {
		asked = r.Prompt
	}
	first, _, _ := strings.Cut(strings.TrimSpace(asked), "\n")
	fmt.Fprintf(b, "# %s\n\nsession %s, %s, %s, in %s, begun %s\n", ui.Line(first), s.ID, state(r), model(r),
		ui.Line(r.Folder), ui.Time(s.Records[r.First].Time))
	fmt.Fprintf(b, "\n## The prompt\n\n%s\n", shortened(asked, shownLines))
	if asked != r.Prompt {
		fmt.Fprintf(b, "\n### As it was sent\n\n%s\n", shortened(r.Prompt, shownLines))
	}
	from := r.Before
	for i := range r.Steps {
		step := &r.Steps[i]
		fmt.Fprintf(b, "\n## Step %d · %s · %s\n\n", step.Step.Number, ui.Time(s.Records[step.Record].Time),
			ui.Seconds(step.Duration))
		s.step(b, step, s.State.Entries[from:step.Entries], shownLines)
		from = step.Entries
	}
	if r.End != nil && r.End.Error != "" {
		fmt.Fprintf(b, "\nEnded: %s: %s\n", r.End.Stop, ui.Line(r.End.Error))
	} else if r.End != nil {
		fmt.Fprintf(b, "\nEnded: %s\n", r.End.Stop)
	}
}

// Step returns a step of the newest run, whole.
func (s *Session) Step(n int) (string, error) {
	from, _, err := s.stepAt(n)
	if err != nil {
		return "", err
	}
	step := &s.State.Last().Steps[n-1]
	var b strings.Builder
	fmt.Fprintf(&b, "# Step %d of session %s\n\n", n, s.ID)
	s.step(&b, step, s.State.Entries[from:step.Entries], 0)
	return b.String(), nil
}

// step writes a step with at most so many lines of each text; 0: all.
func (s *Session) step(b *strings.Builder, step *session.StepState, entries []contextwindow.Entry, lines int) {
	for _, c := range step.Compactions {
		fmt.Fprintf(b, "- window: %s; %s evicted\n", c, line.Count(c.Evicted, "unit"))
	}
	for _, e := range entries {
		switch {
		case e.Note != nil:
			fmt.Fprintf(b, "- note %s: %s\n", e.Note.Kind, ui.Line(shortened(e.Note.Text, lines)))
		case e.Edit != nil && len(e.Edit.Truncations) > 0:
			fmt.Fprintf(b, "- %s shortened by %s: %s → %s tokens\n", line.Count(len(e.Edit.Truncations), "text"),
				e.Edit.Cause, line.Number(e.Edit.Before), line.Number(e.Edit.After))
		case e.Unit != nil && e.Unit.Messages[0].Role == transcript.Assistant:
			unit(b, e.Unit, lines)
		}
	}
	for _, warning := range step.Warnings {
		fmt.Fprintf(b, "- warning: %s\n", ui.Line(warning))
	}
}

// unit writes an answer with its calls and their results.
func unit(b *strings.Builder, u *contextwindow.Unit, lines int) {
	if text := strings.TrimSpace(u.Messages[0].Described()); text != "" {
		b.WriteString(text + "\n")
	}
	for i, c := range u.Messages[0].Calls {
		result := u.Messages[i+1]
		fmt.Fprintf(b, "- calls %s\n\n```\n%s\n```\n", ui.Line(ui.Call(c)), shortened(result.Described(), lines))
	}
}

// questions writes the calls that wait for a decision.
func (s *Session) questions(b *strings.Builder) {
	for i, q := range s.State.Last().Waiting() {
		if i == 0 {
			b.WriteString("\n## Waiting for you\n\n")
		}
		why := "wants your approval"
		if q.Unknown {
			why = "may have been done: nobody knows"
		}
		fmt.Fprintf(b, "- call %d: %s %s %s\n", q.Index+1, q.Call.Name, q.Call.Args, why)
	}
}

// shortened returns the first lines of a text; 0: all.
func shortened(text string, lines int) string {
	text = strings.TrimRight(text, "\n")
	if lines == 0 {
		return text
	}
	all, more := strings.Split(text, "\n"), ""
	if n := len(all) - lines; n > 0 {
		all, more = all[:lines], fmt.Sprintf("\n… %s more", line.Count(n, "line"))
	}
	for i, one := range all {
		all[i] = line.Truncate(one, shownRunes)
	}
	return strings.Join(all, "\n") + more
}

func model(r *session.RunState) string {
	if byRules(r) {
		return "heuristic explorer (rules, no language model)"
	}
	return strings.TrimPrefix(r.Provider+"/"+r.Model, "/")
}

// byRules reports whether the heuristic explorer made a run, which costs no tokens.
func byRules(r *session.RunState) bool { return rulemodel.Is(providers.Info{Provider: r.Provider}) }

// state says where a run is.
func state(r *session.RunState) string {
	usage, stop := r.Usage(), "not ended"
	if r.End != nil {
		stop = r.End.Stop
	}
	if byRules(r) {
		return fmt.Sprintf("%s after %s, no tokens", stop, line.Count(len(r.Steps), "step"))
	}
	cost := ""
	if price, known := catalog.PriceOf(r.Provider, r.Model); known {
		cost = fmt.Sprintf(", $%.4f", price.Cost(usage))
	}
	return fmt.Sprintf("%s after %s, %s tokens in, %s out%s", stop, line.Count(len(r.Steps), "step"),
		line.Number(usage.Input), line.Number(usage.Output), cost)
}

// stepAt returns the entries of a step of the newest run: the first, and that of its answer.
func (s *Session) stepAt(n int) (from, answer int, err error) {
	last := s.State.Last()
	if n < 1 || n > len(last.Steps) {
		return 0, 0, fmt.Errorf("step %d is not in the newest run of session %q, which has %s", n, s.ID,
			line.Count(len(last.Steps), "whole step"))
	}
	if from = last.Before; n > 1 {
		from = last.Steps[n-2].Entries
	}
	for answer = last.Steps[n-1].Entries - 1; answer >= from; answer-- {
		u := s.State.Entries[answer].Unit
		if u != nil && u.Messages[0].Role == transcript.Assistant {
			return from, answer, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: step %d has no answer", session.ErrDamaged, n)
}

// A Sent is the window of a request, exactly as it was sent.
type Sent struct {
	Session  string                  `json:"session"`
	Step     int                     `json:"step"`
	Entries  int                     `json:"entries"` // of the log; the messages are their view
	System   string                  `json:"system,omitempty"`
	Tools    []transcript.ToolSchema `json:"tools,omitempty"`
	Messages []transcript.Message    `json:"messages"`
}

// AsSent rebuilds the window of the request of a step of the newest run, as its answer came to it.
func (s *Session) AsSent(n int) (*Sent, error) {
	from, end, err := s.stepAt(n)
	if err != nil {
		return nil, err
	}
	late := s.State.Entries[end].Unit.Late
	for ; end > from; end-- { // what was written while the model answered
		e := s.State.Entries[end-1]
		if e.Note != nil && late > 0 {
			late--
		} else if e.Observed == nil {
			break
		}
	}
	w, err := contextwindow.Load(s.State.Entries[:end], s.budget(), nil)
	if err != nil {
		return nil, err
	}
	messages := w.View()
	if transcript.Check(messages, transcript.AnyProvider) != nil {
		messages, _ = transcript.Repair(messages)
	}
	prefix := w.Prefix()
	return &Sent{s.ID, n, end, prefix.System, prefix.Tools, messages}, nil
}
