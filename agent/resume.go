package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// Resume continues the last run of a session after its last whole step, with the same bytes in its window and without
// repeating a call with effects. The result of a run that is over is returned as it was. The agent must offer the tools
// of the run; another model, or another budget, continues it with a warning.
//
// If a call with effects began and nobody can say whether it was done, or if a call waits for an approval, the run
// stops with [Waiting] until [session.Decide] says what to do.
func (a *Agent) Resume(ctx context.Context, store session.Store, id string) (*Result, error) {
	return a.Do(ctx, Task{Session: &Session{Store: store, ID: id}})
}

// ResumeStream is [Agent.Resume] as a stream of events, as [Agent.Stream] is of a run.
func (a *Agent) ResumeStream(ctx context.Context, store session.Store, id string) iter.Seq2[Event, error] {
	return a.Stream(ctx, Task{Session: &Session{Store: store, ID: id}})
}

// openSession locks the session of the run and loads it. It replaces the window by that of the session, and sets what
// the run continues from.
func (r *run) openSession() error {
	s := r.task.Session
	switch {
	case s == nil:
		return nil
	case s.Store == nil || s.ID == "":
		return errors.New("a session needs a store and an id")
	case r.caller != nil:
		return errors.New("a nested run cannot have a session: it is part of its parent's session")
	case r.task.Window != nil:
		return errors.New("a session brings its own window: leave Task.Window empty")
	}
	unlock, err := s.Store.LockSession(r.whole, s.ID)
	if err != nil {
		return err
	}
	r.journal = &journal{env: r.env, Session: s, unlock: unlock}
	state, err := session.Open(r.whole, s.Store, s.ID)
	switch {
	case errors.Is(err, session.ErrUnknown) && r.task.Prompt != "":
		return nil
	case err != nil:
		return err
	}
	last := state.Last()
	resumes := r.task.Prompt == ""
	if !resumes && !last.Finished() {
		return fmt.Errorf("session %q has an unfinished run: resume it, or rewind the session, before another prompt",
			s.ID)
	}
	w, err := contextwindow.Load(state.Entries, r.budget, &r.options)
	if err != nil {
		return fmt.Errorf("session %q: %w", s.ID, err)
	}
	r.window, r.journal.records, r.journal.saved = w, state.Records, len(state.Entries)
	if resumes {
		r.past = &past{r, last, make(map[int]*session.ToolRecord)}
		return r.past.takeFacts()
	}
	return nil
}

// A past is what earlier processes did of a run.
type past struct {
	*run
	last  *session.RunState
	later map[int]*session.ToolRecord // calls of the result whose values are still in the store, by index
}

// takeFacts takes what the run was begun with, and checks that this agent can continue it.
func (r *past) takeFacts() error {
	last := r.last
	r.task.Prompt = last.Prompt
	f := &r.executor.facts
	f.Thread, f.User, f.Repository, f.Input = last.Thread, last.User, last.Folder, last.Input
	if f.Input == "" {
		f.Input = last.Prompt
	}
	begun := r.window.Prefix()
	if err := r.takeSettings(begun); err != nil {
		return err
	}
	var missing []string
	for _, t := range begun.Tools {
		if _, known := r.tools.Lookup(t.Name); !known {
			missing = append(missing, t.Name)
		}
	}
	if len(missing) > 0 && !last.Finished() {
		return fmt.Errorf("session %q needs tools that this agent lacks: %s", r.task.Session.ID,
			strings.Join(missing, ", "))
	}
	if info := r.config.Model.Info(); last.Model != info.Name || last.Provider != info.Provider {
		r.warn(fmt.Sprintf("the run began with the model %q and continues with %q", last.Model, info.Name))
	}
	if last.Profile != r.budget.Profile {
		r.warn(fmt.Sprintf("the run began with the profile %q and continues with %q", last.Profile, r.budget.Profile))
	}
	if last.Limit != r.budget.Limit {
		r.warn(fmt.Sprintf("the run began with requests of at most %d tokens and continues with %d", last.Limit,
			r.budget.Limit))
	}
	return nil
}

