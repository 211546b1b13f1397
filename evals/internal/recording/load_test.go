package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow"
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

// outline tells units as "role text(call:name args)=result", a unit a line.
func outline(units []Unit) string {
	var b strings.Builder
	for _, u := range units {
		fmt.Fprintf(&b, "%s %s", u[0].Role, u[0].Text)
		for i, c := range u[0].Calls {
			fmt.Fprintf(&b, "(%s:%s %s)=%s", c.ID, c.Name, c.Args, u[i+1].Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestArrange(t *testing.T) {
	call := func(ids ...string) string {
		var calls []string
		for _, id := range ids {
			calls = append(calls, `{"id":"`+id+`","name":"f","args":{"n":1}}`)
		}
		return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	result := func(id, text string) string {
		return `{"role":"tool","name":"f","tool_call_id":"` + id + `","content":"` + text + `"}`
	}
	said := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	go1 := said("user", "go")
	for name, c := range map[string]struct {
		messages []string
		want     string
		repairs  map[string]int
	}{
		"in order": {
			messages: []string{go1, call("a", "b"), result("a", "A"), result("b", "B"), said("assistant", "end")},
			want:     "user go\nassistant (a:f {\"n\":1})=A(b:f {\"n\":1})=B\nassistant end\n",
		},
		"reordered": {
			messages: []string{go1, call("a", "b"), result("b", "B"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=A(b:f {\"n\":1})=B\n",
			repairs:  map[string]int{repairOrder: 1},
		},
		"behind a user": {
			messages: []string{go1, call("a"), said("user", "wait"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=A\nuser wait\n",
			repairs:  map[string]int{repairOrder: 1},
		},
		"missing": {
			messages: []string{go1, call("a", "b"), result("b", "B"), said("assistant", "end")},
			want:     "user go\nassistant (a:f {\"n\":1})=" + interrupted + "(b:f {\"n\":1})=B\nassistant end\n",
			repairs:  map[string]int{repairMissing: 1},
		},
		"late: the assistant did not see it": {
			messages: []string{go1, call("a"), said("assistant", "no answer yet"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=" + interrupted + "\nassistant no answer yet\nuser [f a answered] A\n",
			repairs:  map[string]int{repairMissing: 1, repairLate: 1},
		},
		"orphan": {
			messages: []string{go1, result("z", "Z"), said("assistant", "end")},
			want:     "user go\nuser [f z answered] Z\nassistant end\n",
			repairs:  map[string]int{repairOrphan: 1},
		},
		"duplicate": {
			messages: []string{go1, call("a"), result("a", "A"), result("a", "A2")},
			want:     "user go\nassistant (a:f {\"n\":1})=A2\n",
			repairs:  map[string]int{repairDuplicate: 1},
		},
		"an id used again": {
			messages: []string{go1, call("a"), result("a", "A"), call("a"), result("a", "B")},
			want:     "user go\nassistant (a:f {\"n\":1})=A\nassistant (a':f {\"n\":1})=B\n",
			repairs:  map[string]int{repairCallID: 1},
		},
		"two messages of the assistant, one empty": {
			messages: []string{go1, said("assistant", "first"), said("assistant", ""), call("a"), result("a", "A")},
			want:     "user go\nassistant first(a:f {\"n\":1})=A\n",
			repairs:  map[string]int{repairMerged: 1, repairEmpty: 1},
		},
		"no prompt": {
			messages: []string{said("assistant", "hello")},
			want:     "user " + unprompted + "\nassistant hello\n",
			repairs:  map[string]int{repairPrompt: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := loaded(t, `{"id":"x","messages":[`+strings.Join(c.messages, ",")+`]}`)
			if len(got.Skipped) > 0 {
				t.Fatal(got.Skipped)
			}
			if diff := cmp.Diff(c.want, outline(got.Trajectories[0].Units)); diff != "" {
				t.Error(diff)
			}
			if c.repairs == nil {
				c.repairs = map[string]int{}
			}
			if diff := cmp.Diff(c.repairs, got.Repairs); diff != "" {
				t.Error(diff)
			}
			w := contextwindow.New(contextwindow.Budget{}, nil)
			for _, u := range got.Trajectories[0].Units {
				if _, err := w.Append(u[0], u[1:]...); err != nil {
					t.Errorf("a window refuses the unit: %v", err)
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": [1, 2]}`: `{"a":[1,2]}`, `"{\"a\": 1}"`: `{"a":1}`, `null`: `{}`, ``: `{}`,
		`"plain"`: `{"raw":"plain"}`, `[1]`: `{"raw":[1]}`,
	} {
		if got := string(arguments([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
