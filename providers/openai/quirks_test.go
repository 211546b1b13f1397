package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// quirks are those of a few servers, as package catalog describes them.
var quirks = map[string]openai.Quirks{
	"groq":      {MaxTokens: "max_completion_tokens", Reasoning: "reasoning", NoReasoningBack: true},
	"deepseek":  {NoForcedTools: true, NoParallelFlag: true, NoSchema: true},
	"mistral":   {NoStreamOptions: true, NoReasoningBack: true, ShortIDs: true},
	"ollama":    {Reasoning: "reasoning", NoForcedTools: true, NoParallelFlag: true},
	"anthropic": {NoSchema: true, NoReasoningBack: true},
	"vllm":      {Reasoning: "reasoning", MaxTokens: "max_completion_tokens"},
	"llamacpp":  {}, // less Progress, whose field OpenAI's schema does not have
}

// at returns a change that gives a configuration the quirks of a server.
func at(name string) func(*openai.Config) {
	return func(c *openai.Config) {
		q := quirks[name]
		c.Wire, c.Quirks, c.Info.Provider, c.Info.StructuredOutput = openai.Chat, &q, name, true
	}
}

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
			body, _ := sent(t, req, at(name), one)
			if diff := cmp.Diff(want, tt.look(body)); diff != "" {
				t.Errorf("%s at %s (-want +got):\n%s", tt.quirk, name, diff)
			}
		}
	}
	for name, want := range map[string][2]bool{"ollama": {true, true}, "anthropic": {false, false}, "groq": {false, true}} {
		info := serve(t, stream(""), at(name)).Info()
		if got := [2]bool{info.NoForcedTools, info.StructuredOutput}; got != want {
			t.Errorf("%s: no forced tools and structured output are %v, want %v", name, got, want)
		}
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
		m, bodies := chatter(t, strings.Replace(calls(`{"index":0,"id":"a","function":{"name":"list"}}`), `"delta":{`, `"delta":{"`+tt.came+`":"why",`, 1), at(tt.endpoint))
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

// TestOwnService shows what New fills in for OpenAI itself and for any other server.
func TestOwnService(t *testing.T) {
	type known struct {
		Structured bool
		Rules      transcript.Rules
		Window     int
	}
	for name, tt := range map[string]struct {
		config openai.Config
		want   known
	}{
		"OpenAI":              {openai.Config{Name: "gpt-5", Key: key}, known{true, transcript.OpenAI, 400_000}},
		"an older model":      {openai.Config{Name: "gpt-4-turbo", Key: key}, known{false, transcript.OpenAI, 128_000}},
		"a tuned older model": {openai.Config{Name: "ft:gpt-4:us:x", Key: key}, known{false, transcript.OpenAI, 0}},
		"another server":      {openai.Config{Name: "m", BaseURL: "https://example.com"}, known{}},
		"what Config says": {openai.Config{Name: "m", BaseURL: "https://example.com", Window: 9_000,
			Info: providers.Info{StructuredOutput: true, Rules: transcript.Gemini}}, known{true, transcript.Gemini, 9_000}},
		"a quirk takes away": {openai.Config{Name: "m", Key: key, BaseURL: "https://example.com", Quirks: &openai.Quirks{NoSchema: true},
			Info: providers.Info{StructuredOutput: true}}, known{}},
	} {
		m, err := openai.New(tt.config)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (known{m.Info().StructuredOutput, m.Info().Rules, m.Info().Window}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	if _, err := openai.New(openai.Config{Name: "gpt-5"}); providers.ClassOf(err) != providers.Auth || strings.Contains(err.Error(), "not set") {
		t.Errorf("without a key: %v", err)
	}
}

// TestNoJinja has a llama.cpp that was started without tools: to ask it again is useless, whatever its status says.
func TestNoJinja(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`)
	}))
	defer server.Close()
	m, err := openai.New(openai.Config{Name: "m", BaseURL: server.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "hi"}}})
	if providers.ClassOf(err) != providers.Invalid {
		t.Error(err)
	}
}
