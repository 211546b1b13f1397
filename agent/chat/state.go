package chat

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
)

// A state is what a Chat keeps with a thread.
type state struct {
	Turns  int                   `json:"turns,omitempty"` // messages of the user
	Task   memory.ActiveTask     `json:"task"`
	Pins   []int64               `json:"pins,omitempty"`   // numbers of messages, ascending
	Kept   int64                 `json:"kept,omitempty"`   // memories that this process had made when the last turn began
	Window *contextwindow.Report `json:"window,omitempty"` // of the last run, at its end
}

func (t Thread) state() (state, error) {
	var s state
	if len(t.State) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(t.State, &s); err != nil {
		return s, fmt.Errorf("the state of the thread is damaged: %w", err)
	}
	return s, nil
}

// change lets fn change a thread and what is kept with it, when nothing else is done with it.
func (c *Chat) change(ctx context.Context, id string, fn func(context.Context, *Thread, *state) error) (Thread, error) {
	var t Thread
	if err := checkID(id); err != nil {
		return t, err
	}
	err := c.alone(ctx, id, func(ctx context.Context) error {
		var err error
		if t, err = c.config.Store.Thread(ctx, id); err != nil {
			return err
		}
		s, err := t.state()
		if err != nil {
			return err
		}
		if err := fn(ctx, &t, &s); err != nil {
			return err
		}
		return c.save(ctx, &t, s)
	})
	if err != nil {
		return Thread{}, fmt.Errorf("thread %s: %w", id, err)
	}
	return t, nil
}

// save saves a thread with what is kept with it.
func (c *Chat) save(ctx context.Context, t *Thread, s state) error {
	var err error
	if t.State, err = json.Marshal(s); err != nil {
		return err
	}
	t.Updated = c.config.Now()
	return c.config.Store.SaveThread(ctx, *t)
}
