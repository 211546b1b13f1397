package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/toollimit"
)

// Task returns what a thread is at; one without a Status: nothing.
func (c *Chat) Task(ctx context.Context, thread string) (task.Active, error) {
	t, err := c.Thread(ctx, thread)
	if err != nil {
		return task.Active{}, err
	}
	s, err := t.state()
	return s.Task, err
}

// taskStatuses are those that a task can be given.
var taskStatuses = []task.Status{task.InProgress, task.Waiting, task.Done, task.Dropped}

// SetTask says how the task of a thread stands. The error is ErrBad if there is no such status, or no task.
func (c *Chat) SetTask(ctx context.Context, thread string, status task.Status) error {
	_, err := c.change(ctx, thread, func(_ context.Context, _ *Thread, s *state) error {
		if !slices.Contains(taskStatuses, status) {
			return fmt.Errorf("%w: there is no status %.20q; known are %v", ErrInvalid, status, taskStatuses)
		}
		if s.Task.Status == "" {
			return fmt.Errorf("%w: the thread has no task", ErrInvalid)
		}
		s.Task.Status = status
		return nil
	})
	return err
}

// argumentRunes is how much of a call's arguments names a step.
const argumentRunes = 80

// learn takes what the run does into the task: each call is a step of it, and one whose value is a finding notes that.
func (t *turn) learn(e agent.Event) {
	ended, ok := e.(agent.ToolFinished)
	if !ok || t.state.Task.Status == "" {
		return
	}
	if found, ok := ended.Record.Value.(task.Finding); ok {
		t.state.Task.Find(found)
		return
	}
	call, status := ended.Record.Call, task.Done
	if ended.Record.Err != nil {
		status = task.Failed
	}
	args := strings.Join(strings.Fields(string(call.Args)), " ")
	if toollimit.Runes(args) > argumentRunes {
		args = string([]rune(args)[:argumentRunes]) + "…"
	}
	t.state.Task.Step(task.Step{Text: call.Name + " " + args, Status: status, Calls: []string{call.ID}})
}

// conclude says how the task stands behind an answer: one that asks waits for the user.
func (t *turn) conclude() {
	answer := strings.TrimSpace(t.out.Text)
	if t.state.Task.Status == task.InProgress && !t.out.Partial && (strings.HasSuffix(answer, "?") || strings.HasSuffix(answer, "？")) {
		t.state.Task.Status = task.Waiting
	}
}
