package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/internal/ostest"
)

func TestJSON(t *testing.T) {
	answer := said("Here it is [1]:\n```json\n{\"a\": {\"b\": [1, {\"c\": \"x\"}]}, \"n\": 2.0}\n```\nDone.")
	play(t, []row{
		{`{"kind":"json"}`, answer, true, 1, ""},
		{`{"kind":"json"}`, said("nothing {here"), false, 0, "no JSON"},
		{`{"kind":"json","path":"a"}`, said(`{"a":1e400}`), false, 0, "cannot be compared"},
		{`{"kind":"json","path":"a.b[1].c","equals":"x"}`, answer, true, 1, ""},
		{`{"kind":"json","path":"a.b[0]","equals":1}`, answer, true, 1, ""},
		{`{"kind":"json","path":"n","equals":2}`, answer, true, 1, ""},
		{`{"kind":"json","path":"a.b[2]","equals":1}`, answer, false, 0, "has no a.b[2]"},
		{`{"kind":"json","path":"a.z"}`, answer, false, 0, "has no a.z"},
		{`{"kind":"json","path":"a.b[0]","equals":2}`, answer, false, 0, `"1", not "2"`},
		{`{"kind":"json","equals":null}`, said("null"), true, 1, ""},
		{`{"kind":"json","equals":null}`, said("0"), false, 0, ""},
		{`{"kind":"json","path":"[1]","equals":"b"}`, said(`["a","b"]`), true, 1, ""},
		{`{"kind":"json","schema":{"type":"object","required":["n"]}}`, answer, true, 1, ""},
		{`{"kind":"json","path":"n","schema":{"type":"string"}}`, answer, false, 0, "breaks the schema"},
		{`{"kind":"json","equals":[1234567890123456789,0.1,1e300]}`, said("[1234567890123456789,1e-1,1e300]"), true, 1, ""},
		{`{"kind":"json","equals":1234567890123456789}`, said("1234567890123456788"), false, 0, ""},
		{`{"kind":"json","schema":{"const":1234567890123456789}}`, said("1234567890123456789"), true, 1, ""},
		{`{"kind":"json","schema":{"const":1234567890123456789}}`, said("1234567890123456788"), false, 0, ""},
		{`{"kind":"json","equals":{"a":[3]}}`, said(`{"a":[3.0]}`), true, 1, ""},
	}, nil)
}

func TestCites(t *testing.T) {
	two := said("It is in server.go:10-12 [a/b.go:5].")
	listed := said("See the list.\n\nRELEVANT_FILES:\n- server.go:10\n- notes.md\n")
	here := check.Outcome{Dir: "/copy", Answer: "/copy/server.go:10"}
	play(t, []row{
		{`{"kind":"cites","want":"server.go:11-20"}`, two, true, 2. / 3, ""},
		{`{"kind":"cites","want":["server.go:11","a/b.go:1-9"]}`, two, true, 1, ""},
		{`{"kind":"cites","want":["server.go:11","c.go"]}`, two, false, .5, "does not cite c.go"},
		{`{"kind":"cites","want":["server.go:11","c.go"],"mode":"any"}`, two, true, .5, ""},
		{`{"kind":"cites","want":["server.go:11","c.go"],"score":"recall"}`, two, false, .5, ""},
		{`{"kind":"cites","want":"server.go:11","score":"precision"}`, two, true, .5, ""},
		{`{"kind":"cites","want":"server.go:11","mode":"f1"}`, two, false, 2. / 3, "precision 0.50, recall 1.00"},
		{`{"kind":"cites","want":"server.go:11","mode":"f1","min":0.6}`, two, true, 2. / 3, ""},
		{`{"kind":"cites","want":"a/b.go:5","first":1}`, two, false, 0, "does not cite"},
		{`{"kind":"cites","want":"server.go:13-20"}`, two, false, 0, "does not cite"},
		{`{"kind":"cites","want":"server.go:500"}`, said("server.go:1-900"), false, 0, ""},
		{`{"kind":"cites","want":"b.go:5"}`, two, false, 0, ""},
		{`{"kind":"cites","want":["server.go:10","notes.md"]}`, listed, true, 1, ""},
		{`{"kind":"cites","want":"a/b.go"}`, said("look at `a/b.go`"), true, 1, ""},
		{`{"kind":"cites","want":"a/b.go"}`, said("look at `a/b.gob`"), false, 0, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("see vendor/x/go.mod"), false, 0, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("in go.mod, see other.go:3"), true, 2. / 3, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("my-go.mod"), false, 0, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("go.mod.bak go.mod-old go.mod/x"), false, 0, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("x/go.mod, and ./go.mod."), true, 1, ""},
		{`{"kind":"cites","want":"go.mod"}`, said("Go.mod says it"), true, 1, ""},
		{`{"kind":"cites","want":"go.mod"}`, check.Outcome{Dir: "/copy", Answer: "/copy/go.mod"}, true, 1, ""},
		{`{"kind":"cites","want":"go.mod"}`, check.Outcome{Dir: "/copy", Answer: "/other/go.mod"}, false, 0, ""},
		{`{"kind":"cites","want":"server.go:10"}`, here, true, 1, ""},
		{`{"kind":"cites","want":"server.go:10"}`, said(""), false, 0, ""},
	}, nil)
}

