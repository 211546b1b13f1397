package atif

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/turns/turnstest"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/sessionfile"
	"github.com/forayhq/foray/providers"
)

func written(t *testing.T, trace []byte) []byte {
	t.Helper()
	row := &trial.Row{Task: "secret", Subject: "scripted/model", Trial: 1, Started: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
		Seconds: .6, Passed: true, Score: 1, Checks: []check.Verdict{{Check: "contains", Passed: true, Score: 1}},
		Answer: "The secret is 42.", Calls: []check.Call{{Name: "read_page", Args: json.RawMessage(`{"Page":2}`), Failed: true}}, Steps: turnstest.Steps, Usage: providers.Usage{Input: 900, Output: 80}}
	asked := &task.Task{Prompt: "Which page has the secret?", Messages: []transcript.Message{
		{Role: transcript.User, Text: "Hello."},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "c", Name: "list", Args: json.RawMessage("[]")}}},
		{Role: transcript.Tool, CallID: "c", Name: "list", Text: "page 1"},
	}}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(trace)), nil }
	if trace == nil {
		open = nil
	}
	var b bytes.Buffer
	if err := Write(&b, row, asked, "v1", open); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// messages returns the conversation of a trajectory, as foray reads sessions of others.
func messages(t *testing.T, raw []byte) []transcript.Message {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trajectory.json")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	runs, report, err := sessionfile.Read(t.Context(), path, nil)
	if err != nil || report.Unread > 0 {
		t.Fatalf("%v: %v", err, report)
	}
	return runs[0].Messages
}

// What was written is read as the same conversation. make test-inspect lets Harbor's own validator read it, too.
func TestWrite(t *testing.T) {
	trace, err := turnstest.Trace()
	if err != nil {
		t.Fatal(err)
	}
	raw := written(t, trace)
	if path := os.Getenv("FORAY_TEST_ATIF"); path != "" {
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	all := messages(t, raw)
	if n := len(all); n != 2*turnstest.Steps || all[0].Text != "Which page has the secret?" || all[n-1].Text != "The secret is 42." {
		t.Fatalf("%d messages: %+v", n, all)
	}
	if c := all[1].Calls; len(c) != 1 || c[0].Name != "read_page" || string(c[0].Args) != `{"Page":1}` || all[2].CallID != c[0].ID {
		t.Errorf("%+v", all[1:3])
	}
	if m := all[4]; m.Role != transcript.Tool || !m.Failed || m.Text != "page 2 is missing" {
		t.Errorf("%+v", m)
	}
	compactions := 0
	for _, s := range got.Steps {
		if s.Extra["compaction"] != nil && s.Source == "system" {
			compactions++
		}
	}
	if compactions == 0 || got.Final.Steps != len(got.Steps) || len(got.Agent.Tools) == 0 || got.Extra["passed"] != true {
		t.Errorf("%d compactions, %+v", compactions, got.Final)
	}
}

func TestWriteWithoutTrace(t *testing.T) {
	got, err := Read(bytes.NewReader(written(t, []byte("{"))))
	if err != nil || got.Steps[0].Message != "Which page has the secret?" || got.Notes == "" {
		t.Errorf("%v: %+v", err, got)
	}
	raw := written(t, nil)
	if got, err = Read(bytes.NewReader(raw)); err != nil || got.Notes != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	var said []string
	for _, m := range messages(t, raw) {
		text := string(m.Role) + " " + m.Text
		for _, c := range m.Calls {
			text += c.Name + string(c.Args)
		}
		said = append(said, text)
	}
	want := "user Hello.|assistant list{}|tool page 1|user Which page has the secret?|" +
		`assistant read_page{"Page":2}|tool |assistant The secret is 42.`
	if text := strings.Join(said, "|"); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                  "EOF",
		`{"schema_version":"1"}`:            `schema_version is "1", not ATIF-v1`,
		`{"schema_version":"ATIF-v1.7"}`:    "it has no steps",
		trajectoryWith(`"step_id":2`):       "step 1 has the id 2",
		trajectoryWith(`"source":"robot"`):  `step 1: source is "robot"`,
		trajectoryWith(`"tool_calls":[{}]`): "step 1: only the agent has calls",
		trajectoryWith(`"observation":{"results":[{"source_call_id":"x","content":""}]}`):                       `the call "x"`,
		trajectoryWith(`"source":"agent","llm_call_count":0,"metrics":{}`):                                      "without a request",
		strings.Replace(trajectoryWith(`"message":"hi"`), `"agent"`, `"subagent_trajectories":[{}],"agent"`, 1): "no trajectory_id",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	parts := trajectoryWith(`"message":[{"type":"text","text":"hello"},{"type":"image"},{"type":"text","text":"you"}]`)
	if got, err := Read(strings.NewReader(parts)); err != nil || got.Steps[0].Message != "hello\n\nyou" {
		t.Errorf("parts: %v %+v", err, got)
	}
}

// trajectoryWith is a trajectory of one step with other fields, of which the last one of a name counts.
func trajectoryWith(fields string) string {
	return `{"schema_version":"ATIF-v1.6","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"hi",` + fields + `}]}`
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(trajectoryWith(`"source":"agent"`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Skip() // arguments that are no JSON object
		}
		if _, err := Read(bytes.NewReader(again)); err != nil {
			t.Errorf("%v in %s", err, again)
		}
	})
}
