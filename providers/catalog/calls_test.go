package catalog

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// TestCallsAsText asks servers that answer with a call in their text. Only that of a local or unknown server is read.
func TestCallsAsText(t *testing.T) {
	noKeys(t)
	const chunk = `data: {"choices":[{"index":0,"delta":{"content":"<tool_call>{\"name\":\"search\",\"arguments\":{}}</tool_call>"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	const native = `{"message":{"content":"<tool_call>{\"name\":\"search\",\"arguments\":{}}</tool_call>"},"done":true}`
	for name, c := range map[string]struct {
		base string
		read bool
	}{
		"llamacpp/m": {"", true}, "ollama/m": {"", true}, "vllm/m": {"https://gpu.example.com/v1", true}, "lmstudio/m": {"", true},
		"openai/m": {"http://localhost:9999/v1", true}, "groq/m": {"", false}, "deepseek/m": {"", false}, "openrouter/m": {"", false},
	} {
		var said []string
		m, err := Open(name, &Options{Key: "sk-0123456789", BaseURL: c.base, Retries: -1, Notify: func(line string) { said = append(said, line) },
			HTTPClient: &http.Client{Transport: transport(func(r *http.Request) *http.Response {
				body := chunk
				if r.URL.Path == "/api/chat" {
					body = native
				}
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
			})}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := providers.Ask(t.Context(), m, &providers.Request{
			Messages: []transcript.Message{{Role: transcript.User, Text: "go"}},
			Tools:    []transcript.ToolSchema{{Name: "search", Schema: []byte(`{"type":"object"}`)}},
		})
		if err != nil || (len(got.Message.Calls) == 1) != c.read || strings.Contains(strings.Join(said, "\n"), "as text") != c.read {
			t.Errorf("%s: %+v, %v, %q", name, got, err, said)
		}
	}
}