func TestCalls(t *testing.T) {
	made := check.Outcome{Calls: []check.Call{
		{Name: "search", Args: json.RawMessage(`{"query":"x","limit":5}`)},
		{Name: "read", Args: json.RawMessage(`{"path":"a"}`)},
		{Name: "read", Args: json.RawMessage(`{"path":"b"}`)},
	}}
	id := check.Outcome{Calls: []check.Call{{Name: "get", Args: json.RawMessage(`{"id":1234567890123456789}`)}}}
	const all = `"want":[{"name":"search","args":{"limit":5}},{"name":"read"},{"name":"read","args":{"path":"b"}}]`
	const swapped = `"want":[{"name":"read"},{"name":"search"},{"name":"read","args":{"path":"a"}}]`
	const less = `"want":[{"name":"read","args":{"path":"b"}}]`
	const more = `"want":[{"name":"read"},{"name":"read"},{"name":"search"},{"name":"write"}]`
	play(t, []row{
		{`{"kind":"calls","mode":"strict",` + all + `}`, made, true, 1, ""},
		{`{"kind":"calls","mode":"strict",` + swapped + `}`, made, false, 0, "missing: read, search"},
		{`{"kind":"calls","mode":"unordered",` + swapped + `}`, made, true, 1, ""},
		{`{"kind":"calls","mode":"unordered",` + less + `}`, made, false, .5, "beside them: search, read"},
		{`{"kind":"calls","mode":"subset",` + less + `}`, made, false, .5, ""},
		{`{"kind":"calls","mode":"superset",` + less + `}`, made, true, 1, ""},
		{`{"kind":"calls","mode":"subset",` + more + `}`, made, true, 1, ""},
		{`{"kind":"calls","mode":"superset",` + more + `}`, made, false, 6. / 7, "missing: write"},
		{`{"kind":"calls","mode":"f1",` + more + `,"min":0.85}`, made, true, 6. / 7, ""},
		{`{"kind":"calls","mode":"f1",` + more + `}`, made, false, 6. / 7, ""},
		{`{"kind":"calls","mode":"strict","want":[]}`, said(""), true, 1, ""},
		{`{"kind":"calls","mode":"strict","want":[]}`, made, false, 0, "beside them"},
		{`{"kind":"calls","mode":"superset","want":[{"name":"read","args":{"path":"c"}}]}`, made, false, 0, ""},
		{`{"kind":"calls","mode":"strict","want":[{"name":"get","args":{"id":1234567890123456789}}]}`, id, true, 1, ""},
		{`{"kind":"calls","mode":"strict","want":[{"name":"get","args":{"id":1234567890123456788}}]}`, id, false, 0, ""},
	}, nil)
}

