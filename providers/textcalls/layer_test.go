package textcalls_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/providers/textcalls"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var search = transcript.ToolSchema{Name: "search", Schema: []byte(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)}

const written = `{"name": "search", "arguments": {"query": "retry"}}`

func request() *providers.Request {
	return &providers.Request{
		Messages: []transcript.Message{{Role: transcript.User, Text: "Where are requests retried?"}},
		Tools:    []transcript.ToolSchema{search},
	}
}

// A model of a local server writes its calls into fences. The layer makes them calls.
func ExampleNew() {
	model := textcalls.New(scripted.New(scripted.Text("Let me look.\n```json\n"+written+"\n```")),
		&textcalls.Options{Notify: func(line string) { fmt.Println(line) }})
	answer, err := providers.Ask(context.Background(), model, request())
	fmt.Printf("%q %s %v\n", answer.Message.Text, answer.Finish, err)
	for _, call := range answer.Message.Calls {
		fmt.Println(call.ID, call.Name, string(call.Args))
	}
	// Output:
	// scripted/script writes its calls as text (fenced JSON); foray reads them
	// "Let me look.\n" calls <nil>
	// call_1_1 search {"query":"retry"}
}

// TestStreams compares answers through the layer with those of the model.
func TestStreams(t *testing.T) {
	lines := map[string]scripted.Line{
		"text":        scripted.Text("A long answer. {It} has <all> `kinds` [of] brackets."),
		"a call":      scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"query": "x"}}),
		"reasoning":   {Text: "so", Reasoning: "well"},
		"usage":       {Text: "so", Usage: providers.Usage{Input: 10, Output: 2}},
		"length":      {Text: written[:30], Finish: providers.Length},
		"an error":    scripted.Fail(providers.Overflow),
		"broken":      scripted.Broken("half of a long answer <tool_call>"),
		"never ended": scripted.Malformed(scripted.Faults()[0]),
	}
	for _, fault := range scripted.Faults() {
		lines["malformed: "+fmt.Sprint(fault)] = scripted.Malformed(fault)
	}
	for name, l := range lines {
		want, wantErr := providers.Ask(t.Context(), scripted.New(l), request())
		got, err := providers.Ask(t.Context(), textcalls.New(scripted.New(l), nil), request())
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v\n%s", name, err, wantErr, diff)
		}
	}
}

// TestMixed has a call of the service beside one in the text, and a caller who breaks off after each delta.
func TestMixed(t *testing.T) {
	l := scripted.Line{Text: "I look.\n<tool_call>" + written + "</tool_call>\nDone.", Usage: providers.Usage{Input: 9, Output: 3},
		Calls: []scripted.Call{{Name: "search", Args: map[string]any{"query": "own"}}}}
	got, err := providers.Ask(t.Context(), textcalls.New(scripted.New(l), nil), request())
	if err != nil || len(got.Message.Calls) != 2 || got.Message.Calls[0].ID == got.Message.Calls[1].ID || got.Message.Text != "I look.\nDone." || got.Usage.Input != 9 || got.Finish != providers.Calls {
		t.Errorf("%+v, %v", got, err)
	}
	for most := 1; most < 6; most++ {
		n := 0
		for range textcalls.New(scripted.New(l), nil).Stream(t.Context(), request()) {
			if n++; n == most {
				break
			}
		}
	}
}

func TestProbe(t *testing.T) {
	for want, l := range map[string]scripted.Line{
		textcalls.Native: scripted.Calls(scripted.Call{Name: "echo", Args: map[string]any{"text": "ping"}}),
		"<tools>":        scripted.Text(`<tools>{"name": "echo", "arguments": {"text": "ping"}}</tools>`),
		"":               scripted.Text("ping"),
	} {
		if got, err := textcalls.Probe(t.Context(), scripted.New(l)); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := textcalls.Probe(t.Context(), scripted.New(scripted.Fail(providers.Auth))); providers.ClassOf(err) != providers.Auth {
		t.Errorf("no error: %v", err)
	}
}
