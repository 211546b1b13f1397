package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// TestEncryptedReasoningStaysWithItsAccount sends an answer with encrypted reasoning back with the key that it was
// issued for, and with another one. Its text and calls are sent in any case.
func TestEncryptedReasoningStaysWithItsAccount(t *testing.T) {
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(raw)
		stream(items(reasoned, message, called)+completed)(w, r)
	}))
	defer server.Close()
	model := func(key string) *openai.Model {
		return newModel(t, server.URL, onResponses, func(c *openai.Config) { c.Key = key })
	}
	question := transcript.Message{Role: transcript.User, Text: "What is here?"}
	r, err := providers.Ask(t.Context(), model("sk-one-0123456789"), &providers.Request{Messages: []transcript.Message{question}})
	if err != nil {
		t.Fatal(err)
	}
	again := &providers.Request{Messages: []transcript.Message{question, r.Message,
		{Role: transcript.Tool, CallID: "call_a", Name: "list", Text: "a.go"}}}
	for key, want := range map[string]bool{"sk-one-0123456789": true, "sk-two-0123456789": false} {
		if _, err := providers.Ask(t.Context(), model(key), again); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(body, `"encrypted_content":"`); got != want {
			t.Errorf("%s: reasoning sent %v, want %v: %s", key, got, want, body)
		}
		for _, text := range []string{"Let me look.", "call_a", "a.go"} {
			if !strings.Contains(body, text) {
				t.Errorf("%s: %q is missing in %s", key, text, body)
			}
		}
	}
	if strings.Contains(r.Message.ProviderData.Dialect, "sk-one") {
		t.Errorf("the dialect %q holds the key", r.Message.ProviderData.Dialect)
	}
}
