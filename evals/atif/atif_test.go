package atif

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	got, err := read(raw)
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
	got, err := read(written(t, []byte("{")))
	if err != nil || got.Steps[0].Message != "Which page has the secret?" || got.Notes == "" {
		t.Errorf("%v: %+v", err, got)
	}
	raw := written(t, nil)
	if got, err = read(raw); err != nil || got.Notes != "" {
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

// read reads a trajectory and checks what the format requires: steps numbered from 1, results that belong to calls of
// their step, and calls and metrics only of the agent.
func read(raw []byte) (*trajectory, error) {
	t := &trajectory{}
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, err
	}
	return t, t.check()
}

func (t *trajectory) check() error {
	switch {
	case !strings.HasPrefix(t.Version, "ATIF-v1."):
		return fmt.Errorf("schema_version is %q, not ATIF-v1", t.Version)
	case len(t.Steps) == 0:
		return fmt.Errorf("it has no steps")
	}
	for i, s := range t.Steps {
		if s.ID != i+1 {
			return fmt.Errorf("step %d has the id %d", i+1, s.ID)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("step %d: %w", s.ID, err)
		}
	}
	for _, sub := range t.Subagents {
		if sub == nil || sub.ID == "" {
			return fmt.Errorf("an embedded trajectory has no trajectory_id")
		}
		if err := sub.check(); err != nil {
			return fmt.Errorf("trajectory %s: %w", sub.ID, err)
		}
	}
	return nil
}

func (s *step) check() error {
	calls := make(map[string]bool)
	for _, c := range s.Calls {
		calls[c.ID] = true
	}
	switch s.Source {
	case "agent":
		if s.Requests != nil && *s.Requests == 0 && (s.Metrics != nil || s.Reasoning != "") {
			return fmt.Errorf("metrics or reasoning without a request of a model")
		}
	case "system", "user":
		if s.Calls != nil || s.Metrics != nil || s.Reasoning != "" {
			return fmt.Errorf("only the agent has calls, metrics and reasoning, not %s", s.Source)
		}
	default:
		return fmt.Errorf("source is %q, not system, user or agent", s.Source)
	}
	if s.Observation != nil {
		for _, r := range s.Observation.Results {
			if r.Call != "" && !calls[r.Call] {
				return fmt.Errorf("a result belongs to the call %q, which the step does not have", r.Call)
			}
		}
	}
	return nil
}
