package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// Items of answers, with space and order as no encoder of ours would write them.
const (
	reasoned = `{"type":"reasoning", "id":"rs_1","encrypted_content":"gAAAA<&>é\u2028+/==","summary":[{"type":"summary_text","text":"why"}]}`
	message  = `{"id":"msg_1","status":"completed","type":"message","role":"assistant", "content":[{"type":"output_text","annotations":[],"text":"Let me look.","logprobs":[]}]}`
	called   = `{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"p\" : \"a&b\"}","call_id":"call_a","name":"list"}`
	called2  = `{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_b","name":"list"}`
)

// items returns the events of whole items, in order.
func items(raw ...string) string {
	var b strings.Builder
	for i, item := range raw {
		fmt.Fprintf(&b, "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":%d,\"item\":%s}\n\n", i, item)
	}
	return b.String()
}

// responder answers each request on the responses wire with the next of answers, and keeps the requests.
func responder(t *testing.T, answers ...string) (m *openai.Model, bodies *[]string) {
	bodies = new([]string)
	m = serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(raw))
		stream(answers[min(len(*bodies), len(answers))-1])(w, r)
	}, onResponses)
	return m, bodies
}

// input returns the items of a request as they stand in it.
func input(t *testing.T, body string) []string {
	t.Helper()
	var b struct{ Input []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range b.Input {
		out = append(out, string(item))
	}
	return out
}

func TestResponsesRequest(t *testing.T) {
	req := &providers.Request{
		System: "Be brief.", MaxOutput: 5, Choice: providers.Required, Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "verdict",
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "a < b"},
			{Role: transcript.Assistant},
			{Role: transcript.Assistant, Text: "Hm.", Calls: []transcript.ToolCall{{ID: "c1", Name: "run"}, {ID: "c2", Name: "run", Args: json.RawMessage(`"{\"p"`)}}},
			{Role: transcript.Tool, CallID: "c1", Name: "run"},
			{Role: transcript.Tool, CallID: "c2", Name: "run", Text: "no object", Failed: true},
		},
		Tools: []transcript.ToolSchema{{Name: "run", Description: "runs"}},
	}
	const want = `{"model":"o4-mini","instructions":"Be brief.",` +
		`"tools":[{"type":"function","name":"run","description":"runs","parameters":{"type":"object","properties":{}},"strict":false}],` +
		`"tool_choice":"required","parallel_tool_calls":false,"max_output_tokens":16,` +
		`"text":{"format":{"type":"json_schema","name":"verdict","schema":{"type":"object"},"strict":true}},` +
		`"include":["reasoning.encrypted_content"],"store":false,"stream":true,"input":[` +
		`{"type":"message","role":"user","content":"a < b"},{"type":"message","role":"assistant","content":"Hm."},` +
		`{"type":"function_call","call_id":"c1","name":"run","arguments":"{}"},` +
		`{"type":"function_call","call_id":"c2","name":"run","arguments":"{\"unparsed_arguments\":\"{\\\"p\"}"},` +
		`{"type":"function_call_output","call_id":"c1","output":"(no output)"},{"type":"function_call_output","call_id":"c2","output":"no object"}]` +
		`,"reasoning":{"effort":"low"},"temperature":0}`
	var got bytes.Buffer
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got.Reset()
		io.Copy(&got, r.Body)
		stream(said+completed)(w, r)
	}, onResponses, func(c *openai.Config) {
		c.Name, c.Info.NoParallelCalls = "o4-mini", true
		c.ExtraBody = map[string]json.RawMessage{"temperature": json.RawMessage("0"), "reasoning": json.RawMessage(`{"effort":"low"}`)}
	})
	for range 2 { // the same request twice is the same bytes
		if _, err := providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestEncryptedReasoningIsAskedForWhereThereIsSome has names of models that refuse to be asked.
func TestEncryptedReasoningIsAskedForWhereThereIsSome(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt-4o": false, "gpt-4.1-mini": false, "gpt-3.5-turbo": false, "chatgpt-4o-latest": false, "gpt-5-chat-latest": false, "ft:gpt-4o:a:b:c": false,
		"o3": true, "gpt-5": true, "gpt-5.1-codex": true, "grok-4": true, "ft:o4-mini:a": true,
	} {
		body, _ := sent(t, &providers.Request{}, onResponses, func(c *openai.Config) { c.Name = name })
		if _, asked := body["include"]; asked != want || body["store"] != false {
			t.Errorf("%s: asked %v, want %v; store is %v", name, asked, want, body["store"])
		}
	}
}

