package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// hostile holds what would break a page that took it for markup, or that a reader would not see.
const hostile = "</script><script>document.title='broken'</script><!-- <img src=x onerror=alert(1)> \u202egnp.exe\u202c " +
	"zero\u200bwidth \u2028 \u2066 \ufeff \x1b[31m {{.}} ${x} ]]> \" ' ` \xff"

// source is a page of Go that differs with n.
func source(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package part%d has %d functions.\npackage part%d\n\n", n, 60, n)
	for i := range 60 {
		fmt.Fprintf(&b, "func Name%d_%d(x%d int) error { return check%d(x%d, %q) }\n", n, i, i*n, i^n, i*n, strings.Repeat("ab", i%9))
	}
	return b.String()
}

// readTool reads a page; the seventh cannot be read.
var readTool = tools.New("read_file", "Read a file.", func(_ context.Context, in struct {
	Path string `json:"path"`
	N    int    `json:"n"`
}) (string, error) {
	if in.N == 7 {
		return "", errors.New("open part7/part.go: permission denied")
	}
	return source(in.N), nil
})

// readings is a run of n calls and an answer.
func readings(n int, answer string) *scripted.Model {
	lines := make([]scripted.Line, 0, n+1)
	for i := range n {
		lines = append(lines, scripted.Line{Text: fmt.Sprintf("Next I look at part %d.", i), Usage: providers.Usage{Input: 900 * (i + 1), Output: 30},
			Calls: []scripted.Call{{Name: "read_file", Args: map[string]any{"path": fmt.Sprintf("part%d/part.go", i), "n": i}}}})
	}
	return scripted.New(append(lines, scripted.Text(answer))...)
}

// play runs an agent and returns its trace and result.
func play(t testing.TB, c agent.Config, in agent.Task) ([]byte, *agent.Result) {
	t.Helper()
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	var result *agent.Result
	for e := range trace.Write(a.Stream(t.Context(), in), &b) {
		if done, ok := e.(agent.RunFinished); ok {
			result = done.Result
		}
	}
	return b.Bytes(), result
}

// compacting is a run of n readings under a profile, in a window that they do not fit.
func compacting(t testing.TB, profile contextwindow.Profile, n int, prompt, answer string) ([]byte, *agent.Result) {
	return play(t, agent.Config{Name: "reader", Model: readings(n, answer), Tools: []tools.Tool{readTool}, Profile: profile,
		System: "You read Go and answer in one sentence.", Limits: agent.Limits{Steps: n + 2},
		Budget: contextwindow.Budget{Limit: 6_000}}, agent.Task{Prompt: prompt})
}

// exploring is a run of the explorer that needs no model.
func exploring(t testing.TB, question string) ([]byte, *agent.Result) {
	tree := &explore.Tree{Files: fstest.MapFS{
		"retry/loop.go": {Data: []byte("package retry\n\n// Loop retries f until it works.\nfunc Loop(f func() error) {\n\tfor f() != nil {\n\t}\n}\n")},
		"retry/wait.go": {Data: []byte("package retry\n\n// Wait doubles the pause.\nfunc Wait(n int) int { return 1 << n }\n")},
	}}
	var b bytes.Buffer
	var result *agent.Result
	for e, err := range trace.Write(tree.Stream(t.Context(), nil, question, nil), &b) {
		if err != nil {
			t.Fatal(err)
		}
		if done, ok := e.(agent.RunFinished); ok {
			result = done.Result
		}
	}
	return b.Bytes(), result
}

// A maker writes a folder of results.
type maker struct {
	t       testing.TB
	dir     string
	results bytes.Buffer
	tasks   bytes.Buffer
	info    trial.Info
}

func newMaker(t testing.TB, subjects ...string) *maker {
	return &maker{t: t, dir: t.TempDir(), info: trial.Info{Version: trial.Version, Set: "retention", Subjects: subjects, Trials: 2,
		Started: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC), Foray: "v0.9.0"}}
}

func (m *maker) line(b *bytes.Buffer, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		m.t.Fatal(err)
	}
	b.Write(append(raw, '\n'))
}

func (m *maker) task(x task.Task) {
	m.info.Tasks++
	m.line(&m.tasks, x)
}

// row adds a row with its trace, if there is one.
func (m *maker) row(r trial.Row, lines []byte) {
	if lines != nil {
		r.Trace = fmt.Sprintf("traces/%d.jsonl.gz", m.results.Len())
		var b bytes.Buffer
		zipped := gzip.NewWriter(&b)
		if _, err := zipped.Write(lines); err != nil {
			m.t.Fatal(err)
		}
		if err := zipped.Close(); err != nil {
			m.t.Fatal(err)
		}
		m.file(r.Trace, b.Bytes())
	}
	m.line(&m.results, r)
}