// takeSettings takes what decides the bytes of requests: system prompt, sampling, limits, and the tools that the loop
// adds by itself.
func (r *past) takeSettings(begun contextwindow.Prefix) error {
	has := func(tool string) bool {
		return slices.ContainsFunc(begun.Tools, func(t transcript.ToolSchema) bool { return t.Name == tool })
	}
	ts := r.config.Tools
	if r.task.Tools != nil {
		ts = r.task.Tools
	}
	if own := slices.ContainsFunc(ts, func(t tools.Tool) bool { return t.Name == toollimit.ReadTool }); !own &&
		has(toollimit.ReadTool) && !r.tools.rereads() {
		if err := r.setTools(ts, true); err != nil {
			return err
		}
	}
	if r.typed != nil && r.typed.native && has(answerTool) {
		if err := r.typed.useTool(); err != nil {
			return err
		}
	}
	r.config.System, r.journal.nonce = begun.System, r.last.Nonce
	var limits Limits
	if err := unmarshal(r.last.Limits, &limits); err != nil {
		return fmt.Errorf("%w: limits: %w", session.ErrDamaged, err)
	}
	r.config.Limits = r.config.Limits.within(limits)
	r.account.limits = r.config.Limits
	if r.task.Sampling != nil {
		return nil
	}
	if err := unmarshal(r.last.Sampling, &r.config.Sampling); err != nil {
		return fmt.Errorf("%w: sampling: %w", session.ErrDamaged, err)
	}
	return nil
}

// unmarshal decodes JSON that may be missing.
func unmarshal(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, v)
}

// resume brings the run to where its session ended, and takes the calls that were not whole. It reports whether the run
// is over.
func (r *past) resume() (over bool, err error) {
	last := r.last
	if !last.Finished() {
		r.emit(RunResumed{Agent: r.config.Name, Steps: len(last.Steps), Trace: last.Trace})
	}
	from := last.Before
	r.account.restore(1, providers.Usage{}) // the step for the closing request
	for i := range last.Steps {
		step := &last.Steps[i]
		if err := r.replay(step, r.window.Entries(from)[:step.Entries-from]); err != nil {
			return false, r.fail(err)
		}
		from = step.Entries
	}
	r.journal.open = true
	elapsed := time.Duration(last.Elapsed)
	if last.End != nil { // it spent more after its last whole step
		r.spent(r.account.taken(), last.End.Usage)
		elapsed = max(elapsed, last.End.Duration)
		r.task.Inbox.put(last.End.Unread)
	}
	r.continueClock(elapsed)
	if n := len(last.Steps); n > 0 && last.Steps[n-1].Closing != "" {
		r.result.Stop, over = Stop(last.Steps[n-1].Closing), true
	}
	if last.Finished() {
		r.next() // takes a structured answer from the last text
		r.result.Stop, r.result.Text = Stop(last.End.Stop), last.End.Text
		r.result.Warnings = append(r.result.Warnings, last.End.Warnings...)
		r.elapsed, r.result.Abandoned = last.End.Duration, last.End.Abandoned
		r.account.restore(r.account.taken(), last.End.Usage) // with requests that failed after the last step
		r.journal.open = false
		return true, nil
	}
	if over || last.Pending == nil {
		if !over && len(r.step.Calls) > 0 {
			r.summarizer.start()
		}
		return over, nil
	}
	return r.resumeCalls(last.Pending)
}

// replay lets guide, counters and budgets see a whole step once more, and changes nothing else. Entries are those of
// the step.
func (r *past) replay(step *session.StepState, entries []contextwindow.Entry) error {
	unit := answerIn(entries)
	if unit == nil || len(unit.Messages) != len(step.Step.Calls)+1 || len(step.Tools) < len(step.Step.Calls) {
		return fmt.Errorf("%w: step %d lacks its answer or some of its calls", session.ErrDamaged, step.Step.Number)
	}
	if step.Closing == "" {
		r.next()
	}
	if r.typed != nil {
		r.typed.faulty = false
	}
	r.step, r.current = step.Step, step.Step.Number
	r.result.Steps++
	records := make([]ToolRecord, len(step.Step.Calls))
	for i := range records {
		kept := &step.Tools[i]
		records[i] = r.journal.restored(kept)
		switch {
		case kept.Later == nil:
		case r.typed != nil && r.typed.takes(kept.Call.Name):
			if err := r.readValue(&records[i], kept); err != nil {
				return err
			}
		default:
			r.later[len(r.result.Tools)+i] = kept
		}
	}
	r.compact(step.Compactions)
	switch {
	case step.Closing != "":
		r.result.Text = step.Step.Text
		if r.typed != nil {
			r.typed.takeText(step.Step.Text, step.Step.Finish)
		}
	case len(records) > 0:
		r.learn(records, r.stall.hashesOf(unit.Messages[1:], unit.Left), unit.Step)
	default:
		r.learnText()
	}
	return r.catchUp(step.Taken, &step.Progress)
}

