package gemini_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

// bothLineEnds is the case of a stream that a proxy has put something into: the service's own line ends are DOS's.
const bothLineEnds = "line ends of both sorts"

// streamTraps are answers that the library takes for something else. Bare is what it makes of them, so that a new
// version of the library that does better is noticed.
var streamTraps = []struct {
	name, kind, wire string
	bare             string // the text, and the error, "panic" or "success"
	class            providers.Class
	text, says       string
}{
	{"an error inside", "", hello + `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n",
		"Hello Error 503", providers.Transient, "Hello", "overloaded"},
	{"an error over the stream", "", hello + `{"error":{"code":500,"message":"An internal error","status":"INTERNAL"}}` + "\n\n",
		"Hello Error 500", providers.Transient, "Hello", "An internal error"},
	{"an error as text", "", hello + `data: {"error":"model crashed"}` + "\n\n",
		"Hello success", providers.Transient, "Hello", "model crashed"},
	{"an overflow inside", "", `data: {"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}` + "\n\n",
		" Error 400", providers.Overflow, "", "1048577"},
	{"a comment", "", hello + ": keep-alive\n\n" + bye, "Hello iterateResponseStream: invalid stream chunk", "", "Hello", ""},
	{"an event line", "", "event: message\n" + hello + bye, " iterateResponseStream: invalid stream chunk", "", "Hello", ""},
	{"an event in lines", "", "data: {\"candidates\":\ndata: [{\"content\":{\"parts\":[{\"text\":\"Hello\"}]}}]}\n\n" + bye,
		" iterateResponseStream: error unmarshalling", "", "Hello", ""},
	{"a page", "text/html; charset=utf-8", "<!doctype html>\n<html><body>Welcome</body></html>\n",
		" iterateResponseStream: invalid stream chunk", providers.Malformed, "", "base URL"},
	{"a page that says it is a stream", "", "\n<html><body>Welcome</body></html>\n",
		" iterateResponseStream: invalid stream chunk", providers.Malformed, "", "a web page"},
	{"a list in place of events", "application/json", `[{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}` + "\n]",
		" iterateResponseStream: invalid stream chunk", "", "Hello", ""},
	{"a whole answer", "application/json", `{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}`,
		" iterateResponseStream: invalid stream chunk", "", "Hello", ""},
	{"an error as JSON with success", "application/json", `{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}`,
		" Error 404", providers.Invalid, "", "no such model"},
	{"other JSON with success", "application/json", `{"detail":"hello from the wrong service"}`,
		" iterateResponseStream: invalid stream chunk", providers.Malformed, "", "not with an answer of a model"},
	{"candidates of another form", "", `data: {"candidates":"none"}` + "\n\n", " panic", providers.Malformed, "", "candidates"},
	{"citations of another form", "", `data: {"candidates":[{"citationMetadata":"none","content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}` + "\n\n",
		" panic", "", "Hello", ""},
	{"a close without a finish", "", hello, "Hello success", providers.Network, "Hello", "without a finish"},
	{"an event cut in the middle", "", hello + `data: {"candidates": [{"con`, "Hello iterateResponseStream: error unmarshalling", providers.Network, "Hello", "is truncated"},
	{"an event cut behind the finish", "", hello + bye + `data: {"usageMeta`, "Hello iterateResponseStream: error unmarshalling", "", "Hello", ""},
	{"an event that is not JSON", "", hello + "data: {candidates}\n\n" + bye, "Hello iterateResponseStream: error unmarshalling", providers.Malformed, "Hello", "invalid character"},
	{"a last line without its end", "", hello + strings.TrimSpace(bye), "Hello success", "", "Hello", ""},
	{bothLineEnds, "", hello + strings.ReplaceAll(bye, "\r", ""), " iterateResponseStream: error unmarshalling", "", "Hello", ""},
	{"a byte order mark", "", "\ufeff" + hello + bye, " iterateResponseStream: invalid stream chunk", "", "Hello", ""},
	{"a mark of the end", "", hello + bye + "data: [DONE]\n\n", "Hello iterateResponseStream: error unmarshalling", "", "Hello", ""},
	{"an empty body", "", "", " success", providers.Network, "", "without a finish"},
	{"an answer to be continued", "", hello + `data: {"candidates":[{"finishReason":"CONTINUATION","continuationToken":"QUFB"}]}` + "\n\n",
		"HelloHello", "", "Hello", ""}, // the library asks again by itself
}

func TestStreamTraps(t *testing.T) {
	var said bytes.Buffer
	before := log.Writer()
	log.SetOutput(&said)
	t.Cleanup(func() { log.SetOutput(before) })
	for _, tt := range streamTraps {
		if tt.name != bothLineEnds {
			tt.wire = strings.ReplaceAll(tt.wire, "\r\n", "\n")
		}
		t.Run(tt.name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header().Set("Content-Type", "text/event-stream")
				if tt.kind != "" {
					w.Header().Set("Content-Type", tt.kind)
				}
				io.WriteString(w, tt.wire)
			}))
			t.Cleanup(server.Close)
			if got := bare(t, server); !strings.HasPrefix(got, tt.bare) {
				t.Errorf("the library alone says %q; the table says %q", got, tt.bare)
			}
			requests = 0
			said.Reset()
			r, err := providers.Ask(t.Context(), newModel(t, server.URL), &providers.Request{})
			if r.Message.Text != tt.text || providers.ClassOf(err) != tt.class || (err == nil) != (tt.class == "") {
				t.Errorf("%q, error %v; want %q and class %q", r.Message.Text, err, tt.text, tt.class)
			}
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error %q does not say %q", err, tt.says)
			}
			if requests != 1 || said.Len() > 0 {
				t.Errorf("%d requests, and the log says %q", requests, &said)
			}
		})
	}
}

