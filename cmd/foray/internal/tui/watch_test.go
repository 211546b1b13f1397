package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// A watching is a run on a virtual terminal, on whose first screen a shell has left its prompt.
type watching struct {
	*terminal
	result chan *agent.Result
	err    chan error // of Watch
}

const prompted = "$ foray explore"

// watch runs an agent, and watches the run.
func watch(t *testing.T, width, height int, m providers.Model, given []tools.Tool, change func(*Watched, *Screen)) *watching {
	t.Helper()
	a, err := agent.New(agent.Config{Name: "explore", Model: m, Tools: given})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	began, done, s := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), make(chan struct{}), &Screen{}
	x := &watching{&terminal{t: t}, make(chan *agent.Result, 1), make(chan error, 1)}
	w := &Watched{Question: "where is a thread locked?", Began: began, Steps: 24, Inbox: &agent.Inbox{}, Cancel: cancel, Done: done,
		Status: func() (string, string) { return "test/model", "$0.12" }}
	if change != nil {
		change(w, s)
	}
	x.plug(width, height, func(at Terminal) error {
		// The program begins on a line of its own, which it may erase before it has drawn anything.
		if _, err := x.Write([]byte(prompted + "\r\n")); err != nil {
			return err
		}
		go func() {
			defer close(done)
			for e, err := range a.Stream(ctx, agent.Task{Prompt: w.Question, Inbox: w.Inbox}) {
				switch e := e.(type) {
				case agent.ToolFinished:
					e.Record.Duration = 1200 * time.Millisecond
					s.Ran(e)
				case agent.RunFinished:
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					x.result <- e.Result
				default:
					s.Ran(e)
				}
			}
		}()
		at.now = func() time.Time { return began.Add(75 * time.Second) }
		x.err <- Watch(w, s, at)
		<-done
		return nil
	})
	t.Cleanup(cancel)
	return x
}

// leaves waits for the end of Watch, and checks that the terminal is as it was.
func (x *watching) leaves() error {
	x.t.Helper()
	var err error
	select {
	case err = <-x.err:
	case <-time.After(patience):
		x.t.Fatalf("the run is still shown:\n%s", x.shown())
	}
	x.until("the shell's screen", func(s string) bool { return strings.TrimSpace(s) == prompted })
	if raw := x.written(); strings.Count(raw, "\x1b[?1049h") != 1 || !strings.Contains(raw[strings.Index(raw, "\x1b[?1049h"):], "\x1b[?1049l") {
		x.t.Error("the other screen is not left")
	}
	return err
}

// missing is a tool whose calls fail.
func missing() tools.Tool {
	return tools.New("read_file", "Read.", func(context.Context, struct{ Path string }) (string, error) {
		return "", &tools.Problem{Code: "not_found", Message: "store/lock.go does not exist", Try: "agent/store/lock.go"}
	})
}

// A run in progress with calls and text that streams, on terminals of four widths.
func TestWatchScreens(t *testing.T) {
	for _, width := range []int{40, 60, 110, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			first := scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{"Path": "agent/store/lock.go"}},
				scripted.Call{Name: "read_file", Args: map[string]string{"Path": "store/lock.go"}})
			first.Reasoning, first.Text = "Locks are in the store.", "I look at **the lock** of a thread first."
			second := scripted.Text(sample)
			second.Hang = true
			x := watch(t, width, 36, scripted.New(first, second), []tools.Tool{look("65: func lock()\n66: }\n"), missing()}, nil)
			x.sees("5 s")
			x.sees("step 2 of 24")
			x.golden(fmt.Sprintf("watch%d", width))
			x.types("\x14") // Ctrl-T
			x.sees("65: func lock()")
			x.golden(fmt.Sprintf("watchfolded%d", width))
		})
	}
}

// What a slow server reads is said before it answers.
func TestWatchReading(t *testing.T) {
	slow := scripted.Deltas(providers.Delta{Reading: &providers.Reading{Tokens: 4_100, Left: 80 * time.Second}})
	slow.Hang = true
	x := watch(t, 80, 24, scripted.New(slow), nil, nil)
	x.sees("reading 4,100 tokens, about 80 s · Ctrl-C cancels")
	x.sees("step 1 of 24 · 1m15s")
}

