package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/providertest"
)

// The example of the documentation, streamed: what is sent, what comes back with the next request, and what is billed.
func TestCompaction(t *testing.T) {
	const block = `{"type":"compaction","content":"Summary: <b> \u00e9","encrypted_content":"Eu+/=","signature":"s1","tool_changes":[]}`
	var got, betas []string
	var notices []string
	answers := [][]string{{
		`{"type":"message_start","message":{"usage":{"input_tokens":180000,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null,"encrypted_content":null,"tool_changes":[]}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"Summary: <b> \u00e9","encrypted_content":"Eu+/="}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Based on our "}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"conversation"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":23000,"output_tokens":1000,"iterations":[` +
			`{"type":"compaction","input_tokens":150000,"cache_read_input_tokens":30000,"output_tokens":3500},` +
			`{"type":"message","input_tokens":23000,"cache_creation_input_tokens":400,"output_tokens":1000}]}}`,
		`{"type":"message_stop"}`,
	}, {
		`{"type":"message_start","message":{"usage":{"input_tokens":9}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"ok"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2,"iterations":[` +
			`{"type":"compaction","input_tokens":7,"output_tokens":1},{"type":"message","input_tokens":9,"output_tokens":2}]}}`,
		`{"type":"message_stop"}`,
	}}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, betas = append(got, string(raw)), append(betas, r.Header.Get("anthropic-beta"))
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range answers[len(got)-1] {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}, compacting, func(c *anthropic.Config) {
		c.Betas, c.Notify = []string{"context-1m-2025-08-07"}, func(text string) { notices = append(notices, text) }
	})
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Help me build a website"}}}
	r, err := providers.Ask(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Usage{Input: 203_400, Cached: 30_000, Written: 400, Output: 4_500, Compacted: 180_000}
	if r.Usage != want || r.Message.Text != "Based on our conversation" || !m.Info().Compacted(r.Message.ProviderData) {
		t.Errorf("usage %+v, want %+v; %+v", r.Usage, want, r.Message)
	}
	price := providers.Price{Rates: providers.Rates{Input: 1, Output: 1}, Above: 200_000, Long: providers.Rates{Input: 9, Output: 9}}
	if cost := price.Cost(r.Usage); cost > .21 {
		t.Errorf("each pass is below the higher price, the cost is %v", cost)
	}
	req.Messages = append(req.Messages, r.Message, transcript.Message{Role: transcript.User, Text: "Go on"})
	r, err = providers.Ask(t.Context(), m, req)
	if err != nil || r.Usage.Input != 16 || r.Usage.Compacted != 7 || r.Message.ProviderData != nil {
		t.Errorf("after a compaction that failed: %+v, %+v, %v", r.Usage, r.Message.ProviderData, err)
	}
	const edit = `"context_management":{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":60000}}]}`
	if !strings.Contains(got[0], edit) || betas[0] != "context-1m-2025-08-07,compact-2026-01-12" {
		t.Errorf("betas %q: %s", betas[0], got[0])
	}
	if len(notices) != 1 || !strings.HasSuffix(notices[0], "could not compact the conversation: its summary is empty") {
		t.Errorf("said %q", notices)
	}
	var body struct {
		Messages []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(got[1]), &body); err != nil {
		t.Fatal(err)
	}
	if ms := body.Messages; len(ms) != 2 || ms[0].Role != "assistant" || !equalJSON(t, string(ms[0].Content[0]), block) ||
		!strings.Contains(got[1], `"Summary: <b> \u00e9"`) {
		t.Errorf("the second request is %s", got[1])
	}
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return encoded(x) == encoded(y)
}

// A model or a size that the service does not compact is refused before any request.
func TestNoCompaction(t *testing.T) {
	for model, want := range map[string]string{
		"claude-haiku-4-5": "from version 4.6 on", "claude-3-7-sonnet-20250219": "from version 4.6 on", "claude-opus-4-6": "50000 or more",
	} {
		_, err := anthropic.New(anthropic.Config{Name: model, Key: key, Compact: 49_999})
		if !errors.Is(err, providers.ErrNoCompaction) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// The strict service refuses what it should of compactions, so that TestStrictRuns shows something.
func TestStrictCompaction(t *testing.T) {
	service := newClaude(t)
	service.compacts = func() bool { return len(service.summaries) == 0 }
	turn := providertest.Turn{Finish: providers.Calls, Calls: []providertest.Call{{ID: "toolu_1", Name: "read", Args: []string{"{}"}}}}
	handler := service.handler(func() providertest.Turn { return turn })
	m := serve(t, handler, compacting)
	question := transcript.Message{Role: transcript.User, Text: "What is in a.go?"}
	ask := func(m *anthropic.Model, head transcript.Message) error {
		_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{question, head,
			{Role: transcript.Tool, CallID: "toolu_1", Name: "read", Text: "package a"}}, MaxOutput: 16_000, ReasoningEffort: "low"})
		return err
	}
	r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{question}, MaxOutput: 16_000, ReasoningEffort: "low"})
	if err != nil || !r.Message.ProviderData.Compacts {
		t.Fatal(err, r.Message)
	}
	off := serve(t, handler, compacting, func(c *anthropic.Config) { c.Compact = 0 })
	if err := errors.Join(ask(m, r.Message), ask(off, r.Message)); err != nil {
		t.Errorf("a compaction at its place, and one that is left out: %v", err)
	}
	for name, change := range map[string]func(string) string{
		"another summary": func(data string) string { return strings.Replace(data, "summary", "Summary", 1) },
		"no compaction": func(data string) string { // but thinking that was issued behind it
			return "[" + data[strings.Index(data, `{"raw":{"type":"thinking"`):]
		},
	} {
		changed, data := r.Message, *r.Message.ProviderData
		data.Data = []byte(change(string(data.Data)))
		changed.ProviderData = &data
		if ask(m, changed) == nil {
			t.Errorf("%s is accepted: %s", name, data.Data)
		}
	}
}
