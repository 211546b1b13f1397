package chat_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// talkEnv names the database of a process that a test starts: this program, which then talks in place of its tests.
const talkEnv = "FORAY_CHAT_TALK"

// togetherEnv is talkEnv of a process that shares its thread with others.
const togetherEnv = "FORAY_CHAT_TOGETHER"

func TestMain(m *testing.M) {
	if path := os.Getenv(talkEnv); path != "" {
		fmt.Fprintln(os.Stderr, talkForEver(path))
		os.Exit(1)
	}
	if path := os.Getenv(togetherEnv); path != "" {
		fmt.Fprintln(os.Stderr, talkTogether(path))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// open returns a chat that is closed at the end of the test, and an empty thread of it. Its sources have the time that they
// need, however busy the machine is.
func open(t *testing.T, c chat.Config) (*chat.Chat, string) {
	t.Helper()
	c.Builder.Deadline = cmp.Or(c.Builder.Deadline, time.Hour)
	h, err := chat.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h, create(t, h, chat.Thread{User: "ada"})
}

func create(t *testing.T, h *chat.Chat, thread chat.Thread) string {
	t.Helper()
	made, err := h.Create(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// with is the config of a chat with a model.
func with(m providers.Model) chat.Config { return chat.Config{Agent: agent.Config{Model: m}} }

// said returns the text of the last message of a request without its fenced parts.
func said(req *providers.Request) string {
	text := req.Messages[len(req.Messages)-1].Text
	if i := strings.LastIndex(text, "</context>"); i >= 0 {
		text = text[i+len("</context>"):]
	}
	text, _, _ = strings.Cut(text, "\n\n<note")
	return strings.TrimSpace(text)
}

// echo answers every message with the message.
func echo() *scripted.Model {
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		return scripted.Text("re: " + said(req))
	})))
}

func ask(t *testing.T, h *chat.Chat, thread, text string) *chat.Turn {
	t.Helper()
	turn, err := h.Do(t.Context(), thread, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return turn
}

// linesOf is a thread as lines of role and text.
func linesOf(t *testing.T, h *chat.Chat, thread string) []string {
	t.Helper()
	var ms []chat.Message
	for {
		after := int64(0)
		if len(ms) > 0 {
			after = ms[len(ms)-1].Seq
		}
		page, err := h.Messages(context.Background(), thread, after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if ms = append(ms, page...); len(page) < 1000 {
			break
		}
	}
	lines := []string{}
	last := int64(0)
	for _, m := range ms {
		if m.Seq <= last {
			t.Errorf("message %d comes behind message %d", m.Seq, last)
		}
		last = m.Seq
		line := string(m.Role) + ": " + m.Text
		if m.Partial {
			line += " [partial]"
		}
		lines = append(lines, line)
	}
	return lines
}

// turnsEnv, as a number, is how many turns each of 50 threads has side by side with the others.
const turnsEnv = "FORAY_TURNS"

func TestTurnsOfManyThreadsSideBySide(t *testing.T) {
	each := 20 // 1,000 turns
	if n, err := strconv.Atoi(os.Getenv(turnsEnv)); err == nil {
		each = n
	}
	for _, name := range []string{"in memory", "in a database"} {
		t.Run(name, func(t *testing.T) {
			if name == "in memory" {
				sideBySide(t, chat.InMemory(), each/senders)
				return
			}
			s, err := store.Open(t.Context(), store.InMemory, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sideBySide(t, s, 1)
		})
	}
}

// A watchful model echoes, and is told nothing of other threads.
type watchful struct {
	forgetful
	t *testing.T
}

func (w watchful) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	mine, _, _ := strings.Cut(said(req), " ")
	for _, m := range req.Messages {
		if other := strings.Index(m.Text, "thread-"); other >= 0 && !strings.HasPrefix(m.Text[other:], mine) {
			w.t.Errorf("%s is told %.80s", mine, m.Text)
		}
	}
	return w.forgetful.Stream(ctx, req)
}

// senders is how many write to each thread.
const senders = 4

func sideBySide(t *testing.T, s chat.Store, each int) {
	const threads = 50
	h, err := chat.New(chat.Config{Store: s, Agent: agent.Config{Model: watchful{t: t}}})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, threads)
	var all sync.WaitGroup
	for i := range threads {
		ids[i] = create(t, h, chat.Thread{ID: fmt.Sprintf("t%d", i)})
		for s := range senders {
			all.Go(func() {
				for n := range each {
					text := fmt.Sprintf("thread-%d. sender %d message %d", i, s, n)
					if turn, err := h.Do(t.Context(), ids[i], text); err != nil || turn.Text != "re: "+text {
						t.Errorf("%s: %v", text, err)
					}
				}
			})
		}
	}
	all.Wait()
	for i, id := range ids {
		lines := linesOf(t, h, id)
		if len(lines) != 2*senders*each {
			t.Fatalf("%d messages of thread %d", len(lines), i)
		}
		next := make([]int, senders)
		for n := 0; n < len(lines); n += 2 {
			var thread, sender, message int
			if _, err := fmt.Sscanf(lines[n], "user: thread-%d. sender %d message %d", &thread, &sender, &message); err != nil {
				t.Fatal(lines[n], err)
			}
			if thread != i || next[sender] != message || lines[n+1] != "assistant: re: "+strings.TrimPrefix(lines[n], "user: ") {
				t.Errorf("thread %d has %q, %q", i, lines[n], lines[n+1])
			}
			next[sender]++
		}
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// gate is a model whose first answer waits until it is opened.
func gate() (providers.Model, func()) {
	opened := make(chan struct{})
	var once sync.Once
	first := true
	var mu sync.Mutex
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		mu.Lock()
		wait := first
		first = false
		mu.Unlock()
		if wait {
			<-opened
		}
		return scripted.Text("re: " + said(req))
	}))), func() { once.Do(func() { close(opened) }) }
}

