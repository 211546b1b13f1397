package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// reader is an agent with a small window, so that its run is compacted, and a tool with long results.
func reader(t *testing.T, m providers.Model) *agent.Agent {
	t.Helper()
	type in struct{ Path string }
	read := tools.New("read_file", "reads a file", func(_ context.Context, in in) (string, error) {
		if in.Path == "" {
			return "", fmt.Errorf("no path")
		}
		var text strings.Builder
		for i := range 150 {
			fmt.Fprintf(&text, "line %d of %s says %x\n", i, in.Path, i*i*7919)
		}
		return text.String(), nil
	})
	a, err := agent.New(agent.Config{Model: m, Tools: []tools.Tool{read}, Budget: contextwindow.Budget{Limit: 3_000}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// script is a run of twelve steps: parallel calls, arguments that do not parse, opaque parts, an answer that breaks off,
// an empty one, and an overflow.
func script() *scripted.Model {
	read := func(paths ...string) scripted.Line {
		l := scripted.Line{Text: "Let me look at <them> & more.", Reasoning: "hm", Usage: providers.Usage{Output: 9}}
		for _, p := range paths {
			l.Calls = append(l.Calls, scripted.Call{Name: "read_file", Args: `{ "Path": "` + p + `" }`})
		}
		l.ProviderData = &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte{0, 255, '<'}}
		return l
	}
	lines := []scripted.Line{read("a.go", "b.go"), scripted.Broken("half an ans"), read("c.go"), {}, scripted.Calls(scripted.Call{Name: "read_file", Args: `{"Path": `})}
	for i := range 8 {
		lines = append(lines, read(fmt.Sprintf("d%d.go", i), fmt.Sprintf("e%d.go", i)))
	}
	lines = append(lines, scripted.Line{Err: &providers.Error{Class: providers.Overflow, Limit: 2_500, Tokens: 2_900, Err: fmt.Errorf("too long")}}, scripted.Text("done"))
	return scripted.Options{Piece: 3, Info: providers.Info{Window: 32_000}}.New(lines...)
}

// played runs the agent and returns all that it tells, as JSON. The ends of calls that run side by side come in any
// order, so the events are sorted.
func played(t *testing.T, m providers.Model) (transcript string, events []string) {
	var all []string
	var result *agent.Result
	for e, err := range reader(t, m).Stream(t.Context(), agent.Task{Prompt: "What is in a.go?"}) {
		if err != nil {
			t.Errorf("the run failed: %v", err)
		}
		if done, ok := e.(agent.RunFinished); ok {
			result = done.Result
			continue
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%T %s", e, text))
	}
	text, err := json.MarshalIndent(result.Transcript, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return string(text), all
}

// TestAgentRunReplaysByteForByte records a run and plays it again: the same events, the same transcript, byte for byte.
func TestAgentRunReplaysByteForByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that durations are equal too
		var file bytes.Buffer
		recorder := replay.Record(script(), &file)
		transcript, events := played(t, recorder)
		if err := recorder.Err(); err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, e := range events {
			kind, _, _ := strings.Cut(e, " ")
			kinds[kind]++
		}
		if kinds["agent.WindowCompacted"] < 2 || kinds["agent.RequestRetried"] != 3 || kinds["agent.ToolFinished"] < 18 {
			t.Errorf("the run is too plain: %v", kinds)
		}
		m := open(t, &file)
		again, eventsAgain := played(t, m)
		if diff := cmp.Diff(transcript, again); diff != "" {
			t.Errorf("the transcript: %s", diff)
		}
		if diff := cmp.Diff(events, eventsAgain); diff != "" {
			t.Errorf("the events: %s", diff)
		}
		if m.Left() != 0 {
			t.Errorf("%d answers are left", m.Left())
		}
	})
}

// BenchmarkRecord measures what recording adds to an answer of 1,000 words to a request of 60 messages.
func BenchmarkRecord(b *testing.B) {
	req := &providers.Request{}
	for range 60 {
		req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: strings.Repeat("word ", 1000)})
	}
	for name, m := range map[string]providers.Model{
		"bare":     scripted.Options{Piece: 5}.New(scripted.Repeat(0, scripted.Text(strings.Repeat("word ", 1000)))),
		"recorded": replay.Record(scripted.Options{Piece: 5}.New(scripted.Repeat(0, scripted.Text(strings.Repeat("word ", 1000)))), nowhere{}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range m.Stream(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
