package agent_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/aimock"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/tools"
)

// A tap is a transport that keeps the bodies of requests.
type tap struct {
	under  *http.Transport
	mu     sync.Mutex
	bodies []string
}

func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(raw))
	p.mu.Unlock()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return p.under.RoundTrip(r)
}

// having counts the bodies that have a text in them.
func (p *tap) having(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(p.bodies), func(b string) bool { return !strings.Contains(b, text) }))
}

// A wired is a model that speaks with an aimock server, and a tap on what it sends.
type wired struct {
	model  providers.Model
	schema string
	*tap
}

// wire returns what speaks with a fresh server of the features over one of the wires.
func wire(t *testing.T, name string) wired {
	address := aimock.Start(t, "testdata/features.json")
	w := wired{tap: &tap{under: &http.Transport{}}, schema: map[string]string{"chat": `"json_schema"`, "responses": `"json_schema"`, "gemini": `"responseJsonSchema"`}[name]}
	t.Cleanup(w.under.CloseIdleConnections)
	client := &http.Client{Transport: w.tap}
	var err error
	if s := services[name]; name == "gemini" {
		w.model, err = s.model(address, client)
	} else {
		config := openai.Config{Name: "gpt-4o", BaseURL: address + "/v1", Key: "sk-test", Wire: openai.Wire(name), HTTPClient: client}
		config.Info.StructuredOutput = true
		w.model, err = openai.New(config)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWireFeatures runs what the loop does besides calling tools over each wire, against a server that others wrote.
func TestWireFeatures(t *testing.T) {
	for name := range services {
		t.Run(name, func(t *testing.T) {
			w := wire(t, name)
			wireTyped(t, w)
			wireApproval(t, w)
			wireInbox(t, w)
			wireSubAgents(t, w)
			wireForced(t, w)
			wireLength(t, w)
		})
	}
}

func wireAgent(t *testing.T, w wired, c agent.Config) *agent.Agent {
	t.Helper()
	c.Model, c.Tools = w.model, append(c.Tools, tools.New("read", "Read a file.", func(_ context.Context, in fileInput) (string, error) {
		return "text of " + in.Path, nil
	}))
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// wireTyped has an answer held to a schema, once by the service and once by a tool.
func wireTyped(t *testing.T, w wired) {
	a := wireAgent(t, w, agent.Config{})
	v, result, err := agent.Typed[verdict](t.Context(), a, agent.Task{Prompt: "Rate the file."})
	if err != nil || v != good || result.Steps != 3 || len(result.Tools) != 1 {
		t.Errorf("typed: %+v, %v, %+v", v, err, result)
	}
	const loose = `"minLength":2` // of the path; the tools have others
	if n := w.having(w.schema); n != 3 || w.having(loose) > 0 {
		t.Errorf("typed: %d requests of 3 have the schema, %d what is not strict", n, w.having(loose))
	}
	v, result, err = agent.Typed[verdict](t.Context(), a, agent.Task{Prompt: "Rate it by a call."})
	if err != nil || v != good || result.Steps != 3 || len(result.Tools) != 3 || len(result.Warnings) != 1 {
		t.Errorf("typed by a call: %+v, %v, %+v", v, err, result)
	}
	if n := w.having("final_answer"); n != 3 {
		t.Errorf("typed by a call: %d requests of 3 have the tool", n)
	}
}

func wireApproval(t *testing.T, w wired) {
	var wrote []string
	a := wireAgent(t, w, agent.Config{Tools: []tools.Tool{writer(&wrote)}, Approve: func(_ context.Context, c transcript.ToolCall) (agent.Decision, error) {
		return agent.Decision{Approved: strings.Contains(string(c.Args), `"a"`), Reason: "b is not ours"}, nil
	}})
	result, err := a.Run(t.Context(), "Write the files.")
	if err != nil || result.Text != "One was written." || !slices.Equal(wrote, []string{"a"}) || len(result.Tools) != 3 {
		t.Errorf("approval: %v, wrote %q, %+v", err, wrote, result)
	}
	if w.having("refused: b is not ours") != 1 {
		t.Error("approval: the service was not told of the refusal")
	}
}

func wireInbox(t *testing.T, w wired) {
	var box agent.Inbox
	a := wireAgent(t, w, agent.Config{})
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "Watch the river.", Inbox: &box}) {
		switch e := e.(type) {
		case agent.ToolStarted:
			box.Send("Answer in German.")
		case agent.RunFinished:
			if err != nil || e.Result.Text != "Ein Fluss. 🏞" || len(e.Result.Unread) > 0 {
				t.Errorf("inbox: %v, %+v", err, e.Result)
			}
		}
	}
}

func wireSubAgents(t *testing.T, w wired) {
	ask := agent.AsTool(wireAgent(t, w, agent.Config{Name: "scout"}), "ask_scout", "Have something looked up.")
	a := wireAgent(t, w, agent.Config{Name: "lead", Tools: []tools.Tool{ask}})
	returned := make(map[string]string)
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "Ask the scout."}) {
		switch e := e.(type) {
		case agent.SubagentFinished:
			returned[e.Agent] = e.Result.Text
		case agent.RunFinished:
			if err != nil || e.Result.Text != "A command." || e.Result.Usage.Input == 0 {
				t.Errorf("sub-agents: %v, %+v", err, e.Result)
			}
		}
	}
	if returned["lead/scout@1.1"] != "It is a command." || returned["lead/scout@1.2"] != "It has a name." || len(returned) != 2 {
		t.Errorf("sub-agents: %q", returned)
	}
	if w.having("Files read: go.mod.") != 1 {
		t.Error("sub-agents: the evidence was not sent")
	}
}

func wireForced(t *testing.T, w wired) {
	a := wireAgent(t, w, agent.Config{Guide: func() agent.Guide { return forcing }})
	result, err := a.Run(t.Context(), "Force a call.")
	if err != nil || result.Text != "forced" || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "the model chooses") {
		t.Errorf("forced: %v, %+v", err, result)
	}
}

func wireLength(t *testing.T, w wired) {
	result, err := wireAgent(t, w, agent.Config{}).Run(t.Context(), "Tell a long story.")
	if err != nil || result.Text != "one two three" || result.Steps != 3 || result.Stop != agent.Answered {
		t.Errorf("length: %v, %+v", err, result)
	}
}
