package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// noKeys unsets the variables of all keys.
func noKeys(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("ANTHROPIC_BASE_URL", "")
	for _, e := range endpoints {
		for _, name := range e.Keys {
			t.Setenv(name, "")
		}
	}
}

func TestEndpoints(t *testing.T) {
	noKeys(t)
	const key = "sk-0123456789"
	seen := map[string]bool{}
	for _, e := range Endpoints() {
		if seen[e.Name] {
			t.Errorf("%s is there twice", e.Name)
		}
		seen[e.Name] = true
		u, err := url.Parse(e.BaseURL)
		if err != nil || strings.HasSuffix(e.BaseURL, "/") || len(e.Keys) == 0 || e.source == "" || (u.Scheme == "https") == e.NoKey {
			t.Errorf("%s: %+v, %v", e.Name, e, err)
		}
		m, err := Open(e.Name+"/some-model", nil)
		if e.NoKey != (err == nil) || !e.NoKey && providers.ClassOf(err) != providers.Auth {
			t.Errorf("%s without a key: %v", e.Name, err)
		}
		if err == nil && m.Info().Provider != e.Name {
			t.Errorf("%s: info %+v", e.Name, m.Info())
		}
		t.Setenv(e.Keys[0], " "+key+"\n")
		x, err := e.Target("some-model", nil)
		if err != nil || x.key != key || x.KeyVariable != e.Keys[0] || strings.Contains(fmt.Sprintf("%v %+v %#v", x, x, x), key) {
			t.Errorf("%s: the key %q from %q, %v", e.Name, x.key, x.KeyVariable, err)
		}
		t.Setenv(e.Keys[0], "")
	}
	for _, name := range strings.Fields("openai ollama openrouter deepseek anthropic groq mistral xai together vllm llamacpp lmstudio gemini generativeai") {
		if !seen[name] {
			t.Errorf("there is no endpoint %s", name)
		}
	}
	Endpoints()[0].Keys[0] = "CHANGED"
	if e, _ := endpointOf("openai"); e.Keys[0] != "OPENAI_API_KEY" {
		t.Errorf("the table can be changed from outside: %v", e.Keys)
	}
}

// TestSuggestions misspells names of every kind.
func TestSuggestions(t *testing.T) {
	for name, want := range map[string]string{
		"foo/bar":                   "groq/bar",
		"opneai/gpt-4.1":            "openai/gpt-4.1",
		"antropic/claude-haiku-4-5": "anthropic/claude-haiku-4-5",
		"vlm/m":                     "vllm/m",
		"gpt-4.1":                   "openai/gpt-4.1",
		"deepseek-chat":             "deepseek/deepseek-chat",
		"claude-sonet-4":            "anthropic/claude-sonnet-4",
		"opanai/gpt-4.1-min":        "openai/gpt-4.1-min",
		"gpt4o":                     "openai/gpt-4o",
		"gemni":                     "gemini/gemini-3.5-flash",
		"gemini":                    "gemini/gemini-3.5-flash",
		"gemini/":                   "gemini/gemini-3.5-flash",
		"llama3.1:8b":               "ollama/llama3.1:8b",
	} {
		_, err := Open(name, nil)
		var unknown *NameError
		if !errors.As(err, &unknown) || len(unknown.Suggestions) == 0 || unknown.Suggestions[0] != want {
			t.Errorf("%q: %v, %+v, want %s", name, err, unknown, want)
		}
	}
}

func TestNamesThatAreNone(t *testing.T) {
	const form = "must be PROVIDER/MODEL, such as openai/gpt-4.1; providers are openai, "
	for name, want := range map[string]string{
		"": form, "gpt-4.1": form, "/gpt": form, "opneai/gpt-4.1": "unknown provider; known are openai, ",
		"local": "catalog.FindLocal finds it", "openai": "the model is missing",
	} {
		if _, err := Open(name, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// TestWireAndQuirksFollowTheAddress asks other services under the name of OpenAI.
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
		m, err := Open("openai/m", &Options{BaseURL: base, Key: "sk-0123456789", Retries: -1, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) *http.Response {
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

// TestHeaders shows the headers of an endpoint, and that a server without a key is sent none.
func TestHeaders(t *testing.T) {
	noKeys(t)
	for name, want := range map[string][]string{"openrouter/m": {"foray", "Bearer sk-0123456789"}, "ollama/m": {"", ""}} {
		o := &Options{Retries: -1, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) *http.Response {
			if got := []string{r.Header.Get("X-Title"), r.Header.Get("Authorization")}; !slices.Equal(got, want) {
				t.Errorf("%s: headers %q, want %q", name, got, want)
			}
			return &http.Response{StatusCode: 500, Header: http.Header{}, Body: http.NoBody, Request: r}
		})}}
		if want[1] != "" {
			o.Key = "sk-0123456789"
		}
		m, err := Open(name, o)
		if err != nil {
			t.Fatal(err)
		}
		providers.Ask(t.Context(), m, &providers.Request{})
	}
}

// transport answers requests without a network.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// TestInfo shows what is known of a model by its name and address.
func TestInfo(t *testing.T) {
	noKeys(t)
	type known struct {
		Structured bool
		Rules      transcript.Rules
		Window     int
	}
	for name, tt := range map[string]struct {
		model, base string
		want        known
	}{
		"OpenAI":                   {"openai/gpt-5", "", known{true, transcript.OpenAI, 400_000}},
		"an older model":           {"openai/gpt-4-turbo", "", known{false, transcript.OpenAI, 128_000}},
		"Anthropic":                {"anthropic/claude", "", known{true, transcript.Anthropic, 200_000}},
		"xAI, by its address":      {"openai/m", "https://api.x.ai/v1", known{true, transcript.OpenAI, 0}},
		"DeepSeek, by its address": {"openai/m", "https://api.deepseek.com", known{false, transcript.OpenAI, 0}},
		"a server of this machine": {"vllm/qwen3", "", known{false, "", 128_000}},
		"Ollama, asked for enough": {"ollama/qwen3", "", known{false, "", 16_384}},
		"a proxy":                  {"xai/grok-4", "https://proxy.example/v1", known{true, transcript.OpenAI, 0}},
		"Gemini":                   {"gemini/gemini-2.5-pro", "", known{true, transcript.Gemini, 1_000_000}},
	} {
		m, err := Open(tt.model, &Options{BaseURL: tt.base, Key: "sk-0123456789"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (known{m.Info().StructuredOutput, m.Info().Rules, m.Info().Window}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