// bare returns what the library alone makes of the server's answer.
func bare(t *testing.T, server *httptest.Server) (text string) {
	client, err := library.NewClient(t.Context(), &library.ClientConfig{
		APIKey: key, Backend: library.BackendGeminiAPI, HTTPClient: server.Client(), HTTPOptions: library.HTTPOptions{BaseURL: server.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != nil {
			text += " panic"
		}
	}()
	for chunk, err := range client.Models.GenerateContentStream(t.Context(), "gemini-2.5-flash", library.Text("Hello"), nil) {
		if err != nil {
			return text + " " + err.Error()
		}
		for _, candidate := range chunk.Candidates {
			if candidate.Content != nil {
				for _, part := range candidate.Content.Parts {
					text += part.Text
				}
			}
		}
	}
	return text + " success"
}

func TestRefusals(t *testing.T) {
	status := func(code int, status, message, details string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q,"details":[%s]}}`, code, message, status, details)
	}
	for _, tt := range []struct {
		name   string
		status int
		kind   string
		body   string
		want   providers.Error
		says   string
	}{
		{"a wrong key", 400, "", status(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`), providers.Error{Class: providers.Auth, Code: "API_KEY_INVALID"}, "not valid"},
		{"a key that is not allowed", 403, "", status(403, "PERMISSION_DENIED", "Your API key was reported as leaked.", ""), providers.Error{Class: providers.Auth, Code: "PERMISSION_DENIED"}, "leaked"},
		{"a country that is not allowed", 400, "", status(400, "FAILED_PRECONDITION", "User location is not supported for the API use.", ""), providers.Error{Class: providers.Auth, Code: "FAILED_PRECONDITION"}, "location"},
		{"a missing signature", 400, "", status(400, "INVALID_ARGUMENT", "Function call `f` in the 2. content block is missing a `thought_signature`.", ""), providers.Error{Class: providers.Invalid, Code: "INVALID_ARGUMENT"}, "thought_signature"},
		{"too long", 400, "", status(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).", ""), providers.Error{Class: providers.Overflow, Code: "INVALID_ARGUMENT", Limit: 1048575, Tokens: 1200000}, "exceeds"},
		{"no quota, with the time to wait", 429, "", status(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}`), providers.Error{Class: providers.Rate, Code: "RESOURCE_EXHAUSTED", RetryAfter: 34500 * time.Millisecond}, "quota"},
		{"no quota, with a header", 429, "", status(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", ""), providers.Error{Class: providers.Rate, Code: "RESOURCE_EXHAUSTED", RetryAfter: 3 * time.Second}, "exhausted"},
		{"a list of one", 503, "", "[" + status(503, "UNAVAILABLE", "overloaded", "") + "]", providers.Error{Class: providers.Transient, Code: "UNAVAILABLE", RetryAfter: 3 * time.Second}, "overloaded"},
		{"an error as text", 400, "", `{"error":"model is required"}`, providers.Error{Class: providers.Invalid, RetryAfter: 3 * time.Second}, "model is required"},
		{"no form at all", 500, "text/plain", "upstream connect error", providers.Error{Class: providers.Transient, RetryAfter: 3 * time.Second}, "upstream"},
		{"no body", 502, "", "", providers.Error{Class: providers.Transient, RetryAfter: 3 * time.Second}, "Bad Gateway"},
		{"a page of the wrong address", 404, "text/html", "<html>nginx</html>", providers.Error{Class: providers.Malformed, RetryAfter: 3 * time.Second}, "base URL"},
		{"a page that wants a login", 401, "text/html", "<html>login</html>", providers.Error{Class: providers.Auth, RetryAfter: 3 * time.Second}, "web page"},
		{"a redirect", 307, "text/html", "<a href=x>", providers.Error{Class: providers.Malformed, RetryAfter: 3 * time.Second}, "redirects"},
	} {
		requests := 0
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", tt.kind)
			w.Header().Set("Location", "https://elsewhere.example/")
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		for what, ask := range calls(m) {
			err := ask(t.Context())
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Errorf("%s, %s: error %v", tt.name, what, err)
				continue
			}
			got := providers.Error{Class: e.Class, Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
			want := tt.want
			want.Status = tt.status
			if want.RetryAfter == 0 {
				want.RetryAfter = 3 * time.Second
			}
			if got != want || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s, %s: %+v %q, want %+v and %q", tt.name, what, got, err, want, tt.says)
			}
		}
		if requests != 3 {
			t.Errorf("%s: %d requests", tt.name, requests)
		}
	}
}

// calls are the ways to send a request.
func calls(m *gemini.Model) map[string]func(context.Context) error {
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Hello"}}}
	return map[string]func(context.Context) error{
		"stream": func(ctx context.Context) error { _, err := providers.Ask(ctx, m, req); return err },
		"count":  func(ctx context.Context) error { _, err := m.Count(ctx, req); return err },
		"embed":  func(ctx context.Context) error { _, err := m.Embed(ctx, []string{"a"}); return err },
	}
}

func TestNotReached(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	abort := func(wire string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			geminitest.Stream(wire)(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	waits := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(waits.Close)
	aborts := abort(hello)
	impatient := func(c *gemini.Config) { c.HTTPClient.Timeout = 20 * time.Millisecond }
	for _, tt := range []struct {
		name  string
		model *gemini.Model
		class providers.Class
		text  string
	}{
		{"nobody listens", newModel(t, closed.URL), providers.Network, ""},
		{"no TLS there", newModel(t, strings.Replace(aborts, "http:", "https:", 1)), providers.Malformed, ""},
		{"the connection is reset", newModel(t, aborts), providers.Network, "Hello"},
		{"the connection is reset behind the finish", newModel(t, abort(hello+bye)), "", "Hello"},
		{"a time limit of the client", newModel(t, waits.URL, impatient), providers.Network, ""},
	} {
		r, err := providers.Ask(t.Context(), tt.model, &providers.Request{})
		if providers.ClassOf(err) != tt.class || r.Message.Text != tt.text {
			t.Errorf("%s: %q, error %v, want class %s", tt.name, r.Message.Text, err, tt.class)
		}
	}
	m := newModel(t, waits.URL)
	for what, ask := range calls(m) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := ask(ctx); providers.ClassOf(err) != providers.Cancelled || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v at the deadline", what, err)
		}
		cancel()
	}
}

// TestKeyIsNeverShown has a service that gives back all that it is told, in every way in which an answer fails.
func TestKeyIsNeverShown(t *testing.T) {
	var said bytes.Buffer
	before := log.Writer()
	log.SetOutput(&said)
	t.Cleanup(func() { log.SetOutput(before) })
	for name, answer := range map[string]func(w http.ResponseWriter, told string){
		"a message": func(w http.ResponseWriter, told string) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":%q,"status":%q}}`, told, told)
		},
		"a text":  func(w http.ResponseWriter, told string) { w.WriteHeader(500); io.WriteString(w, told) },
		"inside":  func(w http.ResponseWriter, told string) { fmt.Fprintf(w, "%sdata: {\"error\":%q}\n\n", hello, told) },
		"no JSON": func(w http.ResponseWriter, told string) { fmt.Fprintf(w, "%sdata: %q:\n\n", hello, told) },
		"a finish": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, `{"candidates":[{"finishReason":"OTHER","finishMessage":%q}]}`, told)
		},
		"unary": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, `{"totalTokens":%q,"embeddings":%q}`, told, told)
		},
		"a redirect": func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://127.0.0.1:1/?"+key)
			w.WriteHeader(307)
		},
		"a broken header": func(w http.ResponseWriter, _ string) { w.Header().Set("Content-Length", "5"); w.WriteHeader(500) },
	} {
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			var told strings.Builder
			r.Header.Write(&told)
			answer(w, told.String()+r.URL.String())
		})
		for what, ask := range calls(m) {
			err := ask(t.Context())
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Errorf("%s, %s: error %v", name, what, err)
				continue
			}
			if shown := fmt.Sprintf("%v %+v %#v %#v %s %s", err, err, *e, e.Err, e.Code, &said); strings.Contains(shown, key) {
				t.Errorf("%s, %s: the key is in %s", name, what, shown)
			}
		}
	}
}

