package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// calls returns an answer with the given tool_calls, one event each.
func calls(pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[%s]}}]}\n\n", p)
	}
	return b.String() + stop + end
}

func TestCallsOfOddServers(t *testing.T) {
	list := transcript.ToolCall{ID: "a", Name: "list", Args: json.RawMessage(`{"p":1}`)}
	read := transcript.ToolCall{ID: "b", Name: "read", Args: json.RawMessage(`{"p":2}`)}
	numbered := func(c transcript.ToolCall, id string) transcript.ToolCall { c.ID = id; return c }
	for _, tt := range []struct {
		name, wire string
		want       []transcript.ToolCall
	}{
		{"the index 0 for all", calls(
			`{"index":0,"id":"a","function":{"name":"list","arguments":"{\"p\":1}"}}`,
			`{"index":0,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}}`), []transcript.ToolCall{list, read}},
		{"no index", calls(
			`{"id":"a","function":{"name":"list","arguments":"{\"p\""}}`, `{"function":{"arguments":":1}"}}`,
			`{"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}}`), []transcript.ToolCall{list, read}},
		{"no index, one event, no ids", calls(
			`{"function":{"name":"list","arguments":"{\"p\":1}"}},{"function":{"name":"list","arguments":"{\"p\":1}"}}`),
			[]transcript.ToolCall{numbered(list, "call_1_1"), numbered(list, "call_1_2")}},
		{"index out of order", calls(
			`{"index":1,"id":"b","function":{"name":"read","arguments":"{\"p\":"}}`, `{"index":0,"id":"a","function":{"name":"list","arguments":"{\"p\":1}"}}`,
			`{"index":1,"function":{"arguments":"2}"}}`), []transcript.ToolCall{list, read}},
		{"name and id with each piece", calls(
			`{"index":0,"id":"a","function":{"name":"list","arguments":"{\"p\""}}`, `{"index":0,"id":"a","function":{"name":"list","arguments":":1}"}}`),
			[]transcript.ToolCall{list}},
		{"another id with each piece", calls(
			`{"index":0,"id":"a","function":{"name":"list","arguments":"{\"p\""}}`, `{"index":0,"id":"zz","function":{"arguments":":1}"}}`),
			[]transcript.ToolCall{list}},
		{"arguments as an object, content null", calls(`{"index":0,"id":"a","function":{"name":"list","arguments":{"p":1}}}`), []transcript.ToolCall{list}},
		{"our own ids, taken already", calls(
			`{"index":0,"id":"call_1_2","function":{"name":"list","arguments":"{\"p\":1}"}}`, `{"index":1,"function":{"name":"read","arguments":"{\"p\":2}"}}`),
			[]transcript.ToolCall{numbered(list, "call_1_2"), numbered(read, "call_1_4")}},
	} {
		r, err := providers.Ask(t.Context(), serve(t, stream(tt.wire)), &providers.Request{})
		if err != nil || r.Finish != providers.Calls {
			t.Errorf("%s: finish %q, error %v", tt.name, r.Finish, err)
		}
		if diff := cmp.Diff(tt.want, r.Message.Calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestIDsOfAnEarlierAnswerAreNotUsedAgain(t *testing.T) {
	wire := calls(`{"index":0,"id":"call_0","function":{"name":"list","arguments":"{}"}}`)
	req := &providers.Request{}
	m := serve(t, stream(wire))
	seen := map[string]bool{}
	for range 5 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		seen[r.Message.Calls[0].ID] = true
		req.Messages = append(req.Messages, r.Message)
	}
	if len(seen) != 5 || !seen["call_0"] {
		t.Errorf("ids %v", seen)
	}
}

func TestReasoningBlocksAreWhatTheyWere(t *testing.T) {
	detail := func(d string) string {
		return `data: {"choices":[{"delta":{"reasoning":"r","reasoning_details":[` + d + `]}}]}` + "\n\n"
	}
	wire := detail(`{"type":"reasoning.text","text":"I <think> ","index":0,"signature":null}`) +
		detail(`{"type":"reasoning.text","text":"so","index":0,"signature":null}`) +
		detail(`{"type":"reasoning.text","index":0,"signature":"c2ln+/="}`) +
		detail(`{"type":"reasoning.encrypted","data":"AAA","index":1},{"type":"reasoning.encrypted","data":"BBB","index":1}`) +
		detail(`{"type":"reasoning.text","text":"second","index":2}`) + stop + end
	var bodies []object
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body object
		json.NewDecoder(r.Body).Decode(&body)
		bodies = append(bodies, body)
		stream(hello+wire)(w, r)
	})
	req := &providers.Request{}
	r, err := providers.Ask(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = []transcript.Message{r.Message}
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	got := bodies[1]["messages"].([]any)[0].(object)["reasoning_details"]
	want := []any{
		object{"type": "reasoning.text", "text": "I <think> so", "index": 0.0, "signature": "c2ln+/="},
		object{"type": "reasoning.encrypted", "data": "AAA", "index": 1.0},
		object{"type": "reasoning.encrypted", "data": "BBB", "index": 1.0},
		object{"type": "reasoning.text", "text": "second", "index": 2.0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Message.ProviderData.Tokens < 20 || r.Reasoning != "rrrrr" {
		t.Errorf("%d tokens, reasoning %q", r.Message.ProviderData.Tokens, r.Reasoning)
	}
}

// TestLostReasoningIsFilled has a server that refuses a conversation in which a message has lost its reasoning.
func TestLostReasoningIsFilled(t *testing.T) {
	reasons := func(text string) string {
		return `data: {"choices":[{"delta":{"reasoning_content":"` + text + `","tool_calls":[{"index":0,"function":{"name":"list"}}]}}]}` + "\n\n" + stop + end
	}
	var got []any
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []object }
		json.NewDecoder(r.Body).Decode(&body)
		got = nil
		for _, m := range body.Messages {
			got = append(got, m["reasoning_content"])
		}
		stream(reasons("why"))(w, r)
	})
	req := &providers.Request{}
	for range 3 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, r.Message, transcript.Message{Role: transcript.Tool, CallID: r.Message.Calls[0].ID, Text: "x"})
		req.Messages[0].ProviderData = nil
	}
	if diff := cmp.Diff([]any{"", nil, "why", nil}, got); diff != "" {
		t.Error(diff)
	}
}

