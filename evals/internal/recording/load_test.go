package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

func loaded(t *testing.T, lines ...string) *Collection {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadSkipsBadLines(t *testing.T) {
	c, err := Load(t.Context(), "../../compaction/testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, tr := range c.Trajectories {
		ids = append(ids, tr.Source+"/"+tr.ID)
	}
	if diff := cmp.Diff([]string{"own/hand", "own2/parallel"}, ids); diff != "" {
		t.Error(diff)
	}
	if len(c.Skipped) != 2 || !strings.HasPrefix(c.Skipped[0], "hand.jsonl:3: ") || c.Skipped[1] != `hand.jsonl:4: message 0: unknown role "narrator"` {
		t.Errorf("skipped %q", c.Skipped)
	}
	if c.Trajectories[0].System != "You fix code." || len(c.Trajectories[0].Units) != 10 {
		t.Errorf("the first is %+v", c.Trajectories[0])
	}
}

func TestLoadKeepsIDsApart(t *testing.T) {
	line := `{"id":"x","messages":[{"role":"user","content":"hi"}]}`
	c := loaded(t, line, line, `{"messages":[{"role":"user","content":"hi"}]}`)
	var ids []string
	for _, tr := range c.Trajectories {
		ids = append(ids, tr.Source+"/"+tr.ID)
	}
	if diff := cmp.Diff([]string{"case/x", "case/x#2", "case/3"}, ids); diff != "" {
		t.Error(diff)
	}
}

// A run becomes units that a window takes, and the report of its file becomes the collection's.
func TestLoadUnits(t *testing.T) {
	c := loaded(t, `{"id":"x","messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":"","tool_calls":[{"id":"a","name":"f","args":{}},{"id":"b","name":"f","args":{}}]},
		{"role":"tool","tool_call_id":"b","content":"B"},{"role":"assistant","content":"end"}]}`)
	if diff := cmp.Diff(map[string]int{"missing results": 1}, c.Repairs); diff != "" {
		t.Error(diff)
	}
	w := contextwindow.New(contextwindow.Budget{}, nil)
	var roles []transcript.Role
	for _, u := range c.Trajectories[0].Units {
		for _, m := range u {
			roles = append(roles, m.Role)
		}
		if _, err := w.Append(u[0], u[1:]...); err != nil {
			t.Error(err)
		}
		roles = append(roles, "")
	}
	want := []transcript.Role{"user", "", "assistant", "tool", "tool", "", "assistant", ""}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNothing(t *testing.T) {
	c := loaded(t, `{"type":"queue-operation"}`, `{"type":"user","uuid":"1","message":{"role":"user","content":"alone"}}`)
	if diff := cmp.Diff([]string{"case.jsonl: no messages"}, c.Skipped); diff != "" || len(c.Trajectories) > 0 {
		t.Errorf("%s\n%d runs", diff, len(c.Trajectories))
	}
}
