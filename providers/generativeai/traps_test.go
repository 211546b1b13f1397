package generativeai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/generativeai"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

// hello and bye are events as the service writes them.
const (
	hello = `data: {"candidates": [{"content": {"parts": [{"text": "Hello"}],"role": "model"}}],"usageMetadata": {"promptTokenCount": 11,"totalTokenCount": 11},"modelVersion": "gemini-2.5-flash"}` + "\n\n"
	bye   = `data: {"candidates": [{"content": {"parts": [{"text": ""}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 11,"candidatesTokenCount": 2,"totalTokenCount": 20,"thoughtsTokenCount": 7}}` + "\n\n"
)

// ended returns an event that ends an answer.
func ended(reason string) string {
	return `data: {"candidates":[{"finishReason":"` + reason + `"}]}` + "\n\n"
}

func TestStreams(t *testing.T) {
	for _, tt := range []struct {
		name, wire string
		want       string // text, calls, finish, or the class of the error
		usage      providers.Usage
	}{
		{"an answer", hello + bye, "Hello stop", providers.Usage{Input: 11, Output: 9, Reasoning: 7}},
		{"thoughts are no text", `data: {"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true,"thoughtSignature":"QUFB"},{"text":"Hello"}]}}]}` + "\n\n" + bye,
			"Hello stop", providers.Usage{Input: 11, Output: 9, Reasoning: 7}},
		{"numbers and ids", `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"x","name":"f","args":{"z":12345678901234567890,"a":1.50}}},{"functionCall":{"name":"f"}}]}}]}` + "\n\n" + ended("STOP"),
			`x f {"z":12345678901234567890,"a":1.50} call_1_2 f {} calls`, providers.Usage{}},
		{"withheld", hello + `data: {"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":5,"totalTokenCount":6,"candidatesTokenCount":1}}` + "\n\n",
			"Hello filtered", providers.Usage{Input: 5, Output: 1}},
		{"recited", hello + ended("RECITATION"), "Hello filtered", providers.Usage{Input: 11}},
		{"a reason that the library does not know", hello + ended("MODEL_ARMOR"), "Hello filtered", providers.Usage{Input: 11}},
		{"a reason that nobody knows", hello + ended("WHIM"), "Hello stop", providers.Usage{Input: 11}},
		{"too long", hello + ended("MAX_TOKENS"), "Hello length", providers.Usage{Input: 11}},
		{"a prompt that was blocked", `data: {"promptFeedback":{"blockReason":"SAFETY"}}` + "\n\n", "filtered", providers.Usage{}},
		{"a prompt that was blocked, for a new reason", `data: {"promptFeedback":{"blockReason":"JAILBREAK"}}` + "\n\n", "filtered", providers.Usage{}},
		{"a call that cannot be read", hello + ended("MALFORMED_FUNCTION_CALL"), "Hello transient", providers.Usage{Input: 11}},
		{"an unexpected call", ended("UNEXPECTED_TOOL_CALL"), "transient", providers.Usage{}},
		{"an error inside", hello + `data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}` + "\n\n", "Hello transient", providers.Usage{Input: 11}},
		{"no finish", hello, "Hello network", providers.Usage{Input: 11}},
		{"cut", hello + `data: {"candidates"`, "Hello network", providers.Usage{Input: 11}},
		{"no JSON", hello + "data: {candidates}\n\n", "Hello malformed", providers.Usage{Input: 11}},
		{"another form", `data: {"candidates":"none"}` + "\n\n", "malformed", providers.Usage{}},
		{"a part of another form", `data: {"candidates":[{"content":{"parts":[{"functionCall":7}]}}]}` + "\n\n", "malformed", providers.Usage{}},
		{"a page", "<!doctype html><title>Welcome</title>", "malformed", providers.Usage{}},
		{"comments and a mark of the end", ": hi\n\n" + hello + "event: x\n" + bye + "data: [DONE]\n\n", "Hello stop", providers.Usage{Input: 11, Output: 9, Reasoning: 7}},
		{"nothing", "", "network", providers.Usage{}},
	} {
		r, err := providers.Ask(t.Context(), serve(t, geminitest.Stream(tt.wire)), question())
		got := r.Message.Text
		for _, c := range r.Message.Calls {
			got += fmt.Sprintf(" %s %s %s", c.ID, c.Name, c.Args)
		}
		got = strings.TrimSpace(got + " " + string(r.Finish) + string(providers.ClassOf(err)))
		if err != nil {
			tt.usage = providers.Usage{} // of an answer that failed, none is told
		}
		if got != tt.want || r.Usage != tt.usage {
			t.Errorf("%s: %s %+v, want %s %+v (error %v)", tt.name, got, r.Usage, tt.want, tt.usage, err)
		}
	}
}

func question() *providers.Request {
	return &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Hello"}}}
}

// asks are the ways to send a request.
func asks(m *generativeai.Model) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"stream": func(ctx context.Context) error { _, err := providers.Ask(ctx, m, question()); return err },
		"count":  func(ctx context.Context) error { _, err := m.Count(ctx, question()); return err },
		"embed":  func(ctx context.Context) error { _, err := m.Embed(ctx, []string{"a"}); return err },
	}
}

