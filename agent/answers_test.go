package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// reset is the error of a connection that broke.
var reset = &providers.Error{Class: providers.Network, Err: errors.New("connection reset")}

func TestDroppedAnswersAreCounted(t *testing.T) {
	usage := providers.Usage{Input: 1_000, Output: 10}
	result, _ := run(t, agent.Config{},
		scripted.Line{Usage: usage}, scripted.Line{Text: "half", Usage: usage, Err: reset}, scripted.Line{Text: "answer", Usage: usage})
	if want := (providers.Usage{Input: 3_000, Output: 30}); result.Usage != want || result.Steps != 1 {
		t.Errorf("%+v after %d steps, want %+v", result.Usage, result.Steps, want)
	}
	result, _ = run(t, agent.Config{Limits: agent.Limits{InputTokens: 3_000}, Guide: func() agent.Guide { return on }},
		scripted.Line{Usage: usage}, scripted.Line{Usage: usage}, scripted.Line{Text: "answer", Usage: usage}, scripted.Text("closing words"))
	if result.Stop != agent.TokenLimit || result.Text != "closing words" {
		t.Errorf("limit: %s, %q", result.Stop, result.Text)
	}
	once, _ := run(t, agent.Config{}, scripted.Text("four words of answer"))
	twice, _ := run(t, agent.Config{}, scripted.Broken("four words of answer"), scripted.Text("four words of answer"))
	if once.Usage.Output == 0 || twice.Usage.Output != 2*once.Usage.Output || twice.Usage.Input != 2*once.Usage.Input {
		t.Errorf("estimates: %+v for one answer, %+v for two", once.Usage, twice.Usage)
	}
	a, _ := start(t, agent.Config{}, scripted.Fail(providers.Auth))
	if result, _ := a.Run(context.Background(), "prompt"); result.Usage != (providers.Usage{}) {
		t.Errorf("an answer that never began cost %+v", result.Usage)
	}
}

// on is a guide that always goes on.
func on(agent.Step) agent.Move { return agent.Move{} }

func TestBrokenAnswersAreAskedForAgain(t *testing.T) {
	for name, broken := range map[string]scripted.Line{
		"text":      {Text: "half", Err: reset},
		"reasoning": {Reasoning: "hm", Err: reset},
		"call":      {Calls: []scripted.Call{callEcho("x")}, Err: reset},
		"no finish": {Calls: []scripted.Call{callEcho("x")}, Cut: true},
	} {
		c := agent.Config{Tools: []tools.Tool{echo}}
		result, requests := run(t, c, broken, broken, scripted.Text("answer"))
		if result.Text != "answer" || len(requests) != 3 || len(result.Tools) != 0 {
			t.Errorf("%s: %q after %d requests, %d calls", name, result.Text, len(requests), len(result.Tools))
		}
		a, model := start(t, c, scripted.Repeat(0, broken))
		result, err := a.Run(context.Background(), "prompt")
		if providers.ClassOf(err) != providers.Network || len(model.Requests()) != 3 || result.Text != broken.Text {
			t.Errorf("%s: %v after %d requests, %q", name, err, len(model.Requests()), result.Text)
		}
	}
}

func TestUnreachedServiceIsNotAskedAgain(t *testing.T) {
	a, model := start(t, agent.Config{}, scripted.Fail(providers.Network), scripted.Text("never"))
	if _, err := a.Run(context.Background(), "prompt"); providers.ClassOf(err) != providers.Network || len(model.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(model.Requests()))
	}
}

func TestServiceThatIsGoneAfterABrokenAnswer(t *testing.T) {
	a, model := start(t, agent.Config{}, scripted.Broken("half"), scripted.Fail(providers.Network), scripted.Text("never"))
	if _, err := a.Run(context.Background(), "prompt"); providers.ClassOf(err) != providers.Network || len(model.Requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(model.Requests()))
	}
}

func TestDiscardedTextIsNoResult(t *testing.T) {
	a, _ := start(t, agent.Config{}, scripted.Broken("half"), scripted.Fail(providers.Auth))
	if result, err := a.Run(context.Background(), "prompt"); providers.ClassOf(err) != providers.Auth || result.Text != "" {
		t.Errorf("%v, %q", err, result.Text)
	}
}

func TestWithheldAnswers(t *testing.T) {
	filtered := scripted.Line{Finish: providers.Filtered, Usage: providers.Usage{Input: 10, Output: 1}}
	withText, withCalls := filtered, filtered
	withText.Text = "I was about to"
	withCalls.Calls = []scripted.Call{callEcho("x")}
	for name, line := range map[string]scripted.Line{"empty": filtered, "text": withText, "calls": withCalls} {
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Repeat(0, line))
		result, err := a.Run(context.Background(), "prompt")
		if providers.ClassOf(err) != providers.Refused || result.Stop != agent.Failed || len(model.Requests()) != 1 {
			t.Fatalf("%s: %v, %s after %d requests", name, err, result.Stop, len(model.Requests()))
		}
		if result.Text != line.Text || result.Steps != 1 || result.Usage.Input != 10 || len(result.Tools) != 0 {
			t.Errorf("%s: %+v", name, result)
		}
		if want := "step 1: scripted/script: filtered: "; !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %q does not begin with %q", name, err, want)
		}
	}
}

