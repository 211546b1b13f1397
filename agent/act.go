package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// act makes the calls of an answer, which was asked for when the step started, and appends it with their results as one
// unit.
func (r *run) act(answer *providers.Response, started time.Time) error {
	head := answer.Message
	if len(head.Calls) == 0 {
		return r.takeAnswer(answer)
	}
	head.Calls = withIDs(head.Calls, r.step.Number)
	tooLarge := cutArguments(head.Calls)
	if answer.Finish == providers.Length {
		r.warn("the answer was cut off by its length limit after its calls")
	}
	r.executor.journaling = func() error { return r.journal.answer(r.asker.learned(), answer, time.Since(started)) }
	records, results, err := r.executor.run(head.Calls, tooLarge)
	if err != nil {
		return err
	}
	if r.journal != nil && r.cancelled() { // when it is resumed, calls that were broken off are made again
		return context.Cause(r.ctx)
	}
	head.Calls = r.executor.storable(head.Calls)
	unit, err := r.appendAnswer(head, results...)
	if err != nil {
		return err
	}
	r.step.Text, r.step.Finish = head.Text, answer.Finish
	r.step.Calls = make([]StepCall, len(records))
	for i := range records {
		rec, shown := &records[i], unit.Messages[i+1].Text
		rec.TokensIn, rec.TokensOut = unit.Received[i+1], unit.Shown[i+1]
		rec.Cut = shown != results[i].Text
		r.step.Calls[i] = StepCall{Name: rec.Made.Name, Args: rec.Made.Args, Result: shown, Failed: rec.Err != nil,
			Received: rec.TokensIn, Shown: rec.TokensOut}
	}
	for _, note := range r.learn(records, r.stall.hashesOf(results, nil), unit.Step) {
		r.note(noteStall, note)
	}
	return nil
}

// learn counts the calls of the step, whose results were received so and are in the unit with a number. It returns what
// to note for the model.
func (r *run) learn(records []ToolRecord, received []textHash, unit int) (notes []string) {
	compactions := len(r.compacted) + len(r.window.Compactions())
	check := stepCheck{stallDetector: &r.stall, step: r.step.Number, compactions: compactions}
	for i := range records {
		rec, shown := &records[i], r.step.Calls[i].Result
		if rec.Cut {
			shown = strings.ReplaceAll(shown, fmt.Sprintf("s%d.%d", unit, i+1), "") // its pointer
		}
		tool, _ := r.tools.Lookup(rec.Made.Name)
		if tool.Polls && rec.Err == nil { // the limits of the run bound how long it waits
			check.fresh, check.made = true, true
			continue
		}
		if warning := r.stall.watch(rec, tool.Effects, received[i], r.stall.hash(shown)); warning != "" {
			notes = append(notes, warning)
		}
		check.add(rec, tool.Effects, received[i])
	}
	if note := check.end(r.unread); note != "" {
		notes = append(notes, note)
	}
	if r.typed != nil {
		r.typed.takeCalls(records)
	}
	r.result.Tools = append(r.result.Tools, records...)
	r.cut = continuation{}
	return notes
}

// maxPlaces is how many files a note names that the model has not looked at.
const maxPlaces = 3

// takeAnswer takes the text of a step without calls. A text that was cut off is continued, and its parts are joined; a
// structured answer is written again instead. An answer that the provider withheld is an error.
func (r *run) takeAnswer(a *providers.Response) error {
	text := a.Message.Text
	if a.Finish == providers.Filtered {
		r.asker.partial = text
		return r.asker.filteredError()
	}
	if _, err := r.appendAnswer(a.Message); err != nil {
		return err
	}
	r.step.Text, r.step.Calls, r.step.Finish = r.cut.text+text, nil, a.Finish
	if r.learnText() {
		r.warn(fmt.Sprintf("the answer was cut off by its length limit, even after %d continuations", maxContinuations))
	}
	return nil
}

// learnText takes the text of the step for the answer of the run, or for a part that is continued. It reports whether
// the text is cut off for good.
func (r *run) learnText() (cutOff bool) {
	cutOff = r.step.Finish == providers.Length && r.typed == nil
	if cutOff && r.cut.parts < maxContinuations {
		r.cut.parts++
		r.cut.text = r.step.Text
		return false
	}
	r.result.Text = r.step.Text
	r.cut = continuation{}
	return cutOff
}
