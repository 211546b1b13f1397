package page

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestBack: a message is back if an earlier request held it and the last one did not, and so are lines of a shortened
// result that are read again, and lines that come back beside a question. What is new, what merely changed and what the
// runtime quotes in a digest are not.
func TestBack(t *testing.T) {
	code := make([]string, 9)
	for i := range code {
		code[i] = fmt.Sprintf("func Step%d(x int) error { return check(x, %d) }", i, i*i)
	}
	prompt := transcript.Message{Role: transcript.User, Origin: transcript.Prompt, Text: "Read all of it."}
	port := transcript.Message{Role: transcript.User, Text: "Hello.\nThe deployment listens on port 7443."}
	result := func(id string, lines ...string) transcript.Message {
		return transcript.Message{Role: transcript.Tool, CallID: id, Name: "read_file", Text: strings.Join(lines, "\n")}
	}
	digest := transcript.Message{Role: transcript.User, Origin: transcript.Runtime, Text: "Evicted:\n" + code[0] + "\n" + code[1] + "\n" + code[2]}
	asked := transcript.Message{Role: transcript.User, Text: "Earlier:\n[3] The deployment listens on port 7443.\nWhich port?"}
	r := requestReader{session: &session{}, pool: &pool{most: 1 << 20, text: 1 << 20}, last: make(map[string]*built)}
	for i, tt := range []struct {
		messages []transcript.Message
		back     []int // of the messages that the request before did not begin with
	}{
		{[]transcript.Message{prompt, port, result("1", code...)}, nil},
		{[]transcript.Message{prompt, port, result("1", code[:4]...), result("2", "package other, which shares", code[0])}, nil},
		{[]transcript.Message{prompt, digest, result("1", code[:4]...), result("3", code[4:]...)}, []int{0, 0, wholly}},
		{[]transcript.Message{prompt, asked, result("1", code[:4]...)}, []int{1, 0}},
		{[]transcript.Message{prompt, port, result("4", append(code, "func New() error { return nil }")...)}, []int{0, 5}},
		{[]transcript.Message{prompt}, nil},
		{[]transcript.Message{prompt, port, result("5", code[0], "package other has a line that is the same")}, []int{wholly, 0}},
	} {
		q := trace.Request{Agent: "reader", Request: providers.Request{Messages: tt.messages}}
		r.add(i+1, &q, 1)
		if diff := cmp.Diff(tt.back, r.session.Requests[i].Back); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// TestBackInARun reads a file again after its result was evicted, and sees it back in that request and in no other.
func TestBackInARun(t *testing.T) {
	const n = 24
	var lines []scripted.Line
	for i := range n + 1 {
		part := i % n
		lines = append(lines, scripted.Line{Calls: []scripted.Call{{Name: "read_file", Args: map[string]any{"n": part}}}})
	}
	read := tools.New("read_file", "Read a file.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (string, error) {
		var b strings.Builder
		for i := range 30 {
			fmt.Fprintf(&b, "func Step%d_%d(x int) error { return check%d(x, %d) }\n", in.N, i, in.N, i)
		}
		return b.String(), nil
	})
	for _, profile := range []contextwindow.Profile{contextwindow.Lean, contextwindow.Ladder} {
		raw, _ := play(t, agent.Config{Name: "reader", Model: scripted.New(append(lines, scripted.Text("Done."))...),
			Tools: []tools.Tool{read}, Profile: profile, Limits: agent.Limits{Steps: n + 3},
			Budget: contextwindow.Budget{Limit: 6_000}}, agent.Task{Prompt: "Read everything."})
		s := sessionOf(t, raw, defaults)
		for i, q := range s.Requests {
			came := 0
			for k, lines := range q.Back {
				if lines != 0 && s.Messages[q.Rest[k]].Role == string(transcript.Tool) {
					came++
				}
			}
			if want := max(i-n, 0); came != want {
				t.Errorf("%s: request %d of %d: %d results are back, want %d", profile, i+1, len(s.Requests), came, want)
			}
		}
	}
}