// TestRequestsExtendEachOther shows what caches of prompts need: the contents of a request are, byte for byte, the
// beginning of those of the next one, also when the answers came through a store.
func TestRequestsExtendEachOther(t *testing.T) {
	var bodies []string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw))
		geminitest.Stream(geminitest.Data(geminitest.Chunk("STOP", object{"functionCall": object{"name": "list", "args": geminitest.Verbatim(`{"q" : "a<b&", "n": 1.50}`)}, "thoughtSignature": "QUFB"})))(w, r)
	})
	req := &providers.Request{System: "s", Messages: []transcript.Message{{Role: transcript.User, Text: "if a < b && c > d"}}}
	for range 4 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r.Message)
		if err != nil {
			t.Fatal(err)
		}
		var stored transcript.Message
		if err := json.Unmarshal(raw, &stored); err != nil {
			t.Fatal(err)
		}
		call := stored.Calls[0]
		req.Messages = append(req.Messages, stored, transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: "<b>"})
	}
	for i, body := range bodies[1:] {
		before, _, _ := strings.Cut(bodies[i], `],"systemInstruction"`)
		if !strings.HasPrefix(body, before) || strings.Count(body, "QUFB") != i+1 || !strings.Contains(body, "1.50") {
			t.Errorf("request %d does not extend the one before, with its signatures:\n%s\n%s", i+2, bodies[i], body)
		}
	}
}

