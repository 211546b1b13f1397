package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/task"
)

// A state is what a Chat keeps with a thread.
type state struct {
	Turns  int                   `json:"turns,omitempty"` // messages of the user
	Task   task.Active           `json:"task"`
	Tasks  []pastTask            `json:"tasks,omitempty"`  // as they were before the last turns
	Pins   []int64               `json:"pins,omitempty"`   // numbers of messages, ascending
	Known  int64                 `json:"known,omitempty"`  // version of the memories when the last turn began
	Window *contextwindow.Report `json:"window,omitempty"` // of the last run, at its end
}

// A pastTask is what a thread was at before a message of the user.
type pastTask struct {
	Seq  int64       `json:"seq"`
	Task task.Active `json:"task"`
}

// mostTasks is how many turns Undo can take back with what they did to the task.
const mostTasks = 8

// hear takes a message of the user into the task.
func (s *state) hear(seq int64, text string) {
	before := s.Task.Clone()
	s.Tasks = append(s.Tasks, pastTask{seq, before})
	s.Tasks = s.Tasks[max(0, len(s.Tasks)-mostTasks):]
	s.Task.Hear(taskID(seq), text)
}

// unhear takes back what messages from one on have done to the task.
func (s *state) unhear(from int64) {
	i := slices.IndexFunc(s.Tasks, func(p pastTask) bool { return p.Seq >= from })
	switch {
	case i >= 0:
		s.Task, s.Tasks = s.Tasks[i].Task, s.Tasks[:i]
	case s.Task.ID == taskID(from):
		s.Task = task.Active{} // it began with what is gone, and nobody knows what was before
	}
}

// taskID is the id of the task that a message starts.
func taskID(seq int64) string { return fmt.Sprintf("t%d", seq) }

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
	if err := CheckThreadID(id); err != nil {
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
