package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"time"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

const (
	hello = `data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}` + "\n\n"
	stop  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	end   = "data: [DONE]\n\n"
)

// A trap is an answer that the library takes for something else. Bare is what it makes of it, so that a new version of
// the library that does better is noticed.
type trap struct {
	name, kind, wire string
	bare             string // the text, and the error or "success"
	class            providers.Class
	text, says       string
}

// streamTraps are traps of the chat wire.
var streamTraps = []trap{
	{"a comment before an error", "", hello + ": note\n\n" + `data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n",
		"Hello unexpected end", providers.Transient, "Hello", "overloaded"},
	{"an event line before an error", "", hello + "event: error\n" + `data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n",
		"Hello unexpected end", providers.Transient, "Hello", "overloaded"},
	{"an error with more space", "", hello + `data: { "error" : {"message":"too many", "code": 429}}` + "\n\n",
		"Hello success", providers.Rate, "Hello", "too many"},
	{"an error as text", "", hello + `data: {"error":"model crashed"}` + "\n\n",
		"Hello unexpected end", providers.Transient, "Hello", "model crashed"},
	{"an error of class overflow inside", "", `data: {"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}` + "\n\n",
		" prompt is too long: 210000 tokens > 200000 maximum", providers.Overflow, "", "210000"},
	{"an error without the form of events", "", hello + `{"object":"error","message":"out of memory","code":500}` + "\n",
		"Hello success", providers.Transient, "Hello", "out of memory"},
	{"an event called error", "", hello + "event: error\ndata: backend gone\n\n",
		"Hello invalid", providers.Transient, "Hello", "backend gone"},
	{"no error at all", "", hello + `data: {"error":null,"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}` + "\n\n" + end,
		"Hello unexpected end", "", "Hello!", ""},
	{"a page", "text/html; charset=utf-8", "<!doctype html>\n<html><body>Welcome</body></html>\n",
		" success", providers.Malformed, "", "/v1 right?"},
	{"a page that says it is a stream", "", "\n<html><body>Welcome</body></html>\n",
		" success", providers.Malformed, "", "a web page"},
	{"an error as JSON with success", "application/json", `{"error":{"message":"no such model","code":"model_not_found"}}`,
		" success", providers.Invalid, "", "no such model"},
	{"other JSON with success", "application/json", `{"detail":"hello from the wrong service"}`,
		" success", providers.Malformed, "", "not with an answer of a model"},
	{"a whole answer as JSON", "application/json", "{\n \"choices\": [{\"message\":{\"content\":\"Hello\"},\n\"finish_reason\":\"stop\"}]}\n",
		" success", "", "Hello", ""},
	{"a close without an end", "", hello, "Hello success", providers.Network, "Hello", "without a finish"},
	{"an end without a finish", "", hello + end, "Hello success", providers.Network, "Hello", "without a finish"},
	{"a last line without its end", "", hello + strings.TrimSpace(stop), "Hello success", "", "Hello", ""},
	{"a finish and no [DONE]", "", hello + stop, "Hello success", "", "Hello", ""},
	{"an event cut in the middle", "", hello + `data: {"choices":[{"index":0,"del`, "Hello success", providers.Network, "Hello", "is truncated"},
	{"usage of another type", "", hello + stop + `data: {"choices":[],"usage":{"prompt_tokens":"12"},"timings":{"prompt_n":1.5}}` + "\n\n" + end,
		"Hello json: cannot unmarshal string into Go struct field Usage.usage.prompt_tokens of type int", "", "Hello", ""},
	{"many keep-alives", "", hello + strings.Repeat(": keep-alive\n\n", 500) + stop + end, "Hello too many", "", "Hello", ""},
	{"events without empty lines", "", strings.ReplaceAll(hello+hello+stop+end, "\n\n", "\n"), "HelloHello success", "", "HelloHello", ""},
	{"line ends of DOS and a mark", "", "\ufeff" + strings.ReplaceAll(hello+stop+end, "\n", "\r\n"), " success", "", "Hello", ""},
	{"an event in lines", "", "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"Hello\"}}]}\n\n" + stop + end, " unexpected end", "", "Hello", ""},
	{"text behind the end", "", hello + stop + end + `data: {"error":"late"}` + "\n\n", "Hello success", "", "Hello", ""},
	{"an empty body", "", "", " success", providers.Network, "", "empty"},
	{"given up", "", hello + strings.Replace(stop, `"stop"`, `"error"`, 1) + end, "Hello success", providers.Transient, "Hello", "aborted the answer"},
}

