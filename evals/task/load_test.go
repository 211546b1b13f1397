package task_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/google/go-cmp/cmp"
)

const good = `{"id":"a","prompt":"What is half of 84?","checks":[{"kind":"number","equals":42}],"tags":["math"]}`

func load(t *testing.T, text string) (*task.Set, error) {
	t.Helper()
	return task.LoadFS(t.Context(), fstest.MapFS{"t.jsonl": {Data: []byte(text)}}, "t.jsonl", "t", nil)
}

// A set has the name of its file up to the first dot that is not the mark of a hidden file.
func TestLoadNamesTheSet(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{"mine.v2.jsonl": "mine", ".mine.jsonl": "mine"} {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := task.Load(t.Context(), path, nil); err != nil || s.Name != want {
			t.Errorf("%s: %+v, %v, want the name %s", file, s, err, want)
		}
	}
}

func TestLoadReadsTheRestBesideProblems(t *testing.T) {
	lines := []string{
		"\uFEFF" + good,
		``,
		`{"id":"b","prompt":"x","checks":[{"kind":"exact","text":"x"}]`,
		`{"id":"a","prompt":"again","checks":[{"kind":"exact","text":"x"}]}`,
		`{"id":"c","promt":"x","checks":[]}`,
		`{"id":"d","prompt":"x","checks":[{"kind":"exakt","text":"x"}]}`,
		`{"id":"e","prompt":"x","checks":[{"kind":"exact","text":"x","ignorecase":true}]}`,
		`{"id":"f","prompt":"x"}`,
		`{"id":7}`,
		`{"id":"g","prompt":"x","files":{"../x":""},"checks":[{"kind":"exact","text":"x"}]}`,
		`{"id":"h","prompt":"x","dir":"nowhere","checks":[{"kind":"exact","text":"x"}]}`,
		"\xff",
		`{"id":"last","prompt":"x","checks":[{"kind":"exact","text":"x"}]}`,
	}
	s, err := load(t, strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	var ids, problems []string
	for _, one := range s.Tasks {
		ids = append(ids, one.ID)
	}
	for _, p := range s.Problems {
		problems = append(problems, p.String())
	}
	if d := cmp.Diff([]string{"a", "last"}, ids); d != "" {
		t.Error(d)
	}
	want := []string{
		`t.jsonl:3:62: the JSON ends too early`,
		`t.jsonl:4: the id "a" is that of t.jsonl:1 already; this one is left out`,
		`t.jsonl:5:11: unknown field "promt"; did you mean "prompt"?`,
		`t.jsonl:6:34: unknown kind of check "exakt"; did you mean "exact"?`,
		`t.jsonl:7:61: check exact: unknown field "ignorecase"; did you mean "ignore_case"?`,
		`t.jsonl:8: no checks, so nothing could fail; add one such as {"kind":"contains","all":["TEXT"]}`,
		`t.jsonl:9:7: id must be a string, not number`,
		`t.jsonl:10: the path "../x" leaves the working copy`,
		`t.jsonl:11: dir "nowhere" does not exist; it is relative to the folder of the set`,
		`t.jsonl:12: not valid UTF-8`,
	}
	if d := cmp.Diff(want, problems); d != "" {
		t.Error(d)
	}
}

func TestLoadSaysWhatAFileLooksLike(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no tasks; write lines such as",
		"\n \n":                             "no tasks; write lines such as",
		"hello":                             "t.jsonl:1:1: not valid JSON",
		"{\n\"id\": \"a\"\n}":               "jq -c . FILE",
		`[` + good + `]`:                    "a JSON array",
		`{"event":"StepFinished","step":1}`: "a trace of foray",
		`{"task":"a","subject":"rules","trial":1}`: "results of foray",
		`{"type":"user","uuid":"1","message":{}}`:  "a session of a coding agent",
		`{"id":"1","messages":[]}`:                 "recorded conversations",
		`{"role":"user","content":"x"}`:            "one recorded conversation",
	} {
		_, err := load(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loading %q: got error %v, want one with %q", text, err, want)
		}
	}
}