func TestTurnsComeInTheOrderInWhichTheyWereSent(t *testing.T) {
	model, openGate := gate()
	h, id := open(t, with(model))
	defer openGate()
	gone, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 6 {
		standing := make(chan int, 1)
		ctx := t.Context()
		if i == 3 {
			ctx = gone
		}
		all.Go(func() {
			for e, err := range h.Send(ctx, id, fmt.Sprint("message ", i)) {
				switch e := e.(type) {
				case chat.TurnQueued:
					standing <- e.Ahead
				case chat.MessageStored:
					if i == 0 && e.Message.Role == transcript.User {
						standing <- 0
					}
				case chat.TurnFinished:
					if want := i == 3; errors.Is(err, context.Canceled) != want {
						t.Errorf("message %d: %v", i, err)
					}
				}
			}
		})
		if ahead := <-standing; ahead != i {
			t.Errorf("message %d has %d ahead", i, ahead)
		}
	}
	leave()
	openGate()
	all.Wait()
	var want []string
	for _, i := range []int{0, 1, 2, 4, 5} {
		want = append(want, fmt.Sprint("user: message ", i), fmt.Sprint("assistant: re: message ", i))
	}
	if diff := gocmp.Diff(want, linesOf(t, h, id)); diff != "" {
		t.Error(diff)
	}
}

