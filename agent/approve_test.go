package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// writer is a tool with effects that knows what it wrote.
func writer(wrote *[]string) tools.Tool {
	t := tools.New("write", "Write a text.", func(_ context.Context, in textInput) (string, error) {
		*wrote = append(*wrote, in.Text)
		return "written", nil
	})
	t.Effects = true
	return t
}

func callWrite(text string) scripted.Call {
	return scripted.Call{Name: "write", Args: map[string]string{"text": text}}
}

func TestApproval(t *testing.T) {
	var wrote, asked []string
	approve := func(_ context.Context, c transcript.ToolCall) (agent.Decision, error) {
		asked = append(asked, string(c.Args))
		copy(c.Args, "spoiled")
		switch len(asked) {
		case 1:
			return agent.Decision{Approved: true}, nil
		case 2:
			return agent.Decision{Reason: "not on a Friday"}, nil
		case 3:
			return agent.Decision{}, nil
		case 4:
			return agent.Decision{Approved: true}, errors.New("the terminal is gone")
		}
		panic("nobody is there")
	}
	calls := []scripted.Call{callEcho("read"), {Name: "write", Args: `{"text":""}`}}
	for i := range 5 {
		calls = append(calls, callWrite(fmt.Sprint(i+1)))
	}
	result, requests := run(t, agent.Config{Tools: []tools.Tool{echo, writer(&wrote)}, Approve: approve}, scripted.Calls(calls...), scripted.Text("done"))
	if strings.Join(wrote, "") != "1" || len(asked) != 5 || asked[1] != `{"text":"2"}` {
		t.Errorf("wrote %q, asked for %q", wrote, asked)
	}
	seen := requests[1].Messages[2:]
	for i, want := range []string{"read", "/text", "written", "refused: not on a Friday", "refused: the call was not approved", "nobody can be asked", "nobody can be asked"} {
		if !strings.Contains(seen[i].Text, want) || seen[i].Failed != (i != 0 && i != 2) {
			t.Errorf("call %d: the model sees %q (failed %t), want %q", i, seen[i].Text, seen[i].Failed, want)
		}
	}
	if len(result.Warnings) != 2 || !strings.Contains(result.Warnings[0], "the terminal is gone") || !strings.Contains(result.Warnings[1], "nobody is there") {
		t.Errorf("warnings %q", result.Warnings)
	}
}

func TestRefusedCallsDoNotStart(t *testing.T) {
	var wrote []string
	a, _ := start(t, agent.Config{Tools: []tools.Tool{writer(&wrote)}, Approve: func(context.Context, transcript.ToolCall) (agent.Decision, error) {
		return agent.Decision{}, nil
	}}, scripted.Calls(callWrite("x")), scripted.Text("done"))
	var told []string
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
		switch e.(type) {
		case agent.ToolStarted, agent.ToolFinished:
			told = append(told, fmt.Sprintf("%T", e))
		}
	}
	if got := strings.Join(told, " "); got != "agent.ToolFinished" || len(wrote) > 0 {
		t.Errorf("told %s, wrote %q", got, wrote)
	}
}

func TestCancellationWhileAnApprovalIsAwaited(t *testing.T) {
	for name, test := range map[string]struct {
		heeds     bool // the end of its context
		duration  time.Duration
		abandoned int
	}{"heeds its context": {true, time.Minute, 0}, "ignores it": {false, 65 * time.Second, 1}} {
		synctest.Test(t, func(t *testing.T) {
			var wrote []string
			approve := func(ctx context.Context, _ transcript.ToolCall) (agent.Decision, error) {
				if test.heeds {
					<-ctx.Done()
					return agent.Decision{}, ctx.Err()
				}
				time.Sleep(time.Hour)
				return agent.Decision{Approved: true}, nil
			}
			a, model := start(t, agent.Config{Tools: []tools.Tool{writer(&wrote)}, Approve: approve}, scripted.Calls(callWrite("x")), scripted.Text("never"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			result, err := a.Run(ctx, "prompt")
			if !errors.Is(err, context.DeadlineExceeded) || result.Stop != agent.Cancelled || result.Duration != test.duration || result.Abandoned != test.abandoned {
				t.Errorf("%s: %v, %s after %v, %d abandoned", name, err, result.Stop, result.Duration, result.Abandoned)
			}
			if len(result.Tools) != 1 || result.Tools[0].Err == nil || len(model.Requests()) != 1 {
				t.Errorf("%s: %+v", name, result.Tools)
			}
			time.Sleep(2 * time.Hour)
			if len(wrote) > 0 {
				t.Errorf("%s: %q was written after the end", name, wrote)
			}
		})
	}
}

func TestTimeOfTheRunGoesOnWhileAnApprovalIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrote []string
		approve := func(ctx context.Context, _ transcript.ToolCall) (agent.Decision, error) {
			<-ctx.Done()
			return agent.Decision{Approved: true}, nil
		}
		c := agent.Config{Tools: []tools.Tool{writer(&wrote)}, Approve: approve, Limits: agent.Limits{Time: 5 * time.Minute}}
		result, _ := run(t, c, scripted.Calls(callWrite("x")), scripted.Text("nobody answered"))
		if result.Stop != agent.TimeLimit || result.Text != "nobody answered" || len(wrote) > 0 || result.Duration != 4*time.Minute+30*time.Second {
			t.Errorf("%s after %v: %q, wrote %q", result.Stop, result.Duration, result.Text, wrote)
		}
	})
}