func TestStreamTraps(t *testing.T) {
	for name, wire := range map[string]struct {
		traps  []trap
		bare   func(*testing.T, *library.Client) (text string, err error)
		change func(*openai.Config)
	}{
		"chat":      {streamTraps, bareChat, func(*openai.Config) {}},
		"responses": {responsesTraps, bareResponses, onResponses},
	} {
		for _, tt := range wire.traps {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				server := httptest.NewServer(stream(tt.wire, tt.kind))
				t.Cleanup(server.Close)
				c := library.DefaultConfig(key)
				c.BaseURL, c.HTTPClient = server.URL+"/v1", server.Client()
				text, err := wire.bare(t, library.NewClientWithConfig(c))
				if got := text + " " + outcome(err); !strings.HasPrefix(got, tt.bare) {
					t.Errorf("the library alone says %q; the table says %q", got, tt.bare)
				}
				r, err := providers.Ask(t.Context(), newModel(t, server.URL, wire.change), &providers.Request{})
				if r.Message.Text != tt.text || providers.ClassOf(err) != tt.class || (err == nil) != (tt.class == "") {
					t.Errorf("%q, error %v; want %q and class %q", r.Message.Text, err, tt.text, tt.class)
				}
				if err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Errorf("the error %q does not say %q", err, tt.says)
				}
			})
		}
	}
}

// outcome returns how the library says that a stream ended.
func outcome(err error) string {
	switch {
	case err == io.EOF:
		return "success"
	case errors.Is(err, library.ErrTooManyEmptyStreamMessages):
		return "too many"
	}
	return strings.TrimPrefix(err.Error(), "error, ")
}

// bareChat returns what the library alone makes of the answer of a server.
func bareChat(t *testing.T, c *library.Client) (text string, err error) {
	s, err := c.CreateChatCompletionStream(t.Context(), library.ChatCompletionRequest{Model: "model-1"})
	if err != nil {
		return "", err
	}
	defer s.Close()
	for {
		chunk, err := s.Recv()
		if err != nil {
			return text, err
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
		}
	}
}

func TestRefusals(t *testing.T) {
	for i, tt := range []struct {
		name   string
		status int
		kind   string
		body   string
		want   providers.Error
		says   string
	}{
		{"an error as text", 400, "application/json", `{"error":"model is required"}`, providers.Error{Class: providers.Invalid}, "model is required"},
		{"a list of one", 400, "application/json", `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`, providers.Error{Class: providers.Invalid, Code: "400"}, "API key not valid"},
		{"a detail", 422, "application/json", `{"detail":[{"loc":["body","n"],"msg":"field required"}]}`, providers.Error{Class: providers.Invalid}, "field required"},
		{"no form at all", 500, "text/plain", "upstream connect error", providers.Error{Class: providers.Transient}, "upstream connect error"},
		{"no body", 502, "", "", providers.Error{Class: providers.Transient}, "Bad Gateway"},
		{"a page of the wrong address", 404, "text/html", "<html>nginx</html>", providers.Error{Class: providers.Malformed}, "/v1 right?"},
		{"a page of a proxy that failed", 502, "text/html", "<html>cloudflare</html>", providers.Error{Class: providers.Transient}, "web page"},
		{"a page that wants a login", 401, "text/html", "<html>login</html>", providers.Error{Class: providers.Auth}, "web page"},
		{"llama.cpp's overflow", 400, "application/json", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, providers.Error{Class: providers.Overflow, Code: "400", Limit: 4096, Tokens: 5000}, "exceeds"},
		{"an overflow from behind", 400, "application/json", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}"}}}`, providers.Error{Class: providers.Overflow, Code: "400", Limit: 8, Tokens: 9}, "Provider returned error"},
		{"too large", 413, "text/plain", "", providers.Error{Class: providers.Overflow}, "Too Large"},
		{"no quota", 429, "application/json", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, providers.Error{Class: providers.Rate, Code: "insufficient_quota"}, "quota"},
		{"a redirect", 307, "text/html", "<a href=x>", providers.Error{Class: providers.Malformed}, "redirects"},
	} {
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.kind)
			w.Header().Set("Location", "https://elsewhere.example/")
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		}, func(c *openai.Config) { c.Wire = []openai.Wire{openai.Chat, openai.Responses}[i%2] })
		_, err := providers.Ask(t.Context(), m, &providers.Request{})
		var e *providers.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		got := providers.Error{Class: e.Class, Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
		tt.want.Status, tt.want.RetryAfter = tt.status, 3*time.Second
		if got != tt.want || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %+v %q, want %+v and %q", tt.name, got, err, tt.want, tt.says)
		}
	}
}

