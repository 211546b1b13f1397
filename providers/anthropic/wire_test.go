package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-ant-0123456789"

// serve returns a model whose service answers with handler.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*anthropic.Config)) *anthropic.Model {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := anthropic.Config{Name: "claude-sonnet-4-5", BaseURL: server.URL + "/v1", Key: key, HTTPClient: providertest.Client(t)}
	for _, f := range change {
		f(&c)
	}
	m, err := anthropic.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compacting has the service compact.
func compacting(c *anthropic.Config) { c.Name, c.Compact = "claude-opus-4-6", 60_000 }

func TestContract(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Structured: true, Uncounted: true, NoClass: []providers.Class{providers.Refused}, TextSignature: true,
		Choices: map[providers.ToolChoice]string{
			providers.Auto: "", providers.Required: "tool_choice\ntype\nany", providers.None: "tool_choice\ntype\nnone",
		},
		New: func(t *testing.T, turns ...providertest.Turn) providers.Model {
			return serve(t, providertest.Turns(t, turns, answer))
		},
		Compacting: func(t *testing.T, turns ...providertest.Turn) providers.Model {
			return serve(t, providertest.Turns(t, turns, answer), compacting)
		},
	})
}

type object = map[string]any

// refusals are the answers of the errors by class.
var refusals = map[providers.Class]struct {
	status        int
	kind, message string
}{
	providers.Auth:      {401, "authentication_error", "invalid x-api-key " + key},
	providers.Invalid:   {404, "not_found_error", "model: claude-sonnet-4-5"},
	providers.Overflow:  {400, "invalid_request_error", "prompt is too long: %[2]d tokens > %[1]d maximum"},
	providers.Rate:      {429, "rate_limit_error", "This request would exceed your organization's rate limit"},
	providers.Transient: {529, "overloaded_error", "Overloaded"},
	providers.Malformed: {200, "", "<!doctype html><title>Welcome</title>"},
}

// answer plays a turn as the service does.
func answer(w http.ResponseWriter, r *http.Request, turn providertest.Turn) {
	raw, _ := io.ReadAll(r.Body)
	fail := func(status int, kind, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, encoded(object{"type": "error", "error": object{"type": kind, "message": message}}))
	}
	if r.URL.Path != "/v1/messages" || r.Header.Get("x-api-key") != key || r.Header.Get("anthropic-version") == "" {
		http.NotFound(w, r)
		return
	}
	if fault := providertest.Missing(strings.Join(told(raw), "\n"), turn); fault != "" {
		fail(400, "invalid_request_error", fault)
		return
	}
	if turn.Class != "" && len(turn.Text) == 0 {
		if turn.Wait > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(turn.Wait.Seconds()))
		}
		x := refusals[turn.Class]
		if turn.Class == providers.Malformed {
			fmt.Fprint(w, x.message)
			return
		}
		if turn.Limit > 0 {
			x.message = fmt.Sprintf(x.message, turn.Limit, turn.Tokens)
		}
		fail(x.status, x.kind, x.message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	providertest.Write(w, r, turn, lines(turn))
}

