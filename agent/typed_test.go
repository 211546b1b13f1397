package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

type verdict struct {
	Path  string `json:"path" jsonschema:"minLength=2"`
	Score int    `json:"score" jsonschema:"minimum=1,maximum=5"`
	Why   string `json:"why,omitempty"`
}

var good = verdict{Path: "a.go", Score: 4}

// final is a call of the tool that takes an answer.
func final(answer any) scripted.Call { return scripted.Call{Name: "final_answer", Args: answer} }

// typed is a typed run. A native model has its answer held to a schema.
func typed(t *testing.T, native bool, c agent.Config, lines ...scripted.Line) (verdict, *agent.Result, []providers.Request, error) {
	t.Helper()
	model := scripted.Options{Info: providers.Info{StructuredOutput: native}}.New(lines...)
	c.Model = model
	a, _ := start(t, c)
	v, result, err := agent.Typed[verdict](t.Context(), a, agent.Task{Prompt: "prompt"})
	return v, result, model.Requests(), err
}

func TestTypedAnswers(t *testing.T) {
	fenced := "So it is:\n```json\n{\"path\":\"a.go\",\"score\":4,\"why\":null}\n```"
	for name, test := range map[string]struct {
		native   bool
		lines    []scripted.Line
		requests int
		told     string // in the last request
	}{
		"native":                     {true, []scripted.Line{scripted.JSON(good)}, 1, "prompt"},
		"native, behind a tool":      {true, []scripted.Line{scripted.Calls(callEcho("x")), scripted.JSON(good)}, 2, "x"},
		"native, null":               {true, []scripted.Line{scripted.Text(`{"path":"a.go","score":4,"why":null}`)}, 1, "prompt"},
		"native, repaired":           {true, []scripted.Line{scripted.JSON(verdict{"a", 9, ""}), scripted.JSON(good)}, 2, "/score: got 9, must be at most 5"},
		"native, repaired twice":     {true, []scripted.Line{scripted.Text("It is a.go."), scripted.Text(`{"path":`), scripted.JSON(good)}, 3, "attempt 2 of 3"},
		"native, cut off":            {true, []scripted.Line{{Text: `{"path":"a.`, Finish: providers.Length}, scripted.JSON(good)}, 2, "write a shorter one"},
		"tool":                       {false, []scripted.Line{scripted.Calls(final(good))}, 1, "prompt"},
		"tool, behind another":       {false, []scripted.Line{scripted.Calls(callEcho("x")), scripted.Calls(final(good))}, 2, "x"},
		"tool, beside another":       {false, []scripted.Line{scripted.Calls(callEcho("x"), final(good), callEcho("y"))}, 1, "prompt"},
		"tool, null":                 {false, []scripted.Line{scripted.Calls(final(`{"path":"a.go","score":4,"why":null}`))}, 1, "prompt"},
		"tool, repaired":             {false, []scripted.Line{scripted.Calls(final(`{"path":"a.go"}`)), scripted.Calls(final(good))}, 2, "/score: missing"},
		"tool, unparsed":             {false, []scripted.Line{scripted.Calls(final(`{"path":`)), scripted.Calls(final(good))}, 2, "must be one JSON object"},
		"tool, text that is it":      {false, []scripted.Line{scripted.Text(fenced)}, 1, "prompt"},
		"tool, text":                 {false, []scripted.Line{scripted.Text("It is a.go."), scripted.Calls(final(good))}, 2, "by calling final_answer"},
		"tool, two, the first holds": {false, []scripted.Line{scripted.Calls(final(`{}`), final(good), final(verdict{"b.go", 1, ""}))}, 1, "prompt"},
	} {
		v, result, requests, err := typed(t, test.native, agent.Config{Tools: []tools.Tool{echo}}, test.lines...)
		if err != nil || v != good || result.Stop != agent.Answered || len(requests) != test.requests {
			t.Errorf("%s: %+v, %v after %d requests, %+v", name, v, err, len(requests), result)
			continue
		}
		if !strings.HasPrefix(result.Text, `{"path":"a.go"`) || result.Answer != any(good) || len(result.Warnings) > 0 {
			t.Errorf("%s: text %q, answer %v, warnings %q", name, result.Text, result.Answer, result.Warnings)
		}
		if got := lastText(requests[len(requests)-1]); !strings.Contains(got, test.told) {
			t.Errorf("%s: the model was told %q, want %q in it", name, got, test.told)
		}
		for i, req := range requests {
			if (req.Schema != nil) != test.native || (len(own(req)) == 2) == test.native {
				t.Errorf("%s: request %d has the schema %s and %d tools", name, i, req.Schema, len(req.Tools))
			}
		}
		if name == "tool, beside another" && (len(result.Tools) != 3 || result.Tools[2].Err != nil) {
			t.Errorf("%s: %+v", name, result.Tools)
		}
	}
}