// Ctrl-C cancels the run, keeps what came, and leaves the terminal as it was.
func TestWatchCancel(t *testing.T) {
	half := scripted.Text("The first half")
	half.Hang = true
	x := watch(t, 80, 24, scripted.New(half), nil, nil)
	x.sees("The first half")
	x.types("\x03")
	if err := x.leaves(); err != nil {
		t.Error(err)
	}
	if r := <-x.result; r.Stop != agent.Cancelled || !strings.Contains(r.Text, "The first half") {
		t.Errorf("the run ended with %q and %q", r.Stop, r.Text)
	}
}

// A second Ctrl-C does not wait for a run that takes its time to end.
func TestWatchLeft(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	stuck := tools.New("stuck", "Wait.", func(context.Context, struct{}) (string, error) {
		close(reached)
		<-release
		return "", nil
	})
	x := watch(t, 80, 24, scripted.New(scripted.Calls(scripted.Call{Name: "stuck"}), scripted.Text("Done.")), []tools.Tool{stuck}, nil)
	<-reached
	x.sees("stuck")
	x.types("\x03")
	x.sees("cancelling; Ctrl-C again ends at once")
	x.types("\x03")
	if err := x.leaves(); !errors.Is(err, ErrLeft) {
		t.Errorf("watching ended with %v", err)
	}
	close(release)
	<-x.result
}

// A message that is typed joins the run, also one that looks like a command; the keys are explained.
func TestWatchSteer(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	slow := tools.New("slow", "Wait.", func(context.Context, struct{}) (string, error) {
		close(reached)
		<-release
		return "waited", nil
	})
	last := scripted.Func(func(req *providers.Request) scripted.Line {
		text := req.Messages[len(req.Messages)-1].Text
		line := scripted.Text("The model read: " + text)
		line.Hang = true
		return line
	})
	x := watch(t, 80, 40, scripted.New(scripted.Calls(scripted.Call{Name: "slow"}), last), []tools.Tool{slow}, nil)
	<-reached
	x.types("/help\r")
	x.sees("fold all calls out or in")
	x.misses("branch there")
	x.types("/api/users is what I mean\r")
	x.sees("/api/users is what I mean (sent to the run)")
	x.types("\x1b[27u") // Esc goes nowhere
	close(release)
	x.sees("The model read: /api/users is what I mean")
	x.misses("(sent to the run)")
	x.types("\x03")
	if err := x.leaves(); err != nil {
		t.Error(err)
	}
}

// What others wrote cannot steer the terminal that shows a run.
func TestWatchIsNotSteered(t *testing.T) {
	const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b]0;evil\x07\u202eevil\u2066\u200bgone\u00ad\U000e0041\x9b31m"
	first := scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{"Path": evil}}, scripted.Call{Name: evil})
	first.Reasoning, first.Text = "thinking "+evil, "a text "+evil
	last := scripted.Text("an answer " + evil + "\n\n```\n" + evil + "\n```\n[x](http://e.org/" + evil + ") done")
	last.Hang = true
	x := watch(t, 100, 40, scripted.New(first, last), []tools.Tool{look(evil)}, func(w *Watched, s *Screen) {
		w.Question = "a question " + evil
		w.Status = func() (string, string) { return "test/model" + evil, "$0.12" }
		s.Notice("notice " + evil)
	})
	x.sees("done")
	x.types("\x14")
	x.sees("an answer")
	x.types("\x03")
	if err := x.leaves(); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"\x1b]52", "\x1b]0;evil", "\u202e", "\u2066", "\u200b", "\u00ad", "\U000e0041", "\x9b"} {
		if strings.Contains(x.written(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

// A terminal that says sizes it does not have gets frames that can be drawn, and the run again at its own size.
func TestWatchSizes(t *testing.T) {
	last := scripted.Text(sample)
	last.Hang = true
	x := watch(t, 80, 40, scripted.New(last), nil, nil)
	x.sees("5 s")
	for _, size := range []string{"0;0", "1;1", "3;7", "65535;65535", "2;1000", "24;40"} {
		x.types("\x1b[48;" + size + ";0;0t")
		x.types("\x1b[5~\x1b[6~\x14")
	}
	x.types("\x1b[48;40;80;0;0t\x0c")
	x.sees("where is a thread locked?")
	x.sees("test/model")
	x.sees("5 s")
	x.types("\x03")
	if err := x.leaves(); err != nil {
		t.Error(err)
	}
}
