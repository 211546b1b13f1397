package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/browsertest"
)

// long is a trace of a real run with so many more lines before its end.
func long(t testing.TB, more int) []byte {
	lines, _ := compacting(t, "ladder", 150, "Read everything.", "Done.")
	split := bytes.SplitAfter(bytes.TrimRight(lines, "\n"), []byte("\n"))
	last := split[len(split)-1]
	var out bytes.Buffer
	for _, l := range split[:len(split)-1] {
		out.Write(l)
	}
	for i := range more {
		fmt.Fprintf(&out, `{"seq":%d,"ms":%d,"event":"warned","agent":"reader","step":150,"warning":"warning %d of many"}`+"\n",
			len(split)+i, 20+i, i)
	}
	var end map[string]any
	if err := json.Unmarshal(last, &end); err != nil {
		t.Fatal(err)
	}
	end["seq"] = len(split) + more
	raw, err := json.Marshal(end)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(append(raw, '\n'))
	return out.Bytes()
}

// large is a folder with 20,000 rows, one of which has a trace of more than 100,000 events.
func large(t testing.TB) string {
	m := newMaker(t, "a", "b")
	m.task(task.Task{ID: "long", Prompt: "Read everything."})
	m.row(trial.Row{Task: "long", Subject: "a", Trial: 1, Answer: "Done.", Steps: 151}, long(t, 100_000))
	for i := range 20_000 {
		m.row(trial.Row{Task: fmt.Sprintf("t%d", i/10), Subject: "b", Trial: i%10 + 1, Passed: i%3 > 0, Steps: i % 17}, nil)
	}
	return m.done()
}

// TestBrowser looks at reports in Chromium: their content, filters, keys and links, that nothing is requested or logged,
// and that what is in the document stays little.
func TestBrowser(t *testing.T) {
	browsertest.Require(t)
	dir := t.TempDir()
	for name, results := range map[string]string{"example.html": example(t), "large.html": large(t)} {
		var b bytes.Buffer
		if err := Write(t.Context(), results, &b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := []string{Link("read/06", "model:scripted@6000+lean", 2), Link("read/05", "model:scripted@6000+lean", 3)}
	browsertest.Run(t, "testdata/browser.mjs", append([]string{dir}, links...)...)
}
