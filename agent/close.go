package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// conclude ends a run whose budget is used up with one request without tools, on the same window, for the answer that
// can be given now. Calls in it are not made, and an answer of nothing else is none. If that fails, what there is stands:
// a budget is no error.
func (r *run) conclude(stop Stop) error {
	r.result.Stop = stop
	r.cancel() // the closing request has a time of its own
	if limit := r.config.Limits.Time; limit > 0 {
		r.ctx, r.cancel = context.WithTimeout(r.parent, min(limit/4, closingTime))
	} else {
		r.ctx, r.cancel = context.WithCancel(r.parent)
	}
	kept := r.carried + r.partial
	r.closing, r.at = true, r.step.Number+1
	r.reserved = false
	r.join()
	r.write(noteClosing, closingNote(stop, r.lengths > 0)+r.typed.closing())
	started, before := time.Now(), r.account.used()
	answer, err := r.ask(providers.None)
	if err != nil {
		return r.concludeWithout(err, kept)
	}
	r.count()
	if answer.Finish == providers.Filtered {
		r.partial = answer.Message.Text
		return r.concludeWithout(r.withheld(), kept)
	}
	r.result.Text = answer.Message.Text
	if r.typed != nil {
		r.takeText(answer.Message.Text, answer.Finish)
	}
	if _, err := r.window.Append(answer.Message); err != nil {
		return r.fail(err)
	}
	if answer.Finish == providers.Length {
		r.warn("the closing answer was cut off by its length limit")
	}
	r.step.Text, r.step.Calls, r.step.Finish = answer.Message.Text, nil, answer.Finish
	r.log()
	r.emit(StepFinished{Agent: r.config.Name, Step: r.step, Usage: r.window.Usage(), Tokens: between(before, r.account.used()), Duration: time.Since(started)})
	return nil
}

// closingNote asks for the closing answer. An answer that its length cut off is not continued then: the model would have
// to be told two things at once.
func closingNote(stop Stop, cutOff bool) string {
	note := fmt.Sprintf("This is the last step (%s). Call no more tools. Answer now from what you have found, and say what is missing.", stop)
	if cutOff {
		note += " Your answer was cut off by its length limit and is discarded: write it anew, whole and shorter."
	}
	return note
}

// concludeWithout ends a run whose closing request failed. Its text is the last whole answer, else the longest piece of
// one: what the closing request gave, or what was kept from before it.
func (r *run) concludeWithout(err error, kept string) error {
	if len(kept) > len(r.partial) {
		r.partial = kept
	}
	r.carried = ""
	if r.parent.Err() != nil || r.broken {
		return r.fail(err)
	}
	if r.result.Text == "" {
		r.result.Text = r.partial
	}
	r.warn(fmt.Sprintf("the closing request failed: %v", err))
	return nil
}

// unanswered ends a run in which the model could not be asked or gave no answer: for want of time or money, or since
// results are too large, that is no error.
func (r *run) unanswered(err error) error {
	switch class := providers.ClassOf(err); {
	case r.timeIsUp() && class != providers.Refused:
		return r.conclude(TimeLimit)
	case errors.Is(err, contextwindow.ErrThrash):
		r.warn(fmt.Sprintf("%v: results are too large for the budget of %d tokens", contextwindow.ErrThrash, r.window.Usage().Limit))
		return r.conclude(Stalled)
	case class == providers.Spent && r.parent.Err() == nil && !r.broken:
		r.result.Stop = CostLimit // a closing request would be refused as well
		if text := r.carried + r.partial; text != "" {
			r.result.Text = text
		}
		r.warn(err.Error())
		return nil
	}
	return r.fail(err)
}

// end says how a run ended that its guide, or the answer that it was to give, brought to an end.
func (r *run) end() error {
	switch {
	case r.typed != nil:
		return r.endTyped()
	case len(r.step.Calls) > 0 || r.step.Number == 0:
		r.result.Stop = GuideStopped
	case r.step.Finish == providers.Length:
		r.result.Stop = CutOff
	default:
		r.result.Stop = Answered
	}
	return nil
}

// fail ends the run with an error. What came of the answer until then is its text. A time-out of the model's own is a
// failure: only the end of the caller's context cancels.
func (r *run) fail(err error) error {
	r.result.Stop = Failed
	if r.parent.Err() != nil || r.broken {
		r.result.Stop = Cancelled
		if cause := r.parent.Err(); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
	}
	if text := r.carried + r.partial; text != "" {
		r.result.Text = text
	}
	return fmt.Errorf("step %d: %w", r.at, err)
}

// finish completes the result.
func (r *run) finish() *Result {
	r.result.Usage = r.account.used()
	r.task.Inbox.close()
	r.result.Unread = r.task.Inbox.Left()
	r.result.Transcript = r.window.Entries(0)
	r.result.Compactions = r.window.Compactions()
	r.result.Context = r.window.Explain()
	r.result.Duration = time.Since(r.started)
	return &r.result
}
