package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools"
)

// open writes the beginning of the run into its window: system prompt and tools, history, prompt.
func (r *run) open() error {
	started := RunStarted{Agent: r.config.Name, Budget: r.budget, Model: r.config.Model.Info(), Input: r.task.Input}
	if r.caller != nil {
		started.Call = r.caller.records[r.caller.index].Call.ID
	}
	r.emit(started)
	if r.caller != nil {
		if err := r.caller.mayNest(); err != nil {
			return err
		}
	}
	if r.budget.Fallback {
		r.warn(fmt.Sprintf("the context window of model %q is unknown: assuming %d tokens", r.budget.Model, r.budget.Window))
	}
	if err := r.chooseTools(); err != nil {
		return err
	}
	if r.typed != nil && !r.typed.native {
		if err := r.typed.useTool(); err != nil {
			return err
		}
	}
	if err := r.task.Inbox.open(); err != nil {
		r.task.Inbox = new(Inbox) // another run closes this one
		return err
	}
	if err := r.openSession(); err != nil || r.past != nil {
		return err
	}
	fresh := !slices.ContainsFunc(r.window.View(), func(m transcript.Message) bool {
		return m.Origin != transcript.Runtime
	})
	r.window.Open(contextwindow.Prefix{System: r.config.System, Tools: r.tools.schemas})
	if err := r.appendHistory(); err != nil {
		return err
	}
	if strings.TrimSpace(r.task.Prompt) == "" && len(r.task.Images) == 0 {
		return errors.New("the prompt is empty")
	}
	prompt := transcript.Message{Role: transcript.User, Text: r.task.Prompt, Images: r.task.Images}
	if fresh {
		prompt.Origin = transcript.Prompt
	}
	if _, err := r.window.Append(prompt); err != nil {
		return err
	}
	if err := r.checkRoom(); err != nil {
		return err
	}
	return r.journal.begin(&r.task)
}

// chooseTools takes the task's tools in place of the agent's, and makes the toolbox anew if the window of the task
// differs from the agent's in whether it shortens.
func (r *run) chooseTools() error {
	ts := r.config.Tools
	if r.task.Tools != nil {
		ts = r.task.Tools
	}
	// A single request has nothing to shorten.
	single := r.guide == nil && len(ts) == 0 && len(r.task.History) == 0 && r.task.Window == nil
	rereads := !single && r.config.rereads(ts, r.budget)
	if r.task.Tools == nil && rereads == r.tools.rereads() {
		return nil
	}
	return r.setTools(ts, rereads)
}

func (r *run) setTools(ts []tools.Tool, rereads bool) error {
	box, err := newToolbox(ts, rereads, r.config.Brief)
	if err == nil {
		r.tools = box
	}
	return err
}

// appendHistory appends the messages of earlier runs, repaired where a service would refuse them.
func (r *run) appendHistory() error {
	if len(r.task.History) == 0 {
		return nil
	}
	history, repairs := transcript.Repair(append(slices.Clone(r.task.History), opening)) // the prompt follows
	if len(repairs) > 0 {
		r.warn("the history was repaired: " + firstOf(repairs))
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

// The shares of the budget that system prompt, tools and prompt may take before a run warns, and before it refuses to
// start because results would not fit.
const (
	fixedWarn  = .5
	fixedError = .8
)

// checkRoom checks the size of what no compaction can shrink.
func (r *run) checkRoom() error {
	u := r.window.Usage()
	share := float64(u.Prefix+u.Prompt) / float64(u.Limit)
	sizes := fmt.Sprintf("system prompt and tools take %d tokens and the prompt %d, of a budget of %d",
		u.Prefix, u.Prompt, u.Limit)
	switch {
	case share > 1:
		return nil // Fit reports it
	case share > fixedError && r.tools.own > 0:
		return fmt.Errorf("%s: too little is left for results; choose a larger budget or fewer tools", sizes)
	case share > fixedWarn:
		r.warn(sizes)
	}
	return nil
}

func (r *run) inject() {
	texts := r.task.Inbox.take()
	if len(texts) > 0 && r.journal != nil {
		defer r.journal.tookMessages()
	}
	for _, text := range texts {
		if _, err := r.window.Append(transcript.Message{Role: transcript.User, Text: text}); err != nil {
			r.warn("a message of the inbox was not taken: " + err.Error())
			continue
		}
		r.emit(MessageInjected{Agent: r.config.Name, Step: r.step.Number, Text: text})
	}
}
