package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type textInput struct {
	Text string `json:"text" jsonschema:"minLength=1"`
}

// echo is a tool that gives back its text.
var echo = tools.New("echo", "Give back a text.", func(_ context.Context, in textInput) (string, error) { return in.Text, nil })

func callEcho(text string) scripted.Call {
	return scripted.Call{Name: "echo", Args: map[string]string{"text": text}}
}

// start makes an agent with a script.
func start(t *testing.T, c agent.Config, lines ...scripted.Line) (*agent.Agent, *scripted.Model) {
	t.Helper()
	model := scripted.New(lines...)
	if c.Model == nil {
		c.Model = model
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a, model
}

// run is a run that must not fail.
func run(t *testing.T, c agent.Config, lines ...scripted.Line) (*agent.Result, []providers.Request) {
	t.Helper()
	a, model := start(t, c, lines...)
	result, err := a.Run(context.Background(), "prompt")
	if err != nil {
		t.Fatal(err)
	}
	return result, model.Requests()
}

// own returns the tools of a request but the one that the agent adds.
func own(req providers.Request) []transcript.ToolSchema {
	return slices.DeleteFunc(slices.Clone(req.Tools), func(t transcript.ToolSchema) bool { return t.Name == toollimit.ReadTool })
}

func lastText(req providers.Request) string { return req.Messages[len(req.Messages)-1].Text }

func TestAnswer(t *testing.T) {
	result, requests := run(t, agent.Config{System: "system", Tools: []tools.Tool{echo}},
		scripted.Calls(callEcho("one"), callEcho("two")), scripted.Text("both"))
	if result.Text != "both" || result.Stop != agent.Answered || result.Steps != 2 || len(result.Tools) != 2 {
		t.Errorf("%+v", result)
	}
	last := requests[1]
	if last.System != "system" || len(own(last)) != 1 || last.Messages[0].Text != "prompt" {
		t.Errorf("%+v", last)
	}
	if got := last.Messages[2].Text + last.Messages[3].Text; got != "onetwo" {
		t.Errorf("results %q", got)
	}
	if result.Usage.Input == 0 || result.Duration <= 0 || len(result.Transcript) < 4 {
		t.Errorf("usage %+v, duration %v, %d entries", result.Usage, result.Duration, len(result.Transcript))
	}
}

func TestResultsAreInTheOrderOfTheCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		slow := tools.New("slow", "Wait.", func(_ context.Context, in struct {
			N int `json:"n"`
		}) (int, error) {
			time.Sleep(time.Duration(10-in.N) * time.Second)
			return in.N, nil
		})
		a, model := start(t, agent.Config{Tools: []tools.Tool{slow}},
			scripted.Calls(scripted.Call{Name: "slow", Args: `{"n":1}`}, scripted.Call{Name: "slow", Args: `{"n":5}`}, scripted.Call{Name: "slow", Args: `{"n":9}`}),
			scripted.Text("done"))
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := e.(agent.ToolFinished); ok {
				order = append(order, fmt.Sprint(e.Record.Value))
			}
		}
		if got := strings.Join(order, " "); got != "9 5 1" {
			t.Errorf("ends were told in the order %s, want as they come", got)
		}
		req := model.Requests()[1]
		if got := req.Messages[2].Text + req.Messages[3].Text + req.Messages[4].Text; got != "159" {
			t.Errorf("results in the order %s", got)
		}
	})
}

func TestEffectsAreAloneAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		var order []string
		tool := func(name string, effects bool) tools.Tool {
			tl := tools.New(name, "Work.", func(_ context.Context, in textInput) (string, error) {
				if n := running.Add(1); effects && n != 1 {
					t.Errorf("%s runs beside %d others", in.Text, n-1)
				} else {
					most.Store(max(most.Load(), n))
				}
				time.Sleep(time.Second)
				if effects {
					order = append(order, in.Text)
				}
				running.Add(-1)
				return "ok", nil
			})
			tl.Effects = effects
			return tl
		}
		call := func(name, text string) scripted.Call {
			return scripted.Call{Name: name, Args: map[string]string{"text": text}}
		}
		result, _ := run(t, agent.Config{Tools: []tools.Tool{tool("read", false), tool("write", true)}},
			scripted.Calls(call("read", "a"), call("read", "b"), call("write", "1"), call("write", "2"), call("read", "c"), call("write", "3")),
			scripted.Text("done"))
		if got := strings.Join(order, ""); got != "123" || most.Load() != 2 || len(result.Tools) != 6 {
			t.Errorf("effects in the order %s, %d side by side, %d calls", got, most.Load(), len(result.Tools))
		}
	})
}

func TestFaultsOfCallsAreToldToTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		bad := []tools.Tool{
			echo,
			tools.New("panics", "Panic.", func(context.Context, struct{}) (string, error) { panic("at the disco") }),
			tools.New("fails", "Fail.", func(context.Context, struct{}) (string, error) { return "", errors.New("no luck") }),
			tools.New("waits", "Wait.", func(ctx context.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
			tools.New("ignores", "Ignore.", func(context.Context, struct{}) (string, error) { <-release; return "", nil }),
			tools.New("exits", "Exit.", func(context.Context, struct{}) (string, error) { runtime.Goexit(); return "", nil }),
			tools.New("nothing", "Return nothing.", func(context.Context, struct{}) (any, error) { return nil, nil }),
		}
		var calls []scripted.Call
		for _, name := range []string{"panics", "fails", "waits", "ignores", "nothing", "exits", "ecko"} {
			calls = append(calls, scripted.Call{Name: name})
		}
		calls = append(calls, scripted.Call{Name: "echo", Args: `{"text":{},"more":true}`}, scripted.Call{Name: "echo", Args: `{"text": "unclosed`}, callEcho("late"))
		result, requests := run(t, agent.Config{Tools: bad, Limits: agent.Limits{CallsPerStep: 9}}, scripted.Calls(calls...), scripted.Text("done"))
		messages := requests[1].Messages[2:]
		for i, want := range []string{
			"tool panics panicked: at the disco", "no luck", "timed out after 1m0s", "timed out after 1m0s", "", "runtime.Goexit",
			"nearest: echo", "/text", "schema", "not executed: limit 9",
		} {
			if !strings.Contains(messages[i].Text, want) {
				t.Errorf("call %d (%s): %q does not say %q", i, messages[i].Name, messages[i].Text, want)
			}
			if failed := i != 4; messages[i].Failed != failed || failed != (result.Tools[i].Err != nil) || failed && messages[i].Kind != toollimit.Error {
				t.Errorf("call %d (%s): failed %t, kind %q, %v", i, messages[i].Name, messages[i].Failed, messages[i].Kind, result.Tools[i].Err)
			}
		}
		if result.Abandoned != 1 || len(result.Warnings) != 1 || result.Duration != 65*time.Second || result.Tools[5].Duration != 0 {
			t.Errorf("abandoned %d, warnings %q, %v", result.Abandoned, result.Warnings, result.Duration)
		}
		close(release)
	})
}

func TestRunsAreApart(t *testing.T) {
	a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if len(req.Messages) == 1 {
			return scripted.Calls(callEcho(req.Messages[0].Text))
		}
		return scripted.Text(lastText(*req))
	})))
	texts := make(chan string)
	for i := range 20 {
		go func() {
			result, err := a.Run(context.Background(), fmt.Sprint("run ", i))
			if err != nil {
				t.Error(err)
			}
			texts <- result.Text
		}()
	}
	var got []string
	for range 20 {
		got = append(got, <-texts)
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 20 {
		t.Errorf("answers %q", got)
	}
}