func TestNotReached(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	abort := func(wire string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			stream(wire)(w, nil)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}))
		t.Cleanup(server.Close)
		return server
	}
	aborts, abortsLate := abort(hello), abort(hello+stop)
	waits := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(waits.Close)
	impatient := func(c *openai.Config) { c.HTTPClient.Timeout = 20 * time.Millisecond }
	plainAsTLS := strings.Replace(closed.URL, "http:", "https:", 1)
	for _, tt := range []struct {
		name  string
		model *openai.Model
		class providers.Class
		text  string
	}{
		{"nobody listens", newModel(t, closed.URL), providers.Network, ""},
		{"nobody listens with TLS", newModel(t, plainAsTLS), providers.Network, ""},
		{"no TLS there", newModel(t, strings.Replace(aborts.URL, "http:", "https:", 1)), providers.Malformed, ""},
		{"the connection is reset", newModel(t, aborts.URL), providers.Network, "Hello"},
		{"the connection is reset behind the finish", newModel(t, abortsLate.URL), "", "Hello"},
		{"a time limit of the client", newModel(t, waits.URL, impatient), providers.Network, ""},
	} {
		r, err := providers.Ask(t.Context(), tt.model, &providers.Request{})
		if providers.ClassOf(err) != tt.class || r.Message.Text != tt.text {
			t.Errorf("%s: %q, error %v, want class %s", tt.name, r.Message.Text, err, tt.class)
		}
	}
}

// sent returns what m sends for req.
func sent(t *testing.T, req *providers.Request, change ...func(*openai.Config)) (object, http.Header) {
	t.Helper()
	var body object
	var header http.Header
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		if strings.HasSuffix(r.URL.Path, "/responses") {
			stream(said+completed)(w, r)
			return
		}
		stream(hello+stop+end)(w, r)
	}, change...)
	if _, err := providers.Ask(context.Background(), m, req); err != nil {
		t.Fatal(err)
	}
	return body, header
}

// TestRequestTraps are what the library's own request would lose or refuse.
func TestRequestTraps(t *testing.T) {
	zero := map[string]json.RawMessage{"temperature": json.RawMessage("0"), "reasoning": json.RawMessage(`{"effort":"low"}`)}
	req := &providers.Request{MaxOutput: 100, Messages: []transcript.Message{
		{Role: transcript.User, Text: "go"},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a", Name: "run"}}},
		{Role: transcript.Tool, CallID: "a", Name: "run"},
		{Role: transcript.User},
		{Role: transcript.User, Text: "on"},
	}}
	for _, name := range []string{"o3-mini", "gpt-5", "openai/gpt-oss-20b"} { // the library refuses max_tokens with some of these
		body, _ := sent(t, req, func(c *openai.Config) { c.Name, c.ExtraBody = name, zero })
		messages, ok := body["messages"].([]any)
		if !ok || len(messages) != 4 {
			t.Fatalf("messages %v", body["messages"])
		}
		if content := messages[2].(object)["content"]; content != "(no output)" {
			t.Errorf("the empty result has the content %v", content)
		}
		if body["temperature"] != 0.0 || body["model"] != name || body["max_tokens"] != 100.0 || body["reasoning"] == nil {
			t.Errorf("the request is %v", body)
		}
	}
}

// TestSampling shows the sampling fields on both wires: they replace extra fields of the same name, and what a wire
// lacks is an error.
func TestSampling(t *testing.T) {
	zero, half, seed := 0.0, 0.5, int64(7)
	extra := func(c *openai.Config) {
		c.ExtraBody = map[string]json.RawMessage{"temperature": json.RawMessage("1"), "user": json.RawMessage(`"me"`)}
	}
	req := &providers.Request{Temperature: &zero, TopP: &half, ReasoningEffort: "low"}
	body, _ := sent(t, req, extra, onResponses)
	want := object{"temperature": 0.0, "top_p": 0.5, "user": "me", "reasoning": object{"effort": "low"}}
	for name := range want {
		if diff := cmp.Diff(want[name], body[name]); diff != "" {
			t.Errorf("responses, %s (-want +got):\n%s", name, diff)
		}
	}
	req.Stop, req.Seed = []string{"END", "\n"}, &seed
	if _, err := providers.Ask(t.Context(), serve(t, stream(""), onResponses), req); providers.ClassOf(err) != providers.Invalid {
		t.Errorf("a stop text on the responses wire: %v", err)
	}
	body, _ = sent(t, req, extra)
	want = object{
		"temperature": 0.0, "top_p": 0.5, "user": "me", "stop": []any{"END", "\n"}, "seed": 7.0, "reasoning_effort": "low",
	}
	for name := range want {
		if diff := cmp.Diff(want[name], body[name]); diff != "" {
			t.Errorf("chat, %s (-want +got):\n%s", name, diff)
		}
	}
}
