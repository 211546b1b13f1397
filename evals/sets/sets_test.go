package sets_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/sets"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/tools/report"
)

func open(t *testing.T, name string) *task.Set {
	t.Helper()
	s, err := sets.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNamesOpen(t *testing.T) {
	want := map[string]int{"smoke": 12, "explore": 40, "retention": 48}
	for _, n := range sets.Names() {
		one, again := open(t, n.Name), open(t, n.Name)
		if len(one.Tasks) != want[n.Name] || n.About == "" || one.Hash != again.Hash || len(one.Hash) != 64 {
			t.Errorf("%s: %d tasks, hashes %s and %s", n.Name, len(one.Tasks), one.Hash, again.Hash)
		}
		delete(want, n.Name)
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	if _, err := sets.Open("retentoin"); err == nil || !strings.Contains(err.Error(), "did you mean retention?") {
		t.Errorf("a wrong name: %v", err)
	}
}

// A gold place must exist, and must not be blank or a whole file.
func TestPlacesExist(t *testing.T) {
	for _, name := range []string{"smoke", "explore"} {
		s := open(t, name)
		for i := range s.Tasks {
			one := &s.Tasks[i]
			dir := t.TempDir()
			if err := s.Materialize(t.Context(), one, dir); err != nil {
				t.Fatal(err)
			}
			for _, raw := range one.Checks {
				for _, place := range places(t, raw) {
					c, err := report.ParseCitation(place)
					text, readErr := os.ReadFile(filepath.Join(dir, c.Path))
					lines := bytes.Split(text, []byte("\n"))
					if err != nil || readErr != nil || c.End > len(lines) {
						t.Errorf("%s: %s: %v, %v, %d lines", one.ID, place, err, readErr, len(lines))
						continue
					}
					if len(bytes.TrimSpace(bytes.Join(lines[c.Start-1:c.End], nil))) == 0 || c.End-c.Start > 40 {
						t.Errorf("%s: %s is blank or long", one.ID, place)
					}
				}
			}
		}
	}
}

func places(t *testing.T, raw json.RawMessage) []string {
	var c struct {
		Kind string          `json:"kind"`
		Want json.RawMessage `json:"want"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if c.Kind != "cites" {
		return nil
	}
	var all []string
	if json.Unmarshal(c.Want, &all) != nil {
		all = []string{""}
		if err := json.Unmarshal(c.Want, &all[0]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Nobody passes by saying nothing, and nobody by repeating the question.
func TestNothingAndTheQuestionDoNotPass(t *testing.T) {
	for _, name := range []string{"smoke", "explore"} {
		for _, one := range open(t, name).Tasks {
			for _, answer := range []string{"", one.Prompt} {
				passed := true
				for _, v := range check.Judge(t.Context(), one.Judges, &check.Outcome{Prompt: one.Prompt, Answer: answer}) {
					passed = passed && v.Passed
				}
				if passed {
					t.Errorf("%s: %q passes", one.ID, answer)
				}
			}
		}
	}
}

// The whole conversation passes every check, its last window none, and an answer with the value passes.
func TestRetention(t *testing.T) {
	s := open(t, "retention")
	kinds := make(map[string]int)
	for i := range s.Tasks {
		one := &s.Tasks[i]
		for _, tag := range one.Tags {
			kinds[tag]++
		}
		passes := func(view []transcript.Message, answer string) bool {
			v := check.Judge(t.Context(), one.Judges, &check.Outcome{Answer: answer, View: view})[0]
			if v.Err != "" {
				t.Errorf("%s: %s", one.ID, v.Err)
			}
			return v.Passed
		}
		var c struct{ Value string }
		if err := json.Unmarshal(one.Checks[0], &c); err != nil {
			t.Fatal(err)
		}
		if !passes(one.Messages, "") || !passes(nil, "It is "+c.Value+".") || passes(nil, "unknown") {
			t.Errorf("%s: the whole conversation does not pass, or an answer is judged wrongly", one.ID)
		}
		from := len(one.Messages)
		for tokens := 0; tokens < one.Window && from > 0; tokens += one.Messages[from].Tokens() {
			from--
		}
		if passes(append(slices.Clone(one.Messages[from:]), transcript.Message{Role: transcript.User, Text: one.Prompt}), "") {
			t.Errorf("%s: the last window alone passes", one.ID)
		}
		if strings.Contains(one.Prompt, c.Value) || !strings.Contains(one.Prompt, "___") {
			t.Errorf("%s: asks %q", one.ID, one.Prompt)
		}
	}
	for tag, n := range map[string]int{"window-8k": 16, "window-16k": 16, "window-32k": 16, "rule": 6, "correction": 6,
		"short": 12, "beside": 12, "inside": 9, "tool": 9, "assistant": 6} {
		if kinds[tag] != n {
			t.Errorf("%d tasks of %s, want %d", kinds[tag], tag, n)
		}
	}
}
