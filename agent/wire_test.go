package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/aimock"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/tools"
)

// TestWireRun runs the loop over the chat wire against a server that others wrote: parallel calls, an unknown tool,
// arguments that break the schema, and the answer. Then it reads what arrived at the server.
func TestWireRun(t *testing.T) {
	address := aimock.Start(t, "testdata/wire.json")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	model, err := openai.New(openai.Config{Name: "gpt-4o", BaseURL: address + "/v1", Key: "sk-wire-test", HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	type input struct {
		Path string `json:"path"`
	}
	read := tools.New("read", "Read a file.", func(_ context.Context, in input) (string, error) { return "text of " + in.Path, nil })
	a, err := agent.New(agent.Config{Model: model, System: "You read code.", Tools: []tools.Tool{read}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), "How is a level chosen?")
	if err != nil {
		t.Fatal(err)
	}
	if result.Text != "By usage [policy.go:12-30]. 级别" || result.Stop != agent.Answered || result.Steps != 4 || len(result.Tools) != 5 {
		t.Errorf("%s after %d steps and %d calls: %q", result.Stop, result.Steps, len(result.Tools), result.Text)
	}
	var failed []bool
	for _, rec := range result.Tools {
		failed = append(failed, rec.Err != nil)
	}
	if diff := cmp.Diff([]bool{false, false, true, true, false}, failed); diff != "" {
		t.Errorf("failed calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantJournal, arrived(t, aimock.Journal(t, address))); diff != "" {
		t.Errorf("the last request (-want +got):\n%s", diff)
	}
}

// wantJournal is the last request: a line a message, with the first words of its text and the ids that are known.
var wantJournal = []string{
	"system You read code.",
	"user How is a level chosen?",
	"assistant I look around. read:call_a read:call_b raed:call_c",
	"tool text of plan.go call_a",
	"tool text of fit.go call_b",
	`tool there is no tool "raed"; nearest: read; tools: [read read_working_memory] call_c`,
	"assistant  read",
	"tool invalid arguments for read:",
	"assistant  read",
	"tool text of policy.go",
}

// arrived tells the last chat request of a journal as wantJournal does, and checks that each result answers a call.
func arrived(t *testing.T, requests []aimock.Request) []string {
	type call struct {
		ID       string
		Function struct{ Name string }
	}
	var body struct {
		Messages []struct {
			Role, Content string
			ToolCallID    string `json:"tool_call_id"`
			ToolCalls     []call `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	known := func(id string) string {
		if strings.HasPrefix(id, "call_") && len(id) == len("call_a") {
			return id
		}
		return ""
	}
	var lines []string
	open := make(map[string]bool)
	for _, m := range body.Messages {
		first, _, _ := strings.Cut(m.Content, "\n")
		line := fmt.Sprintf("%s %s", m.Role, first)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
			line += strings.TrimSuffix(" "+c.Function.Name+":"+known(c.ID), ":")
		}
		if m.Role == "tool" && !open[m.ToolCallID] {
			t.Errorf("result of %q without its call", m.ToolCallID)
		}
		lines = append(lines, strings.TrimRight(line+" "+known(m.ToolCallID), " "))
	}
	return lines
}