// TestItemsComeBackByteForByte has a conversation of three answers, stored in between, whose items come back as they
// were, in every later request, with results and all in order.
func TestItemsComeBackByteForByte(t *testing.T) {
	first := []string{reasoned, message, strings.Replace(reasoned, "rs_1", "rs_2", 1), called, called2}
	second := []string{strings.Replace(reasoned, "rs_1", "rs_3", 1), strings.Replace(called, "call_a", "call_c", 1)}
	m, bodies := responder(t, began+items(first...)+completed, items(second...)+completed, said+completed)
	req := &providers.Request{System: "s", Messages: []transcript.Message{{Role: transcript.User, Text: "if a < b && c > d"}}}
	for range 3 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(r.Message)
		if err != nil {
			t.Fatal(err)
		}
		var back transcript.Message
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, back)
		for _, c := range back.Calls {
			req.Messages = append(req.Messages, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Text: "<b>"})
		}
	}
	result := func(id string) string { return `{"type":"function_call_output","call_id":"` + id + `","output":"<b>"}` }
	want := append([]string{`{"type":"message","role":"user","content":"if a < b && c > d"}`}, first...)
	want = append(want, result("call_a"), result("call_b"))
	want = append(append(want, second...), result("call_c"))
	if diff := cmp.Diff(want, input(t, (*bodies)[2])); diff != "" {
		t.Errorf("the third request (-want +got):\n%s", diff)
	}
	for i, body := range (*bodies)[1:] {
		if before := strings.TrimSuffix((*bodies)[i], "]}"); !strings.HasPrefix(body, before) {
			t.Errorf("request %d does not extend the one before:\n%s\n%s", i+2, before, body)
		}
	}
}

