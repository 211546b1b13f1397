package gemini_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
)

// liveVariable turns the live run on: requests to the service itself, which cost a few thousand tokens. It needs
// GEMINI_API_KEY; GEMINI_LIVE_MODEL names the model, and GEMINI_LIVE_URL another service.
const liveVariable = "FORAY_LIVE"

var (
	goOn   = transcript.Message{Role: transcript.User, Text: "List the folder docs, then say in one sentence what is there."}
	listed = transcript.ToolCall{ID: "call_1_1", Name: "list_dir", Args: json.RawMessage(`{"path":"docs"}`)}
	lister = transcript.ToolSchema{Name: "list_dir", Description: "lists a folder", Schema: json.RawMessage(
		`{"type":"object","$defs":{"n":{"type":"integer","minimum":1}},"properties":{"path":{"type":"string","pattern":"^[a-z/.]*$"},"depth":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["path"],"additionalProperties":false}`)}
	answered = json.RawMessage(`{"type":"object","properties":{"files":{"type":"integer"}},"required":["files"],"additionalProperties":false}`)
)

// after returns a conversation in which another model has called, with a result of this text.
func after(text string, more ...transcript.Message) []transcript.Message {
	return append([]transcript.Message{goOn, {Role: transcript.Assistant, Calls: []transcript.ToolCall{listed}},
		{Role: transcript.Tool, CallID: listed.ID, Name: listed.Name, Text: text}}, more...)
}

// liveRequests are what only the service itself can say yes to.
var liveRequests = []struct {
	name string
	req  providers.Request
}{
	{"text", providers.Request{System: "Be brief.", Messages: []transcript.Message{{Role: transcript.User, Text: "Say hello."}}}},
	{"a call of another model, without a signature, with an id that the service did not give", providers.Request{Messages: after("a.md\nb.md"), Tools: []transcript.ToolSchema{lister}}},
	{"an empty result", providers.Request{Messages: after(""), Tools: []transcript.ToolSchema{lister}}},
	{"text behind a result in one content", providers.Request{Messages: after("a.md", transcript.Message{Role: transcript.User, Text: "Only the number."}), Tools: []transcript.ToolSchema{lister}}},
	{"the choice none", providers.Request{Messages: after("a.md"), Tools: []transcript.ToolSchema{lister}, Choice: providers.None}},
	{"the choice required", providers.Request{Messages: []transcript.Message{goOn}, Tools: []transcript.ToolSchema{lister}, Choice: providers.Required}},
	{"calls, and no tools any more", providers.Request{Messages: after("a.md")}},
	{"a schema", providers.Request{Messages: after("a.md\nb.md", transcript.Message{Role: transcript.User, Text: "How many?"}), Schema: answered}},
	{"a schema beside tools, which models of Gemini 2.x refuse", providers.Request{Messages: after("a.md"), Tools: []transcript.ToolSchema{lister}, Choice: providers.None, Schema: answered}},
}

// TestLive asks the service itself.
func TestLive(t *testing.T) {
	if os.Getenv(liveVariable) == "" || os.Getenv("GEMINI_API_KEY") == "" {
		t.Skipf("the live run is off: set %s=1 and GEMINI_API_KEY", liveVariable)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	m, err := gemini.New(gemini.Config{
		Name: cmp.Or(os.Getenv("GEMINI_LIVE_MODEL"), "gemini-2.5-flash"), BaseURL: os.Getenv("GEMINI_LIVE_URL"), Key: os.Getenv("GEMINI_API_KEY"),
		HTTPClient: &http.Client{Transport: transport}, Thinking: gemini.Thinking{Show: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range liveRequests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := providers.Ask(t.Context(), m, &tt.req)
			t.Logf("%+v", r)
			if err != nil || r.Finish == "" || tt.req.Choice == providers.Required && len(r.Message.Calls) == 0 {
				t.Errorf("finish %q, error %v", r.Finish, err)
			}
		})
	}
	t.Run("a run, with its signatures", func(t *testing.T) { liveRun(t, m) })
	t.Run("a count", func(t *testing.T) {
		req := &providers.Request{System: "Be brief.", Messages: after("a.md"), Tools: []transcript.ToolSchema{lister}}
		if n, err := m.Count(t.Context(), req); n < 30 || err != nil {
			t.Errorf("%d tokens, error %v", n, err)
		}
	})
	t.Run("vectors", func(t *testing.T) {
		if v, err := m.Embed(t.Context(), []string{"a folder", "a file"}); err != nil || len(v) != 2 || len(v[1]) == 0 {
			t.Errorf("%d vectors, error %v", len(v), err)
		}
	})
}

// liveRun answers the model's own calls until it has said all.
func liveRun(t *testing.T, m *gemini.Model) {
	req := &providers.Request{Messages: []transcript.Message{goOn}, Tools: []transcript.ToolSchema{lister}}
	for step := range 5 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatalf("step %d: %v", step+1, err)
		}
		t.Logf("step %d: %+v, kept %v", step+1, r.Usage, r.Message.ProviderData != nil)
		if req.Messages = append(req.Messages, r.Message); len(r.Message.Calls) == 0 {
			return
		}
		for _, c := range r.Message.Calls {
			req.Messages = append(req.Messages, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Text: "a.md\nb.md"})
		}
	}
	t.Error("no answer after five steps")
}
