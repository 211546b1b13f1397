package agent

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// An approval is how a request for a [Decision] ended.
type approval struct {
	decision Decision
	err      error
}

// approve asks whether a call with effects may be made. If not, it sets the error of the record, or reports that the
// decision is made later. If the run ends first, approve waits for the answer as long as for a tool.
func (x *executor) approve(rec *ToolRecord) (later bool) {
	if x.config.Approve == nil || rec.Err != nil || x.ctx.Err() != nil {
		return false
	}
	ctx, ask, asked := x.ctx, x.config.Approve, rec.Made
	asked.Args = slices.Clone(asked.Args)
	ended := make(chan approval, 1)
	x.workers.Go(func() {
		end := approval{err: errors.New("the approval ended its goroutine")}
		defer func() { ended <- end }()
		if caught := panics.Try(func() { end.decision, end.err = ask(ctx, asked) }); caught != nil {
			end.err = fmt.Errorf("the approval panicked: %v", caught.Value)
		}
	})
	select {
	case end := <-ended:
		if x.journal != nil && end.err == nil && end.decision.Wait && x.ctx.Err() == nil {
			return true
		}
		rec.Err = x.refusal(rec.Made.Name, end)
		return false
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-x.grace():
		x.result.Abandoned++
		x.warn(fmt.Sprintf("the approval of %s ignored the end of the run and was abandoned", rec.Made.Name))
	}
	return false
}

// refusal returns why a call is not made, or nil.
func (x *executor) refusal(name string, end approval) error {
	switch {
	case x.ctx.Err() != nil:
		return errRunOver
	case end.err != nil:
		x.warn(fmt.Sprintf("the call of %s was refused because nobody could be asked: %v", name, end.err))
		return errors.New("refused: the call needs approval, and nobody can be asked")
	case end.decision.Wait:
		return errors.New("refused: the call needs a decision, and a run without a session cannot wait for one")
	case !end.decision.Approved && end.decision.Reason != "":
		return fmt.Errorf("refused: %s", end.decision.Reason)
	case !end.decision.Approved:
		return errors.New("refused: the call was not approved")
	}
	return nil
}

// errWaiting says that a person has to decide about a call.
var errWaiting = errors.New("waiting for a decision")

// knows reports whether an earlier process has the result of a call.
func (x *executor) knows(index int) bool {
	if x.pending == nil {
		return false
	}
	_, ended := x.pending.Results[index]
	return ended
}

// recall takes the result of a call that an earlier process made, and reports whether there is one.
func (x *executor) recall(index int, rec *ToolRecord, result *transcript.Message) bool {
	if !x.knows(index) {
		return false
	}
	known := x.pending.Results[index]
	*rec, *result = x.journal.restored(&known.Record), known.Message
	return true
}

// settle decides about a call with effects before it is made. It reports whether the call is settled: an earlier
// process made it, and its record and result are whole. Otherwise the call is made, unless its record has an error. The
// error is errWaiting if a person has to decide.
func (x *executor) settle(
	index int, tool *tools.Tool, rec *ToolRecord, result *transcript.Message,
) (settled bool, err error) {
	var verdict session.Verdict
	unknown := x.isUnknown(index)
	if x.pending != nil {
		verdict = x.pending.Verdicts[index]
	}
	if unknown && verdict.Decision == "" && tool != nil && tool.Done != nil {
		verdict = x.wasDone(index, tool, rec)
	}
	switch {
	case verdict.Decision == session.Done:
		if rec.Err = nil; rec.Value == nil {
			rec.Value = verdict.Text
		}
		result.Kind, result.Text = tools.Render(rec.Value)
		rec.Started = time.Now()
		return true, x.journal.ended(index, []ToolRecord{*rec}, []transcript.Message{*result}, true)
	case verdict.Decision == session.Refuse:
		rec.Err = x.refusal(rec.Made.Name, approval{decision: Decision{Reason: verdict.Text}})
	case unknown && verdict.Decision == "":
		return false, x.wait(index, rec, true)
	case verdict.Decision == "" && x.approve(rec):
		return false, x.wait(index, rec, false)
	}
	if rec.Err != nil || x.ctx.Err() != nil {
		return false, nil
	}
	return false, x.journal.started(index)
}

// isUnknown reports whether an earlier process began a call and did not say how it ended.
func (x *executor) isUnknown(index int) bool { return x.pending != nil && x.pending.Unknown(index) }

// A doneEnd is how the question ended whether a call was done.
type doneEnd struct {
	value any
	done  bool
	err   error
}

// wasDone asks a tool whether a call was done that a dead process began, within the time of a call. If the tool cannot
// say, a person is asked.
func (x *executor) wasDone(index int, tool *tools.Tool, rec *ToolRecord) session.Verdict {
	limit := tool.Timeout
	if limit <= 0 {
		limit = x.config.Limits.ToolTimeout
	}
	ctx, cancel := withTimeout(x.ctx, limit)
	defer cancel()
	ask, key, ended := tool.Done, x.journal.key(index), make(chan doneEnd, 1)
	x.workers.Go(func() {
		end := doneEnd{err: errors.New("it ended its goroutine")}
		defer func() { ended <- end }()
		if caught := panics.Try(func() {
			end.value, end.done, end.err = ask(ctx, key)
			if kind, text := tools.Render(end.value); kind == toollimit.Error && end.err == nil {
				end.err = errors.New(text)
			}
		}); caught != nil {
			end.err = fmt.Errorf("it panicked: %v", caught.Value)
		}
	})
	end := doneEnd{err: errors.New("it gave no answer in time")}
	select {
	case end = <-ended:
	case <-ctx.Done():
		select {
		case end = <-ended:
		case <-x.grace():
			x.result.Abandoned++
		}
	}
	switch {
	case end.err != nil:
		x.warn(fmt.Sprintf("tool %s cannot say whether its call was done: %v", tool.Name, end.err))
		return session.Verdict{}
	case end.done:
		rec.Value = end.value
		return session.Verdict{Decision: session.Done}
	}
	return session.Verdict{Decision: session.Repeat}
}

// wait stops the run until a person has decided about a call.
func (x *executor) wait(index int, rec *ToolRecord, unknown bool) error {
	x.result.Waiting = append(x.result.Waiting, session.Question{
		Step: x.step.Number, Index: index, Call: rec.Made, Unknown: unknown, Key: x.journal.key(index),
	})
	return errWaiting
}