func TestErrorsTellTheirStep(t *testing.T) {
	a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(callEcho("x")), scripted.Fail(providers.Auth))
	if _, err := a.Run(context.Background(), "prompt"); !strings.HasPrefix(err.Error(), "step 2: ") {
		t.Error(err)
	}
}

// late is a model whose answers end only after a while, whatever the context says.
type late struct {
	*scripted.Model
	by time.Duration
}

func (m late) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for d, err := range m.Model.Stream(context.WithoutCancel(ctx), req) {
			if d.Finish != "" {
				time.Sleep(m.by)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func TestWholeAnswerCountsWhenTimeEndsBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := scripted.Line{Text: "the answer", Usage: providers.Usage{Input: 5_000, Output: 100}}
		limited := agent.Config{Limits: agent.Limits{Time: 10 * time.Second}}
		for name, c := range map[string]agent.Config{"limit": limited, "caller": {}} {
			model := scripted.New(line, scripted.Text("never"))
			c.Model = late{model, 11 * time.Second}
			a, _ := start(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
			result, err := a.Run(ctx, "prompt")
			cancel()
			if err != nil || result.Stop != agent.Answered || result.Text != "the answer" || result.Usage.Input != 5_000 || len(model.Requests()) != 1 {
				t.Errorf("%s: %v after %d requests, %+v", name, err, len(model.Requests()), result)
			}
		}
		model := scripted.New(scripted.Line{Text: "I was", Finish: providers.Filtered}, scripted.Text("never"))
		a, _ := start(t, agent.Config{Model: late{model, 11 * time.Second}, Limits: limited.Limits})
		if result, err := a.Run(t.Context(), "prompt"); providers.ClassOf(err) != providers.Refused || result.Stop != agent.Failed {
			t.Errorf("withheld: %v, %s", err, result.Stop)
		}
		made := 0
		count := tools.New("count", "Count.", func(context.Context, struct{}) (int, error) { made++; return made, nil })
		model = scripted.New(scripted.Calls(scripted.Call{Name: "count"}), scripted.Text("closing words"))
		limited.Model, limited.Tools = late{model, 11 * time.Second}, []tools.Tool{count}
		result, _ := run(t, limited)
		if result.Stop != agent.TimeLimit || made != 0 || len(result.Tools) != 1 || result.Text != "closing words" {
			t.Errorf("%d calls made after the end, %+v", made, result)
		}
	})
}

func TestCancellationBetweenSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := tools.New("stop", "Stop.", func(context.Context, struct{}) (string, error) { cancel(); return "ok", nil })
	a, model := start(t, agent.Config{Tools: []tools.Tool{stop}}, scripted.Calls(scripted.Call{Name: "stop"}), scripted.Text("never"))
	result, err := a.Run(ctx, "prompt")
	if !errors.Is(err, context.Canceled) || result.Stop != agent.Cancelled || len(model.Requests()) != 1 || result.Steps != 1 {
		t.Errorf("%v after %d requests, %+v", err, len(model.Requests()), result)
	}
}

func TestErrorBesideACancellationNamesBoth(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model := scripted.New(scripted.Func(func(*providers.Request) scripted.Line { cancel(); return scripted.Line{Err: reset} }))
	a, _ := start(t, agent.Config{Model: late{model, 0}})
	result, err := a.Run(ctx, "prompt")
	if !errors.Is(err, context.Canceled) || providers.ClassOf(err) != providers.Network || result.Stop != agent.Cancelled {
		t.Errorf("%v, %s", err, result.Stop)
	}
}

func TestTextShownBeforeTheTimeLimitStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, agent.Config{Limits: agent.Limits{Time: 10 * time.Second}}, scripted.Line{Text: "most of it", Hang: true}, scripted.Fail(providers.Transient))
		result, err := a.Run(t.Context(), "prompt")
		if err != nil || result.Stop != agent.TimeLimit || result.Text != "most of it" || len(result.Warnings) != 1 {
			t.Errorf("%v, %+v", err, result)
		}
	})
}

func TestTimeoutOfTheModelIsNoCancellation(t *testing.T) {
	for name, class := range map[string]providers.Class{"plain": "", "transient": providers.Transient, "cancelled": providers.Cancelled} {
		err := fmt.Errorf("http: %w", context.DeadlineExceeded)
		if class != "" {
			err = &providers.Error{Class: class, Err: err}
		}
		a, _ := start(t, agent.Config{}, scripted.Line{Err: err})
		result, err := a.Run(context.Background(), "prompt")
		if !errors.Is(err, context.DeadlineExceeded) || result.Stop != agent.Failed {
			t.Errorf("%s: %v, %s", name, err, result.Stop)
		}
	}
}
