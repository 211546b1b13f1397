package sessionfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		repairs  map[kind]int
	}{
		"in order": {
			messages: []string{go1, call("a", "b"), result("a", "A"), result("b", "B"), said("assistant", "end")},
			want:     "user go\nassistant (a:f {\"n\":1})=A(b:f {\"n\":1})=B\nassistant end\n",
		},
		"reordered": {
			messages: []string{go1, call("a", "b"), result("b", "B"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=A(b:f {\"n\":1})=B\n",
			repairs:  map[kind]int{disordered: 1},
		},
		"behind a user": {
			messages: []string{go1, call("a"), said("user", "wait"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=A\nuser wait\n",
			repairs:  map[kind]int{disordered: 1},
		},
		"missing": {
			messages: []string{go1, call("a", "b"), result("b", "B"), said("assistant", "end")},
			want:     "user go\nassistant (a:f {\"n\":1})=" + interrupted + "(b:f {\"n\":1})=B\nassistant end\n",
			repairs:  map[kind]int{missing: 1},
		},
		"late: the assistant did not see it": {
			messages: []string{go1, call("a"), said("assistant", "no answer yet"), result("a", "A")},
			want:     "user go\nassistant (a:f {\"n\":1})=" + interrupted + "\nassistant no answer yet\nuser [f a answered] A\n",
			repairs:  map[kind]int{missing: 1, Late: 1},
		},
		"orphan": {
			messages: []string{go1, result("z", "Z"), said("assistant", "end")},
			want:     "user go\nuser [f z answered] Z\nassistant end\n",
			repairs:  map[kind]int{Orphan: 1},
		},
		"duplicate": {
			messages: []string{go1, call("a"), result("a", "A"), result("a", "A2")},
			want:     "user go\nassistant (a:f {\"n\":1})=A2\n",
			repairs:  map[kind]int{Duplicate: 1},
		},
		"one id for two calls": {
			messages: []string{go1, call("a", "a"), result("a", "A"), result("a", "B"), result("a", "C")},
			want:     "user go\nassistant (a:f {\"n\":1})=A(a':f {\"n\":1})=C\n",
			repairs:  map[kind]int{callID: 1, Duplicate: 1},
		},
		"an id used again": {
			messages: []string{go1, call("a"), result("a", "A"), call("a"), result("a", "B")},
			want:     "user go\nassistant (a:f {\"n\":1})=A\nassistant (a':f {\"n\":1})=B\n",
			repairs:  map[kind]int{callID: 1},
		},
		"two messages of the assistant, one empty": {
			messages: []string{go1, said("assistant", "first"), said("assistant", ""), call("a"), result("a", "A")},
			want:     "user go\nassistant first(a:f {\"n\":1})=A\n",
			repairs:  map[kind]int{merged: 1, empty: 1},
		},
		"no prompt": {
			messages: []string{said("assistant", "hello")},
			want:     "user " + unprompted + "\nassistant hello\n",
			repairs:  map[kind]int{promptless: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			runs, report := readLines(t, nil, `{"id":"x","messages":[`+strings.Join(c.messages, ",")+`]}`)
			if report.Unread > 0 {
				t.Fatal(report)
			}
			_, said, _ := strings.Cut(outline(runs[0]), "\n")
			if strings.HasPrefix(said, "session: ") {
				_, said, _ = strings.Cut(said, "\n")
			}
			_, said, _ = strings.Cut(said, "\n") // its title
			if diff := cmp.Diff(c.want, said); diff != "" {
				t.Error(diff)
			}
			got := make(map[kind]int)
			for _, f := range report.Findings {
				got[kind(f.What)] = f.Count
			}
			if c.repairs == nil {
				c.repairs = map[kind]int{}
			}
			if diff := cmp.Diff(c.repairs, got); diff != "" {
				t.Error(diff)
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
