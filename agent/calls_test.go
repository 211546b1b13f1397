package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

type numberInput struct {
	N int `json:"n"`
}

// numbered is so many calls of a tool with the arguments {"n":0}, {"n":1} and so on.
func numbered(name string, count int) scripted.Line {
	calls := make([]scripted.Call, count)
	for i := range calls {
		calls[i] = scripted.Call{Name: name, Args: map[string]int{"n": i}}
	}
	return scripted.Calls(calls...)
}

func TestNoCallBeginsWhenTheRunIsOver(t *testing.T) {
	for _, effects := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		made := 0
		write := tools.New("write", "Write.", func(context.Context, numberInput) (string, error) {
			made++
			cancel()
			return "ok", nil
		})
		write.Effects = effects
		a, _ := start(t, agent.Config{Tools: []tools.Tool{write}, Limits: agent.Limits{Parallel: 1}}, numbered("write", 4), scripted.Text("never"))
		ended := 0
		var result *agent.Result
		for e := range a.Stream(ctx, agent.Task{Prompt: "prompt"}) {
			switch e := e.(type) {
			case agent.ToolFinished:
				ended++
			case agent.RunFinished:
				result = e.Result
			}
		}
		if made != 1 || ended != 4 || result.Stop != agent.Cancelled || len(result.Tools) != 4 {
			t.Errorf("effects %t: %d calls made and %d told, %s, %d records", effects, made, ended, result.Stop, len(result.Tools))
		}
		for _, rec := range result.Tools[1:] {
			if rec.Err == nil || rec.Err.Error() != "not executed: the run is over" {
				t.Errorf("effects %t: %v", effects, rec.Err)
			}
		}
	}
}

func TestBreakingOffAtTheStartOfACallDoesNotMakeIt(t *testing.T) {
	made := 0
	write := tools.New("write", "Write.", func(context.Context, numberInput) (string, error) { made++; return "ok", nil })
	write.Effects = true
	a, _ := start(t, agent.Config{Tools: []tools.Tool{write}}, numbered("write", 4), scripted.Text("never"))
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
		if _, ok := e.(agent.ToolStarted); ok {
			break
		}
	}
	if made != 0 {
		t.Errorf("%d calls were made after breaking off", made)
	}
}

func TestCancellationWaitsOneGraceForAllTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		ignores := tools.New("ignores", "Ignore.", func(context.Context, numberInput) (string, error) { <-release; return "", nil })
		a, _ := start(t, agent.Config{Tools: []tools.Tool{ignores}, Limits: agent.Limits{Parallel: 2}}, numbered("ignores", 6), scripted.Text("never"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := a.Run(ctx, "prompt")
		if err == nil || result.Duration != 6*time.Second || result.Abandoned != 2 {
			t.Errorf("cancelled after 1 s, over after %v, %d abandoned: %v", result.Duration, result.Abandoned, err)
		}
		close(release)
	})
}

func TestCallsAfterTheTimeLimitAreToldToTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tools.New("slow", "Wait.", func(ctx context.Context, _ numberInput) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		slow.Effects = true
		result, requests := run(t, agent.Config{Tools: []tools.Tool{slow}, Limits: agent.Limits{Time: 10 * time.Second}}, numbered("slow", 2), scripted.Text("closing words"))
		if result.Stop != agent.TimeLimit || !strings.HasPrefix(lastText(requests[1]), "not executed: the run is over") {
			t.Errorf("%s: %q", result.Stop, lastText(requests[1]))
		}
	})
}

func TestPanicOfTheObserverWaitsForNoTool(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic("observer") }, "exit": runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			release, done := make(chan struct{}), make(chan struct{})
			ignores := tools.New("ignores", "Ignore.", func(context.Context, numberInput) (string, error) { <-release; return "", nil })
			a, _ := start(t, agent.Config{Tools: []tools.Tool{ignores}}, numbered("ignores", 2), scripted.Text("never"))
			go func() {
				defer close(done)
				defer func() { recover() }()
				started := 0
				for e := range a.Stream(context.Background(), agent.Task{Prompt: "prompt"}) {
					if _, ok := e.(agent.ToolStarted); ok {
						if started++; started == 2 {
							leave()
						}
					}
				}
			}()
			select {
			case <-done:
			case <-time.After(time.Hour):
				t.Errorf("%s: the run waits for a tool that ignores its context", name)
			}
			close(release)
			<-done
		})
	}
}

func TestToolsMayChangeTheirArguments(t *testing.T) {
	vandal := tools.Tool{Name: "vandal", Description: "Change.", Schema: json.RawMessage(`{"type":"object"}`), Call: func(_ context.Context, args json.RawMessage) (any, error) {
		copy(args, "XXXX")
		return "ok", nil
	}}
	const args = `{"a":1}`
	result, requests := run(t, agent.Config{Tools: []tools.Tool{vandal}}, scripted.Calls(scripted.Call{Name: "vandal", Args: args}), scripted.Text("done"))
	if got := string(requests[1].Messages[1].Calls[0].Args); got != args || string(result.Tools[0].Call.Args) != args {
		t.Errorf("the log shows %s, the record %s", got, result.Tools[0].Call.Args)
	}
}

// grim panics when it is rendered.
type grim struct{}

func (grim) Text() (toollimit.Kind, string) { panic("no words") }

func TestResultsThatCannotBeRenderedAreErrors(t *testing.T) {
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"panic":   {grim{}, "rendering the result of type agent_test.grim: panic: no words"},
		"channel": {make(chan int), "rendering the result of type chan int"},
		"error":   {errors.New("an error in place of a value"), "an error in place of a value"},
	} {
		bad := tools.Tool{Name: "bad", Description: "Fail.", Schema: json.RawMessage(`{"type":"object"}`), Call: func(context.Context, json.RawMessage) (any, error) { return test.value, nil }}
		a, model := start(t, agent.Config{Tools: []tools.Tool{bad}}, scripted.Calls(scripted.Call{Name: "bad"}), scripted.Text("done"))
		var told error
		var result *agent.Result
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			switch e := e.(type) {
			case agent.ToolFinished:
				told = e.Record.Err
			case agent.RunFinished:
				result = e.Result
			}
		}
		m, rec := model.Requests()[1].Messages[2], result.Tools[0]
		if !m.Failed || m.Kind != toollimit.Error || !strings.Contains(m.Text, test.want) {
			t.Errorf("%s: the model sees %+v", name, m)
		}
		if rec.Err == nil || told == nil || rec.Value != nil {
			t.Errorf("%s: record %+v, told %v", name, rec, told)
		}
	}
}

func TestCallsWithOneIDAreToldApart(t *testing.T) {
	first, second := callEcho("one"), callEcho("two")
	first.ID, second.ID = "same", "same"
	result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(first, second), scripted.Text("done"))
	m := requests[1].Messages
	if m[1].Calls[0].ID != "same" || m[1].Calls[1].ID != providers.CallID(1, 2) || m[3].CallID != m[1].Calls[1].ID || m[2].Text+m[3].Text != "onetwo" {
		t.Errorf("%+v", m)
	}
	if rec := result.Tools[1]; rec.Call.ID != m[3].CallID || rec.TokensIn != rec.TokensOut || rec.TokensIn != m[3].Tokens() || rec.Cut {
		t.Errorf("%+v", rec)
	}
}
