package sessions

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/sessionfile"
)

// exported returns a session of two runs, and its file.
func exported(t testing.TB) (*Session, []byte) {
	t.Helper()
	call := transcript.ToolCall{ID: "c1", Name: "read_file", Args: []byte(`{"path":"a.go"}`)}
	records, err := recordsOf(&sessionfile.Run{Source: "codex", System: "Be brief.", Messages: []transcript.Message{
		{Role: transcript.User, Text: "what is a <b>?"},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}},
		{Role: transcript.Tool, CallID: "c1", Name: "read_file", Text: "package a"},
		{Role: transcript.Assistant, Text: "A package."},
		{Role: transcript.User, Text: "thanks"},
		{Role: transcript.Assistant, Text: "Welcome."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{ID: "s", Records: records}
	var b bytes.Buffer
	if s.State, err = session.Fold(records); err == nil {
		err = s.Export(&b)
	}
	if err != nil || len(s.State.Runs) != 2 || len(s.State.Runs[0].Steps) != 2 {
		t.Fatalf("%v: %+v", err, s.State)
	}
	return s, b.Bytes()
}

func imported(t testing.TB, data []byte) ([]Imported, []string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return Import(t.Context(), path)
}

// Rule: a file holds the whole session. Cut anywhere, it holds a prefix of whole transactions, and says so.
func TestExportComesBack(t *testing.T) {
	s, data := exported(t)
	all, report, err := imported(t, data)
	if err != nil || len(report) > 0 || len(all) != 1 || !cmp.Equal(all[0].Records, s.Records, cmpopts.EquateEmpty()) {
		t.Fatalf("%v, %v: %s", err, report, cmp.Diff(s.Records, all[0].Records))
	}
	kept := map[int]bool{}
	first := bytes.IndexByte(data, '\n') + 1
	for end := first; end < len(data)-1; end += 5 {
		all, report, err := imported(t, data[:end])
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%d bytes: %v", end, err)
			}
			continue
		}
		got := all[0].Records
		last := got[len(got)-1]
		if last.Run != nil || !strings.Contains(strings.Join(report, "\n"), "the file is cut") ||
			!cmp.Equal(got, s.Records[:len(got)], cmpopts.EquateEmpty()) {
			t.Fatalf("%d bytes: %d records, %v", end, len(got), report)
		}
		kept[len(got)] = true
	}
	if len(kept) < 5 {
		t.Errorf("prefixes: %v", kept)
	}
}

// Rule: orphaned calls and results and wrong roles are repaired and reported; other damage is refused with its place.
func TestImportRepairs(t *testing.T) {
	_, data := exported(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"a call without a result": {`{"role":"tool","text":"package a","call_id":"c1"`, `{"role":"tool","text":"package a","call_id":"c9"`,
			`the call c1 of read_file had no result`},
		"a wrong role": {`{"role":"tool",`, `{"role":"function",`, `a result of the role "function" became`},
		"a system role": {`{"role":"user","text":"thanks"`, `{"role":"system","text":"thanks"`,
			`a message of the role "system" became one of the role "user"`},
		"a missing brace":  {`"stop":"answered"`, `"stop":"answered`, ErrInvalid.Error() + ": line "},
		"a wrong type":     {`"steps":2`, `"steps":"2"`, ", column "},
		"two records":      {"\n{\"entries\"", "{\"entries\"", "unexpected data after the record"},
		"a foreign record": {`{"step":{`, `{"what":{`, "record 3: 0 fields are set"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(string(data), c.old, c.new, 1)
			if text == string(data) {
				t.Fatalf("no %s in\n%s", c.old, data)
			}
			_, report, err := imported(t, []byte(text))
			said := strings.Join(report, "\n")
			if err != nil {
				said = err.Error()
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("%s", said)
			}
		})
	}
}

func FuzzImport(f *testing.F) {
	_, data := exported(f)
	f.Add(data)
	f.Add([]byte(`{"foray":"session","version":1,"id":"x","records":1}` + "\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _, err := imported(t, data)
		for _, one := range all {
			if _, err := session.Fold(one.Records); err != nil {
				t.Fatal(err)
			}
		}
		if err == nil && len(all) == 0 {
			t.Fatal("no session and no error")
		}
	})
}