func TestTypedAnswersThatStayWrong(t *testing.T) {
	bad := verdict{"a.go", 6, ""}
	for name, test := range map[string]struct {
		native bool
		line   scripted.Line
		text   string
		rule   string
	}{
		"native": {true, scripted.JSON(bad), `{"path":"a.go","score":6}`, "at most 5"},
		"tool":   {false, scripted.Calls(final(bad)), `{"path":"a.go","score":6}`, "at most 5"},
		"text":   {false, scripted.Text("I do not know."), "I do not know.", "not a JSON object"},
		"length": {true, scripted.Line{Text: "{", Finish: providers.Length}, "{", "length limit"},
	} {
		v, result, requests, err := typed(t, test.native, agent.Config{}, scripted.Repeat(0, test.line))
		var wrong *agent.AnswerError
		if !errors.As(err, &wrong) || v != (verdict{}) || result.Stop != agent.Failed || len(requests) != 3 {
			t.Errorf("%s: %v, %v, %s after %d requests", name, v, err, result.Stop, len(requests))
			continue
		}
		if wrong.Text != test.text || result.Text != test.text || !strings.Contains(err.Error(), test.rule) || result.Answer != nil {
			t.Errorf("%s: %v, last text %q, result %q", name, err, wrong.Text, result.Text)
		}
	}
}

func TestTypedAnswerAtALimit(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 2}}
	for _, native := range []bool{true, false} {
		v, result, requests, err := typed(t, native, c, scripted.Calls(callEcho("x")), scripted.JSON(good))
		if err != nil || v != good || result.Stop != agent.StepLimit {
			t.Errorf("native %t: %v, %v, %s", native, v, err, result.Stop)
		}
		if last := requests[1]; last.Choice != providers.None || strings.Contains(lastText(last), `"minimum":1`) == native {
			t.Errorf("native %t: choice %q, told %q", native, last.Choice, lastText(last))
		}
		_, result, _, err = typed(t, native, c, scripted.Calls(callEcho("x")), scripted.Text("too little was read"))
		var wrong *agent.AnswerError
		if !errors.As(err, &wrong) || wrong.Text != "too little was read" || result.Stop != agent.StepLimit {
			t.Errorf("native %t: %v, %+v", native, err, result)
		}
	}
}

func TestSchemaThatTheServiceRefuses(t *testing.T) {
	refusal := scripted.Line{Err: &providers.Error{Class: providers.Invalid, Err: errors.New("Function calling with a response mime type: 'application/json' is unsupported")}}
	v, result, requests, err := typed(t, true, agent.Config{Tools: []tools.Tool{echo}}, refusal, scripted.Calls(callEcho("x")), scripted.Calls(final(good)))
	if err != nil || v != good || len(result.Warnings) != 1 || result.Steps != 2 {
		t.Fatalf("%v, %v, %+v", v, err, result)
	}
	if requests[0].Schema == nil || len(own(requests[0])) != 1 || requests[1].Schema != nil || len(own(requests[1])) != 2 {
		t.Errorf("%+v", requests[:2])
	}
	_, _, requests, err = typed(t, true, agent.Config{}, scripted.Repeat(0, scripted.Fail(providers.Invalid)))
	if providers.ClassOf(err) != providers.Invalid || len(requests) != 2 {
		t.Errorf("%v after %d requests", err, len(requests))
	}
}

// phases goes on after the first text.
func phases(s agent.Step) agent.Move {
	return agent.Move{Stop: s.Number > 1 && len(s.Calls) == 0, Status: fmt.Sprint("phase ", s.Number)}
}

func TestGuideSaysWhichTextIsTheAnswer(t *testing.T) {
	c := agent.Config{Guide: func() agent.Guide { return phases }}
	v, _, requests, err := typed(t, true, c, scripted.JSON(verdict{"early.go", 1, ""}), scripted.JSON(good))
	if err != nil || v != good || len(requests) != 2 {
		t.Errorf("%v, %v after %d requests", v, err, len(requests))
	}
	v, _, requests, err = typed(t, false, c, scripted.Calls(final(good)))
	if err != nil || v != good || len(requests) != 1 || requests[0].Choice != providers.Required {
		t.Errorf("%v, %v after %d requests, choice %q", v, err, len(requests), requests[0].Choice)
	}
}

func TestTypedMistakes(t *testing.T) {
	a, _ := start(t, agent.Config{})
	if _, result, err := agent.Typed[[]int](t.Context(), a, agent.Task{}); err == nil || result == nil {
		t.Errorf("a list: %v, %v", err, result)
	}
	taken := echo
	taken.Name = "final_answer"
	if _, _, _, err := typed(t, false, agent.Config{Tools: []tools.Tool{taken}}, scripted.Text("never")); err == nil || !strings.Contains(err.Error(), "needs another name: Typed reserves it") {
		t.Errorf("a tool of that name: %v", err)
	}
	if v, _, _, err := typed(t, true, agent.Config{Tools: []tools.Tool{taken}}, scripted.JSON(good)); err != nil || v != good {
		t.Errorf("beside a schema: %v, %v", v, err)
	}
}

func TestTypedRunsAreApart(t *testing.T) {
	a, _ := start(t, agent.Config{}, scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		return scripted.Calls(final(map[string]any{"path": req.Messages[0].Text, "score": 1}))
	})))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			want := &verdict{Path: fmt.Sprint("run ", i), Score: 1}
			got, _, err := agent.Typed[*verdict](context.Background(), a, agent.Task{Prompt: want.Path})
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	wg.Wait()
}