// TestEditedMessagesLoseTheirParts changes a message and leaves its opaque part there.
func TestEditedMessagesLoseTheirParts(t *testing.T) {
	var body string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
		geminitest.Stream(geminitest.Data(geminitest.Chunk("STOP", object{"text": "Look."}, object{"functionCall": object{"name": "list", "args": object{"p": "."}, "id": "x"}, "thoughtSignature": "QUFB"})))(w, r)
	})
	user := transcript.Message{Role: transcript.User, Text: "go"}
	first, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{user}})
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*transcript.Message){
		"not edited":      func(*transcript.Message) {},
		"another text":    func(m *transcript.Message) { m.Text = "Looked." },
		"other arguments": func(m *transcript.Message) { m.Calls[0].Args = json.RawMessage(`{"p":"elsewhere"}`) },
		"another name":    func(m *transcript.Message) { m.Calls[0].Name = "read" },
		"no list":         func(m *transcript.Message) { m.ProviderData.Data = []byte(`{"functionCall":1}`) },
		"parts of sorts":  func(m *transcript.Message) { m.ProviderData.Data = []byte(`[1,null,"a"]`) },
	} {
		edited := first.Message
		edited.Calls = append([]transcript.ToolCall(nil), edited.Calls...)
		opaque := *edited.ProviderData
		edited.ProviderData = &opaque
		edit(&edited)
		result := transcript.Message{Role: transcript.Tool, CallID: "x", Text: "a.go"}
		if _, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{user, edited, result}}); err != nil {
			t.Fatal(err)
		}
		if kept := strings.Contains(body, "QUFB"); kept != (name == "not edited") || strings.Contains(body, "skip_thought") == kept {
			t.Errorf("%s: sent %s", name, body)
		}
	}
}

// TestLongBody has answers in one piece that are not JSON at their end: the error does not repeat them.
func TestLongBody(t *testing.T) {
	long := `{"model":"` + strings.Repeat("name", 1<<18) + `"}`
	for name, want := range map[string]providers.Class{long + "{}": providers.Malformed, long[:1<<20]: providers.Network} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, name) }))
		m := newModel(t, server.URL)
		for kind, call := range calls(m) {
			err := call(t.Context())
			if kind != "stream" && (err == nil || len(err.Error()) > 1000 || providers.ClassOf(err) != want) {
				text := fmt.Sprint(err)
				t.Errorf("%s: an error of %d bytes, class %q, want %q: %.200s", kind, len(text), providers.ClassOf(err), want, text)
			}
		}
		server.Close()
	}
}