// TestRefusalsAreNotRetried shows that the library, which tries some requests again by itself, does not.
func TestRefusalsAreNotRetried(t *testing.T) {
	for status, want := range map[int]providers.Error{
		429: {Class: providers.Rate, Status: 429, Code: "RESOURCE_EXHAUSTED", RetryAfter: 2500 * time.Millisecond},
		503: {Class: providers.Transient, Status: 503, Code: "UNAVAILABLE", RetryAfter: 2500 * time.Millisecond},
		400: {Class: providers.Overflow, Status: 400, Code: "INVALID_ARGUMENT", RetryAfter: 2500 * time.Millisecond, Limit: 8192, Tokens: 9021},
	} {
		requests := 0
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.WriteHeader(status)
			text := map[int]string{400: "The input token count (9021) exceeds the maximum number of tokens allowed (8192)."}[status]
			fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"status":%q,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}`, status, text+" no", want.Code)
		})
		for what, ask := range asks(m) {
			var e *providers.Error
			if err := ask(t.Context()); !errors.As(err, &e) {
				t.Errorf("%d, %s: error %v", status, what, err)
				continue
			}
			got := providers.Error{Class: e.Class, Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
			if got != want {
				t.Errorf("%d, %s: %+v, want %+v", status, what, got, want)
			}
		}
		if requests != 3 {
			t.Errorf("%d: %d requests", status, requests)
		}
	}
}

// TestKeyIsNeverShown has a service that gives back all that it is told, and one that is not there, for which the
// transport's error shows the URL.
func TestKeyIsNeverShown(t *testing.T) {
	var said bytes.Buffer
	before := log.Writer()
	log.SetOutput(&said)
	t.Cleanup(func() { log.SetOutput(before) })
	echo := func(w http.ResponseWriter, r *http.Request) {
		var told strings.Builder
		r.Header.Write(&told)
		w.WriteHeader(401)
		fmt.Fprintf(w, `{"error":{"message":%q,"status":%q}}`, told.String()+r.URL.String(), told.String())
	}
	models := []*generativeai.Model{
		serve(t, echo), newModel(t, "http://127.0.0.1:1"),
		serve(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "data: %s\n\n", r.Header.Get("X-Goog-Api-Key"))
		}),
	}
	for i, m := range models {
		for what, ask := range asks(m) {
			err := ask(t.Context())
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Errorf("%d, %s: error %v", i, what, err)
				continue
			}
			if shown := fmt.Sprintf("%v %+v %#v %#v %s", err, err, *e, e.Err, &said); strings.Contains(shown, key) {
				t.Errorf("%d, %s: the key is in %s", i, what, shown)
			}
		}
	}
	c := generativeai.Config{Name: "gemini-2.5-flash", Key: key}
	raw, err := json.Marshal(c)
	if shown := fmt.Sprintf("%v %+v %#v %v %+v %#v %s", c, c, c, models[0], models[0], models[0], raw); err != nil || strings.Contains(shown, key) {
		t.Errorf("the key is in %s", shown)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct{ name, base, key, says string }{
		{"gemini-3-pro-preview", "", key, "use gemini/gemini-3-pro-preview"},
		{"models/gemini-3.5-flash", "", key, "use gemini/gemini-3.5-flash"},
		{"gemini-12-pro", "", key, "use gemini/gemini-12-pro"},
		{"gemini-flash-latest", "", key, "use gemini/gemini-flash-latest"},
		{"", "", key, "cannot be part of a URL"},
		{"../secrets", "", key, "cannot be part of a URL"},
		{"gemini-2.5-pro", "", "", "requires a key"},
		{"gemini-2.5-pro", "", "a\nb", "the key contains"},
		{"gemini-2.5-pro", "http://example.com", key, "exposes the key"},
		{"gemini-2.5-pro", "https://example.com/v1beta", key, "leave that out"},
		{"gemini-2.5-pro", "https://u:p4ss@example.com", key, "credentials"},
	} {
		m, err := generativeai.New(generativeai.Config{Name: tt.name, BaseURL: tt.base, Key: tt.key})
		if err == nil || m != nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "p4ss") {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
	for _, name := range []string{"gemini-2.5-flash", "gemini-1.5-pro-002", "models/gemini-2.0-flash", "gemma-3-27b-it", "tunedModels/x-1"} {
		if _, err := generativeai.New(generativeai.Config{Name: name, Key: key}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNewCallsNobody listens where the library's client for caches would call over gRPC.
func TestNewCallsNobody(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{})
	go func() {
		defer close(called)
		if conn, err := listener.Accept(); err == nil {
			conn.Close()
			called <- struct{}{}
		}
	}()
	newModel(t, "http://"+listener.Addr().String())
	select {
	case <-called:
		t.Error("somebody called")
	case <-time.After(100 * time.Millisecond):
	}
	listener.Close()
	for range called {
	}
}

func TestRequest(t *testing.T) {
	req := &providers.Request{
		System: "Be brief.", MaxOutput: 50, Choice: providers.None, Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":["string","null"]}}}`),
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "a < b \xff"}, {Role: transcript.Assistant}, {Role: transcript.User, Text: "c"},
			{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "x", Name: "run", Args: json.RawMessage(`{"p":[1,null]}`)}, {ID: "y", Name: "run", Args: json.RawMessage(`"{oops"`)}}},
			{Role: transcript.Tool, CallID: "x"}, {Role: transcript.Tool, CallID: "y", Text: "no", Failed: true},
			{Role: transcript.User, Text: "on"},
		},
		Tools: []transcript.ToolSchema{{Name: "run"}},
	}
	var got any
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&got)
		geminitest.Stream(hello+bye)(w, r)
	})
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte(`{"model":"models/gemini-2.5-flash","systemInstruction":{"parts":[{"text":"Be brief."}]},
		"contents":[{"role":"user","parts":[{"text":"a < b \ufffd"},{"text":"c"}]},
		{"role":"model","parts":[{"functionCall":{"name":"run","args":{"p":[1,null]}}},{"functionCall":{"name":"run","args":{"unparsed_arguments":"{oops"}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"run","response":{}}},{"functionResponse":{"name":"run","response":{"error":"no"}}},{"text":"on"}]}],
		"tools":[{"functionDeclarations":[{"name":"run"}]}],"toolConfig":{"functionCallingConfig":{"mode":3}},
		"generationConfig":{"candidateCount":1,"maxOutputTokens":50,"responseMimeType":"application/json",
		"responseSchema":{"type":6,"properties":{"a":{"type":1,"nullable":true}}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	for name, bad := range map[string]*providers.Request{
		"no messages":   {},
		"the model's":   {Messages: []transcript.Message{{Role: transcript.User, Text: "a"}, {Role: transcript.Assistant, Text: "b"}}},
		"a bad schema":  {Messages: req.Messages, Tools: []transcript.ToolSchema{{Name: "run", Schema: json.RawMessage(`{"type":`)}}},
		"a bad answer":  {Messages: req.Messages, Schema: json.RawMessage(`{"$ref":"#/$defs/none"}`)},
		"a loop within": {Messages: req.Messages, Schema: json.RawMessage(`{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`)},
	} {
		if _, err := providers.Ask(t.Context(), m, bad); providers.ClassOf(err) != providers.Invalid {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestCountAndEmbed(t *testing.T) {
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Requests []json.RawMessage }
		json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, ":countTokens") {
			io.WriteString(w, `{"totalTokens": 31}`)
			return
		}
		var vectors []object
		for i := range body.Requests {
			vectors = append(vectors, object{"values": []float64{float64(i), 0.25}})
		}
		json.NewEncoder(w).Encode(object{"embeddings": vectors})
	})
	if n, err := m.Count(t.Context(), question()); n != 31 || err != nil {
		t.Errorf("counted %d, error %v", n, err)
	}
	long := question()
	long.Messages = append(long.Messages, transcript.Message{Role: transcript.Assistant, Text: "Hi"}, transcript.Message{Role: transcript.User, Text: "on"})
	if _, err := m.Count(t.Context(), long); err == nil || !strings.Contains(err.Error(), "use gemini/") {
		t.Errorf("a conversation: error %v", err)
	}
	vectors, err := m.Embed(t.Context(), strings.Fields(strings.Repeat("text ", 205)))
	if err != nil || len(vectors) != 205 || vectors[204][0] != 4 || vectors[0][1] != 0.25 {
		t.Errorf("%d vectors, error %v", len(vectors), err)
	}
	for _, wrong := range []string{`{}`, `{"embeddings":[{"values":[1]},{"values":[1]}]}`, "<html>", "", "[]", `{"totalTokens":"x","embeddings":7}`} {
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, wrong) })
		for what, ask := range asks(m) {
			if err := ask(t.Context()); err == nil || what != "stream" && providers.ClassOf(err) != providers.Malformed {
				t.Errorf("%s of %q: error %v", what, wrong, err)
			}
		}
	}
}

// TestSampling shows the sampling fields that the library can send, and refuses the others.
func TestSampling(t *testing.T) {
	zero, half, seed := 0.0, 0.5, int64(7)
	var config map[string]any
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct{ GenerationConfig map[string]any }
		json.NewDecoder(r.Body).Decode(&body)
		config = body.GenerationConfig
		geminitest.Stream(ended("STOP"))(w, r)
	})
	req := question()
	req.Temperature, req.TopP, req.Stop = &zero, &half, []string{"END"}
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"temperature": 0.0, "topP": 0.5, "stopSequences": []any{"END"}}
	for name := range want {
		if diff := cmp.Diff(want[name], config[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, req := range []*providers.Request{{Seed: &seed}, {ReasoningEffort: "low"}} {
		req.Messages = question().Messages
		if _, err := providers.Ask(t.Context(), m, req); providers.ClassOf(err) != providers.Invalid {
			t.Errorf("%+v: %v", req, err)
		}
	}
}
