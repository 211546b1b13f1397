package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// at returns a change that makes a configuration that of an endpoint, at the server of the test.
func at(t *testing.T, name string) func(*openai.Config) {
	e, ok := openai.EndpointOf(name)
	if !ok {
		t.Fatalf("there is no endpoint %q", name)
	}
	return func(c *openai.Config) {
		own := e.Config(c.Name, c.Key)
		own.BaseURL, own.HTTPClient, own.Info.StructuredOutput = c.BaseURL, c.HTTPClient, true
		*c = own
	}
}

func TestEndpoints(t *testing.T) {
	names := map[string]bool{}
	for _, e := range openai.Endpoints() {
		found, ok := openai.EndpointOf(e.Name)
		if diff := cmp.Diff(e, found); !ok || diff != "" || names[e.Name] {
			t.Errorf("%s: found %v, twice %v, difference %s", e.Name, ok, names[e.Name], diff)
		}
		names[e.Name] = true
		u, err := url.Parse(e.BaseURL)
		if err != nil || strings.HasSuffix(e.BaseURL, "/") || len(e.Keys) == 0 || e.Source == "" || (u.Scheme == "https") == e.NoKey {
			t.Errorf("%s: %+v, %v", e.Name, e, err)
		}
		m, err := openai.New(e.Config("some-model", ""))
		if e.NoKey != (err == nil) || !e.NoKey && (providers.ClassOf(err) != providers.Auth || !strings.Contains(err.Error(), e.Keys[0])) {
			t.Errorf("%s without a key: %v", e.Name, err)
		}
		if err == nil && m.Info().Provider != e.Name {
			t.Errorf("%s: info %+v", e.Name, m.Info())
		}
		variable := map[string]string{e.Keys[0]: " " + key + "\n"}
		if got, from := e.Key(func(name string) string { return variable[name] }); got != key || from != e.Keys[0] {
			t.Errorf("%s: the key %q from %q", e.Name, got, from)
		}
	}
	for _, name := range strings.Fields("openai ollama openrouter deepseek anthropic groq mistral xai together vllm llamacpp lmstudio") {
		if !names[name] {
			t.Errorf("there is no endpoint %s", name)
		}
	}
	openai.Endpoints()[0].Keys[0] = "CHANGED"
	if e, _ := openai.EndpointOf("openai"); e.Keys[0] != "OPENAI_API_KEY" {
		t.Errorf("the table can be changed from outside: %v", e.Keys)
	}
}

// TestWireAndQuirksFollowTheAddress has configurations that name a known service by its address only.
func TestWireAndQuirksFollowTheAddress(t *testing.T) {
	for base, want := range map[string]string{
		"":                             "/v1/responses max_output_tokens",
		"https://api.mistral.ai/v1":    "/v1/chat/completions max_tokens",
		"https://api.groq.com/v1":      "/v1/chat/completions max_completion_tokens",
		"https://api.x.ai/v1":          "/v1/responses max_output_tokens",
		"https://example.com/v1":       "/v1/chat/completions max_tokens",
		"http://localhost:11434/v1":    "/v1/chat/completions max_tokens",
		"https://api.openai.com.eu/v1": "/v1/chat/completions max_tokens",
	} {
		got := ""
		m, err := openai.New(openai.Config{Name: "m", BaseURL: base, Key: key, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) *http.Response {
			raw, _ := io.ReadAll(r.Body)
			var body map[string]json.RawMessage
			json.Unmarshal(raw, &body)
			got = r.URL.Path
			for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
				if body[name] != nil {
					got += " " + name
				}
			}
			return &http.Response{StatusCode: 500, Header: http.Header{}, Body: http.NoBody, Request: r}
		})}})
		if err != nil {
			t.Fatal(err)
		}
		providers.Ask(t.Context(), m, &providers.Request{MaxOutput: 20})
		if got != want {
			t.Errorf("%q: %s, want %s", base, got, want)
		}
	}
}

// transport answers requests without a network.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// TestQuirks shows each quirk in a request of an endpoint that has it, beside one of an endpoint that has not.
func TestQuirks(t *testing.T) {
	req := &providers.Request{
		MaxOutput: 50, Choice: providers.Required, Schema: json.RawMessage(`{"type":"object"}`),
		Tools: []transcript.ToolSchema{{Name: "run"}},
		Messages: []transcript.Message{
			{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "call_1_1", Name: "run"}, {ID: "Ab3dEf9hI", Name: "run"}}},
			{Role: transcript.Tool, CallID: "call_1_1", Text: "a"}, {Role: transcript.Tool, CallID: "Ab3dEf9hI", Text: "b"},
		},
	}
	field := func(name string) func(object) any { return func(b object) any { return b[name] } }
	ids := func(b object) any {
		ms := b["messages"].([]any)
		calls := ms[0].(object)["tool_calls"].([]any)
		first, second := calls[0].(object)["id"].(string), calls[1].(object)["id"]
		return []any{len(first), second, first == ms[1].(object)["tool_call_id"], second == ms[2].(object)["tool_call_id"]}
	}
	for _, tt := range []struct {
		quirk, with, without string
		look                 func(object) any
		wantWith, want       any
	}{
		{"MaxTokens", "groq", "deepseek", field("max_completion_tokens"), 50.0, nil},
		{"MaxTokens", "groq", "deepseek", field("max_tokens"), nil, 50.0},
		{"NoStreamOptions", "mistral", "deepseek", field("stream_options"), nil, object{"include_usage": true}},
		{"NoForcedTools", "deepseek", "groq", field("tool_choice"), nil, "required"},
		{"NoParallelFlag", "ollama", "groq", field("parallel_tool_calls"), nil, false},
		{"NoSchema", "anthropic", "groq", func(b object) any { return b["response_format"] != nil }, false, true},
		{"ShortIDs", "mistral", "groq", ids, []any{9, "Ab3dEf9hI", true, true}, []any{8, "Ab3dEf9hI", true, true}},
	} {
		one := func(c *openai.Config) { c.Info.NoParallelCalls = true }
		for name, want := range map[string]any{tt.with: tt.wantWith, tt.without: tt.want} {
			body, _ := sent(t, req, at(t, name), one)
			if diff := cmp.Diff(want, tt.look(body)); diff != "" {
				t.Errorf("%s at %s (-want +got):\n%s", tt.quirk, name, diff)
			}
		}
	}
	for name, want := range map[string][2]bool{"ollama": {true, true}, "anthropic": {false, false}, "groq": {false, true}} {
		info := serve(t, stream(""), at(t, name)).Info()
		if got := [2]bool{info.NoForcedTools, info.StructuredOutput}; got != want {
			t.Errorf("%s: no forced tools and structured output are %v, want %v", name, got, want)
		}
	}
}

