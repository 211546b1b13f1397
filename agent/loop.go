package agent

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/forayhq/foray/providers"
)

// loop is the whole run. It returns the error that ended it, or nil.
func (r *run) loop() error {
	if err := r.open(); err != nil {
		return fmt.Errorf("agent: %w", r.breakOff(err))
	}
	if r.reserved = r.reserved || r.account.take(); !r.reserved {
		return r.fail(errors.New("no steps are left")) // other runs took the last one
	}
	if r.past != nil {
		if over, err := r.past.resume(); over || err != nil {
			return err
		}
	}
	for move := r.next(); !move.Stop; move = r.next() {
		if r.ctx.Err() != nil && !r.timeIsUp() {
			return r.fail(r.ctx.Err())
		}
		if r.journal.pauses() {
			r.result.Stop = Paused
			return nil
		}
		if stop := r.begin(); stop != "" {
			return r.conclude(stop)
		}
		r.writeNotes(move)
		if err := r.think(move.Choice); err != nil {
			return r.endUnanswered(err)
		}
	}
	return r.end()
}

// next asks the guide, unless an answer that was cut off has to be continued first.
func (r *run) next() Move {
	if left := r.account.left(); left < math.MaxInt { // less what sub-agents took
		r.step.Limit = r.step.Number + left + 1
	}
	switch {
	case r.cut.parts > 0:
		return Move{}
	case r.typed != nil:
		return r.typed.next(r.steer)
	}
	return r.steer(r.step)
}

// steer asks the guide. Without one, the run ends at an answer.
func (r *run) steer(s Step) Move {
	if r.guide == nil {
		return Move{Stop: s.Answered()}
	}
	move := r.guide(s)
	r.unread = move.Unread[:min(len(move.Unread), maxPlaces)]
	return move
}

// begin takes a step from the account. If a limit allows no more than the closing request, it returns that limit.
func (r *run) begin() Stop {
	switch {
	case r.stall.stalled:
		return Stalled
	case r.account.left() < 1:
		return StepLimit
	case r.timeIsUp():
		return TimeLimit
	case r.account.outOfTokens():
		return TokenLimit
	case !r.account.take(): // another run took the last one
		return StepLimit
	}
	return ""
}

// writeNotes writes what the model must know before the next request. After an answer that did not end the run it
// always writes something: a request must not end with the model's own words.
func (r *run) writeNotes(m Move) {
	before := r.window.Usage().Entries
	if r.cut.parts == 0 {
		r.inject()
	} else {
		r.note(noteContinue, fmt.Sprintf("Your answer was cut off by its length limit. "+
			"Go on exactly where it ended (part %d).", r.cut.parts+1))
	}
	if r.typed != nil {
		r.typed.writeRepair()
	}
	r.note(noteStatus, m.Status)
	r.note(noteNudge, m.Nudge)
	if r.step.Answered() && r.window.Usage().Entries == before {
		r.note(noteContinue, fmt.Sprintf("Step %d of %d: go on.", r.current+1, r.step.Limit))
	}
}

// think is one step: ask, then act on the answer. A complete answer counts even if the run's time ended meanwhile.
func (r *run) think(choice providers.ToolChoice) error {
	started := time.Now()
	r.current = r.step.Number + 1
	before := r.account.used()
	r.summarizer.adopt()
	answer, err := r.asker.ask(choice)
	if err != nil {
		r.account.give()
		return err
	}
	return r.take(answer, started, before)
}

// take acts on the answer of a step.
func (r *run) take(answer *providers.Response, started time.Time, before providers.Usage) error {
	r.step.Number++
	r.result.Steps++
	if err := r.act(answer, started); err != nil {
		return err
	}
	if len(r.step.Calls) > 0 { // a text may be the last answer
		r.summarizer.start()
	}
	r.flush()
	return r.finishStep(started, before)
}

// finishStep ends a step. Where the run is kept, the step counts once it is in the store.
func (r *run) finishStep(started time.Time, before providers.Usage) error {
	usage := r.window.Usage()
	r.step.Window = usage.Share()
	closing := Stop("")
	if r.closing {
		closing = r.result.Stop
	}
	if err := r.journal.stepped(r.asker.learned(), time.Since(started), closing); err != nil {
		return err
	}
	r.emit(StepFinished{
		Agent: r.config.Name, Step: r.step, Usage: usage, Tokens: r.account.since(before), Duration: time.Since(started),
	})
	return nil
}
