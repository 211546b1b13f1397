package strict_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest/strict"
	"github.com/forayhq/foray/providers/scripted"
)

// ruled is a model that enforces rules.
type ruled struct {
	providers.Model
	rules transcript.Rules
}

func (r ruled) Info() providers.Info {
	info := r.Model.Info()
	info.Rules = r.rules
	return info
}

// TestRefusal changes one thing of a conversation at a time.
func TestRefusal(t *testing.T) {
	said := func(text string) transcript.Message { return transcript.Message{Role: transcript.User, Text: text} }
	for name, c := range map[string]struct {
		rules  transcript.Rules
		change func(*providers.Request)
		want   string // in the refusal; "": answered
		kept   int    // of two parts
	}{
		"nothing":             {"", func(*providers.Request) {}, "", 2},
		"a longer end":        {"", func(r *providers.Request) { r.Messages[4].Text += "!" }, "", 2},
		"a part missing":      {"", func(r *providers.Request) { r.Messages[3].ProviderData = nil }, "", 1},
		"all parts missing":   {"", func(r *providers.Request) { r.Messages[1].ProviderData, r.Messages[3].ProviderData = nil, nil }, "", 0},
		"the first missing":   {"", func(r *providers.Request) { r.Messages[1].ProviderData = nil }, "messages.3: `thinking`", 0},
		"a changed prompt":    {transcript.OpenAI, func(r *providers.Request) { r.Messages[0].Text += " " }, "input[1]: the encrypted content", 0},
		"a changed system":    {transcript.Gemini, func(r *providers.Request) { r.System = "x" }, "contents[1]: thought signature is not valid", 0},
		"a tool":              {transcript.Anthropic, func(r *providers.Request) { r.Tools = []transcript.ToolSchema{{Name: "read"}} }, "messages.1: `thinking`", 0},
		"an edited answer":    {"", func(r *providers.Request) { r.Messages[1].Text = "on" }, "messages.1", 0},
		"a message in front":  {"", func(r *providers.Request) { r.Messages = append([]transcript.Message{said("x")}, r.Messages...) }, "messages.2", 0},
		"a part of another":   {"", func(r *providers.Request) { r.Messages[3].ProviderData = r.Messages[1].ProviderData }, "messages.3", 0},
		"another's part":      {"", func(r *providers.Request) { r.Messages[3].ProviderData = &transcript.ProviderData{Model: "other"} }, "", 1},
		"a part never issued": {"", func(r *providers.Request) { r.Messages[3].ProviderData.Data = []byte("x") }, "messages.3", 0},
	} {
		s := strict.New(ruled{scripted.New(scripted.Text("one"), scripted.Text("two"), scripted.Text("three")), c.rules})
		req := &providers.Request{System: "system", Messages: []transcript.Message{said("a")}}
		for _, next := range []string{"b", "c"} {
			r, err := providers.Ask(context.Background(), s, req)
			if err != nil || r.Message.ProviderData == nil {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			req.Messages = append(req.Messages, r.Message, said(next))
		}
		if kept, due := s.Kept(); kept != 1 || due != 1 {
			t.Errorf("%s: kept %d of %d before", name, kept, due)
		}
		c.change(req)
		_, err := providers.Ask(context.Background(), s, req)
		kept, _ := s.Kept()
		refused, _ := s.Refused()
		if c.want == "" && (err != nil || refused != 0 || kept != 1+c.kept) {
			t.Errorf("%s: %v, %d kept, %d refused", name, err, kept, refused)
		}
		if c.want != "" && (providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), c.want) || refused != 1) {
			t.Errorf("%s: %v, %d refused, want %q", name, err, refused, c.want)
		}
	}
}

// TestHandler sends requests of each dialect: one that earns a part, one with the part in place, one after another byte.
func TestHandler(t *testing.T) {
	for name, c := range map[string]struct{ first, answer, second, refusal string }{
		"messages": {
			`{"system":"s","messages":[{"role":"user","content":"a"}]}`,
			`data: {"delta":{"type":"signature_delta","signature":"sealed=1"}}`,
			`{"system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","signature":"sealed=1"}]},{"role":"user","content":"b"}]}`,
			"cannot be modified",
		},
		"input": {
			`{"input":[{"role":"user","content":"a"}]}`,
			`data: {"item":{"type":"reasoning","encrypted_content":"sealed=1"}}`,
			`{"input":[{"role":"user","content":"a"},{"type":"message","role":"assistant"},{"type":"reasoning","encrypted_content":"sealed=1"},{"type":"function_call_output"}]}`,
			"invalid_encrypted_content",
		},
		"contents": {
			`{"contents":[{"role":"user","parts":[{"text":"a"}]}]}`,
			`{"parts":[{"functionCall":{},"thoughtSignature":"sealed=1"}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{},"thoughtSignature":"sealed=1"}]},{"role":"model","parts":[{"functionCall":{},"thoughtSignature":"skip_thought_signature_validator"}]}]}`,
			"INVALID_ARGUMENT",
		},
	} {
		s := strict.New(nil)
		server := httptest.NewServer(s.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			half := len(c.answer) - 8 // inside the part
			io.WriteString(w, c.answer[:half])
			w.(http.Flusher).Flush()
			io.WriteString(w, c.answer[half:]+"\n\n")
		})))
		post := func(body string) (int, string) {
			r, err := http.Post(server.URL, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			text, _ := io.ReadAll(r.Body)
			return r.StatusCode, string(text)
		}
		for i, body := range []string{c.first, c.second, c.second, `{"neither":1}`, "no JSON"} {
			if status, text := post(body); status != http.StatusOK {
				t.Errorf("%s: request %d: %d %s", name, i, status, text)
			}
		}
		for i, body := range []string{
			strings.Replace(c.second, `"a"`, `"A"`, 1), strings.Replace(c.second, `:[`, `:[{"role":"user"},`, 1),
		} {
			if status, text := post(body); status != http.StatusBadRequest || !strings.Contains(text, c.refusal) {
				t.Errorf("%s: change %d: %d %s", name, i, status, text)
			}
		}
		if refused, carried := s.Refused(); refused != 2 || carried != 4 {
			t.Errorf("%s: %d of %d refused", name, refused, carried)
		}
		server.Close()
	}
}
