package agent

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// appendHistory writes the messages of earlier runs into the window, repaired where a service would refuse them.
func (r *run) appendHistory() error {
	if len(r.task.History) == 0 {
		return nil
	}
	history, did := transcript.Repair(append(slices.Clone(r.task.History), opening)) // as the prompt, which comes behind it
	if len(did) > 0 {
		r.warn("the history was repaired: " + listed(did))
	}
	history = slices.Clone(history[:len(history)-1])
	for i := range history {
		history[i].Origin = transcript.History
	}
	units, err := transcript.Units(history)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	var pinned []int
	left := r.task.Pinned
	for _, u := range units {
		unit, err := r.window.Append(u[0], u[1:]...)
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		if left > 0 {
			pinned = append(pinned, unit.Step)
		}
		left -= len(u)
	}
	if len(pinned) > 0 {
		if err := r.window.Pin(pinned...); err != nil {
			r.warn("the head of the history is not pinned: " + err.Error())
		}
	}
	return nil
}
