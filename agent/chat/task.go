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

// Task returns the active task of a thread. Without a Status, the thread has none.
func (c *Chat) Task(ctx context.Context, thread string) (task.Active, error) {
	_, s, err := c.threads.read(ctx, thread)
	return s.Task, err
}

// taskStatuses are the statuses that a task can be given.
var taskStatuses = []task.Status{task.InProgress, task.Waiting, task.Done, task.Dropped}

// SetTask sets the status of a thread's task. The error is [ErrInvalid] if the status is unknown or the thread has no task.
func (c *Chat) SetTask(ctx context.Context, thread string, status task.Status) error {
	_, err := c.threads.change(ctx, thread, func(_ context.Context, _ *Thread, s *state) error {
		if !slices.Contains(taskStatuses, status) {
			return fmt.Errorf("%w: unknown status %.20q; known: %v", ErrInvalid, status, taskStatuses)
		}
		if s.Task.Status == "" {
			return fmt.Errorf("%w: the thread has no task", ErrInvalid)
		}
		s.Task.Status = status
		return nil
	})
	return err
}

// argumentRunes is how much of a call's arguments describes a step.
const argumentRunes = 80

// record adds a tool call to the task: its finding if it has one, else a step.
func (s *state) record(e agent.Event) {
	ended, ok := e.(agent.ToolFinished)
	if !ok || s.Task.Status == "" {
		return
	}
	if found, ok := ended.Record.Value.(task.Finding); ok {
		s.Task.Find(found)
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
	s.Task.Step(task.Step{Text: call.Name + " " + args, Status: status, Calls: []string{call.ID}})
}

// conclude updates the task after an answer. A question waits for the user.
func (s *state) conclude(answer string) {
	answer = strings.TrimSpace(answer)
	if s.Task.Status == task.InProgress && (strings.HasSuffix(answer, "?") || strings.HasSuffix(answer, "？")) {
		s.Task.Status = task.Waiting
	}
}
