package sessionfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func claudeLines(lines ...string) []string {
	for i, l := range lines { // "uuid parent role text"
		f := strings.SplitN(l, " ", 4)
		parent := `"` + f[1] + `"`
		if f[1] == "-" {
			parent = "null"
		}
		lines[i] = `{"type":"` + f[2] + `","uuid":"` + f[0] + `","parentUuid":` + parent + `,"message":{"role":"` + f[2] +
			`","content":"` + f[3] + `"}}`
	}
	return lines
}

func piLines(lines ...string) []string {
	for i, l := range lines { // "id parent role text"
		f := strings.SplitN(l, " ", 4)
		lines[i] = `{"type":"message","id":"` + f[0] + `","parentId":"` + f[1] + `","message":{"role":"` + f[2] +
			`","content":"` + f[3] + `"}}`
	}
	return append([]string{`{"type":"session","version":3,"id":"s","cwd":"/"}`}, lines...)
}

func TestDamaged(t *testing.T) {
	chatLine := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	for name, c := range map[string]struct {
		lines  []string
		said   string // by all runs
		report string // parts of it
	}{
		"cut": {
			[]string{chatLine("user", "a"), chatLine("assistant", "b"), `{"role":"user","conte`},
			"a b", "not read: line 3: unexpected end of JSON input"},
		"a tail of NUL bytes": {
			[]string{chatLine("user", "a"), chatLine("assistant", "b"), strings.Repeat("\x00", 4096)},
			"a b", "not read: line 3: invalid character '\\x00'"},
		"NUL in a text": {
			[]string{chatLine("user", `a\u0000`), chatLine("assistant", "b")}, "a\x00 b", ""},
		"wrong types": {
			[]string{chatLine("user", "a"), `{"role":"assistant","content":{"x":1}}`, `{"role":7}`, `{"role":"tool","tool_calls":{}}`,
				`[1]`, `null`, `{"messages":7}`, `{"messages":{}}`, chatLine("assistant", "b")},
			"a b", "not read: line 3: role must not be of the type number"},
		"Claude Code: a cycle of parents": {
			claudeLines("1 2 user a", "2 1 assistant b", "3 3 user c", "4 3 assistant d"), "a b c d",
			"mended: session lines whose parent is missing, joined to the line before: 1 (line 3)"},
		"Claude Code: a parallel call whose result the branch leaves out": {
			[]string{claudeLines("1 - user a")[0],
				`{"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"x","name":"f"}]}}`,
				`{"type":"assistant","uuid":"3","parentUuid":"2","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"y","name":"f"}]}}`,
				`{"type":"user","uuid":"4","parentUuid":"3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"y","content":"Y"}]}}`,
				`{"type":"user","uuid":"5","parentUuid":"2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"X"}]}}`,
				claudeLines("6 5 assistant b")[0]},
			"a  X Y b", "claude-code: 1 run, 5 messages\nmended: results out of the order"},
		"Claude Code: a parent that does not exist": {
			claudeLines("1 - user a", "2 gone assistant b"), "a b", "the line before: 1 (line 2)"},
		"Claude Code: an answer without a parent": {
			claudeLines("1 - user a", "2 - assistant b"), "a b", "the line before: 1 (line 2)"},
		"Claude Code: ids used twice": {
			claudeLines("1 - user a", "2 1 assistant b", "2 1 assistant c"), "a b",
			"dropped: session lines with the id of an earlier line: 1 (line 3)"},
		"Claude Code: wrong types": {
			append(claudeLines("1 - user a", "2 1 assistant b"), `{"type":"user","uuid":7}`,
				`{"type":"user","uuid":"3","parentUuid":{},"message":[]}`), "a b", "not read: line 4: "},
		"pi: a cycle of parents": {
			piLines("1 2 user a", "2 1 assistant b", "3 3 user c", "4 3 assistant d"), "a b c d",
			"the line before: 2 (line 2, line 4)"},
		"pi: a parent that does not exist": {
			piLines("1 gone user a", "2 1 assistant b"), "a b", "the line before: 1 (line 2)"},
		"pi: ids used twice": {
			piLines("1 0 user a", "2 1 assistant b", "2 1 assistant c"), "a b", "an earlier line: 1 (line 4)"},
		"pi: a compaction keeps what is not there": {
			append(piLines("1 0 user a", "2 1 assistant b"),
				`{"type":"compaction","id":"3","parentId":"2","summary":"s","firstKeptEntryId":"gone"}`,
				`{"type":"compaction","id":"4","parentId":"3","summary":"s","firstKeptEntryIndex":99}`,
				`{"type":"message","id":"5","parentId":"4","message":{"role":"assistant","content":"c"}}`),
			"a b [summary of the conversation so far]\ns c", "pi: 2 runs"},
		"pi: a compaction after another": {
			append(piLines("1 0 user a", "2 1 assistant b"),
				`{"type":"compaction","id":"3","parentId":"2","summary":"s","firstKeptEntryId":"2"}`,
				`{"type":"message","id":"4","parentId":"3","message":{"role":"user","content":"c"}}`,
				`{"type":"compaction","id":"5","parentId":"4","summary":"t","firstKeptEntryId":"2"}`,
				`{"type":"message","id":"6","parentId":"5","message":{"role":"assistant","content":"d"}}`),
			"a b [summary of the conversation so far]\ns b c [summary of the conversation so far]\nt b c d", "pi: 3 runs"},
		"a byte order mark": {
			[]string{"\ufeff" + chatLine("user", "a"), chatLine("assistant", "b")}, "a b", ""},
		"Codex: a turn taken back": {
			[]string{`{"type":"response_item","payload":{"type":"message","role":"user","content":"a"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":"b"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":"c"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":"d"}}`,
				`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`},
			"a b", "dropped: messages that the user took back: 2 (line 3, line 4)"},
		"opencode: a part taken back": {
			[]string{`{"info":{"id":"s","revert":{"messageID":"2","partID":"22"}},"messages":[
				{"info":{"id":"1","role":"user"},"parts":[{"id":"11","type":"text","text":"a"}]},
				{"info":{"id":"2","role":"assistant"},"parts":[{"id":"21","type":"text","text":"b"},{"id":"22","type":"text","text":"c"}]},
				{"info":{"id":"3","role":"user"},"parts":[{"id":"31","type":"text","text":"d"}]}]}`},
			"a b", "dropped: messages that the user took back: 2 (message 2, message 3)"},
		"Codex: more turns taken back than there are": {
			[]string{`{"type":"response_item","payload":{"type":"message","role":"user","content":"a"}}`,
				`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1000000000}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":"b"}}`,
				`{"type":"response_item","payload":{"type":"web_search_call","action":{"query":"x"}}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":"c"}}`},
			"b c", "dropped: messages that the user took back: 1 (line 1)"},
		"opencode: wrong types": {
			[]string{`{"info":{"id":"s"},"messages":[{"info":{"id":"1","role":"user"},"parts":[{"type":"text","text":"a"},7]},
				{"info":7},{"info":{"id":"2","role":"assistant"},"parts":[{"type":"text","text":"b"}]}]}`},
			"a b", "not read: message 2: "},
	} {
		t.Run(name, func(t *testing.T) {
			runs, report := readLines(t, nil, c.lines...)
			var said []string
			for _, run := range runs {
				for _, m := range run.Messages {
					said = append(said, m.Text)
				}
			}
			if diff := cmp.Diff(c.said, strings.Join(said, " ")); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(report.String(), c.report) {
				t.Errorf("the report lacks %q:\n%s", c.report, report)
			}
		})
	}
}