func TestTurnsThatEndBadlyLeaveTheThreadWhole(t *testing.T) {
	for _, tt := range []struct {
		name string
		line scripted.Line
		want []string
	}{
		{"fails at once", scripted.Fail(providers.Auth), nil},
		{"breaks off", scripted.Line{Text: "half an ans", Err: scripted.Fail(providers.Auth).Err}, []string{"assistant: half an ans [partial]"}},
		{"is withheld", scripted.Line{Text: "bad", Finish: providers.Filtered}, []string{"assistant: bad [partial]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, id := open(t, with(scripted.New(tt.line, scripted.Text("now it works"))))
			turn, err := h.Do(t.Context(), id, "one")
			if err == nil || len(turn.Messages) != 1+len(tt.want) {
				t.Errorf("%v, %d messages", err, len(turn.Messages))
			}
			if next := ask(t, h, id, "two"); next.Text != "now it works" {
				t.Errorf("the next turn: %q", next.Text)
			}
			want := append([]string{"user: one"}, append(tt.want, "user: two", "assistant: now it works")...)
			if diff := gocmp.Diff(want, linesOf(t, h, id)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A caller who breaks off, or whose context ends, at any event leaves a thread that goes on.
func TestBreakingOffAtAnyEvent(t *testing.T) {
	for cut := range 12 {
		for _, cancelled := range []bool{false, true} {
			h, id := open(t, with(scripted.Options{Piece: 3}.New(scripted.Text("a long answer"), scripted.Repeat(0, scripted.Text("fine")))))
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			for e, err := range h.Send(ctx, id, "one") {
				if n++; n > cut {
					cancel()
					if !cancelled {
						break
					}
				}
				if done, ok := e.(chat.TurnFinished); ok && err == nil && done.Turn.Partial {
					t.Errorf("cut at %d: a partial answer without an error", cut)
				}
			}
			cancel()
			end := "assistant: " + ask(t, h, id, "two").Text
			lines := linesOf(t, h, id)
			if lines[0] != "user: one" || lines[len(lines)-1] != end || len(lines) < 3 || len(lines) > 4 {
				t.Errorf("cut at %d, cancelled %v: %q", cut, cancelled, lines)
			}
			if whole := lines[1] == "assistant: a long answer"; len(lines) == 4 && !whole && !strings.HasSuffix(lines[1], "[partial]") {
				t.Errorf("cut at %d, cancelled %v: %q", cut, cancelled, lines[1])
			}
		}
	}
}

func TestUndoAndPins(t *testing.T) {
	model := echo()
	c := with(model)
	c.Builder.Turns = 2
	h, id := open(t, c)
	first := ask(t, h, id, "keep the colour teal")
	if err := h.Pin(t.Context(), id, first.Messages[0].Seq); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		ask(t, h, id, fmt.Sprint("small talk ", i))
	}
	requests := model.Requests()
	last := requests[len(requests)-1].Messages
	if text := last[len(last)-1].Text; !strings.Contains(text, "<pinned_messages>") || !strings.Contains(text, "keep the colour teal") {
		t.Errorf("the last request is told %s", text)
	}
	gone, err := h.Undo(t.Context(), id)
	if err != nil || len(gone) != 2 || gone[0].Text != "small talk 5" {
		t.Errorf("undone %v: %v", gone, err)
	}
	if lines := linesOf(t, h, id); lines[len(lines)-1] != "assistant: re: small talk 4" {
		t.Errorf("undone up to %s", lines[len(lines)-1])
	}
	turn := ask(t, h, id, "again")
	if seq := turn.Messages[0].Seq; seq <= gone[1].Seq {
		t.Errorf("number %d was given again", seq)
	}
	for range 9 {
		if _, err := h.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	pins, err := h.Pins(t.Context(), id)
	if lines := linesOf(t, h, id); len(lines) > 0 || len(pins) > 0 || err != nil {
		t.Errorf("all undone: %q %v %v", lines, pins, err)
	}
	if err := h.Pin(t.Context(), id, first.Messages[0].Seq); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("pinning what is gone: %v", err)
	}
}

func TestWhatCannotBe(t *testing.T) {
	h, id := open(t, with(echo()))
	do := func(thread, text string) error { _, err := h.Do(t.Context(), thread, text); return err }
	made := func(thread chat.Thread) error { _, err := h.Create(t.Context(), thread); return err }
	gone := create(t, h, chat.Thread{})
	if err := h.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"no thread", do("nobody", "hi"), chat.ErrNoThread},
		{"a deleted thread", do(gone, "hi"), chat.ErrNoThread},
		{"deleted twice", h.Delete(t.Context(), gone), chat.ErrNoThread},
		{"empty", do(id, " \n"), chat.ErrInvalid},
		{"not UTF-8", do(id, "\xff"), chat.ErrInvalid},
		{"a path", do("../../etc", "hi"), chat.ErrInvalid},
		{"SQL", do("x' OR 1=1 --", "hi"), chat.ErrInvalid},
		{"an id that is taken", made(chat.Thread{ID: id}), chat.ErrThreadExists},
		{"a long title", made(chat.Thread{Title: strings.Repeat("x", 2000)}), chat.ErrInvalid},
		{"no window", h.Configure(chat.Settings{Total: 10}), chat.ErrInvalid},
		{"unpinnable", h.Pin(t.Context(), id, 99), chat.ErrInvalid},
		{"no task", h.SetTask(t.Context(), id, "done"), chat.ErrInvalid},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v", tt.name, tt.err)
		}
	}
	if lines := linesOf(t, h, id); len(lines) > 0 {
		t.Errorf("the thread has %q", lines)
	}
	if _, err := chat.New(chat.Config{}); err == nil {
		t.Error("a chat without a model")
	}
}

// An unknown thread is named once, also where the store names it.
func TestUnknownThread(t *testing.T) {
	s, err := store.Open(t.Context(), store.InMemory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := with(echo())
	for name, kept := range map[string]chat.Store{"memory": nil, "SQLite": s} {
		c.Store = kept
		h, err := chat.New(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Do(t.Context(), "nobody", "hi")
		_, read := h.Thread(t.Context(), "nobody")
		for _, err := range []error{err, read} {
			if !errors.Is(err, chat.ErrNoThread) || err.Error() != `no such thread: "nobody"` {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestAfterClose(t *testing.T) {
	model, openGate := gate()
	h, err := chat.New(with(model))
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, h, chat.Thread{})
	var all sync.WaitGroup
	stored := make(chan struct{})
	all.Go(func() {
		for e, err := range h.Send(t.Context(), id, "one") {
			if m, ok := e.(chat.MessageStored); ok && m.Message.Role == transcript.User {
				close(stored)
			}
			if done, ok := e.(chat.TurnFinished); ok && (err != nil || done.Turn.Text != "re: one") {
				t.Errorf("the turn under way: %v", err)
			}
		}
	})
	<-stored
	closing := make(chan error)
	go func() { closing <- h.Close(t.Context()) }()
	openGate()
	if err := <-closing; err != nil {
		t.Error(err)
	}
	all.Wait()
	if _, err := h.Do(t.Context(), id, "two"); !errors.Is(err, chat.ErrClosed) {
		t.Errorf("a turn after the end: %v", err)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func newMemories(t *testing.T) *longterm.Memories {
	t.Helper()
	l, err := longterm.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
