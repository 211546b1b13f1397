package inspectlog

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/turns/turnstest"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sampleFolder writes a folder of results: a trial with a trace, one that failed a check, one that the provider failed, and
// one whose trace is cut.
func sampleFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	raw, err := turnstest.Trace()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	row := trial.Row{
		Task: "secret", Subject: "scripted/model", Trial: 1, Tags: []string{"pages"}, Started: start, Seconds: .6, Passed: true, Score: 1,
		Checks: []check.Verdict{{Check: "contains", Passed: true, Score: 1}, {Check: "contains", Passed: true, Score: 1, Why: "found 42"}},
		Answer: "The secret is 42.", Stop: "answered", Steps: turnstest.Steps, Usage: providers.Usage{Input: 900, Output: 80, Cached: 100},
		Cost: .002, Trace: "traces/secret.1.jsonl.gz",
	}
	second, third, fourth := row, row, row
	second.Trial, second.Passed, second.Score, second.Trace, second.Answer, second.Stop = 2, false, 0, "", "I do not know.", "step limit"
	second.Checks = []check.Verdict{{Check: "contains", Score: 1, Passed: true}, {Check: "contains", Why: "it lacks 42"}}
	second.Failure = &trial.Failure{Class: trial.Agent, Text: "it ran out of steps"}
	third.Task, third.Passed, third.Score, third.Checks, third.Trace = "<odd id>", false, 0, nil, ""
	third.Failure = &trial.Failure{Class: trial.Provider, Text: "503"}
	fourth.Task, fourth.Trial, fourth.Trace, fourth.Checks = "<odd id>", 2, "traces/cut.jsonl.gz", []check.Verdict{{Check: "judge", Err: "no key"}}
	fourth.Passed, fourth.Score, fourth.Failure = false, 0, &trial.Failure{Class: trial.Check, Text: "judge: no key"}
	lines := func(name string, all ...any) {
		var b bytes.Buffer
		for _, v := range all {
			if err := json.NewEncoder(&b).Encode(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines("run.json", trial.Info{Version: trial.Version, Set: "pages", Hash: "abc", Subjects: []string{"scripted/model"}, Trials: 2, Tasks: 2,
		Started: start, Foray: "v1"})
	lines("tasks.jsonl", task.Task{ID: "secret", Prompt: "Which page has the secret?", Checks: []json.RawMessage{json.RawMessage(`{"contains":"42"}`)}},
		task.Task{ID: "<odd id>", Prompt: "What is this?"})
	lines("results.jsonl", row, second, third, fourth)
	if err := os.Mkdir(filepath.Join(dir, "traces"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"secret.1": raw, "cut": raw[:len(raw)/2]} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "traces", name+".jsonl.gz"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// written returns the log of the sample folder. make test-inspect sets a path to keep it at.
func written(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, sampleFolder(t), "scripted/model"); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("FORAY_TEST_INSPECT_LOG"); path != "" {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// parts are the files of a log.
func parts(t *testing.T, raw []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, f := range z.File {
		if f.Method != zip.Deflate {
			t.Errorf("%s is compressed with method %d", f.Name, f.Method)
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err = cmp.Or(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = text
	}
	return all
}

// The outline of a log, as it was when Inspect's own reader and viewer took it (make test-inspect).
func TestWrite(t *testing.T) {
	all := parts(t, written(t))
	var b strings.Builder
	for _, name := range []string{"header.json", "summaries.json", "samples/secret_epoch_1.json"} {
		var v any
		if err := json.Unmarshal(all[name], &v); err != nil {
			t.Fatal(name, err)
		}
		shortened, err := json.MarshalIndent(outline(v), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("-- " + name + " --\n" + string(shortened) + "\n")
	}
	golden := filepath.Join("testdata", "log.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
	if _, ok := all["samples/<odd id>_epoch_2.json"]; !ok || len(all) != 8 {
		t.Errorf("%d parts", len(all))
	}
}

// outline shortens long texts and lists of a value.
func outline(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > 60 {
			return v[:60] + "…"
		}
	case []any:
		for i := range v {
			v[i] = outline(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = outline(v[key])
		}
	}
	return v
}

// Without a trace a sample has the messages of the task, the calls and the answer.
func TestConversation(t *testing.T) {
	row := &trial.Row{Task: "t", Subject: "exec:a", Trial: 1, Answer: "42",
		Calls: []check.Call{{Name: "think"}, {Name: "look", Failed: true}}}
	of := &task.Task{Prompt: "And now?", System: "Be short.", Messages: []transcript.Message{{Role: transcript.User, Text: "Hello."}}}
	text := ""
	for _, m := range conversation(row, of) {
		text += fmt.Sprintf("%s %v%s", m.Role, m.Content, m.Function)
		for _, c := range m.Calls {
			text += c.Function + string(c.Arguments)
		}
		text += "|"
	}
	if want := "system Be short.|user Hello.|user And now?|assistant think{}look{}|tool look|assistant 42|"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestTraceThroughALink(t *testing.T) {
	dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret.jsonl")
	if err := errors.Join(os.WriteFile(secret, []byte("{}\n"), 0o600), os.Symlink(secret, filepath.Join(dir, "link.jsonl")),
		os.WriteFile(filepath.Join(dir, "own.jsonl"), []byte("{}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if f, err := openTrace(dir, "link.jsonl"); err == nil {
		f.Close()
		t.Error("opened a file out of the folder")
	}
	f, err := openTrace(dir, "own.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// A trial that failed before its checks counts as 0 in the means of their scores.
func TestTotalsCountTrialsWithoutChecks(t *testing.T) {
	all := totals{info: &trial.Info{}, scores: make(map[string]map[string][]float64)}
	of := &task.Task{Checks: []json.RawMessage{json.RawMessage(`{"kind":"number","equals":42}`),
		json.RawMessage(`{"kind":"contains","name":"greets","all":"hi"}`)}}
	passed := []check.Verdict{{Check: "number", Score: 1}, {Check: "greets", Score: 1}}
	all.add(&trial.Row{Task: "a", Passed: true, Checks: passed}, of)
	all.add(&trial.Row{Task: "b", Failure: &trial.Failure{Class: trial.Agent}}, of)
	for _, name := range []string{passedScore, "number", "greets"} {
		if got := all.total(name).Metrics["accuracy"].Value; got != .5 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
