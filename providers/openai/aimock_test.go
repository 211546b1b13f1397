package openai_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest"
)

// TestWire holds a conversation of three steps with a server that others wrote, and reads what arrived there.
func TestWire(t *testing.T) {
	address := providertest.StartAimock(t, "testdata/wire.json")
	m := newModel(t, address)
	results := map[string]string{"search": "ladder.go:7: level", "list_dir": "", "read_file": "func choose() {}"}
	req := &providers.Request{
		System:   "You read code.",
		Messages: []contextwindow.Message{{Role: contextwindow.User, Text: "How is a level chosen?"}},
		Tools:    []contextwindow.ToolSchema{{Name: "list_dir"}, {Name: "read_file"}, {Name: "search"}},
	}
	var answer *providers.Response
	for range 4 {
		var err error
		if answer, err = providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		if answer.Finish != providers.Calls {
			break
		}
		req.Messages = append(req.Messages, answer.Message)
		for _, c := range answer.Message.Calls {
			req.Messages = append(req.Messages, contextwindow.Message{Role: contextwindow.Tool, CallID: c.ID, Name: c.Name, Text: results[c.Name]})
		}
	}
	if answer.Message.Text != "The first one that frees enough. 🙂" || answer.Finish != providers.Stop || answer.Usage != (providers.Usage{Input: 321, Output: 12}) {
		t.Errorf("the answer is %+v", answer)
	}
	wireErrors(t, m)
	journal(t, providertest.Journal(t, address))
}

// wireErrors makes the server fail in two ways.
func wireErrors(t *testing.T, m providers.Model) {
	for text, want := range map[string]providers.Error{
		"Too much": {Class: providers.Rate, RetryAfter: time.Second},
		"Too long": {Class: providers.Overflow, Limit: 8192, Tokens: 9021},
	} {
		_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []contextwindow.Message{{Role: contextwindow.User, Text: text}}})
		var e *providers.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		if got := (providers.Error{Class: e.Class, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// journal compares what arrived at the server: the roles of each request, and the calls and results of the last step.
func journal(t *testing.T, requests []providertest.Journaled) {
	type wireMessage struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
		ToolCalls     []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	var roles [][]string
	var last []wireMessage
	for _, r := range requests {
		if r.Path != "/v1/chat/completions" {
			continue
		}
		var body struct{ Messages []wireMessage }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range body.Messages {
			said = append(said, m.Role)
		}
		if roles = append(roles, said); len(said) > len(last) {
			last = body.Messages
		}
	}
	step := []string{"assistant", "tool", "tool", "assistant", "tool"}
	opening := []string{"system", "user"}
	want := [][]string{opening, append(opening[:2:2], step[:3]...), append(opening[:2:2], step...), {"user"}, {"user"}}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Fatalf("the requests (-want +got):\n%s", diff)
	}
	got := []string{last[2].Content, last[2].ToolCalls[0].ID, last[2].ToolCalls[1].Function.Arguments, last[3].ToolCallID, last[4].ToolCallID, last[4].Content, last[6].Content}
	said := []string{"Let me look.", "call_s", `{"path":"docs/日本"}`, "call_s", "call_l", "(no output)", "func choose() {}"}
	if diff := cmp.Diff(said, got); diff != "" {
		t.Errorf("calls and results (-want +got):\n%s", diff)
	}
	if last[5].ToolCalls[0].ID == "" || last[5].ToolCalls[0].ID != last[6].ToolCallID {
		t.Errorf("the result of %q answers %q", last[5].ToolCalls[0].ID, last[6].ToolCallID)
	}
}
