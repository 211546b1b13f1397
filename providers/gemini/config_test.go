package gemini_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

func TestNewRefuses(t *testing.T) {
	const secret = "s3cr3t-in-the-url"
	for _, tt := range []struct {
		name   string
		config gemini.Config
		says   string
	}{
		{"no name", gemini.Config{Key: key}, "cannot be part of a URL"},
		{"a name that leads elsewhere", gemini.Config{Name: "models/../../v1/x", Key: key}, "cannot be part of a URL"},
		{"a name with a query", gemini.Config{Name: "m?alt=json", Key: key}, "cannot be part of a URL"},
		{"no key", gemini.Config{Name: "m"}, "requires a key"},
		{"credentials", gemini.Config{Name: "m", Key: key, BaseURL: "https://user:" + secret + "@example.com"}, "contains credentials"},
		{"a query", gemini.Config{Name: "m", Key: key, BaseURL: "https://example.com?key=" + secret}, "a query"},
		{"no URL", gemini.Config{Name: "m", Key: key, BaseURL: "https://exa mple.com:" + secret}, "not a URL"},
		{"no scheme", gemini.Config{Name: "m", Key: key, BaseURL: "example.com"}, "does not begin with https://"},
		{"the version", gemini.Config{Name: "m", Key: key, BaseURL: "https://example.com/v1beta/"}, "leave that out"},
		{"not encrypted", gemini.Config{Name: "m", Key: key, BaseURL: "http://example.com"}, "exposes the key"},
		{"a key with a line end", gemini.Config{Name: "m", Key: secret + "\n"}, "the key contains"},
		{"a field of ours", gemini.Config{Name: "m", Key: key, Generation: fields("thinkingConfig", "{}")}, `generationConfig: the extra field "thinkingConfig" is written`},
		{"a field that is not JSON", gemini.Config{Name: "m", Key: key, Generation: fields("temperature", "{")}, `generationConfig: the extra field "temperature" is not JSON`},
	} {
		m, err := gemini.New(tt.config)
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), secret) || m != nil {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
	_, err := gemini.New(gemini.Config{Name: "m"})
	if providers.ClassOf(err) != providers.Auth {
		t.Errorf("a missing key has the class %q", providers.ClassOf(err))
	}
}

func fields(name, value string) map[string]json.RawMessage {
	return map[string]json.RawMessage{name: json.RawMessage(value)}
}

func TestConfigAndModelDoNotShowTheKey(t *testing.T) {
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "https://elsewhere.example") // the library reads it where no URL is given
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	c := gemini.Config{Name: "models/gemini-2.5-pro", Key: key}
	m, err := gemini.New(c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%v %+v %#v %s %v %+v %#v %s %s", c, c, c, c, m, m, m, m, raw)
	if strings.Contains(shown, key) || !strings.Contains(shown, "gemini/models/gemini-2.5-pro at generativelanguage.googleapis.com") {
		t.Errorf("shown: %s", shown)
	}
	if info := m.Info(); info.Rules != transcript.Gemini || !info.StructuredOutput {
		t.Errorf("info %+v", info)
	}
}

func TestRequest(t *testing.T) {
	budget := 0
	req := &providers.Request{
		System: "Be brief.", MaxOutput: 50, Choice: providers.Required, Schema: json.RawMessage(`{"type":"object"}`),
		Messages: []transcript.Message{
			{Role: transcript.User, Text: "a < b"}, {Role: transcript.Assistant}, {Role: transcript.User}, {Role: transcript.User, Text: "c"},
			{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "x", Name: "run"}, {ID: "y", Name: "run", Args: json.RawMessage(`"{oops"`)}}},
			{Role: transcript.Assistant, Text: "More.", Calls: []transcript.ToolCall{{ID: "z", Name: "run"}}},
			{Role: transcript.Tool, CallID: "x"}, {Role: transcript.Tool, CallID: "y", Text: "no", Failed: true}, {Role: transcript.Tool, CallID: "z", Text: "yes"},
			{Role: transcript.User, Text: "on"},
		},
		Tools: []transcript.ToolSchema{{Name: "run"}},
	}
	for _, tt := range []struct{ name, signature string }{
		{"gemini-2.5-flash", ""}, {"gemma-3-27b-it", ""}, {"tunedModels/x-1", ""},
		{"gemini-3-flash", `,"thoughtSignature":"skip_thought_signature_validator"`}, {"models/gemini-3.5-pro", `,"thoughtSignature":"skip_thought_signature_validator"`},
		{"gemini-10-pro", `,"thoughtSignature":"skip_thought_signature_validator"`}, {"gemini-flash-latest", `,"thoughtSignature":"skip_thought_signature_validator"`},
	} {
		var got, path string
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			got, path = string(raw), r.URL.Path
			geminitest.Stream(hello+bye)(w, r)
		}, func(c *gemini.Config) {
			c.Name, c.Generation = tt.name, fields("temperature", "0")
			c.Thinking = gemini.Thinking{Level: "low", Budget: &budget, Show: true}
			c.Safety = map[string]string{"HARM_CATEGORY_HARASSMENT": "BLOCK_NONE", "HARM_CATEGORY_DANGEROUS_CONTENT": "BLOCK_ONLY_HIGH"}
		})
		if _, err := providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		want := `{"contents":[{"role":"user","parts":[{"text":"a < b"},{"text":"c"}]},` +
			`{"role":"model","parts":[{"functionCall":{"id":"x","name":"run","args":{}}` + tt.signature + `},{"functionCall":{"id":"y","name":"run","args":{"unparsed_arguments":"{oops"}}},` +
			`{"text":"More."},{"functionCall":{"id":"z","name":"run","args":{}}` + tt.signature + `}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"x","name":"run","response":{}}},{"functionResponse":{"id":"y","name":"run","response":{"error":"no"}}},` +
			`{"functionResponse":{"id":"z","name":"run","response":{"output":"yes"}}},{"text":"on"}]}],` +
			`"generationConfig":{"maxOutputTokens":50,"responseJsonSchema":{"type":"object"},"responseMimeType":"application/json","temperature":0,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0,"thinkingLevel":"LOW"}},` +
			`"safetySettings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","threshold":"BLOCK_ONLY_HIGH"},{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],` +
			`"systemInstruction":{"parts":[{"text":"Be brief."}]},"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"tools":[{"functionDeclarations":[{"name":"run"}]}]}` + "\n"
		if diff := cmp.Diff(want, strings.ReplaceAll(got, `\u003c`, "<")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !strings.HasSuffix(path, tt.name+":streamGenerateContent") {
			t.Errorf("%s: asked %s", tt.name, path)
		}
	}
}

