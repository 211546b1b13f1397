package agent

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/providers"
)

// act makes the calls of an answer and appends it with their results as one unit.
func (r *run) act(answer *providers.Response) error {
	head := answer.Message
	if len(head.Calls) == 0 {
		return r.takeAnswer(answer)
	}
	head.Calls = withIDs(head.Calls, r.step.Number)
	tooLarge := cutArguments(head.Calls)
	if answer.Finish == providers.Length {
		r.warn("the answer was cut off by its length limit after its calls")
	}
	records, results := r.executor.run(head.Calls, tooLarge)
	head.Calls = r.executor.storable(head.Calls)
	unit, err := r.window.Append(head, results...)
	if err != nil {
		return err
	}
	r.step.Text, r.step.Finish = head.Text, answer.Finish
	r.step.Calls = make([]StepCall, len(records))
	check := stepCheck{stallDetector: &r.stall, step: r.step.Number, compactions: len(r.window.Compactions())}
	for i := range records {
		rec, shown := &records[i], unit.Messages[i+1].Text
		rec.TokensIn, rec.TokensOut = unit.Received[i+1], unit.Shown[i+1]
		rec.Cut = shown != results[i].Text
		r.step.Calls[i] = StepCall{Name: rec.Made.Name, Args: rec.Made.Args, Result: shown, Failed: rec.Err != nil,
			Received: rec.TokensIn, Shown: rec.TokensOut}
		own := fmt.Sprintf("s%d.%d", unit.Step, i+1)
		tool, _ := r.tools.Lookup(rec.Made.Name)
		if warning := r.stall.watch(rec, tool.Effects, results[i].Text, strings.ReplaceAll(shown, own, "")); warning != "" {
			r.note(noteStall, warning)
		}
		check.add(rec, tool.Effects, results[i].Text)
	}
	if note := check.end(r.unread()); note != "" {
		r.note(noteStall, note)
	}
	if r.typed != nil {
		r.typed.takeCalls(records)
	}
	r.result.Tools = append(r.result.Tools, records...)
	r.cut = continuation{}
	return nil
}

// maxPlaces is how many files a note names that the model has not looked at.
const maxPlaces = 3

// unread returns files that the model has not looked at, as its guide knows them: one with a method Unread.
func (r *run) unread() []string {
	if guide, ok := r.guide.(interface{ Unread() []string }); ok {
		places := guide.Unread()
		return places[:min(len(places), maxPlaces)]
	}
	return nil
}

// takeAnswer takes the text of a step without calls. A text that was cut off is continued, and its parts are joined; a
// structured answer is written again instead. An answer that the provider withheld is an error.
func (r *run) takeAnswer(a *providers.Response) error {
	text := a.Message.Text
	if a.Finish == providers.Filtered {
		r.asker.partial = text
		return r.asker.filteredError()
	}
	if _, err := r.window.Append(a.Message); err != nil {
		return err
	}
	r.step.Text, r.step.Calls, r.step.Finish = r.cut.text+text, nil, a.Finish
	if a.Finish == providers.Length && r.typed == nil && r.cut.parts < maxContinuations {
		r.cut.parts++
		r.cut.text += text
		return nil
	}
	r.result.Text = r.step.Text
	if a.Finish == providers.Length && r.typed == nil {
		r.warn(fmt.Sprintf("the answer was cut off by its length limit, even after %d continuations", r.cut.parts))
	}
	r.cut = continuation{}
	return nil
}
