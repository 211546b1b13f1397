package scripted_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestAgentSurvivesEveryFault runs an agent whose model's second answer is malformed: the run ends, with an answer or an
// error, and what it leaves is a valid transcript.
func TestAgentSurvivesEveryFault(t *testing.T) {
	list := tools.New("list_dir", "lists a folder", func(context.Context, struct{}) (string, error) { return "a.go", nil })
	for _, fault := range scripted.Faults() {
		model := scripted.New(
			scripted.Calls(scripted.Call{Name: "list_dir"}),
			scripted.Malformed(fault),
			scripted.Repeat(0, scripted.Text("done")),
		)
		a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{list}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), "What is here?")
		if result == nil || err == nil && result.Text == "" {
			t.Errorf("%s: %+v, %v", fault, result, err)
			continue
		}
		for _, r := range model.Requests() {
			if err := transcript.Check(r.Messages, transcript.AnyProvider); err != nil {
				t.Errorf("%s: the model was asked: %v", fault, err)
			}
		}
	}
}

// TestMalformedIsServedTwice changes what came once: the next answer is as the first was.
func TestMalformedIsServedTwice(t *testing.T) {
	for _, fault := range scripted.Faults() {
		m := scripted.New(scripted.Repeat(2, scripted.Malformed(fault)))
		var answers [2][]providers.Delta
		for i := range answers {
			for d, err := range m.Stream(t.Context(), &providers.Request{}) {
				if err != nil {
					t.Errorf("%s: %v", fault, err)
				}
				whole := d
				if d.Call != nil {
					c := *d.Call
					c.Args = append([]byte(nil), c.Args...)
					whole.Call = &c
					d.Call.Args[0], d.Call.Name = 'x', "changed"
				}
				answers[i] = append(answers[i], whole)
			}
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" || len(answers[0]) == 0 {
			t.Errorf("%s: %s", fault, diff)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown fault is no panic")
		}
	}()
	scripted.Malformed("unheard of")
}

func TestSchemaNeedsStructuredOutput(t *testing.T) {
	req := &providers.Request{Schema: []byte(`{"type":"object"}`), SchemaName: "Finding"}
	plain := scripted.New(scripted.Text("never"))
	_, err := providers.Ask(t.Context(), plain, req)
	if left, _ := plain.Left(); providers.ClassOf(err) != providers.Invalid || left != 1 {
		t.Errorf("without: %v, %d lines left", err, left)
	}
	structured := scripted.Options{Info: providers.Info{StructuredOutput: true}}.New(scripted.JSON(map[string]any{"title": "<b>"}))
	r, err := providers.Ask(t.Context(), structured, req)
	if err != nil || r.Message.Text != `{"title":"\u003cb\u003e"}` || structured.Requests()[0].SchemaName != "Finding" {
		t.Errorf("with: %q, %v", r.Message.Text, err)
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.Options{Piece: 1}.New(scripted.Repeat(2, scripted.Line{Text: "abc", Delay: time.Minute, Pace: time.Second}))
		start := time.Now()
		if text := ask(t, m).Message.Text; text != "abc" || time.Since(start) != time.Minute+3*time.Second {
			t.Errorf("%q after %v", text, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute+1500*time.Millisecond)
		defer cancel()
		r, err := providers.Ask(ctx, m, &providers.Request{})
		if r.Message.Text != "ab" || !errors.Is(err, context.DeadlineExceeded) || providers.ClassOf(err) != providers.Cancelled {
			t.Errorf("%q, %v", r.Message.Text, err)
		}
	})
}

func TestBusy(t *testing.T) {
	_, err := providers.Ask(t.Context(), scripted.New(scripted.Busy(7*time.Second)), &providers.Request{})
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.Rate || e.RetryAfter != 7*time.Second || !strings.HasPrefix(err.Error(), "scripted/script: rate (HTTP 429)") {
		t.Errorf("%+v", err)
	}
}