// TestItemsThatCannotComeBack has answers of which nothing is kept, or not all: the next request is written from text
// and calls, and names no item.
func TestItemsThatCannotComeBack(t *testing.T) {
	bare := `{"type":"reasoning","id":"rs_1","summary":[]}`
	plain := []string{`{"type":"message","role":"assistant","content":"Let me look."}`, `{"type":"function_call","call_id":"call_a","name":"list","arguments":"{\"p\" : \"a&b\"}"}`}
	for _, tt := range []struct {
		name string
		wire string
		edit func(*transcript.Message)
		want []string
	}{
		{"nothing but text and calls", items(message, called) + completed, nil, plain},
		{"reasoning that nobody kept", items(bare, message, called) + completed, nil, plain},
		{"reasoning that led to nothing", items(message, called, reasoned) + completed, nil, plain},
		{"an edit of the text", items(reasoned, message, called) + completed, func(m *transcript.Message) { m.Text = "Look." },
			[]string{`{"type":"message","role":"assistant","content":"Look."}`, plain[1]}},
		{"an edit of the arguments", items(reasoned, message, called) + completed, func(m *transcript.Message) { m.Calls[0].Args = json.RawMessage(`{}`) },
			[]string{plain[0], `{"type":"function_call","call_id":"call_a","name":"list","arguments":"{}"}`}},
		{"a call gone", items(reasoned, message, called) + completed, func(m *transcript.Message) { m.Calls = nil }, plain[:1]},
		{"bad arguments", items(reasoned, strings.Replace(called, `{\"p\" : \"a&b\"}`, `{\"p`, 1)) + completed, nil,
			[]string{`{"type":"function_call","call_id":"call_a","name":"list","arguments":"{\"unparsed_arguments\":\"{\\\"p\"}"}`}},
		{"an id that is missing", items(reasoned, strings.Replace(called, `"call_id":"call_a",`, "", 1)) + completed, nil,
			[]string{strings.Replace(plain[1], "call_a", "call_1_1", 1)}},
		{"not whole", items(reasoned, message) + ends("incomplete", `"incomplete_details":{"reason":"max_output_tokens"}`), nil, plain[:1]},
		{"data of another form", items(reasoned, message) + completed, func(m *transcript.Message) { m.ProviderData.Data = []byte(`{"a":1}`) }, plain[:1]},
	} {
		m, bodies := responder(t, tt.wire, said+completed)
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if tt.edit != nil {
			tt.edit(&r.Message)
		}
		if _, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{r.Message}}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, input(t, (*bodies)[1])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestResponsesAnswers(t *testing.T) {
	call := func(id string) transcript.ToolCall {
		return transcript.ToolCall{ID: id, Name: "list", Args: json.RawMessage(`{"p" : "a&b"}`)}
	}
	piece := func(kind, more string) string { return `data: {"type":"response.` + kind + `",` + more + "}\n\n" }
	begun := piece("output_item.added", `"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_a","name":"list","arguments":""}`)
	refusal := `{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I can't."}]}`
	for _, tt := range []struct {
		name, wire      string
		text, reasoning string
		finish          providers.Finish
		calls           []transcript.ToolCall
	}{
		{"two messages of one answer", items(message, strings.Replace(message, "msg_1", "msg_2", 1)) + completed, "Let me look.\n\nLet me look.", "", providers.Stop, nil},
		{"a refusal", items(refusal) + completed, "I can't.", "", providers.Filtered, nil},
		{"a refusal in pieces", piece("refusal.delta", `"output_index":0,"delta":"I "`) + piece("refusal.delta", `"output_index":0,"delta":"can't."`) + items(refusal) + completed,
			"I can't.", "", providers.Filtered, nil},
		{"length", said + ends("incomplete", `"incomplete_details":{"reason":"max_output_tokens"}`), "Hello", "", providers.Length, nil},
		{"filtered", said + ends("incomplete", `"incomplete_details":{"reason":"content_filter"}`), "Hello", "", providers.Filtered, nil},
		{"incomplete, and why is new", said + ends("incomplete", `"incomplete_details":{"reason":"moon"}`), "Hello", "", providers.Length, nil},
		{"incomplete in an event that hides it", said + strings.Replace(ends("incomplete", `"incomplete_details":{"reason":"max_output_tokens"}`), "response.incomplete", "response.completed", 2), "Hello", "", providers.Length, nil},
		{"a summary in parts", piece("reasoning_summary_part.added", `"output_index":0`) + piece("reasoning_summary_text.delta", `"output_index":0,"delta":"one"`) +
			piece("reasoning_summary_part.added", `"output_index":0,"summary_index":1`) + piece("reasoning_summary_text.delta", `"output_index":0,"summary_index":1,"delta":"two"`) + items(reasoned) + completed,
			"", "one\n\ntwo", providers.Stop, nil},
		{"reasoning that is text", piece("reasoning_text.delta", `"output_index":0,"delta":"hm"`) + completed, "", "hm", providers.Stop, nil},
		{"items at the end only", began + ends("completed", `"output":[`+reasoned+","+message+","+called+"]"), "Let me look.", "why", providers.Calls, []transcript.ToolCall{call("call_a")}},
		{"a call that is never done", begun + piece("function_call_arguments.delta", `"output_index":0,"delta":"{\"p\" : "`) + piece("function_call_arguments.delta", `"output_index":0,"delta":"\"a&b\"}"`) + completed,
			"", "", providers.Calls, []transcript.ToolCall{call("call_a")}},
		{"arguments whole only", begun + piece("function_call_arguments.done", `"output_index":0,"arguments":"{\"p\" : \"a&b\"}"`) + completed, "", "", providers.Calls, []transcript.ToolCall{call("call_a")}},
		{"calls by the id of their item", strings.ReplaceAll(begun, `"output_index":0,`, "") + strings.NewReplacer(`"output_index":0,`, "", "fc_1", "fc_9", "call_a", "call_z").Replace(begun) +
			piece("function_call_arguments.delta", `"item_id":"fc_1","delta":"{\"p\" : \"a&b\"}"`) + piece("function_call_arguments.delta", `"item_id":"fc_9","delta":"{\"p\" : \"a&b\"}"`) + completed,
			"", "", providers.Calls, []transcript.ToolCall{call("call_a"), call("call_z")}},
		{"done in another order", strings.Replace(items(called), `"output_index":0`, `"output_index":2`, 1) + strings.Replace(items(strings.Replace(called, "call_a", "call_0", 1)), `"output_index":0`, `"output_index":1`, 1) + completed,
			"", "", providers.Calls, []transcript.ToolCall{call("call_0"), call("call_a")}},
		{"an item of another kind", items(`{"type":"web_search_call","id":"ws_1"}`, message) + completed, "Let me look.", "", providers.Stop, nil},
	} {
		m, _ := responder(t, tt.wire)
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		if err != nil || r.Message.Text != tt.text || r.Reasoning != tt.reasoning || r.Finish != tt.finish {
			t.Errorf("%s: %q, reasoning %q, finish %q, error %v", tt.name, r.Message.Text, r.Reasoning, r.Finish, err)
		}
		if diff := cmp.Diff(tt.calls, r.Message.Calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestTokensOfReasoning shows that reasoning counts as what the service says, and not as the length of its encryption.
func TestTokensOfReasoning(t *testing.T) {
	long := strings.Replace(reasoned, "gAAAA", strings.Repeat("gAAAA", 1000), 1)
	for usage, most := range map[string]int{
		`"usage":{"input_tokens":9,"output_tokens":200,"output_tokens_details":{"reasoning_tokens":128}}`: 128,
		`"output":[]`: 10_000,
	} {
		m, _ := responder(t, items(long, called)+ends("completed", usage))
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		if err != nil || r.Message.ProviderData == nil || r.Message.ProviderData.Tokens > most || r.Message.ProviderData.Tokens < 128 {
			t.Errorf("%s: %+v, error %v", usage, r.Message.ProviderData, err)
		}
	}
}
