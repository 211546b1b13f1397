package catalog

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestList reads the lists of both dialects, and what is none.
func TestList(t *testing.T) {
	const key = "sk-0123456789"
	for _, tt := range []struct {
		provider, path, header, body string
		want                         []string
	}{
		{"openai", "/models", "Authorization", `{"data":[{"id":"gpt-4.1"},{"id":"text-embedding-3-small"},{"id":"whisper-1"},{"id":"o3"}]}`, []string{"gpt-4.1", "o3"}},
		{"anthropic", "/models", "X-Api-Key", `{"data":[{"id":"claude-haiku-4-5"}],"has_more":false}`, []string{"claude-haiku-4-5"}},
		{"gemini", "/v1beta/models", "X-Goog-Api-Key", `{"models":[{"name":"models/gemini-2.5-flash","supportedGenerationMethods":["generateContent"]},{"name":"models/aqa","supportedGenerationMethods":["generateAnswer"]}]}`, []string{"gemini-2.5-flash"}},
		{"llamacpp", "/models", "Authorization", `{"models":[{"name":"coder"}],"data":[{"id":"coder"},{"id":"other"}]}`, []string{"coder", "other"}},
		{"generativeai", "/v1beta/models", "X-Goog-Api-Key", `{}`, nil},
		{"vllm", "/models", "Authorization", `<html>`, nil},
		{"groq", "/models", "Authorization", `{"data":[{"id":"` + key + `"},{"id":""}]}`, nil},
		{"xai", "/models", "Authorization", `{"data":"` + strings.Repeat("x", maxListBytes) + `"}`, nil},
		{"mistral", "/models", "Authorization", "redirect", nil},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != tt.path || !strings.HasSuffix(r.Header.Get(tt.header), key) || strings.Contains(r.URL.String(), key) {
				t.Errorf("%s: asked for %v with %v", tt.provider, r.URL, r.Header)
			}
			if tt.body == "redirect" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			fmt.Fprint(w, tt.body)
		}))
		e, _ := endpointOf(tt.provider)
		x, err := e.Target("", &Options{Key: key, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.List(t.Context()); !slices.Equal(got, tt.want) {
			t.Errorf("%s: listed %q, want %q", tt.provider, got, tt.want)
		}
		server.Close()
		if got := x.List(t.Context()); got != nil {
			t.Errorf("%s: a server that is gone lists %q", tt.provider, got)
		}
	}
}
