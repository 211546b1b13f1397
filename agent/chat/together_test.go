package chat_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// openStore opens a database that is closed at the end of the test.
func openStore(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path, &store.Options{Command: "foray test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// beside returns a chat on a database as another process opens it. It waits a moment for others.
func beside(t *testing.T, path string, m providers.Model) *chat.Chat {
	t.Helper()
	h, err := chat.New(chat.Config{Store: openStore(t, path), Agent: agent.Config{Model: m}, Wait: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// busy starts a turn that waits for its answer. The func lets it end and returns its outcome.
func busy(t *testing.T, path string) (*chat.Chat, func() (*chat.Turn, error)) {
	t.Helper()
	asked, answer := make(chan struct{}), make(chan struct{})
	h := beside(t, path, scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if said(req) == "slow" {
			close(asked)
			<-answer
		}
		return scripted.Text("re: " + said(req))
	}))))
	if _, err := h.Create(t.Context(), chat.Thread{ID: "plans", User: "ada"}); err != nil {
		t.Fatal(err)
	}
	ask(t, h, "plans", "first")
	var turn *chat.Turn
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		turn, err = h.Do(context.Background(), "plans", "slow")
	}()
	<-asked
	return h, func() (*chat.Turn, error) {
		close(answer)
		<-done
		return turn, err
	}
}

// While one process answers in a thread, another one can change nothing of it, and learns who is at work. Then it sees
// the whole turn.
func TestASecondProcessWaitsOrIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	_, end := busy(t, path)
	b := beside(t, path, echo())
	ctx := t.Context()
	for name, change := range map[string]func() error{
		"send":     func() error { _, err := b.Do(ctx, "plans", "second"); return err },
		"undo":     func() error { _, err := b.Undo(ctx, "plans"); return err },
		"compact":  func() error { _, err := b.Compact(ctx, "plans"); return err },
		"rename":   func() error { _, err := b.Rename(ctx, "plans", "other"); return err },
		"delete":   func() error { return b.Delete(ctx, "plans") },
		"pin":      func() error { return b.Pin(ctx, "plans", 1) },
		"set task": func() error { return b.SetTask(ctx, "plans", "done") },
	} {
		used := (*chat.InUseError)(nil)
		if err := change(); !errors.As(err, &used) || used.PID != os.Getpid() || used.Command != "foray test" ||
			!strings.Contains(err.Error(), "writes to thread plans") {
			t.Errorf("%s beside a turn: %v", name, err)
		}
	}
	if lines := linesOf(t, b, "plans"); len(lines) != 3 || lines[2] != "user: slow" {
		t.Errorf("a refused change changed something: %q", lines)
	}
	if other, err := b.Create(ctx, chat.Thread{ID: "other"}); err != nil || ask(t, b, other.ID, "hello").Text != "re: hello" {
		t.Errorf("another thread: %v", err)
	}
	if turn, err := end(); err != nil || turn.Text != "re: slow" {
		t.Errorf("%+v %v", turn, err)
	}
	if turn := ask(t, b, "plans", "second"); turn.Stats.Window.Turns != 2 {
		t.Errorf("the next process sees %d turns, want 2", turn.Stats.Window.Turns)
	}
	want := "user: first|assistant: re: first|user: slow|assistant: re: slow|user: second|assistant: re: second"
	if got := strings.Join(linesOf(t, b, "plans"), "|"); got != want {
		t.Errorf("%s", got)
	}
}

// A process that lost its lock stores nothing after another's turn, and says so.
func TestALateAnswerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	_, end := busy(t, path)
	locks, err := filepath.Glob(path + "-lock-*")
	if err != nil || len(locks) != 1 {
		t.Fatalf("%q %v", locks, err)
	}
	if err := os.Remove(locks[0]); err != nil {
		t.Fatal(err)
	}
	b := beside(t, path, echo())
	ask(t, b, "plans", "second")
	turn, err := end()
	if !errors.Is(err, chat.ErrConflict) || turn.Text != "re: slow" || len(turn.Messages) != 1 {
		t.Errorf("%v: %+v", err, turn)
	}
	want := "user: first|assistant: re: first|user: slow|user: second|assistant: re: second"
	if got := strings.Join(linesOf(t, b, "plans"), "|"); got != want {
		t.Errorf("%s", got)
	}
}