// TestEndpointHeaders shows the headers of an endpoint, and that a server without a key is sent none.
func TestEndpointHeaders(t *testing.T) {
	_, header := sent(t, &providers.Request{}, at(t, "openrouter"))
	if header.Get("X-Title") != "foray" || header.Get("Authorization") != "Bearer "+key {
		t.Errorf("headers %v", header)
	}
	_, header = sent(t, &providers.Request{}, func(c *openai.Config) { c.Key = "" }, at(t, "ollama"))
	if value, ok := header["Authorization"]; ok {
		t.Errorf("a server without a key is sent %v", value)
	}
}

// TestReasoningFields shows in which field reasoning goes back with calls, for the field in which it came.
func TestReasoningFields(t *testing.T) {
	for _, tt := range []struct{ endpoint, came, back string }{
		{"deepseek", "reasoning_content", "reasoning_content"},
		{"llamacpp", "reasoning_content", "reasoning_content"},
		{"llamacpp", "reasoning", ""},
		{"ollama", "reasoning", "reasoning"},
		{"vllm", "reasoning", "reasoning"},
		{"vllm", "reasoning_content", "reasoning"}, // its older form
		{"groq", "reasoning", ""},
		{"anthropic", "reasoning_content", ""},
	} {
		m, bodies := chatter(t, strings.Replace(calls(`{"index":0,"id":"a","function":{"name":"list"}}`), `"delta":{`, `"delta":{"`+tt.came+`":"why",`, 1), at(t, tt.endpoint))
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		if err != nil || r.Reasoning != "why" {
			t.Fatalf("%s: reasoning %q, error %v", tt.endpoint, r.Reasoning, err)
		}
		if _, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{r.Message}}); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, name := range []string{"reasoning", "reasoning_content"} {
			if strings.Contains((*bodies)[1], `"`+name+`":"why"`) {
				got += name
			}
		}
		if got != tt.back {
			t.Errorf("%s: what came in %s goes back in %q, want %q: %s", tt.endpoint, tt.came, got, tt.back, (*bodies)[1])
		}
	}
}

// chatter answers each request on the chat wire with wire, and keeps the requests.
func chatter(t *testing.T, wire string, change ...func(*openai.Config)) (m *openai.Model, bodies *[]string) {
	bodies = new([]string)
	m = serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(raw))
		stream(wire)(w, r)
	}, change...)
	return m, bodies
}

// TestInfoFollowsTheEndpoint shows what is known of a model by where it is asked, and that Config may say more.
func TestInfoFollowsTheEndpoint(t *testing.T) {
	type known struct {
		Structured bool
		Rules      transcript.Rules
	}
	byName := func(endpoint, model string) openai.Config {
		e, ok := openai.EndpointOf(endpoint)
		if !ok {
			t.Fatalf("no endpoint %s", endpoint)
		}
		return e.Config(model, key)
	}
	moved := byName("xai", "grok-4")
	moved.BaseURL = "https://proxy.example/v1"
	for name, tt := range map[string]struct {
		config openai.Config
		want   known
	}{
		"OpenAI":                   {openai.Config{Name: "gpt-5", Key: key}, known{true, transcript.OpenAI}},
		"OpenAI, by its name":      {byName("openai", "gpt-4o-mini"), known{true, transcript.OpenAI}},
		"an older model":           {byName("openai", "gpt-4-turbo"), known{false, transcript.OpenAI}},
		"a tuned older model":      {openai.Config{Name: "ft:gpt-4:us:x", Key: key}, known{false, transcript.OpenAI}},
		"a newer model":            {openai.Config{Name: "gpt-4.1", Key: key}, known{true, transcript.OpenAI}},
		"Anthropic":                {byName("anthropic", "claude"), known{false, transcript.Anthropic}},
		"xAI, by its address":      {openai.Config{Name: "m", Key: key, BaseURL: "https://api.x.ai/v1"}, known{true, transcript.OpenAI}},
		"a server of this machine": {byName("ollama", "qwen3"), known{false, ""}},
		"a proxy":                  {moved, known{true, transcript.OpenAI}},
		"nobody knows":             {openai.Config{Name: "m", BaseURL: "https://example.com"}, known{}},
		"told": {openai.Config{Name: "m", BaseURL: "https://example.com", Info: providers.Info{StructuredOutput: true, Rules: transcript.Gemini}},
			known{true, transcript.Gemini}},
		"told more than can be": {openai.Config{Name: "m", Key: key, BaseURL: "https://api.deepseek.com", Info: providers.Info{StructuredOutput: true}},
			known{false, transcript.OpenAI}},
	} {
		m, err := openai.New(tt.config)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (known{m.Info().StructuredOutput, m.Info().Rules}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
