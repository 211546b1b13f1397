package replay_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
)

// TestMissingSaysWhatDiffers changes one thing after another in a recorded request.
func TestMissingSaysWhatDiffers(t *testing.T) {
	call := transcript.ToolCall{ID: "c1", Name: "read_file", Args: json.RawMessage(`{"path":"a.go","line":1}`)}
	base := func() *providers.Request {
		return &providers.Request{
			System: "You read code.",
			Messages: []transcript.Message{
				{Role: transcript.User, Text: "What is in a.go?"},
				{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}, ProviderData: &transcript.ProviderData{Dialect: "d", Data: []byte("x")}},
				{Role: transcript.Tool, CallID: "c1", Name: "read_file", Text: "package a", Kind: "file", Origin: transcript.History},
			},
			Tools: []transcript.ToolSchema{
				{Name: "list_dir", Schema: json.RawMessage(`{"type":"object"}`)},
				{Name: "read_file", Schema: json.RawMessage(`{"type": "object", "required": ["path"]}`)},
			},
			MaxOutput: 1000, Schema: json.RawMessage(`{}`), SchemaName: "Finding",
		}
	}
	var file bytes.Buffer
	model := scripted.Options{Info: providers.Info{StructuredOutput: true}}.New(scripted.Repeat(0, scripted.Text("x")))
	recorder := replay.Record(model, &file)
	drain(t.Context(), recorder, ask("something else"))
	drain(t.Context(), recorder, base())
	big := base()
	big.Messages[1].Calls[0].Args = json.RawMessage(`{"path":"a.go","line":9007199254740992}`)
	drain(t.Context(), recorder, big)
	for _, tt := range []struct {
		change func(*providers.Request)
		want   string // "": the same request
	}{
		{func(*providers.Request) {}, ""},
		{func(r *providers.Request) { r.Messages[2].Kind, r.Messages[2].Origin = "text", "" }, ""},
		{func(r *providers.Request) {
			r.Messages[1].Calls[0].Args = json.RawMessage("{ \"line\":1,\n\"path\":\"a.go\"}")
		}, ""},
		{func(r *providers.Request) {
			r.Tools[1].Schema = json.RawMessage(`{"required":["path"],"type":"object"}`)
		}, ""},
		{func(r *providers.Request) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] }, ""},
		{func(r *providers.Request) { r.System += " Now." }, "system prompt"},
		{func(r *providers.Request) { r.Choice = providers.None }, `tool choice (recorded "", asked "none")`},
		{func(r *providers.Request) { r.MaxOutput = 10 }, "max output (recorded 1000, asked 10)"},
		{func(r *providers.Request) { r.Schema = json.RawMessage(`{"a":1}`) }, "schema"},
		{func(r *providers.Request) { r.Temperature = new(float64) }, "sampling"},
		{func(r *providers.Request) { r.Seed, r.Stop = new(int64), []string{"END"} }, "sampling"},
		{func(r *providers.Request) { r.TopP, r.ReasoningEffort = new(float64), "low" }, "sampling"},
		{func(r *providers.Request) { r.SchemaName = "" }, `schema name (recorded "Finding", asked "")`},
		{func(r *providers.Request) { r.Tools[0].Description = "lists" }, "tool list_dir"},
		{func(r *providers.Request) { r.Tools = r.Tools[:1] }, "tool read_file (not asked)"},
		{func(r *providers.Request) { r.Tools = append(r.Tools, transcript.ToolSchema{Name: "search"}) }, "tool search (not recorded)"},
		{func(r *providers.Request) { r.Messages[0].Text = "?" }, "message 1 of 3 (user): text"},
		{func(r *providers.Request) { r.Messages[1].Calls[0].ID = "c2" }, "message 2 of 3 (assistant): calls"},
		{func(r *providers.Request) { r.Messages[1].Calls[0].ID, r.Messages[1].Calls[0].Name = "c1r", "ead_file" }, "message 2 of 3 (assistant): calls"},
		{func(r *providers.Request) {
			r.Messages[1].Calls[0].Args = json.RawMessage(`{"path":"a.go","line":9007199254740993}`)
		}, "message 2 of 3 (assistant): calls"},
		{func(r *providers.Request) { // the same characters, with other borders
			r.Messages[1].Calls[0] = transcript.ToolCall{ID: "c1:read_file", Name: `{"line"`, Args: json.RawMessage(`1,"path":"a.go"}`)}
		}, "message 2 of 3 (assistant): calls"},
		{func(r *providers.Request) { r.Messages[1].ProviderData.Data = []byte("y") }, "message 2 of 3 (assistant): provider data"},
		{func(r *providers.Request) { r.Messages[1].ProviderData = nil }, "message 2 of 3 (assistant): provider data"},
		{func(r *providers.Request) { r.Messages[2].Failed = true; r.Messages[2].Text = "none" }, "message 3 of 3 (tool): text, call answered"},
		{func(r *providers.Request) { r.Messages = r.Messages[:2] }, "message 3 of 3 (tool, not asked)"},
		{func(r *providers.Request) { r.Messages = append(r.Messages, r.Messages[0]) }, "message 4 of 4 (user, not recorded)"},
		{func(r *providers.Request) { *r = *ask("something new") }, "message 1 of 1 (user): text"},
		{func(r *providers.Request) {
			*r = providers.Request{System: "s", Tools: r.Tools, Messages: make([]transcript.Message, 9)}
		}, "; and "},
	} {
		req := base()
		req.Messages = append([]transcript.Message(nil), req.Messages...)
		tt.change(req)
		pairs := drain(t.Context(), open(t, bytes.NewReader(file.Bytes())), req)
		err := pairs[len(pairs)-1].Err
		if tt.want == "" {
			if err != nil {
				t.Errorf("the same request, written otherwise: %v", err)
			}
			continue
		}
		if providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "differs in: ") {
			t.Errorf("want %q, got %v", tt.want, err)
		}
		if _, differences, _ := strings.Cut(err.Error(), "differs in: "); tt.want != "; and " && differences != tt.want {
			t.Errorf("differences %q, want %q", differences, tt.want)
		}
	}
}