func TestCanaries(t *testing.T) {
	view := func(texts ...string) check.Outcome {
		var o check.Outcome
		for _, text := range texts {
			m := transcript.Message{Role: transcript.User, Text: text}
			if rest, digest := strings.CutPrefix(text, "digest: "); digest {
				m.Text, m.Origin = rest, transcript.Runtime
			}
			o.View = append(o.View, m)
		}
		return o
	}
	const plain = `{"kind":"canary","in":"view","subject":"mail relay","value":"04:37","words":["Never","restart"]}`
	const changed = `{"kind":"canary","in":"view","subject":"mail relay","value":"4000",` +
		`"gone":{"subject":"mail relay","value":"3000"}}`
	const answer = `{"kind":"canary","in":"answer","value":"AB-17","gone":{"value":"XY-3"}}`
	const either = `{"kind":"canary","value":"AB-17"}`
	play(t, []row{
		{plain, view("x", "Never restart the mail relay before 04:37."), true, 1, ""},
		{plain, view("x", "digest: - never restart the mail\n  relay before 04:37"), true, 1, ""},
		{plain, view("Never restart the mail relay.\nIt was 04:37."), false, 0, "no line of the view has together: mail, relay, Never, restart, 04:37"},
		{plain, view("Restart the mail relay at 104:37. Never"), false, 0, "no line"},
		{plain, view("digest: - never restart the mail relay before 04:37 [superseded]"), false, 0, "nothing replaced it"},
		{changed, view("The mail relay has 4000 slots."), true, 1, ""},
		{changed, view("The mail relay has 3000 slots.", "The mail relay has 4000 slots."), true, 1, ""},
		{changed, view("digest: The mail relay has 3000 slots."), false, 0, `"3000", which "4000" superseded`},
		{changed, view("The mail relay has 4000 slots.", "The mail relay has 3000 slots."), false, 0, "superseded"},
		{answer, said("It is ab-17."), true, 1, ""},
		{answer, said("It is AB-171."), false, 0, "lacks"},
		{answer, said("XY-3, I think"), false, 0, "superseded"},
		{answer, said("It was XY-3, now it is AB-17"), true, 1, ""},
		{answer, said(""), false, 0, "lacks"},
		{either, check.Outcome{Answer: "AB-17", View: view("nothing").View}, true, 1, ""},
		{either, check.Outcome{Answer: "no idea", View: view("AB-17").View}, false, 0, "the answer lacks"},
		{either, check.Outcome{Stop: "played", View: view("AB-17").View}, true, 1, ""},
		{either, check.Outcome{Stop: "answered", View: view("AB-17").View}, false, 0, "the answer lacks"},
	}, nil)
	c, err := check.Parse(json.RawMessage(plain), nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{})[0]; !strings.Contains(v.Err, "shows no view") {
		t.Errorf("without a view: %+v", v)
	}
}

// copyOf makes a working copy of files, and how to make it again.
func copyOf(t *testing.T, files map[string]string) check.Outcome {
	t.Helper()
	fresh := func(_ context.Context, dir string) error {
		for name, text := range files {
			at := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
				return err
			}
		}
		return nil
	}
	dir := t.TempDir()
	if err := fresh(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return check.Outcome{Dir: dir, Fresh: fresh}
}