// TestACutThatNobodyTellsIsAnOverflow has a server that cuts the request to 4,096 tokens and answers.
func TestACutThatNobodyTellsIsAnOverflow(t *testing.T) {
	chat := hello + stop + `data: {"choices":[],"usage":{"prompt_tokens":4096,"completion_tokens":1}}` + "\n\n" + end
	responses := said + ends("completed", `"usage":{"input_tokens":4096,"output_tokens":1}`)
	for _, tt := range []struct {
		window, known int // what the server runs the model with, what is known of the model
		class         providers.Class
	}{{0, 0, ""}, {0, 4096, providers.Overflow}, {4096, 131072, providers.Overflow}, {0, 8192, ""}, {8192, 4096, ""}} {
		for _, wire := range []openai.Wire{openai.Chat, openai.Responses} {
			m := serve(t, stream(map[openai.Wire]string{openai.Chat: chat, openai.Responses: responses}[wire]), func(c *openai.Config) {
				c.Wire, c.Window, c.Info.Window = wire, tt.window, tt.known
			})
			_, err := providers.Ask(t.Context(), m, &providers.Request{})
			var e *providers.Error
			if providers.ClassOf(err) != tt.class || errors.As(err, &e) && e.Limit != 4096 {
				t.Errorf("%s, window %d of %d: error %v, want class %q", wire, tt.window, tt.known, err, tt.class)
			}
		}
	}
}

func TestContentInParts(t *testing.T) {
	wire := `data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"why"}]},{"type":"text","text":"Hello"}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"refusal":" no"},"finish_reason":"stop"}]}` + "\n\n" + end
	r, err := providers.Ask(t.Context(), serve(t, stream(wire)), &providers.Request{})
	if err != nil || r.Message.Text != "Hello no" || r.Finish != providers.Filtered || r.Reasoning != "why" {
		t.Errorf("%+v, error %v", r, err)
	}
}

// TestOneConnection shows that the steps of a run share a connection: a new one costs as much as a short answer. The
// end of the transfer comes after the end of the answer has been seen.
func TestOneConnection(t *testing.T) {
	for wire, answer := range map[openai.Wire]string{openai.Chat: hello + stop + end, openai.Responses: said + completed} {
		if n := connections(t, wire, answer, 20); n != 1 {
			t.Errorf("%s: 20 requests took %d connections", wire, n)
		}
	}
}

// connections returns how many connections so many requests take, of a server that ends the transfer late.
func connections(t *testing.T, wire openai.Wire, answer string, requests int) int32 {
	var n atomic.Int32
	seen := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(answer)(w, r)
		w.(http.Flusher).Flush()
		select {
		case <-seen:
		case <-r.Context().Done():
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			n.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	m := newModel(t, server.URL, func(c *openai.Config) { c.Wire = wire })
	for range requests {
		for d, err := range m.Stream(t.Context(), &providers.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Finish != "" {
				seen <- struct{}{}
			}
		}
	}
	return n.Load()
}