// TestCut cuts each file everywhere: what is left is valid, or an error.
func TestCut(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(text); cut += 1 + len(text)/40 {
			var lines []string
			for line := range bytes.Lines(text[:cut]) {
				lines = append(lines, string(line))
			}
			readLines(t, nil, lines...)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path string
		o    *Options
		want []string
	}{
		"no session":   {write("notes.md", "# Notes\n"), nil, []string{"notes.md: no session of a known agent (line 1: ", "claude-code  sessions"}},
		"empty":        {write("empty.jsonl", ""), nil, []string{"empty.jsonl: no session of a known agent; foray reads:"}},
		"unanswered":   {write("u.jsonl", `{"type":"user","uuid":"1","message":{"role":"user","content":"a"}}`), nil, []string{"(sessions without an answer: 1)"}},
		"a folder":     {dir, nil, []string{"no session of a known agent"}},
		"no gzip":      {write("x.jsonl.gz", "{}"), nil, []string{"reading x.jsonl.gz: ", "EOF"}},
		"other format": {write("o.jsonl", "{}"), &Options{Format: "word"}, []string{`unknown format "word": it must be one of chat, claude-code,`}},
	} {
		_, report, err := Read(t.Context(), c.path, c.o)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) || report == nil {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
	if _, _, err := Read(t.Context(), filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Read(ended, "testdata/chat.jsonl", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A line of 100 MB is skipped with its number, and what follows it is read.
func TestLongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { _, err := f.WriteString(`{"role":"user","content":"a"}` + "\n"); return err },
		func() error { return f.Truncate(100 << 20) },
		func() error {
			_, err := f.WriteAt([]byte("\n"+`{"role":"assistant","content":"b"}`), 100<<20)
			return err
		},
		f.Close,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	runs, report, err := Read(t.Context(), path, nil)
	if err != nil || len(runs) != 1 || len(runs[0].Messages) != 2 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	want := []Skip{{"line 2", "the line is too long: more than 67108864 bytes"}}
	if diff := cmp.Diff(want, report.Skipped); diff != "" {
		t.Error(diff)
	}
}

// A session that does not fit into memory is an error; a file of small runs may be larger.
func TestTooLarge(t *testing.T) {
	run := `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}` + "\n"
	for name, c := range map[string]struct {
		text string
		runs int
		want string
	}{
		"one session":     {strings.Repeat(`{"role":"user","content":"a"}`+"\n", 20), 0, "line 11: a session has more than"},
		"a run each line": {strings.Repeat(run, 20), 20, ""},
	} {
		path := filepath.Join(t.TempDir(), "large.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		runs := 0
		r, err := NewReader(path, nil, func(*Run) bool { runs++; return true })
		if err != nil {
			t.Fatal(err)
		}
		r.most = 300
		err = r.read(t.Context(), path)
		if runs != c.runs || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d runs, %v", name, runs, err)
		}
	}
}

// Files made to be slow: ids used again and again, parents far back, calls without end.
func TestSlow(t *testing.T) {
	const n = 5000
	var lines []string
	lines = append(lines, claudeLines("r - user a")...)
	for i := range n {
		lines = append(lines, claudeLines(strconv.Itoa(i) + " gone assistant b")[0], `{"type":"user","uuid":"","parentUuid":"gone","isSidechain":true,"message":{"role":"user","content":"c"}}`)
	}
	call := `{"id":"c","name":"f","args":{}},`
	lines = append(lines, `{"role":"user","content":"go"}`,
		`{"role":"assistant","content":"","tool_calls":[`+strings.Repeat(call, n)+`{"id":"c","name":"f","args":{}}]}`)
	for range n {
		lines = append(lines, `{"role":"tool","tool_call_id":"c","content":"r"}`)
	}
	start := time.Now()
	runs, report := readLines(t, nil, lines...)
	t.Logf("%v for %d lines, %d runs", time.Since(start), len(lines), len(runs))
	if len(runs) == 0 || report.Runs != len(runs) {
		t.Error(report)
	}
}

// A format that the caller forces is not guessed.
func TestForcedFormat(t *testing.T) {
	line := `{"role":"assistant","type":"message","content":"b"}`
	for format, source := range map[string]string{"": codex, codex: codex, chat: "case"} {
		runs, _ := readLines(t, &Options{Format: format}, `{"role":"user","type":"message","content":"a"}`, line)
		if len(runs) != 1 || runs[0].Source != source {
			t.Errorf("%q: %+v", format, runs)
		}
	}
	if runs, report := readLines(t, &Options{Format: pi}, line); len(runs) != 0 || report.Runs != 0 {
		t.Errorf("as pi: %v", report)
	}
}