func (m *maker) file(name string, data []byte) {
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// done writes what was added and returns the folder.
func (m *maker) done() string {
	raw, err := json.Marshal(m.info)
	if err != nil {
		m.t.Fatal(err)
	}
	m.file("run.json", raw)
	m.file("tasks.jsonl", m.tasks.Bytes())
	m.file("results.jsonl", m.results.Bytes())
	return m.dir
}

// small is a folder with one failed trial, which was compacted.
func small(t testing.TB) string {
	m := newMaker(t, "lean")
	m.task(task.Task{ID: "read", Prompt: "Read it."})
	lines, _ := compacting(t, contextwindow.Lean, 12, "Read it.", "Done.")
	m.row(trial.Row{Task: "read", Subject: "lean", Trial: 1, Failure: &trial.Failure{Class: trial.Tool, Text: "read_file: denied"}}, lines)
	return m.done()
}

// example is a folder with trials of every kind: passed, failed in each class, compacted, without a trace, hostile.
func example(t testing.TB) string {
	m := newMaker(t, "model:scripted@6000+lean", "model:scripted@6000+ladder", "rules")
	questions := []string{"Which part declares Name3_12, and what does it return?", "Where are requests retried?",
		"How many functions has part 9?", "Which file cannot be read, and why?", "Name the function that doubles the pause.", hostile}
	for i, q := range questions {
		m.task(task.Task{ID: fmt.Sprintf("read/%02d", i+1), Prompt: q, Tags: []string{[]string{"early", "late"}[i%2]},
			Checks: []json.RawMessage{json.RawMessage(`{"contains":"part3"}`)}, Budget: task.Budget{Steps: 40}})
		for s, name := range m.info.Subjects {
			for n := range 4 {
				m.exampleRow(i, s, n, name, q)
			}
		}
	}
	return m.done()
}

func (m *maker) exampleRow(i, s, n int, name, question string) {
	var lines []byte
	var result *agent.Result
	answer := "part3 declares it [part3/part.go:15]; it returns check15."
	if s == 2 {
		lines, result = exploring(m.t, question)
		answer = result.Text
	} else {
		lines, result = compacting(m.t, []contextwindow.Profile{contextwindow.Lean, contextwindow.Ladder}[s], 14+3*i+n, question, answer)
	}
	r := trial.Row{Task: fmt.Sprintf("read/%02d", i+1), Subject: name, Trial: n + 1, Tags: []string{[]string{"early", "late"}[i%2]},
		Started: m.info.Started, Seconds: 1.5 + float64(i)*.7 + float64(n*n)*.3, Passed: true, Score: 1, Answer: answer,
		Stop: string(result.Stop), Steps: result.Steps, Usage: result.Usage,
		Cost: float64(result.Usage.Input) * 2e-7, Checks: []check.Verdict{{Check: "contains part3", Passed: true, Score: 1},
			{Check: "cites part3/part.go:15", Passed: true, Score: 1, Why: "line 15 is cited"}}}
	for _, rec := range result.Tools {
		r.Calls = append(r.Calls, check.Call{Name: rec.Made.Name, Args: rec.Made.Args, Failed: rec.Err != nil})
	}
	m.spoil(&r, (i*7+s*5+n*3)%11, &lines)
	if i == 5 {
		r.Answer = hostile
		r.Checks[0].Why = hostile
	}
	m.row(r, lines)
}

// spoil makes some rows failures.
func (m *maker) spoil(r *trial.Row, how int, lines *[]byte) {
	fail := func(class trial.Class, text string) {
		r.Passed, r.Score, r.Failure = false, 0, &trial.Failure{Class: class, Text: text}
	}
	switch how {
	case 1, 4:
		r.Passed, r.Score, r.Answer = false, .5, "part4 declares it [part4/part.go:15]."
		r.Checks[0] = check.Verdict{Check: "contains part3", Why: "the answer does not contain \"part3\""}
	case 2:
		fail(trial.Provider, "POST https://models.example/v1/chat: 503 service unavailable, after 3 retries")
	case 3:
		fail(trial.Harness, "the trial took longer than 60 s")
		*lines = (*lines)[:len(*lines)*2/3]
	case 5:
		fail(trial.Tool, "read_file: open part7/part.go: permission denied")
	case 6:
		fail(trial.Check, "contains part3: panic: index out of range [3] with length 3")
		r.Checks[0] = check.Verdict{Check: "contains part3", Err: "panic: index out of range [3] with length 3"}
	case 7:
		*lines = nil
	}
}

// A trial without a trace has what was said before its prompt, shortened.
func TestBeforePrompt(t *testing.T) {
	dir := t.TempDir()
	said := task.Task{ID: "t", Prompt: "Go on."}
	for range maxBefore + 5 {
		said.Messages = append(said.Messages, transcript.Message{Role: transcript.User, Text: strings.Repeat("word\n", 100)})
	}
	line := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	for name, text := range map[string]string{
		"run.json":      line(trial.Info{Version: trial.Version, Subjects: []string{"exec:a"}, Tasks: 1, Trials: 1}),
		"tasks.jsonl":   line(said),
		"results.jsonl": line(trial.Row{Task: "t", Subject: "exec:a", Trial: 1, Passed: true}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := open(dir, defaults)
	if err != nil {
		t.Fatal(err)
	}
	defer f.root.Close()
	d, err := f.details(t.Context(), f.rows[0])
	if err != nil || d.Earlier != maxBefore+5 || len(d.Before) != maxBefore ||
		!strings.HasPrefix(d.Before[0].Text, "word word") || len(d.Before[0].Text) > maxBeforeText+3 {
		t.Errorf("%d of %d, %v: %+v", len(d.Before), d.Earlier, err, d.Before)
	}
}
