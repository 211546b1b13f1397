package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
)

// TestTruncation plays servers that count fewer tokens than were sent, and those whose tokenizer differs.
func TestTruncation(t *testing.T) {
	noKeys(t)
	words := strings.Repeat("the window of a model is the most that it reads at once. ", 2000)
	of := func(tokens int) string { // a text of about so many tokens
		return words[:len(words)*tokens/toollimit.Tokens(words)]
	}
	type count struct{ sent, counted int }
	for _, tt := range []struct {
		name   string
		counts []count
		want   string
	}{
		{"as sent", []count{{1000, 1010}, {8000, 8100}, {13340, 13500}}, ""},
		{"small ones", []count{{20, 1}, {400, 90}}, ""},
		{"another tokenizer", []count{{1000, 700}, {8000, 5600}, {13340, 9338}}, ""},
		{"other texts", []count{{1000, 1300}, {8000, 5900}}, ""},
		{"no count", []count{{13340, 0}}, ""},
		{"a whole window", []count{{1000, 1010}, {13340, 8192}, {13340, 8192}},
			"counted 8,192 tokens of a request of about 13,4"},
		{"at once", []count{{13340, 4096}}, "Pass --window 4096, or run it with more: llama-server -c 14336"},
		{"messages left out", []count{{1000, 1010}, {13340, 5000}}, "counted 5,000 tokens of a request of about 13,4"},
	} {
		var said []string
		target, err := Resolve("llamacpp/m", &Options{Notify: func(text string) { said = append(said, text) }})
		if err != nil {
			t.Fatal(err)
		}
		var lines []scripted.Line
		for _, c := range tt.counts {
			lines = append(lines, scripted.Deltas(providers.Delta{Text: "ok"},
				providers.Delta{Usage: &providers.Usage{Input: c.counted, Output: 1}}, providers.Delta{Finish: providers.Stop}))
		}
		m := target.watched(scripted.New(lines...))
		for _, c := range tt.counts {
			req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: of(c.sent)}}}
			if _, err := providers.Ask(t.Context(), m, req); err != nil {
				t.Fatal(err)
			}
		}
		text := strings.Join(said, "\n")
		if (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) || len(said) > 1 {
			t.Errorf("%s: said %q, want %q", tt.name, said, tt.want)
		}
	}
}

// TestRefusedWindow has a server at an address that the table does not have, which names its limit when it refuses.
func TestRefusedWindow(t *testing.T) {
	noKeys(t)
	var said []string
	target, err := Resolve("openai/m", &Options{
		BaseURL: "http://127.0.0.1:8090/v1", Window: 16_384, Notify: func(text string) { said = append(said, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	own, err := target.Open()
	if err != nil {
		t.Fatal(err)
	}
	inner := scripted.Options{Info: own.Info()}.New(scripted.Repeat(3, scripted.Line{
		Err: &providers.Error{Class: providers.Overflow, Limit: 4096, Tokens: 6974, Err: errors.New("request (6974 tokens) exceeds")}}))
	m := target.watched(inner)
	for range 2 {
		if _, err := providers.Ask(t.Context(), m, &providers.Request{}); providers.ClassOf(err) != providers.Overflow {
			t.Fatal(err)
		}
	}
	const want = "warning: the server runs a window of 4,096 tokens, not 16,384. Pass --window 4096"
	if len(said) != 1 || said[0] != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
