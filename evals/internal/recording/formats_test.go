package recording

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// TestFormats reads a small recording of each format.
func TestFormats(t *testing.T) {
	for name, want := range map[string]string{
		"chat.jsonl": `chat/chat: You sort files.
user Sort them.
[image_url]
assistant (a:list {"dir":"."})=b.txt
a.txt
assistant I won't.
chat.jsonl:5: unknown role "narrator"
`,
		"completions.jsonl": `completions/1:` + " " + `
user Weather?
assistant (function_call:weather {"city":"Rome"})=sunny
assistant Sunny.
completions/second: Be brief.
user Hi
assistant Look.(t1:look {"at":"x"})=seen
[image]
user And now?
assistant Done.
completions.jsonl:2: message 0: content: neither a text nor an array of parts
`,
		"array.json": `array/1:` + " " + `
user One.
assistant Two.
`,
		"claude.jsonl": `claude-code/claude:` + " " + `
user Fix the parser.
assistant I read both.(c1:Read {"file_path":"a.go"})=package a(c2:Read {"file_path":"b.go"})=Error: no such file
user Only a.go then.
assistant Done.
claude-code/claude#2:` + " " + `
user Search for the lexer.
assistant It is in lex.go.
claude-code/claude#3:` + " " + `
user This session is continued: the parser is fixed.
assistant What next?
claude.jsonl:16: unexpected end of JSON input
`,
		"codex.jsonl": `codex/codex: Be careful.
user Run the tests.
assistant Both at once.(c1:shell {"command":["bash","-lc","go test"]})={"output":"ok","metadata":{"exit_code":0}}` +
			`(c2:apply_patch {"input":"*** Begin Patch"})=patched
assistant (l1:local_shell {"command":["ls"]})=a.go
assistant Passed.
codex/codex#2: Be careful.
user The tests pass.
user Commit.
assistant Committed.
codex.jsonl:13: unexpected end of JSON input
`,
		"codex-old.jsonl": `codex/codex-old:` + " " + `
user List.
assistant (c1:shell {"command":["ls"]})=a.go
assistant a.go
`,
		"trace.jsonl": `foray/trace: You explore.
user Where is main?
assistant (c1:search {"query":"main"})=main.go:3
assistant In main.go.
foray/trace#2:` + " " + `
user Help.
assistant Helped.
`,
	} {
		c, err := Load(t.Context(), filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, tr := range c.Trajectories {
			b.WriteString(tr.Source + "/" + tr.ID + ": " + tr.System + "\n" + outline(tr.Units))
		}
		for _, s := range c.Skipped {
			b.WriteString(s + "\n")
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	c, err := Load(t.Context(), "testdata")
	if err != nil || len(c.Trajectories) != 11 || len(c.Skipped) != 4 {
		t.Errorf("the folder: %d runs, skipped %q, %v", len(c.Trajectories), c.Skipped, err)
	}
	if n := c.Repairs[repairParent]; n != 1 {
		t.Errorf("%d lines without a parent, want 1", n)
	}
	if n := c.Repairs[repairBranch]; n != 2 {
		t.Errorf("%d messages on abandoned branches, want 2", n)
	}
	if kind := c.Find("foray/trace").Units[1][1].Kind; kind != toollimit.Search {
		t.Errorf("the result in the trace has the kind %q", kind)
	}
}

// TestStreamedSession reads the lines that Claude Code prints as it runs: they name no parents.
func TestStreamedSession(t *testing.T) {
	c := loaded(t, `{"type":"system","subtype":"init","session_id":"s","tools":["Bash"]}`,
		`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Task","input":{}}]},"parent_tool_use_id":null,"session_id":"s"}`,
		`{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"inside"}]},"parent_tool_use_id":"c1","session_id":"s"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"found"}]},"parent_tool_use_id":null,"session_id":"s"}`,
		`{"type":"assistant","message":{"id":"m3","role":"assistant","content":[{"type":"text","text":"Done."}]},"session_id":"s"}`,
		`{"type":"result","subtype":"success","result":"Done."}`)
	var b strings.Builder
	for _, tr := range c.Trajectories {
		b.WriteString(outline(tr.Units))
	}
	prompt := "user " + unprompted + "\n"
	want := prompt + "assistant (c1:Task {})=found\nassistant Done.\n" + prompt + "assistant inside\n"
	if diff := cmp.Diff(want, b.String()); diff != "" || len(c.Skipped) > 0 {
		t.Errorf("%s\nskipped %q", diff, c.Skipped)
	}
}

func TestLoadNothing(t *testing.T) {
	c := loaded(t, `{"type":"queue-operation"}`, `{"type":"user","uuid":"1","message":{"role":"user","content":"alone"}}`)
	if diff := cmp.Diff([]string{"case.jsonl: no messages"}, c.Skipped); diff != "" || len(c.Trajectories) > 0 {
		t.Errorf("%s\n%d runs", diff, len(c.Trajectories))
	}
}

// FuzzLines reads any lines as a recording: it must not panic, and a window must take what comes of it.
func FuzzLines(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Collection{Repairs: make(map[string]int)}
		read := &file{c: c, path: "x.jsonl"}
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				_ = read.line(line) // any error names the line
			}
		}
		read.end()
		c.unique()
		for _, tr := range c.Trajectories {
			w := contextwindow.New(contextwindow.Budget{}, nil)
			for i, u := range tr.Units {
				if _, err := w.Append(u[0], u[1:]...); err != nil {
					t.Fatalf("unit %d: %v", i, err)
				}
			}
			if len(tr.Units) > 0 && tr.Units[0][0].Role != transcript.User {
				t.Fatalf("begins with %s", tr.Units[0][0].Role)
			}
		}
	})
}
