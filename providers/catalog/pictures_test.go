package catalog_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit"
)

// pictured is a conversation in which the user shows a picture and one at an address, and a tool brings another.
func pictured() *providers.Request {
	return &providers.Request{System: "You look.", Messages: []transcript.Message{
		{Role: transcript.User, Text: "Compare.", Images: []toollimit.Image{
			{Name: "a.png", Type: "image/png", Width: 8, Height: 6, Data: []byte("first")},
			{Name: "https://example.org/b.png", URL: "https://example.org/b.png"}}},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{
			{ID: "c1", Name: "read_file", Args: json.RawMessage(`{"path":"c.jpg"}`)},
			{ID: "c2", Name: "read_file", Args: json.RawMessage(`{"path":"d"}`)}}},
		{Role: transcript.Tool, CallID: "c1", Name: "read_file", Text: "c.jpg", Images: []toollimit.Image{
			{Name: "c.jpg", Type: "image/jpeg", Width: 80, Height: 60, Data: []byte("third")}}},
		{Role: transcript.Tool, CallID: "c2", Name: "read_file", Text: "text of d"},
		{Role: transcript.User, Text: "Well?"},
	}}
}

const (
	firstPicture = "Zmlyc3Q=" // base64 of what it holds
	thirdPicture = "dGhpcmQ="
)

// A recorder keeps the body of the last request, which it refuses.
type recorder struct{ body string }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	r.body = string(raw)
	return &http.Response{StatusCode: http.StatusBadRequest, Body: http.NoBody, Request: req}, err
}

// Each wire shows pictures in the vendor's form; what a wire or a model does not take is said in words, and never lost.
func TestPicturesOnTheWire(t *testing.T) {
	const firstWords, secondWords = `[picture: a.png, PNG, 8×6 pixels]`, `[picture: https://example.org/b.png]`
	for _, c := range []struct {
		model string
		want  []string // in this order
		not   []string
	}{
		{"openrouter/openai/gpt-4o", []string{
			`{"type":"text","text":"Compare."}`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + firstPicture + `"}}`,
			`{"type":"image_url","image_url":{"url":"https://example.org/b.png"}}`,
			`"role":"tool","content":"c.jpg"`, `"content":"text of d"`,
			`Pictures of the results above:`, `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,` + thirdPicture + `"}}`,
			`Well?`}, []string{"[picture"}},
		{"openai/gpt-5", []string{
			`{"type":"input_text","text":"Compare."}`, `{"type":"input_image","image_url":"data:image/png;base64,` + firstPicture + `"}`,
			`{"type":"input_image","image_url":"https://example.org/b.png"}`,
			`"output":[{"type":"input_text","text":"c.jpg"},{"type":"input_image","image_url":"data:image/jpeg;base64,` + thirdPicture + `"}]`,
			`"output":"text of d"`}, []string{"[picture"}},
		{"anthropic/claude-sonnet-4-5", []string{
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + firstPicture + `"}}`,
			`{"type":"image","source":{"type":"url","url":"https://example.org/b.png"}}`, `"text":"Compare."`,
			`"content":[{"type":"text","text":"c.jpg"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"` + thirdPicture + `"}}]`,
			`"content":"text of d"`}, []string{"[picture"}},
		{"gemini/gemini-2.5-pro", []string{
			`{"inlineData":{"mimeType":"image/png","data":"` + firstPicture + `"}}`, `Compare.\n` + secondWords,
			`"output":"c.jpg"`, `"output":"text of d"`, `{"inlineData":{"mimeType":"image/jpeg","data":"` + thirdPicture + `"}}`,
			`Well?`}, []string{firstWords}},
		{"generativeai/gemini-2.5-pro", []string{firstPicture, `Compare.\n` + secondWords, `text of d`, thirdPicture, `Well?`}, []string{firstWords}},
		{"ollama/llava", []string{`Compare.\n` + secondWords, `"images":["` + firstPicture + `"]`, `c.jpg`, `"images":["` + thirdPicture + `"]`}, []string{firstWords}},
		{"deepseek/deepseek-chat", []string{`Compare.\n` + firstWords + `\n` + secondWords, `c.jpg\n[picture: c.jpg, JPEG, 80×60 pixels]`},
			[]string{firstPicture, thirdPicture, "image_url"}},
		{"ollama/qwen3", []string{`Compare.\n` + firstWords, `c.jpg\n[picture: c.jpg, JPEG, 80×60 pixels]`}, []string{firstPicture}},
	} {
		t.Run(c.model, func(t *testing.T) {
			seen := new(recorder)
			m, err := catalog.Open(c.model, &catalog.Options{Key: "k", HTTPClient: &http.Client{Transport: seen}, Retries: -1})
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range m.Stream(context.Background(), pictured()) {
				failed = err
			}
			body := seen.body
			if failed == nil || body == "" {
				t.Fatalf("error %v, sent %q", failed, body)
			}
			from := 0
			for _, want := range c.want {
				i := strings.Index(body[from:], want)
				if i < 0 {
					t.Fatalf("%s is not in the rest of the request:\n%s", want, body[from:])
				}
				from += i + len(want)
			}
			for _, not := range c.not {
				if strings.Contains(body, not) {
					t.Errorf("%s is in the request:\n%s", not, body)
				}
			}
		})
	}
}