// TestSampling shows the sampling fields of a request, which replace those of the configuration.
func TestSampling(t *testing.T) {
	zero, half, seed := 0.0, 0.5, int64(7)
	req := &providers.Request{
		Messages:    []transcript.Message{{Role: transcript.User, Text: "go"}},
		Temperature: &zero, TopP: &half, Stop: []string{"END"}, Seed: &seed, ReasoningEffort: "low",
	}
	for name, thinking := range map[string]object{
		"gemini-2.5-flash": {"includeThoughts": true, "thinkingBudget": 1024.0},
		"gemini-3-pro":     {"includeThoughts": true, "thinkingLevel": "LOW"},
	} {
		var body object
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			json.NewDecoder(r.Body).Decode(&body)
			geminitest.Stream(hello+bye)(w, r)
		}, func(c *gemini.Config) {
			c.Name, c.Generation = name, fields("temperature", "1")
			c.Thinking = gemini.Thinking{Level: "high", Show: true}
		})
		if _, err := providers.Ask(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
		want := object{"temperature": 0.0, "topP": 0.5, "stopSequences": []any{"END"}, "seed": 7.0, "thinkingConfig": thinking}
		if diff := cmp.Diff(want, body["generationConfig"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCountAndEmbed(t *testing.T) {
	var asked []string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		var body struct{ Requests []json.RawMessage }
		json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, ":countTokens") {
			io.WriteString(w, `{"totalTokens": 31, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 31}]}`)
			return
		}
		var vectors []object
		for i := range body.Requests {
			vectors = append(vectors, object{"values": []float64{float64(i), 0.25}})
		}
		json.NewEncoder(w).Encode(object{"embeddings": vectors})
	})
	req := &providers.Request{System: "s", Messages: []transcript.Message{{Role: transcript.User, Text: "go"}}, Tools: []transcript.ToolSchema{{Name: "run"}}}
	if n, err := m.Count(t.Context(), req); n != 31 || err != nil {
		t.Errorf("counted %d, error %v", n, err)
	}
	texts := make([]string, 205)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	vectors, err := m.Embed(t.Context(), texts)
	if err != nil || len(vectors) != 205 || vectors[204][0] != 4 || vectors[0][1] != 0.25 {
		t.Errorf("%d vectors, error %v", len(vectors), err)
	}
	if none, err := m.Embed(t.Context(), nil); len(none) != 0 || err != nil || len(asked) != 4 || asked[1] != "/v1beta/models/gemini-embedding-001:batchEmbedContents" {
		t.Errorf("asked %v, for no texts %v, error %v", asked, none, err)
	}
	for _, wrong := range []string{`{}`, `{"totalTokens":0,"embeddings":[]}`, `{"embeddings":[{"values":[1]},{"values":[1]}]}`, "<html>", "", "[]", `{"totalTokens":"x","embeddings":7}`} {
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, wrong) })
		for what, ask := range calls(m) {
			if err := ask(t.Context()); err == nil || what != "stream" && providers.ClassOf(err) != providers.Malformed {
				t.Errorf("%s of %q: error %v", what, wrong, err)
			}
		}
	}
}