// lines returns the turn on the wire.
func lines(turn providertest.Turn) []string {
	var out []string
	send := func(kind string, v object) {
		v["type"] = kind
		out = append(out, "event: "+kind+"\ndata: "+encoded(v)+"\n\n")
	}
	u := turn.Usage
	send("message_start", object{"message": object{"id": "msg_1", "role": "assistant", "content": []any{}, "usage": object{
		"input_tokens": u.Input - u.Cached - u.Written, "cache_read_input_tokens": u.Cached,
		"cache_creation_input_tokens": u.Written, "output_tokens": min(u.Output, 1),
	}}})
	send("ping", object{})
	at := 0
	within := func(block object, deltas ...object) {
		send("content_block_start", object{"index": at, "content_block": block})
		for _, d := range deltas {
			send("content_block_delta", object{"index": at, "delta": d})
		}
		send("content_block_stop", object{"index": at})
		at++
	}
	counted := object{"output_tokens": u.Output}
	if turn.Compaction != "" {
		within(object{"type": "compaction", "content": nil, "encrypted_content": nil},
			object{"type": "compaction_delta", "content": turn.Compaction, "encrypted_content": "sealed <" + turn.Compaction})
		counted["iterations"] = []object{
			{"type": "compaction", "input_tokens": u.Compacted, "output_tokens": 1},
			{"type": "message", "input_tokens": u.Input - u.Compacted, "output_tokens": u.Output},
		}
	}
	if len(turn.Reasoning) > 0 || turn.Signature != "" {
		var deltas []object
		for _, piece := range turn.Reasoning {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": piece})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": turn.Signature})
		within(object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if len(turn.Text) > 0 {
		var deltas []object
		for _, piece := range turn.Text {
			deltas = append(deltas, object{"type": "text_delta", "text": piece})
		}
		within(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range turn.Calls {
		deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
		for _, piece := range c.Args {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		within(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
	}
	switch {
	case turn.Class != "":
		send("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
		return out
	case turn.Fault == providertest.CutCall:
		return out[:len(out)-2]
	case turn.Fault != "":
		return out
	}
	reason := map[providers.Finish]string{
		providers.Length: "max_tokens", providers.Filtered: "refusal", providers.Calls: "tool_use",
	}[turn.Finish]
	if reason == "" {
		reason = "end_turn"
	}
	send("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": counted})
	send("message_stop", object{})
	return out
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// told returns the strings of a JSON text in their order.
func told(raw []byte) []string {
	var out []string
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if s, ok := token.(string); ok {
			out = append(out, s)
		}
	}
}

// TestRequest compares a whole request: the order of blocks, merged roles, marks, thinking and what is left out.
func TestRequest(t *testing.T) {
	var got, header string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, header = string(raw), r.Header.Get("anthropic-beta")
		fmt.Fprint(w, `{"type":"message","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn",`+
			`"usage":{"input_tokens":5,"cache_read_input_tokens":900,"cache_creation_input_tokens":40,"output_tokens":3}}`)
	}, func(c *anthropic.Config) { c.Betas = []string{"context-1m-2025-08-07"} })
	call := func(id string) transcript.ToolCall {
		return transcript.ToolCall{ID: id, Name: "read", Args: json.RawMessage(`{"path":"a.go"}`)}
	}
	warm := .5
	resp, err := providers.Ask(t.Context(), m, &providers.Request{
		System: "Read code.", MaxOutput: 9000, Temperature: &warm, Stop: []string{"END"}, ReasoningEffort: "low",
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "a.go? <b>"},
			{Role: transcript.User, Text: "Evicted: b.go", Origin: transcript.Runtime},
			{Role: transcript.Assistant, Text: "So.Both.", Calls: []transcript.ToolCall{call("c1"), call("c2")},
				ProviderData: &transcript.ProviderData{Dialect: "anthropic", Model: "claude-sonnet-4-5", Data: []byte(
					`[{"raw":{"type":"thinking","thinking":"hm","signature":"s1"}},{"text":3},{"call":true},` +
						`{"raw":{"type":"redacted_thinking","data":"x"}},{"text":5},{"call":true}]`)}},
			{Role: transcript.Tool, CallID: "c1", Name: "read"},
			{Role: transcript.Tool, CallID: "c2", Name: "read", Text: "no such file", Failed: true},
			{Role: transcript.User, Text: "Be short."},
		},
		Tools:  []transcript.ToolSchema{{Name: "read", Description: "reads"}},
		Schema: json.RawMessage(`{"type":"object"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	want := `{"model":"claude-sonnet-4-5","max_tokens":9000,"system":[{"type":"text","text":"Read code."` + mark + `}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"a.go? <b>"},{"type":"text","text":"Evicted: b.go"` + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s1"},{"type":"text","text":"So."},` +
		`{"type":"tool_use","id":"c1","name":"read","input":{"path":"a.go"}},{"type":"redacted_thinking","data":"x"},` +
		`{"type":"text","text":"Both."},{"type":"tool_use","id":"c2","name":"read","input":{"path":"a.go"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"(no output)"},` +
		`{"type":"tool_result","tool_use_id":"c2","content":"no such file","is_error":true},` +
		`{"type":"text","text":"Be short."` + mark + `}]}],` +
		`"tools":[{"name":"read","description":"reads","input_schema":{"type":"object","properties":{}}}],` +
		`"thinking":{"type":"enabled","budget_tokens":2048},` +
		`"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"stop_sequences":["END"],"stream":true}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if header != "context-1m-2025-08-07" {
		t.Errorf("betas %q", header)
	}
	if u := resp.Usage; u != (providers.Usage{Input: 945, Cached: 900, Written: 40, Output: 3}) || resp.Message.Text != "ok" {
		t.Errorf("usage %+v, text %q", u, resp.Message.Text)
	}
	price := providers.Price{Rates: providers.Rates{Input: 3, Cached: .3, Write: 3.75, Output: 15}}
	if cost, want := price.Cost(resp.Usage), (5*3+900*.3+40*3.75+3*15)/1e6; cost != want {
		t.Errorf("cost %v, want %v", cost, want)
	}
}

// The newest models decide how long they think, and a model that thinks cannot be forced.
func TestThinking(t *testing.T) {
	var got string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got = string(raw)
		fmt.Fprint(w, `{"type":"message","content":[],"stop_reason":"end_turn"}`)
	}, func(c *anthropic.Config) { c.Name = "claude-opus-4-6" })
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}, ReasoningEffort: "high"}
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`) {
		t.Error(got)
	}
	req.Choice, req.Tools = providers.Required, []transcript.ToolSchema{{Name: "a"}}
	if _, err := providers.Ask(t.Context(), m, req); providers.ClassOf(err) != providers.Invalid {
		t.Errorf("forced: %v", err)
	}
}

// Models from 5.1 on think unasked and bind thinking to its prefix: the service is asked to drop what does not fit, by a
// header that only they get, and what it drops is said.
func TestBoundThinking(t *testing.T) {
	for _, c := range []struct {
		model string
		binds bool
	}{
		{"claude-fable-5-1", true}, {"claude-opus-5-5", true}, {"anthropic.claude-sonnet-5-5-20260901-v1:0", true},
		{"claude-opus-5", false}, {"claude-opus-4-8", false}, {"claude-sonnet-4-20250514", false}, {"mine", false},
	} {
		t.Run(c.model, func(t *testing.T) {
			var got, header string
			var notices []string
			m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				got, header = string(raw), r.Header.Get("anthropic-beta")
				w.Header().Set("Content-Type", "text/event-stream")
				const dropped = `{"type":"thinking_dropped","path":"messages.1.content.0","reason":"prefix_binding_mismatch"}`
				for _, e := range []string{
					`{"type":"message_start","message":{"input_transformations":[` + dropped + `],"usage":{"input_tokens":5}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`,
					`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"input_transformations":[` + dropped + `,` + dropped + `]}`,
					`{"type":"message_stop"}`,
				} {
					fmt.Fprintf(w, "data: %s\n\n", e)
				}
			}, func(config *anthropic.Config) {
				config.Name, config.Notify = c.model, func(text string) { notices = append(notices, text) }
			})
			warm := .5
			req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}, Temperature: &warm}
			if _, err := providers.Ask(t.Context(), m, req); err != nil {
				t.Fatal(err)
			}
			const binding = `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
			if strings.Contains(got, binding) != c.binds || (header == "thinking-binding-controls-2026-08-01") != c.binds ||
				strings.Contains(got, `"temperature"`) == c.binds || m.Info().NoForcedTools != c.binds {
				t.Errorf("header %q, no forced tools %v: %s", header, m.Info().NoForcedTools, got)
			}
			if len(notices) != 1 || !strings.Contains(notices[0], "left out 2 blocks of thinking of the request, the first at messages.1.content.0: prefix_binding_mismatch") {
				t.Errorf("said %q", notices)
			}
		})
	}
}

// marks returns which blocks of a request's messages are marked, counted from 0 over all messages.
func marks(t *testing.T, raw string) (prefix int, at []int) {
	var b struct {
		System, Tools []struct {
			Cache any `json:"cache_control"`
		}
		Messages []struct {
			Content []struct {
				Cache any `json:"cache_control"`
			}
		}
	}
	if err := json.Unmarshal([]byte(raw), &b); err != nil {
		t.Fatal(err)
	}
	for _, x := range append(b.System, b.Tools...) {
		if x.Cache != nil {
			prefix++
		}
	}
	n := 0
	for _, m := range b.Messages {
		for _, x := range m.Content {
			if x.Cache != nil {
				at = append(at, n)
			}
			n++
		}
	}
	return prefix, at
}

// From step to step, each request finds a mark of the one before it at most twenty blocks behind one of its own, and
// never has more than four.
func TestMarks(t *testing.T) {
	var got string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got = string(raw)
		fmt.Fprint(w, `{"type":"message","content":[],"stop_reason":"end_turn"}`)
	})
	ms := []transcript.Message{{Role: transcript.User, Text: "question"}}
	var before []int
	for step, calls := range []int{1, 1, 3, 9, 12, 1, 17, 2, 1} {
		if step == 5 {
			ms[0].Origin = transcript.Runtime
		}
		req := &providers.Request{System: "s", Tools: []transcript.ToolSchema{{Name: "read"}}, Messages: ms}
		if _, err := providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		prefix, at := marks(t, got)
		if prefix+len(at) > 4 || prefix != 1 || len(at) == 0 {
			t.Errorf("step %d: %d marks of the prefix, %v", step, prefix, at)
		}
		found := len(before) == 0
		for _, x := range at {
			for _, y := range before {
				found = found || x >= y && x-y < 20
			}
		}
		if !found {
			t.Errorf("step %d: marks %v do not reach %v of the request before", step, at, before)
		}
		before = at
		answer := transcript.Message{Role: transcript.Assistant}
		for i := range calls {
			answer.Calls = append(answer.Calls, transcript.ToolCall{ID: fmt.Sprint(step, "-", i), Name: "read"})
		}
		ms = append(ms, answer)
		for _, c := range answer.Calls {
			ms = append(ms, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: "read", Text: "text"})
		}
	}
}

// The limits that are used up say when to come again.
func TestRateLimit(t *testing.T) {
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		soon := time.Now().Add(30 * time.Second).UTC().Format(time.RFC3339)
		w.Header().Set("anthropic-ratelimit-input-tokens-remaining", "0")
		w.Header().Set("anthropic-ratelimit-input-tokens-reset", soon)
		w.WriteHeader(429)
		fmt.Fprint(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
	})
	_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}})
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.Rate || e.RetryAfter < 25*time.Second || e.RetryAfter > 31*time.Second {
		t.Errorf("%v", err)
	}
}

// Count asks for the tokens of a request.
func TestCount(t *testing.T) {
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/messages/count_tokens" || strings.Contains(string(raw), "max_tokens") {
			t.Errorf("%s %s", r.URL, raw)
		}
		fmt.Fprint(w, `{"input_tokens":2095}`)
	})
	n, err := m.Count(t.Context(), &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}})
	if n != 2095 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