// readValues reads the values of earlier calls that are still in the store. Only the caller needs them, once the run is
// over: not while it only pauses.
func (r *past) readValues() {
	if r == nil || r.result.Stop == Paused {
		return
	}
	for i, kept := range r.later {
		if err := r.readValue(&r.result.Tools[i], kept); err != nil {
			r.warn(fmt.Sprintf("the value of call %d is lost: %v", i+1, err))
		}
	}
	r.later = nil
}

func (r *past) readValue(into *ToolRecord, kept *session.ToolRecord) (err error) {
	whole := *kept
	if whole.Value, err = kept.Later(); err == nil {
		into.Value = r.journal.restored(&whole).Value
	}
	return err
}

// spent restores what the run had taken and spent, unless it is less than what is known.
func (r *past) spent(taken int, usage providers.Usage) {
	if usage.Input >= r.account.used().Input {
		r.account.restore(taken, usage)
	}
}

// compact counts compactions of an earlier process.
func (r *past) compact(cs []contextwindow.Compaction) {
	r.compacted = append(r.compacted, cs...)
	r.journal.compacted = len(r.compacted)
}

// catchUp takes what happened before an answer or the end of a step.
func (r *past) catchUp(taken int, p *session.Progress) error {
	r.account.restore(taken, p.Usage)
	for _, w := range p.Warnings {
		if !slices.Contains(r.result.Warnings, w) { // this process may have found it, too
			r.result.Warnings = append(r.result.Warnings, w)
		}
	}
	r.journal.warned = len(r.result.Warnings)
	r.asker.most, r.asker.unforced, r.asker.repairing = p.Service.Longest, p.Service.Unforced, p.Service.Repairing
	if p.Service.NoTemperature {
		r.config.Sampling.Temperature = nil
	}
	if p.Service.NoSchema && r.typed != nil && r.typed.native {
		return r.typed.useTool()
	}
	return nil
}

// answerIn returns the unit of the model's answer among the entries of a step, or nil.
func answerIn(entries []contextwindow.Entry) *contextwindow.Unit {
	for _, e := range slices.Backward(entries) {
		if e.Unit != nil && e.Unit.Messages[0].Role == transcript.Assistant {
			return e.Unit
		}
	}
	return nil
}

// resumeCalls takes the answer of a step whose calls were not whole.
func (r *past) resumeCalls(p *session.Pending) (over bool, err error) {
	before := r.account.used()
	r.next()
	if r.typed != nil {
		r.typed.faulty = false
	}
	r.compact(p.Compactions)
	taken := r.account.taken() + 1 // also beyond a tighter limit: the answer is there
	if err := r.catchUp(taken, &p.Progress); err != nil {
		return true, r.fail(err)
	}
	for _, known := range p.Results { // of sub-agents, too
		r.spent(max(taken, known.Taken), known.Usage)
	}
	r.current, r.sent = r.step.Number+1, r.window.View()
	r.executor.pending, r.journal.answered, r.journal.begun = p, p.Record, p.Calls
	if err := r.take(p.Response, time.Now().Add(-p.Asked), before); err != nil {
		return true, r.endUnanswered(err)
	}
	return false, nil
}

// continueClock leaves the run the time that it had not used.
func (r *past) continueClock(elapsed time.Duration) {
	r.elapsed = elapsed
	if limit := r.config.Limits.Time; limit > 0 {
		broken := r.broken
		r.cancel()
		r.clock = newClock(r.parent, max(limit-elapsed, time.Nanosecond))
		if r.clock.elapsed, r.clock.broken = elapsed, broken; broken {
			r.cancel()
		}
	}
}