func TestLoadFolders(t *testing.T) {
	second := strings.Replace(good, `"a"`, `"b"`, 1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(second)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"tasks.jsonl alone": {map[string]string{"tasks.jsonl": good, "other.jsonl": second}, "a"},
		"all jsonl":         {map[string]string{"1.jsonl": good, "2.jsonl.gz": packed.String()}, "a b"},
		"torn":              {map[string]string{"1.jsonl": good, "2.jsonl.gz": packed.String()[:packed.Len()-9]}, "a b 1 problem"},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := task.Load(t.Context(), dir, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, one := range s.Tasks {
			got += one.ID + " "
		}
		if len(s.Problems) > 0 {
			got += "1 problem"
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s: got %q, want %q; problems %v", name, got, c.want, s.Problems)
		}
	}
}

func TestHashIsOfTheContent(t *testing.T) {
	one, err := load(t, good)
	if err != nil {
		t.Fatal(err)
	}
	same, _ := load(t, good)
	other, _ := load(t, good+"\n"+strings.Replace(good, `"a"`, `"b"`, 1))
	if one.Hash != same.Hash || one.Hash == other.Hash || len(one.Hash) != 64 {
		t.Errorf("hashes %s, %s, %s", one.Hash, same.Hash, other.Hash)
	}
}

// The folders that tasks copy belong to the content, but not the results that runs leave in them.
func TestHashCoversFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	hash := func() string {
		t.Helper()
		s, err := task.Load(t.Context(), filepath.Join(dir, "tasks.jsonl"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash
	}
	write("tasks.jsonl", `{"id":"a","prompt":"?","dir":"src","checks":[{"kind":"contains","all":"x"}]}`)
	write("src/other.txt", "")
	before := hash()
	write("src/deep/a.txt", "one")
	one := hash()
	write("src/results/tasks.jsonl", "{}")
	write("src/results/run.json", "{}")
	write("src/results/results.jsonl", "{}")
	if one == before || hash() != one {
		t.Error("a file that appears does not change the hash, or one of results does")
	}
	write("src/deep/a.txt", "two")
	two := hash()
	write("src/deep/b.txt", "")
	if two == one || hash() == two {
		t.Error("the content or the names of files do not change the hash")
	}
}

func TestMessagesInBothForms(t *testing.T) {
	own := `[{"role":"user","text":"read x"},
		{"role":"assistant","calls":[{"id":"1","name":"read_file","args":{"path":"x"}}]},
		{"role":"tool","call_id":"1","name":"read_file","kind":"file","text":"hello"}]`
	theirs := `[{"role":"system","content":"Be short."},{"role":"user","content":"read x"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":
			{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"hello"}]`
	want := []transcript.Message{{Role: transcript.User, Text: "read x"},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "1", Name: "read_file", Args: []byte(`{"path":"x"}`)}}},
		{Role: transcript.Tool, CallID: "1", Name: "read_file", Kind: "file", Text: "hello"}}
	for _, messages := range []string{own, theirs} {
		line := `{"id":"m","prompt":"and now?","messages":` + strings.NewReplacer("\n", "", "\t", "").Replace(messages) +
			`,"checks":[{"kind":"contains","all":"hello"}]}`
		s, err := load(t, line)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, s.Tasks[0].Messages); d != "" {
			t.Error(d)
		}
		if system := s.Tasks[0].System; strings.Contains(messages, "system") != (system == "Be short.") {
			t.Errorf("system prompt %q", system)
		}
	}
	_, err := load(t, `{"id":"m","prompt":"x","messages":[{"role":"tool","text":"x"}],"checks":[{"kind":"exact","text":""}]}`)
	if err == nil || !strings.Contains(err.Error(), "results without a call") {
		t.Errorf("a result without a call: %v", err)
	}
}

func TestJudgesAreThoseOfTheChecks(t *testing.T) {
	s, err := load(t, good)
	if err != nil {
		t.Fatal(err)
	}
	for answer, passed := range map[string]bool{"It is 42.": true, "It is 43.": false} {
		v := check.Judge(context.Background(), s.Tasks[0].Judges, &check.Outcome{Answer: answer})
		if len(v) != 1 || v[0].Passed != passed || v[0].Err != "" {
			t.Errorf("%s: %+v", answer, v)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"id":"m","prompt":"x","messages":[{"role":"user","content":[]}],"checks":[{"kind":"exact","text":[]}]}`))
	f.Add([]byte("{\n}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := task.LoadFS(t.Context(), fstest.MapFS{"t.jsonl": {Data: text}}, "t.jsonl", "t", nil)
		if err != nil {
			return
		}
		for _, one := range s.Tasks {
			if one.ID == "" || one.Prompt == "" || len(one.Judges) != len(one.Checks) || len(one.Judges) == 0 {
				t.Errorf("loaded %+v", one)
			}
		}
		for _, p := range s.Problems {
			if p.Reason == "" || p.Line < 1 || p.Column < 0 || p.Column > len(text)+1 {
				t.Errorf("problem %+v", p)
			}
		}
	})
}
