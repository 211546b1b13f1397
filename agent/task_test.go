package agent_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// once is a guide that stops after the first step and forces a call in it.
func once(s agent.Step) agent.Move {
	return agent.Move{Stop: s.Number > 0, Choice: providers.Required}
}

func TestTaskBringsSystemToolsAndGuide(t *testing.T) {
	var input string
	other := tools.New("other", "Do something else.", func(ctx context.Context, _ textInput) (string, error) {
		input = tools.RunFrom(ctx).Input
		return "other result", nil
	})
	a, model := start(t, agent.Config{System: "the agent's", Tools: []tools.Tool{echo}},
		scripted.Calls(scripted.Call{Name: "other", Args: map[string]string{"text": "x"}}), scripted.Text("done"))
	task := agent.Task{Prompt: "wrapped prompt", Input: "words", System: "the task's", Tools: []tools.Tool{other}, Guide: once}
	result, err := a.Do(t.Context(), task)
	if err != nil || result.Stop != agent.GuideStopped || len(result.Tools) != 1 || result.Tools[0].Err != nil || input != "words" {
		t.Fatalf("%v, %+v, input %q", err, result, input)
	}
	if req := model.Requests()[0]; req.System != "the task's" || len(own(req)) != 1 || req.Tools[0].Name != "other" || req.Choice != providers.Required {
		t.Errorf("%+v", req)
	}
	if result, err = a.Run(t.Context(), "prompt"); err != nil || result.Text != "done" {
		t.Fatalf("%v, %+v", err, result)
	}
	if req := model.Requests()[1]; req.System != "the agent's" || req.Tools[0].Name != "echo" {
		t.Errorf("the agent changed: %+v", req)
	}
	if result, err = a.Do(t.Context(), agent.Task{Tools: []tools.Tool{echo, echo}}); err == nil || result.Stop != agent.Failed {
		t.Errorf("two tools of one name: %v, %+v", err, result)
	}
}

// panicking is a model that panics after the first piece of its answer, or before it.
type panicking struct{ *scripted.Model }

func (m panicking) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if strings.HasPrefix(req.System, "late") && !yield(providers.Delta{Text: "half an "}, nil) {
			return
		}
		panic("index out of range")
	}
}

// TestPanicOfAModel fails the run with what had arrived. TestMain finds goroutines that are left.
func TestPanicOfAModel(t *testing.T) {
	for system, text := range map[string]string{"late": "half an ", "early": ""} {
		a, err := agent.New(agent.Config{System: system, Model: panicking{scripted.New()}, Tools: []tools.Tool{echo}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), "prompt")
		if err == nil || !strings.Contains(err.Error(), "panicked: index out of range") || result.Stop != agent.Failed || result.Text != text {
			t.Errorf("%s: %v, %+v", system, err, result)
		}
	}
}

func TestEmptyPrompt(t *testing.T) {
	a, model := start(t, agent.Config{}, scripted.Text("answer"))
	for _, prompt := range []string{"", " \n"} {
		result, err := a.Run(t.Context(), prompt)
		if err == nil || err.Error() != "agent: the prompt is empty" || result.Stop != agent.Failed || len(model.Requests()) != 0 {
			t.Errorf("%q: %v, %+v", prompt, err, result)
		}
	}
}

func TestGuideThatIsNil(t *testing.T) {
	a, _ := start(t, agent.Config{Guide: func() agent.Guide { return nil }}, scripted.Text("answer"))
	if result, err := a.Run(t.Context(), "prompt"); err != nil || result.Stop != agent.Answered {
		t.Errorf("%v, %+v", err, result)
	}
}

// TestPanicOfTheCaller is not taken for one of the model.
func TestPanicOfTheCaller(t *testing.T) {
	a, _ := start(t, agent.Config{}, scripted.Text("answer"))
	mine := errors.New("mine")
	defer func() {
		if caught := recover(); caught != mine {
			t.Errorf("recovered %v", caught)
		}
	}()
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
		if _, ok := e.(agent.Text); ok {
			panic(mine)
		}
	}
	t.Error("the panic was swallowed")
}

func TestSamplingReachesTheRequestAndTheTrace(t *testing.T) {
	temperature, topP, seed := .5, .9, int64(7)
	own := agent.Sampling{Temperature: &temperature, TopP: &topP, Stop: []string{"END"}, Seed: &seed, ReasoningEffort: "low", MaxOutput: 100}
	a, model := start(t, agent.Config{Sampling: own}, scripted.Text("one"), scripted.Text("two"))
	var written bytes.Buffer
	for range agenttrace.Write(a.Stream(t.Context(), agent.Task{Prompt: "prompt"}), &written) {
	}
	want := model.Requests()[0]
	if got, err := readTrace(written.Bytes()); err != nil || len(got) != 1 || !cmp.Equal(got[0], want) {
		t.Errorf("%v: rebuilt %+v, want %+v", err, got, want)
	}
	if *want.Temperature != temperature || *want.TopP != topP || want.Stop[0] != "END" || *want.Seed != seed || want.ReasoningEffort != "low" || want.MaxOutput != 100 {
		t.Errorf("%+v", want)
	}
	if _, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Sampling: &agent.Sampling{}}); err != nil {
		t.Fatal(err)
	}
	if req := model.Requests()[1]; req.Temperature != nil || req.MaxOutput != 8_000 {
		t.Errorf("%+v", req)
	}
}