func TestFiles(t *testing.T) {
	o := copyOf(t, map[string]string{"a.txt": "one\n", "src/b.txt": "two\n", "src/c.txt": "three\n"})
	if err := os.WriteFile(filepath.Join(o.Dir, "src/b.txt"), []byte("changed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "src/new.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(o.Dir, "src/c.txt")); err != nil {
		t.Fatal(err)
	}
	play(t, []row{
		{`{"kind":"files","exists":["a.txt","src"]}`, o, true, 1, ""},
		{`{"kind":"files","exists":["a.txt","b.txt"]}`, o, false, .5, "b.txt does not exist"},
		{`{"kind":"files","missing":"b.txt"}`, o, true, 1, ""},
		{`{"kind":"files","missing":"a.txt"}`, o, false, 0, "a.txt exists"},
		{`{"kind":"files","contains":{"a.txt":["on","e"]}}`, o, true, 1, ""},
		{`{"kind":"files","contains":{"a.txt":["on","x"]}}`, o, false, .5, `lacks "x"`},
		{`{"kind":"files","contains":{"no.txt":"x"}}`, o, false, 0, ""},
		{`{"kind":"files","equals":{"a.txt":"one\n"}}`, o, true, 1, ""},
		{`{"kind":"files","equals":{"a.txt":"one"}}`, o, false, 0, ""},
		{`{"kind":"files","unchanged":"a.txt"}`, o, true, 1, ""},
		{`{"kind":"files","unchanged":"."}`, o, false, .25, "src/b.txt was changed, made or removed, src/c.txt was"},
		{`{"kind":"files","unchanged":".","except":"src"}`, o, true, 1, ""},
		{`{"kind":"files","unchanged":"src","except":["src/b.txt","src/new.txt"]}`, o, false, 0, "src/c.txt was changed"},
		{`{"kind":"files","unchanged":".","except":"src/"}`, o, true, 1, ""},
	}, nil)
	c, err := check.Parse(json.RawMessage(`{"kind":"files","unchanged":"srk"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := check.Judge(t.Context(), []check.Check{c}, &o)[0]; !strings.Contains(v.Err, "never had srk") {
		t.Errorf("a path in neither tree: %+v", v)
	}
}

// A link counts as what it is, wherever it leads.
func TestUnchangedSeesLinks(t *testing.T) {
	files := map[string]string{"evil.py": "one\n", "tests/a.py": "one\n"}
	links := map[string]func(dir string) error{
		"added":    func(dir string) error { return os.Symlink("../evil.py", filepath.Join(dir, "tests/conftest.py")) },
		"dangling": func(dir string) error { return os.Symlink("/nowhere", filepath.Join(dir, "tests/conftest.py")) },
		"replaced": func(dir string) error {
			at := filepath.Join(dir, "tests/a.py")
			return errors.Join(os.Remove(at), os.Symlink("../evil.py", at))
		},
		"folder": func(dir string) error {
			at := filepath.Join(dir, "tests")
			return errors.Join(os.Rename(at, filepath.Join(dir, "mine")), os.Symlink("mine", at))
		},
		"outside": func(dir string) error {
			at := filepath.Join(dir, "tests")
			return errors.Join(os.RemoveAll(at), os.Symlink(t.TempDir(), at))
		},
	}
	for name, link := range links {
		o := copyOf(t, files)
		if err := link(o.Dir); err != nil {
			t.Fatal(err)
		}
		c, err := check.Parse(json.RawMessage(`{"kind":"files","unchanged":"tests"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := check.Judge(t.Context(), []check.Check{c}, &o)[0]; v.Passed || v.Err != "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A subject that spoils its working copy fails its checks: they neither wait nor blame the harness.
func TestSpoiledCopies(t *testing.T) {
	checks := []string{`{"kind":"files","contains":{"a.txt":"one"}}`, `{"kind":"files","equals":{"a.txt":"one"}}`,
		`{"kind":"files","unchanged":"a.txt"}`, `{"kind":"command","argv":["test","-f","a.txt"]}`}
	for name, spoil := range map[string]func(dir string) error{
		"pipe":   func(dir string) error { return ostest.Fifo(filepath.Join(dir, "a.txt")) },
		"folder": func(dir string) error { return os.Mkdir(filepath.Join(dir, "a.txt"), 0o700) },
		"gone":   os.Remove,
		"file":   func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		o := copyOf(t, map[string]string{"a.txt": "one"})
		err := errors.Join(os.Remove(filepath.Join(o.Dir, "a.txt")), spoil(o.Dir))
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range checks {
			c, err := check.Parse(json.RawMessage(raw), nil)
			if err != nil {
				t.Fatal(err)
			}
			if v := check.Judge(t.Context(), []check.Check{c}, &o)[0]; v.Passed || v.Err != "" || v.Why == "" {
				t.Errorf("%s: %s: %+v", name, raw, v)
			}
		}
	}
}

func TestCommands(t *testing.T) {
	o := copyOf(t, map[string]string{"a.txt": "one\n"})
	set := &check.Options{Files: fstest.MapFS{
		"hidden/test.sh": {Data: []byte("grep -q one a.txt\n"), Mode: 0o755},
		"h/test.sh":      {Data: []byte("cd /app && if grep -q one a.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt")},
		"j/test.sh":      {Data: []byte(`echo '{"reward": 0.25}' > "/logs/verifier/reward.json"; cat /tests/extra`)},
		"j/extra":        {Data: []byte("beside")},
	}}
	play(t, []row{
		{`{"kind":"command","argv":["cat","a.txt"]}`, o, true, 1, ""},
		{`{"kind":"command","argv":["cat","a.txt"],"output":"one"}`, o, true, 1, ""},
		{`{"kind":"command","argv":["cat","a.txt"],"output":["one","two"]}`, o, false, 0, `lacks "two"`},
		{`{"kind":"command","argv":["cat","$HOME"]}`, o, false, 0, "exit code 1, not 0"},
		{`{"kind":"command","shell":"exit 3","exit":3}`, o, true, 1, ""},
		{`{"kind":"command","shell":"echo $X; exit $X","env":{"X":"4"}}`, o, false, 0, "exit code 4, not 0; its output ends: 4"},
		{`{"kind":"command","shell":"sleep 600","seconds":0.2}`, o, false, 0, "killed after 200ms"},
		{`{"kind":"command","argv":["sh","test.sh"],"add":"hidden"}`, o, true, 1, ""},
		{`{"kind":"harbor","tests":"h"}`, o, true, 1, ""},
		{`{"kind":"harbor","tests":"j"}`, o, false, .25, "beside"},
	}, set)
	for raw, want := range map[string]string{
		`{"kind":"command","argv":["/no/such/program"]}`: "no such file",
		`{"kind":"harbor","tests":"hidden"}`:             "neither reward.txt nor reward.json",
	} {
		c, err := check.Parse(json.RawMessage(raw), set)
		if err != nil {
			t.Fatal(err)
		}
		if v := check.Judge(t.Context(), []check.Check{c}, &o)[0]; !strings.Contains(v.Err, want) {
			t.Errorf("%s: %+v, want an error with %q", raw, v, want)
		}
	}
	for _, raw := range []string{`{"kind":"command","argv":["true"]}`, `{"kind":"files","exists":"a"}`} {
		c, _ := check.Parse(json.RawMessage(raw), nil)
		if v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{})[0]; !strings.Contains(v.Err, "no working copy") {
			t.Errorf("%s without a copy: %+v", raw, v)
		}
	}
}

// A judge that prefers the first answer, whatever it is, must not decide.
func TestJudge(t *testing.T) {
	var prompts []string
	judge := func(replies ...string) *check.Options {
		prompts = nil
		return &check.Options{Ask: func(_ context.Context, prompt string, schema json.RawMessage) (string, error) {
			if !json.Valid(schema) {
				t.Errorf("schema %s", schema)
			}
			reply := replies[len(prompts)]
			prompts = append(prompts, prompt)
			return reply, nil
		}}
	}
	const grade, compare = `{"kind":"judge","rubric":"names the port"}`, `{"kind":"judge","rubric":"r","reference":"GOLD"}`
	first, second, equal := `{"reason":"x","better":"first"}`, `{"reason":"y","better":"second"}`, `{"reason":"z","better":"equal"}`
	for _, r := range []struct {
		raw     string
		replies []string
		passed  bool
		score   float64
	}{
		{grade, []string{"I think ```json\n{\"reason\":\"it does\",\"score\":0.8}\n```"}, true, .8},
		{grade, []string{`{"reason":"no","score":0.4}`}, false, .4},
		{compare, []string{first, second}, true, 1},
		{compare, []string{second, first}, false, 0},
		{compare, []string{first, first}, true, .5},
		{compare, []string{equal, second}, true, .75},
	} {
		c, err := check.Parse(json.RawMessage(r.raw), judge(r.replies...))
		if err != nil {
			t.Fatal(err)
		}
		v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{Prompt: "Q", Answer: "{RUBRIC} 80"})[0]
		if v.Err != "" || v.Passed != r.passed || v.Score != r.score || len(prompts) != len(r.replies) {
			t.Errorf("%s with %q: %+v after %d questions", r.raw, r.replies, v, len(prompts))
		}
		if !strings.Contains(prompts[0], "{RUBRIC} 80") {
			t.Errorf("the answer is not in the prompt as it is:\n%s", prompts[0])
		}
	}
	for _, reply := range []string{"fine", `{"score":7,"reason":""}`, `{"better":"first"}`} {
		c, _ := check.Parse(json.RawMessage(grade), judge(reply))
		if v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{})[0]; !strings.Contains(v.Err, "no verdict") {
			t.Errorf("reply %q: %+v", reply, v)
		}
	}
	c, _ := check.Parse(json.RawMessage(grade), nil)
	if v := check.Judge(t.Context(), []check.Check{c}, &check.Outcome{})[0]; v.Err != "no judge: set --judge" {
		t.Errorf("without a judge: %+v", v)
	}
}

func TestParseSaysWhatIsWrongWithOtherKinds(t *testing.T) {
	for raw, want := range map[string]string{
		`{"kind":"json","path":"a..b"}`:                                    "of the form a.b[0].c",
		`{"kind":"json","schema":{"type":7}}`:                              "schema:",
		`{"kind":"json","schema":{"$ref":"file:///etc/passwd"}}`:           "schema:",
		`{"kind":"cites"}`:                                                 "want is missing",
		`{"kind":"cites","want":"a.go:9-2"}`:                               "names no lines",
		`{"kind":"cites","want":[""]}`:                                     "the path of a file",
		`{"kind":"cites","want":"."}`:                                      "the path of a file",
		`{"kind":"cites","want":"../a.go"}`:                                "not a path in the working copy",
		`{"kind":"cites","want":"a.go","mode":"most"}`:                     "all, any or f1",
		`{"kind":"files"}`:                                                 "give exists",
		`{"kind":"files","contains":{"a":[]}}`:                             "nothing to look for in a",
		`{"kind":"files","contains":{"a":""}}`:                             "nothing to look for in a",
		`{"kind":"files","exists":"/etc/passwd"}`:                          "not in the working copy",
		`{"kind":"command"}`:                                               "either argv",
		`{"kind":"command","argv":["a"],"shell":"b"}`:                      "either argv",
		`{"kind":"command","argv":["a"],"add":"x"}`:                        "not in a set",
		`{"kind":"command","argv":["a"],"seconds":-1}`:                     "seconds must be",
		`{"kind":"harbor","tests":"x"}`:                                    "not in a set",
		`{"kind":"calls"}`:                                                 "mode is",
		`{"kind":"calls","mode":"strict"}`:                                 "want is missing",
		`{"kind":"calls","mode":"strict","want":[{"args":{}}]}`:            "no name",
		`{"kind":"canary","value":"x","in":"log"}`:                         "view or answer",
		`{"kind":"canary","in":"view"}`:                                    "value is missing",
		`{"kind":"canary","in":"view","value":"x","gone":{"subject":"y"}}`: "gone: value is missing",
		`{"kind":"judge"}`:                                                 "rubric is missing",
		`{"kind":"judge","rubric":"x","min":2}`:                            "from 0 to 1",
	} {
		_, err := check.Parse(json.RawMessage(raw), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", raw, err, want)
		}
	}
}
