package openai_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/aimock"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// TestWire holds a conversation of eleven answers, with parallel calls, with a server that others wrote, over each wire,
// makes the server fail in every way that it knows, and compares what arrived there with what was meant.
func TestWire(t *testing.T) {
	for _, wire := range []openai.Wire{openai.Chat, openai.Responses} {
		t.Run(string(wire), func(t *testing.T) {
			address := aimock.Start(t, "testdata/wire.json")
			m := newModel(t, address, func(c *openai.Config) { c.Wire, c.Name = wire, "gpt-5" })
			req := wireRun(t, m)
			wireCompare(t, address, req)
			wireErrors(t, m)
			wireEmbed(t, m)
		})
	}
}

// wireQuestion is what the fixtures answer.
const wireQuestion = "How is a level chosen?"

// wireRun asks until the model is done, and returns the conversation.
func wireRun(t *testing.T, m providers.Model) *providers.Request {
	req := &providers.Request{
		System:   "You read code.",
		Messages: []transcript.Message{{Role: transcript.User, Text: wireQuestion}},
		Tools:    []transcript.ToolSchema{{Name: "list_dir"}, {Name: "read_file"}, {Name: "search"}},
	}
	var answer *providers.Response
	calls, reasoning := 0, ""
	for range 20 {
		var err error
		if answer, err = providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		req.Messages, reasoning = append(req.Messages, answer.Message), reasoning+answer.Reasoning
		if answer.Finish != providers.Calls {
			break
		}
		for _, c := range answer.Message.Calls {
			calls++
			text := fmt.Sprintf("result %d of %s", calls, c.Args)
			if c.Name == "list_dir" {
				text = ""
			}
			req.Messages = append(req.Messages, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Text: text})
		}
	}
	if want := "A search and a listing first.Step 3.Step 6.Step 9."; reasoning != want {
		t.Errorf("the reasoning is %q, want %q", reasoning, want)
	}
	steps := len(req.Messages) - 1 - calls
	if answer.Message.Text != "The first one that frees enough. 🙂" || answer.Finish != providers.Stop || answer.Usage != (providers.Usage{Input: 321, Output: 12}) {
		t.Errorf("the answer is %+v", answer)
	}
	if steps != 11 || calls != 20 || req.Messages[1].Text != "Let me look." || string(req.Messages[1].Calls[1].Args) != `{"path":"docs/日本"}` {
		t.Errorf("%d steps, %d calls, the first %+v", steps, calls, req.Messages[1])
	}
	return req
}

// A wireMessage is a message as the server notes it, for both wires.
type wireMessage struct {
	Role       string
	Content    string
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// wireCompare compares the last request of the conversation, as the server noted it, with what was meant. The server
// notes each call on the responses wire as a message of its own, so all are taken apart.
func wireCompare(t *testing.T, address string, req *providers.Request) {
	var want, got []string
	want = append(want, "system: You read code.")
	for _, m := range req.Messages[:len(req.Messages)-1] {
		if m.Role == transcript.Tool {
			want = append(want, "tool "+m.CallID+": "+cmp.Or(m.Text, "(no output)"))
			continue
		}
		if m.Text != "" {
			want = append(want, string(m.Role)+": "+m.Text)
		}
		for _, c := range m.Calls {
			want = append(want, fmt.Sprintf("call %s: %s %s", c.ID, c.Name, c.Args))
		}
	}
	requests := aimock.Journal(t, address)
	if len(requests) != 11 {
		t.Fatalf("%d requests arrived", len(requests))
	}
	var body struct{ Messages []wireMessage }
	if err := json.Unmarshal(requests[10].Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, m := range body.Messages {
		switch {
		case m.Role == "tool":
			got = append(got, "tool "+m.ToolCallID+": "+m.Content)
		case m.Content != "":
			got = append(got, m.Role+": "+m.Content)
		}
		for _, c := range m.ToolCalls {
			got = append(got, fmt.Sprintf("call %s: %s %s", c.ID, c.Function.Name, c.Function.Arguments))
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the last request (-want +got):\n%s", diff)
	}
	for i, r := range requests {
		for name, value := range r.Headers {
			if strings.Contains(value, key) && !strings.EqualFold(name, "Authorization") {
				t.Errorf("request %d: the key is in the header %s", i+1, name)
			}
		}
	}
}

// wireErrors makes the server fail.
func wireErrors(t *testing.T, m providers.Model) {
	for _, tt := range []struct {
		text, before string
		want         providers.Error
	}{
		{"Too much", "", providers.Error{Class: providers.Rate, RetryAfter: 7 * time.Second}},
		{"Overrun", "", providers.Error{Class: providers.Rate, RetryAfter: time.Second}},
		{"Too long", "", providers.Error{Class: providers.Overflow, Limit: 8192, Tokens: 9021}},
		{"Break down", "", providers.Error{Class: providers.Transient}},
		{"Speak nonsense", "", providers.Error{Class: providers.Malformed}},
		{"Hang up", "", providers.Error{Class: providers.Network}},
		{"Break off", "one", providers.Error{Class: providers.Network}},
	} {
		r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: tt.text}}})
		var e *providers.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %q, error %v", tt.text, r.Message.Text, err)
			continue
		}
		got := providers.Error{Class: e.Class, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
		if got != tt.want || !strings.HasPrefix(r.Message.Text, tt.before) {
			t.Errorf("%s: %q, %+v, want %+v: %v", tt.text, r.Message.Text, got, tt.want, err)
		}
	}
	r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Be cut off"}}})
	if err != nil || r.Finish != providers.Length || r.Message.Text != "It ho" {
		t.Errorf("a cut answer: %+v, error %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) != providers.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// wireEmbed asks for vectors. The server has one answer a request, whatever it holds.
func wireEmbed(t *testing.T, m *openai.Model) {
	for text, want := range map[string][]float32{"alpha": {1, 2, 3}, "beta": {4, 5, 6}} {
		got, err := m.Embed(t.Context(), []string{text})
		if err != nil || len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%s: %v, error %v", text, got, err)
		}
	}
}
