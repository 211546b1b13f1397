package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The terminal's reader gives its last key to a program that has ended, and never learns of it.
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).StreamEvents"),
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock")) // ends by itself after a while
}

// A terminal is a virtual one with a program on it.
type terminal struct {
	t      *testing.T
	screen *vt.SafeEmulator
	keys   io.Writer

	mu  sync.Mutex   // also of screen, whose own lock does not cover its text
	raw bytes.Buffer // all that was written to it

	chat   *chat.Chat
	thread atomic.Pointer[string]
	model  chan string   // that Run returned
	ended  chan struct{} // is closed when the program has
}

// Write takes what the program draws.
func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw.Write(p)
	return x.screen.Write(p)
}

func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// open runs a conversation with a model on a terminal of a size.
func open(t *testing.T, width, height int, m providers.Model, change func(*agent.Config, *Host, *Screen)) *terminal {
	t.Helper()
	s := &Screen{}
	config := chat.Config{Agent: agent.Config{Model: m}}
	x := &terminal{t: t}
	h := &Host{
		Handle: func(ctx context.Context, text string) bool { return x.handle(ctx, s, text) },
		Status: func() (string, string) { return "test/model", "$0.12" },
		Messages: func(ctx context.Context) ([]chat.Message, error) {
			if x.thread.Load() == nil {
				return nil, nil
			}
			return x.chat.Messages(ctx, x.id(), 0, 1000)
		},
		Commands: []Command{{Name: "context", Help: "show the context"}, {Name: "compact", Help: "summarize"}},
		Branch: func(ctx context.Context, before int64) error {
			b, err := x.chat.Branch(ctx, x.id(), before)
			x.thread.Store(&b.ID)
			return err
		},
	}
	if change != nil {
		change(&config.Agent, h, s)
	}
	var err error
	if x.chat, err = chat.New(config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.chat.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	x.plug(width, height, func(at Terminal) error {
		model, err := Run(t.Context(), h, s, at)
		x.model <- model
		return err
	})
	x.sees("test/model")
	return x
}

// plug runs a program on a virtual terminal of a size.
func (x *terminal) plug(width, height int, program func(Terminal) error) {
	x.t.Helper()
	t := x.t
	in, keys := io.Pipe()
	x.screen, x.keys, x.model, x.ended = vt.NewSafeEmulator(width, height), keys, make(chan string, 1), make(chan struct{})
	if _, err := x.screen.WriteString("\x1b[20h"); err != nil { // as a line discipline does, LF also returns the carriage
		t.Fatal(err)
	}
	answering := make(chan struct{})
	go func() { // what a terminal answers to questions
		defer close(answering)
		buffer := make([]byte, 4096)
		for {
			n, err := x.screen.Read(buffer)
			if err != nil {
				return
			}
			_, _ = keys.Write(buffer[:n]) // fails after the test has closed the input; the program may still ask
		}
	}()
	go func() {
		defer func() {
			close(x.ended)
			_, _ = io.Copy(io.Discard, in) // so that no answer of the terminal waits for the program
		}()
		err := program(Terminal{In: in, Out: x, Env: []string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"},
			Width: width, Height: height})
		if err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		keys.Close()
		select {
		case <-x.ended:
		case <-time.After(20 * time.Second):
			t.Error("the program did not end with its input")
		}
		in.Close()
		if c, ok := x.screen.InputPipe().(io.Closer); ok {
			c.Close() // ends the reading, during which the screen cannot be closed
		}
		<-answering
		x.screen.Close()
	})
}

// TestTerminalAnswersNobody: a program that asks the terminal something after its input has ended can still end.
func TestTerminalAnswersNobody(t *testing.T) {
	x := &terminal{t: t}
	x.plug(80, 24, func(at Terminal) error {
		if _, err := io.Copy(io.Discard, at.In); err != nil {
			return err
		}
		_, err := io.WriteString(at.Out, strings.Repeat("\x1b[c", 3))
		return err
	})
}

// handle is the host's Handle.
func (x *terminal) handle(ctx context.Context, s *Screen, text string) bool {
	if text == "/quit" {
		return true
	}
	if x.thread.Load() == nil {
		t, err := x.chat.Create(ctx, chat.Thread{})
		if err != nil {
			x.t.Error(err)
			return true
		}
		x.thread.Store(&t.ID)
	}
	s.Begin(10, "")
	for e := range x.chat.Send(ctx, x.id(), text) {
		s.Show(e)
		if done, ok := e.(chat.TurnFinished); ok {
			s.End(done.Turn)
		}
	}
	return false
}

// id is the thread on the screen.
func (x *terminal) id() string { return *x.thread.Load() }

// types sends keys as a terminal does.
func (x *terminal) types(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.keys, keys); err != nil {
		x.t.Fatal(err)
	}
}

// pastes sends a text as a terminal with bracketed paste does.
func (x *terminal) pastes(text string) { x.types("\x1b[200~" + text + "\x1b[201~") }

// patience is how long a test waits for the screen.
const patience = 20 * time.Second

// sees waits until the screen shows a text.
func (x *terminal) sees(text string) {
	x.t.Helper()
	x.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// misses waits until the screen does not show a text.
func (x *terminal) misses(text string) {
	x.t.Helper()
	x.until("no "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// rests waits until nothing is in progress.
func (x *terminal) rests() {
	x.t.Helper()
	x.until("no spinner", func(s string) bool { return !strings.ContainsAny(s, string(spinner)) })
}

func (x *terminal) until(what string, ok func(string) bool) {
	x.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		shown := x.shown()
		if ok(shown) {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("the screen does not show %q:\n%s", what, shown)
		}
	}
}

// shown is the text on the screen without the blanks at the ends of its lines.
func (x *terminal) shown() string {
	x.mu.Lock()
	lines := strings.Split(x.screen.String(), "\n")
	x.mu.Unlock()
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// echo answers each message with itself.
func echo() providers.Model {
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		return scripted.Text("You said: " + req.Messages[len(req.Messages)-1].Text)
	})))
}

// look is a tool that returns a text.
func look(text string) tools.Tool {
	return tools.New("look", "Look.", func(context.Context, struct{ Path string }) (string, error) { return text, nil })
}
