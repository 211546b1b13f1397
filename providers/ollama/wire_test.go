package ollama_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/ollama"
	"github.com/forayhq/foray/providers/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-0123456789"

// serve returns a model whose server answers with handler.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*ollama.Config)) *ollama.Model {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := ollama.Config{Name: "qwen3", BaseURL: server.URL + "/v1", Key: key, HTTPClient: providertest.Client(t)}
	for _, f := range change {
		f(&c)
	}
	m, err := ollama.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestContract(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Structured: true, Plain: true, NoClass: []providers.Class{providers.Refused},
		New: func(t *testing.T, turns ...providertest.Turn) providers.Model {
			return serve(t, providertest.Turns(t, turns, answer))
		},
	})
}

type object = map[string]any

// refusals are the answers of the errors by class.
var refusals = map[providers.Class]struct {
	status int
	body   string
}{
	providers.Auth:      {401, `{"error":"unauthorized: the key ` + key + ` is wrong"}`},
	providers.Invalid:   {404, `{"error":"model 'qwen3' not found"}`},
	providers.Overflow:  {400, `{"error":"request (%[2]d tokens) exceeds the available context size (%[1]d tokens), try increasing it"}`},
	providers.Rate:      {429, `{"error":"you have reached your hourly usage limit"}`},
	providers.Transient: {503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`},
	providers.Malformed: {200, "<!doctype html><title>Welcome</title>"},
}

// answer plays a turn as Ollama does.
func answer(w http.ResponseWriter, r *http.Request, turn providertest.Turn) {
	raw, _ := io.ReadAll(r.Body)
	if fault := providertest.Missing(strings.Join(told(raw), "\n"), turn); fault != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, line(object{"error": fault}))
		return
	}
	if r.URL.Path != "/api/chat" {
		http.NotFound(w, r)
		return
	}
	if turn.Class != "" && len(turn.Text) == 0 {
		if turn.Wait > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(turn.Wait.Seconds()))
		}
		w.WriteHeader(refusals[turn.Class].status)
		body := refusals[turn.Class].body
		if turn.Limit > 0 {
			body = fmt.Sprintf(body, turn.Limit, turn.Tokens)
		}
		fmt.Fprint(w, body)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	providertest.Write(w, r, turn, lines(turn))
}

// lines returns the turn on the wire.
func lines(turn providertest.Turn) []string {
	said := func(m object) string {
		m["role"] = "assistant"
		return line(object{"model": "qwen3", "created_at": "2026-11-22T14:00:00Z", "message": m, "done": false})
	}
	out := []string{said(object{"content": ""})}
	for _, piece := range append(turn.Reasoning[:len(turn.Reasoning):len(turn.Reasoning)], turn.Signature) {
		if piece != "" {
			out = append(out, said(object{"content": "", "thinking": piece}))
		}
	}
	for _, piece := range turn.Text {
		out = append(out, said(object{"content": piece}))
	}
	for i, c := range turn.Calls {
		args := any(strings.Join(c.Args, ""))
		if raw := json.RawMessage(args.(string)); json.Valid(raw) {
			args = raw
		}
		made := said(object{"content": "", "tool_calls": []object{{"id": c.ID, "function": object{"name": c.Name, "arguments": args}}}})
		if turn.Fault == providertest.CutCall && i == len(turn.Calls)-1 {
			made = made[:len(made)/2]
		}
		out = append(out, made)
	}
	switch {
	case turn.Class != "":
		return append(out, line(object{"error": "llama runner process has terminated", "status": 500}))
	case turn.Fault != "":
		return out
	}
	reason := "stop"
	if turn.Finish == providers.Length {
		reason = "length"
	}
	last := object{"model": "qwen3", "message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
		"total_duration": int64(4883583458), "load_duration": 1334875}
	if u := turn.Usage; u.Input > 0 {
		last["prompt_eval_count"], last["eval_count"] = u.Input, u.Output
	}
	return append(out, line(last))
}

func line(v any) string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}

// told returns the strings of a JSON text in their order.
func told(raw []byte) []string {
	var out []string
	decoder := json.NewDecoder(bytes.NewReader(raw))
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

// TestRequest compares a whole request.
func TestRequest(t *testing.T) {
	var got string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got = r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(raw)
		io.WriteString(w, `{"message":{"role":"assistant","content":"ok"},"done":true,"eval_count":3,"eval_duration":1500000000}`)
	}, func(c *ollama.Config) { c.Window = 16384 })
	warm, seed := .5, int64(7)
	call := transcript.ToolCall{ID: "c1", Name: "read", Args: json.RawMessage(`{"path":"a.go"}`)}
	resp, err := providers.Ask(t.Context(), m, &providers.Request{
		System: "Read code.", MaxOutput: 500, Temperature: &warm, Seed: &seed, Stop: []string{"END"}, ReasoningEffort: "low",
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "a.go? <b>"},
			{Role: transcript.Assistant},
			{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}, ProviderData: &transcript.ProviderData{
				Dialect: "ollama", Model: "qwen3", Data: []byte("read it first")}},
			{Role: transcript.Tool, CallID: "c1", Name: "read"},
		},
		Tools:  []transcript.ToolSchema{{Name: "read", Description: "reads"}},
		Schema: json.RawMessage(`{"type":"object"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `/api/chat Bearer ` + key + ` {"model":"qwen3","messages":[{"role":"system","content":"Read code."},` +
		`{"role":"user","content":"a.go? <b>"},{"role":"assistant","content":"","thinking":"read it first",` +
		`"tool_calls":[{"id":"c1","function":{"name":"read","arguments":{"path":"a.go"}}}]},` +
		`{"role":"tool","content":"(no output)","tool_name":"read","tool_call_id":"c1"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object","properties":{}}}}],` +
		`"format":{"type":"object"},"think":"low",` +
		`"options":{"num_ctx":16384,"num_predict":500,"seed":7,"stop":["END"],"temperature":0.5},` +
		`"stream":true,"truncate":false,"shift":false}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if resp.Usage.Output != 3 || resp.Usage.WriteTime != 1.5 {
		t.Errorf("usage %+v", resp.Usage)
	}
	if info := m.Info(); info.Window != 16384 || !info.NoForcedTools {
		t.Errorf("info %+v", info)
	}
}

// TestChoiceNone sends no tools.
func TestChoiceNone(t *testing.T) {
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if raw, _ := io.ReadAll(r.Body); bytes.Contains(raw, []byte("tools")) {
			t.Errorf("the request has tools: %s", raw)
		}
		io.WriteString(w, `{"message":{"content":"ok"},"done":true}`)
	})
	req := &providers.Request{Tools: []transcript.ToolSchema{{Name: "read"}}, Choice: providers.None}
	if _, err := providers.Ask(t.Context(), m, req); err != nil {
		t.Error(err)
	}
}

// TestBadAnswers reads what other servers and older versions send.
func TestBadAnswers(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		class  providers.Class
		text   string
	}{
		{200, `{"message":{"content":"ok"},"done":true,"prompt_eval_count":8192}`, providers.Overflow, "truncated"},
		{400, `{"error":"the input length exceeds the context length"}`, providers.Overflow, "exceeds"},
		{200, `{"message":{"content":"ok"},"done":true,"prompt_eval_count":"12","eval_duration":1e99}`, "", ""},
		{200, `{"message":{"content":"It is"},"done":false}`, providers.Network, ""},
		{200, ``, providers.Network, "is Ollama at"},
		{200, `{"object":"list","data":[]}`, providers.Malformed, "is Ollama at"},
		{200, `{"message":"hello"}`, providers.Malformed, "is Ollama at"},
		{200, `[1,2]`, providers.Malformed, "is Ollama at"},
		{200, "data: {}\n\n", providers.Malformed, "is Ollama at"},
		{200, `{"message":{"content":"It"},"done":false}` + "\n" + `not JSON`, providers.Malformed, "other than JSON"},
		{200, `{"error":"an error was encountered while running the model"}`, providers.Transient, "encountered"},
		{404, `404 page not found`, providers.Invalid, "not found"},
		{400, `{"error":"registry.ollama.ai/library/x does not support tools"}`, providers.Invalid, "does not support tools"},
		{500, `{"error":"bad key ` + key + `"}`, providers.Transient, "[secret]"},
		{302, ``, providers.Malformed, "redirects"},
	} {
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		}, func(c *ollama.Config) { c.Window = 8192 })
		_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}})
		says := fmt.Sprint(err)
		if providers.ClassOf(err) != tt.class || !strings.Contains(says, tt.text) || strings.Contains(says, key) {
			t.Errorf("%d %s: %v, want %s, %q", tt.status, tt.body, err, tt.class, tt.text)
		}
	}
}

func TestNew(t *testing.T) {
	for _, c := range []ollama.Config{
		{}, {Name: "m", BaseURL: "ftp://x"}, {Name: "m", BaseURL: "http://192.0.2.7"}, {Name: "m", Key: "two words"},
		{Name: "m", BaseURL: "http://me:" + key + "@host"},
	} {
		if _, err := ollama.New(c); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%#v: %v", c, err)
		}
	}
	m, err := ollama.New(ollama.Config{Name: "qwen3", Key: key})
	if err != nil || strings.Contains(fmt.Sprintf("%v %+v %#v", m, m, m), key) || m.String() != "ollama/qwen3 at localhost:11434" {
		t.Errorf("%v, %v", m, err)
	}
}