// A thread that another process removed and began again has nothing of the one before it.
func TestAThreadOfAnotherProcessUnderTheSameID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	var requests atomic.Value
	a := beside(t, path, scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		var all strings.Builder
		for _, m := range req.Messages {
			all.WriteString(m.Text + "\n")
		}
		requests.Store(all.String())
		return scripted.Text("fine")
	}))))
	if _, err := a.Create(t.Context(), chat.Thread{ID: "plans"}); err != nil {
		t.Fatal(err)
	}
	ask(t, a, "plans", "a secret of the old thread")
	ask(t, a, "plans", "and more")
	b := beside(t, path, echo())
	if err := b.Delete(t.Context(), "plans"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(t.Context(), chat.Thread{ID: "plans"}); err != nil {
		t.Fatal(err)
	}
	ask(t, b, "plans", "new")
	ask(t, a, "plans", "go on")
	ask(t, a, "plans", "and on")
	if sent := requests.Load().(string); strings.Contains(sent, "old thread") || !strings.Contains(sent, "re: new") {
		t.Errorf("the request is\n%s", sent)
	}
}

// failingStore fails the write of a number, counted from 1, as a slow disk does: by its deadline.
type failingStore struct {
	chat.Store
	left int
}

func (s *failingStore) SaveThread(ctx context.Context, t chat.Thread, ms ...chat.Message) ([]chat.Message, error) {
	if s.left--; s.left == 0 {
		return nil, context.DeadlineExceeded
	}
	return s.Store.SaveThread(ctx, t, ms...)
}

// Whichever write of a turn fails: the turn is an error if and only if its answer is not in the thread, and its messages
// are those of the thread.
func TestATurnSaysWhatIsKept(t *testing.T) {
	for fail := range 4 {
		s := &failingStore{chat.InMemory(), fail}
		c := with(echo())
		c.Store = s
		h, id := open(t, c)
		turn, err := h.Do(t.Context(), id, "hello")
		lines := linesOf(t, h, id)
		if kept := len(lines) == 2; kept != (err == nil) || len(turn.Messages) != len(lines) {
			t.Errorf("write %d fails: %v, %d messages, and in the thread %q", fail, err, len(turn.Messages), lines)
		}
	}
}

// The turn after one without an answer says so to the model, once: whether the run failed, or the answer never reached
// the store, as when the process is killed. An answer that broke off shows that itself, and Undo forgets the question.
func TestTheModelHearsOfATurnWithoutAnAnswer(t *testing.T) {
	const mark = "previous message: its answer was interrupted"
	for _, tt := range []struct {
		name string
		line scripted.Line
		fail int  // the write that fails
		undo bool // the turn, before the next
		want bool // the next turn has the mark
	}{
		{"answered", scripted.Text("fine"), 0, false, false},
		{"killed", scripted.Text("fine"), 2, false, true},
		{"failed", scripted.Fail(providers.Auth), 0, false, true},
		{"broken off", scripted.Line{Text: "half an ans", Err: scripted.Fail(providers.Auth).Err}, 0, false, false},
		{"undone", scripted.Fail(providers.Auth), 0, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var marked []bool
			listen := scripted.Func(func(req *providers.Request) scripted.Line {
				last := req.Messages[len(req.Messages)-1].Text
				marked = append(marked, strings.Contains(last, mark))
				return scripted.Text("fine")
			})
			c := with(scripted.New(tt.line, listen, listen))
			c.Store = &failingStore{chat.InMemory(), tt.fail}
			h, id := open(t, c)
			if _, err := h.Do(t.Context(), id, "one"); (err == nil) != (tt.name == "answered") {
				t.Fatal(err)
			}
			if tt.undo {
				if _, err := h.Undo(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			ask(t, h, id, "two")
			ask(t, h, id, "three")
			if want := []bool{tt.want, false}; !slices.Equal(marked, want) {
				t.Errorf("the mark is in the requests after it: %v, want %v", marked, want)
			}
		})
	}
}

// slowStore stores an answer only when the deadline of the turn's caller has passed.
type slowStore struct {
	chat.Store
	caller context.Context
}

func (s slowStore) SaveThread(ctx context.Context, t chat.Thread, ms ...chat.Message) ([]chat.Message, error) {
	if t.Last > 0 {
		<-s.caller.Done()
		if _, bounded := ctx.Deadline(); !bounded {
			return nil, errors.New("it could take for ever")
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s.Store.SaveThread(ctx, t, ms...)
}

// An answer that came in time is stored in its own time.
func TestStoringOutlivesTheCaller(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	c := with(echo())
	c.Store = slowStore{chat.InMemory(), ctx}
	h, id := open(t, c)
	turn, err := h.Do(ctx, id, "hello")
	if lines := linesOf(t, h, id); err != nil || turn.Text != "re: hello" || len(lines) != 2 {
		t.Errorf("%v %+v %q", err, turn, lines)
	}
}
