package agent

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// conclude ends a run that reached a limit, which is not an error. One more request on the same window asks for the
// best answer so far. Tool calls in that answer are ignored.
func (r *run) conclude(stop Stop) error {
	r.result.Stop = stop
	r.startClosing()
	earlier := r.cut.text + r.asker.partial // what arrived of an answer that broke off
	r.closing, r.current = true, r.step.Number+1
	r.reserved = false
	r.inject()
	note := closingNote(stop, r.cut.parts > 0)
	if r.typed != nil {
		note += r.typed.closingNote()
	}
	r.note(noteClosing, note)
	started, before := time.Now(), r.account.used()
	r.summarizer.adopt()
	answer, err := r.asker.ask(providers.None)
	if err == nil {
		r.step.Number++
		r.result.Steps++
		if answer.Finish == providers.Filtered {
			r.asker.partial, err = answer.Message.Text, r.asker.filteredError()
		}
	}
	if err != nil {
		return r.concludeWithout(err, earlier)
	}
	r.result.Text = answer.Message.Text
	if r.typed != nil {
		r.typed.takeText(answer.Message.Text, answer.Finish)
	}
	if _, err := r.appendAnswer(answer.Message); err != nil {
		return r.fail(err)
	}
	if answer.Finish == providers.Length {
		r.warn("the closing answer was cut off by its length limit")
	}
	r.step.Text, r.step.Calls, r.step.Finish = answer.Message.Text, nil, answer.Finish
	r.flush()
	if err := r.finishStep(started, before); err != nil {
		return r.fail(err)
	}
	return nil
}

// closingNote asks for the closing answer. An answer that was cut off is written anew, not continued.
func closingNote(stop Stop, cutOff bool) string {
	note := fmt.Sprintf("This is the last step (%s). Call no more tools. "+
		"Answer now from what you have found, and say what is missing.", stop)
	if cutOff {
		note += " Your answer was cut off by its length limit and is discarded: write it anew, whole and shorter."
	}
	return note
}

// concludeWithout ends a run whose closing request failed. The result keeps the text of its last complete answer.
// Without one, it takes the longer of two partial answers: the earlier one, and what arrived of the closing one.
func (r *run) concludeWithout(err error, earlier string) error {
	if len(earlier) > len(r.asker.partial) {
		r.asker.partial = earlier
	}
	r.cut.text = "" // part of earlier
	if r.cancelled() {
		return r.fail(err)
	}
	r.result.Text = cmp.Or(r.result.Text, r.asker.partial)
	r.warn(fmt.Sprintf("the closing request failed: %v", err))
	return nil
}

// endUnanswered ends a run whose request got no answer. That is not an error if a limit on time, cost or size is the
// cause, or if the model repeats itself after its first step.
func (r *run) endUnanswered(err error) error {
	switch class := providers.ClassOf(err); {
	case r.journal.broken() != nil:
		return r.fail(r.journal.broken())
	case errors.Is(err, errWaiting):
		r.result.Stop = Waiting
		return nil
	case r.timeIsUp() && class != providers.Refused:
		return r.conclude(TimeLimit)
	case errors.Is(err, contextwindow.ErrThrash):
		limit := r.window.Usage().Limit
		r.warn(fmt.Sprintf("%v: results are too large for the budget of %d tokens", contextwindow.ErrThrash, limit))
		return r.conclude(Stalled)
	case class == providers.Repeating && r.step.Number > 0:
		r.warn(err.Error())
		return r.conclude(Stalled)
	case class == providers.Spent && !r.cancelled():
		r.result.Stop = CostLimit // a closing request would be refused, too
		r.takePartial()
		r.warn(err.Error())
		return nil
	}
	return r.fail(err)
}

// end ends a run that its guide stopped, or that has its structured answer.
func (r *run) end() error {
	switch {
	case r.typed != nil && r.typed.done:
		r.result.Stop = Answered
	case r.typed != nil && r.step.Number > 0:
		r.result.Text = r.typed.text
		return r.fail(&AnswerError{Text: r.typed.text, Err: r.typed.fault})
	case len(r.step.Calls) > 0 || r.step.Number == 0:
		r.result.Stop = GuideStopped
	case r.step.Finish == providers.Length:
		r.result.Stop = CutOff
	default:
		r.result.Stop = Answered
	}
	return nil
}

// fail ends the run with an error of the step.
func (r *run) fail(err error) error { return fmt.Errorf("step %d: %w", r.current, r.breakOff(err)) }

// breakOff ends the run with an error and keeps the partial answer. A timeout inside the model is a failure; only the
// caller's context cancels a run.
func (r *run) breakOff(err error) error {
	r.result.Stop = Failed
	if r.cancelled() {
		r.result.Stop = Cancelled
		if cause := r.parent.Err(); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
	}
	r.takePartial()
	return err
}

// takePartial makes a partial answer, if any, the text of the result.
func (r *run) takePartial() {
	if text := r.cut.text + r.asker.partial; text != "" {
		r.result.Text = text
	}
}

// finish completes the result of a run, and writes it into its session.
func (r *run) finish(failed error) *Result {
	r.result.Usage = r.account.used()
	if r.caller != nil {
		r.caller.charge(r.result.Usage)
	}
	r.task.Inbox.close()
	r.result.Unread = r.task.Inbox.Left()
	r.result.Transcript = r.window.Entries(0)
	r.result.Compactions = r.compactions()
	r.result.Context = r.window.Explain()
	r.result.Duration = r.elapsed + time.Since(r.started)
	if err := r.journal.end(failed); err != nil {
		r.warn(err.Error())
	}
	return &r.result
}
