package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/queue"
)

// A state is what a Chat keeps with a thread.
type state struct {
	Turns  int                   `json:"turns,omitempty"` // messages of the user
	Open   bool                  `json:"open,omitempty"`  // the last message of the user has no answer, not even a part
	Steps  int                   `json:"steps,omitempty"` // the last one of the last window: no later one uses its ids
	Task   task.Active           `json:"task"`
	Tasks  []pastTask            `json:"tasks,omitempty"`  // before each of the last turns, for Undo
	Agent  string                `json:"agent,omitempty"`  // that was chosen last; "": none
	Runs   []pastRun             `json:"runs,omitempty"`   // of sub-agents and tools, oldest first
	Pins   []int64               `json:"pins,omitempty"`   // numbers of messages, ascending
	Known  int64                 `json:"known,omitempty"`  // version of the memories when the last turn began
	From   int64                 `json:"from,omitempty"`   // number of the first message that the last run saw
	Whole  int64                 `json:"whole,omitempty"`  // that of the first one after which none was shortened
	Window *contextwindow.Report `json:"window,omitempty"` // of the last run, at its end
}

// A pastTask is the active task before a message of the user.
type pastTask struct {
	Seq  int64       `json:"seq"`
	Task task.Active `json:"task"`
}

// maxPastTasks is how many turns Undo can take back together with the task.
const maxPastTasks = 8

// maxGoal is how much of a message a task keeps as its goal, in bytes. The thread keeps the message.
const maxGoal = 4 << 10

// addMessage updates the task with a message of the user.
func (s *state) addMessage(seq int64, text string) {
	s.Tasks = append(s.Tasks, pastTask{seq, s.Task.Clone()})
	s.Tasks = s.Tasks[max(0, len(s.Tasks)-maxPastTasks):]
	if len(text) > maxGoal {
		text = strings.ToValidUTF8(text[:maxGoal/2], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-maxGoal/2:], "")
	}
	s.Task.Hear(taskID(seq), text)
}

// taskStatus returns the status of the task at a message of the user, without what the message itself says: "" if the
// message has just started the task.
func (s *state) taskStatus(seq int64) string {
	t := s.Task
	if t.ID == taskID(seq) && len(t.Steps)+len(t.Findings) == 0 {
		return ""
	}
	if s.heard(seq) { // what the message said of the task is above the status
		before := s.Tasks[len(s.Tasks)-1].Task
		if before.ID != t.ID {
			before = task.Active{}
		}
		t.FollowUps, t.Constraints, t.SubGoals = before.FollowUps, before.Constraints, before.SubGoals
	}
	return t.Summary()
}

// goal returns the number of the message that started the task, 0 without one.
func (s *state) goal() int64 {
	seq, _ := strconv.ParseInt(strings.TrimPrefix(s.Task.ID, "t"), 10, 64)
	return seq
}

// heard reports whether a message was the last one that updated the task.
func (s *state) heard(seq int64) bool { return len(s.Tasks) > 0 && s.Tasks[len(s.Tasks)-1].Seq == seq }

// removeFrom restores the task as it was before a message, if that is among the last eight. Otherwise it only removes
// a task that the message started.
func (s *state) removeFrom(from int64) {
	i := slices.IndexFunc(s.Tasks, func(p pastTask) bool { return p.Seq >= from })
	switch {
	case i >= 0:
		s.Task, s.Tasks = s.Tasks[i].Task, s.Tasks[:i]
	case s.Task.ID == taskID(from):
		s.Task = task.Active{} // the task before it was not kept
	}
}

// useSteps records which steps the window of a turn used, from its log.
func (s *state) useSteps(log []contextwindow.Entry) {
	for _, e := range slices.Backward(log) {
		if e.Unit != nil {
			s.Steps = e.Unit.Step
			return
		}
	}
}

// taskID returns the id of the task that a message starts.
func taskID(seq int64) string { return fmt.Sprintf("t%d", seq) }

func (t Thread) state() (state, error) {
	var s state
	if len(t.State) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(t.State, &s); err != nil {
		return s, fmt.Errorf("the state of the thread is damaged: %w", err)
	}
	if s.Steps == 0 { // an older version saved it: each turn numbered its steps from 1, up to about one for each message
		s.Steps = int(t.Last)
	}
	return s, nil
}

// threads reads and changes threads with their states.
type threads struct {
	store Store
	wait  time.Duration // for other processes
	seen  *seen
	now   func() time.Time
	life  *lifetime
	queue *queue.Queue
}

// ofThread says which thread an error is of. Stores differ in whether they name one that is unknown.
func ofThread(id string, err error) error {
	if errors.Is(err, ErrNoThread) {
		return fmt.Errorf("%w: %q", ErrNoThread, id)
	}
	return fmt.Errorf("thread %s: %w", id, err)
}

func (ts *threads) read(ctx context.Context, id string) (Thread, state, error) {
	if err := CheckThreadID(id); err != nil {
		return Thread{}, state{}, err
	}
	t, err := ts.store.Thread(ctx, id)
	if err != nil {
		return Thread{}, state{}, ofThread(id, err)
	}
	s, err := t.state()
	return t, s, err
}

// alone waits for its turn in the queue of a thread, and for other processes, and runs fn. If turns of this process
// come first, it calls queued with their number.
func (ts *threads) alone(ctx context.Context, id string, queued func(int), fn func(context.Context) error) error {
	ctx, end, err := ts.life.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	err = ts.locked(ctx, id, queued, fn)
	if err != nil && errors.Is(context.Cause(ctx), ErrClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// locked is alone without the lifetime. Processes wait for each other by the lock of the store.
func (ts *threads) locked(ctx context.Context, id string, queued func(int), fn func(context.Context) error) error {
	leave, err := ts.queue.Enter(ctx, id, queued)
	if err != nil {
		return err
	}
	defer leave()
	unlock, err := ts.store.LockThread(ctx, id, ts.wait)
	if err != nil {
		return err
	}
	defer unlock()
	return fn(ctx)
}

// change lets fn change a thread and its state, and saves both. Nothing else happens in the thread meanwhile.
func (ts *threads) change(
	ctx context.Context, id string, fn func(context.Context, *Thread, *state) error,
) (Thread, error) {
	return ts.edit(ctx, id, func(ctx context.Context, t *Thread, s *state) error {
		err := fn(ctx, t, s)
		if err == nil {
			_, err = ts.save(ctx, t, *s)
		}
		return err
	})
}

// edit is change for an fn that saves the thread itself.
func (ts *threads) edit(
	ctx context.Context, id string, fn func(context.Context, *Thread, *state) error,
) (t Thread, err error) {
	if err := CheckThreadID(id); err != nil {
		return t, err
	}
	err = ts.alone(ctx, id, nil, func(ctx context.Context) error {
		var err error
		if t, err = ts.store.Thread(ctx, id); err != nil {
			return err
		}
		s, err := t.state()
		if err != nil {
			return err
		}
		return fn(ctx, &t, &s)
	})
	if err != nil {
		return Thread{}, ofThread(id, err)
	}
	return t, nil
}

// save saves a thread with its state, and adds messages at the present time.
func (ts *threads) save(ctx context.Context, t *Thread, s state, ms ...Message) ([]Message, error) {
	if err := ts.seal(t, s); err != nil {
		return nil, err
	}
	for i := range ms {
		ms[i].Time = t.Updated
	}
	added, err := ts.store.SaveThread(ctx, *t, ms...)
	if err == nil && len(added) > 0 {
		t.Last = added[len(added)-1].Seq
	}
	return added, err
}

// seal puts a state into its thread.
func (ts *threads) seal(t *Thread, s state) (err error) {
	t.Updated = ts.now()
	ts.seen.changed(*t)
	t.State, err = json.Marshal(s)
	return err
}

// pinned returns the pinned messages that still exist.
func (ts *threads) pinned(ctx context.Context, thread string, s state) ([]Message, error) {
	var pinned []Message
	for _, seq := range s.Pins {
		ms, err := ts.store.Messages(ctx, thread, seq-1, 1)
		if err != nil {
			return nil, ofThread(thread, err)
		}
		if len(ms) == 1 && ms[0].Seq == seq {
			pinned = append(pinned, ms[0])
		}
	}
	return pinned, nil
}

// lastTurn returns the number of the user's newest message, or 0.
func (ts *threads) lastTurn(ctx context.Context, t Thread) (int64, error) {
	const page = 64
	for limit := page; ; limit *= 4 {
		recent, err := ts.store.Recent(ctx, t.ID, 0, limit)
		if err != nil {
			return 0, err
		}
		for _, m := range slices.Backward(recent) {
			if m.Role == transcript.User {
				return m.Seq, nil
			}
		}
		if len(recent) < limit {
			return 0, nil
		}
	}
}

// countPage is how many messages are read at once.
const countPage = 256

// count returns the size of a thread in tokens, and the number of the user's last message.
func (ts *threads) count(ctx context.Context, thread string) (tokens int, last int64, err error) {
	for after := int64(0); ; {
		ms, err := ts.store.Messages(ctx, thread, after, countPage)
		if err != nil {
			return 0, 0, err
		}
		for _, m := range ms {
			tokens += m.Message.Tokens()
			if m.Role == transcript.User {
				last = m.Seq
			}
		}
		if len(ms) < countPage {
			return tokens, last, nil
		}
		after = ms[len(ms)-1].Seq
	}
}

// argumentRunes is how much of a call's arguments the text of a step shows.
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
	call, status := ended.Record.Made, task.Done
	if ended.Record.Err != nil {
		status = task.Failed
	}
	args := line.Flat(string(call.Args))
	if line.Runes(args) > argumentRunes {
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
