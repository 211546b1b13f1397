package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

func TestNoFolderOfResults(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
		is    error
	}{
		"missing":       {nil, "no results there", trial.ErrNoRun},
		"no run":        {map[string]string{"results.jsonl": "{}\n"}, "no results there", trial.ErrNoRun},
		"bad run":       {map[string]string{"run.json": "{", "results.jsonl": ""}, "run.json: unexpected end", nil},
		"newer":         {map[string]string{"run.json": `{"version":2}`, "results.jsonl": ""}, "version 2", nil},
		"empty":         {map[string]string{"run.json": `{"version":1}`, "results.jsonl": ""}, "no results there", trial.ErrNoRun},
		"foreign lines": {map[string]string{"run.json": `{"version":1}`, "results.jsonl": "[]\n{}\n"}, "no results there", trial.ErrNoRun},
		"no results":    {map[string]string{"run.json": `{"version":1}`}, "results.jsonl: no such file", os.ErrNotExist},
	} {
		m := newMaker(t)
		for file, text := range test.files {
			m.file(file, []byte(text))
		}
		var b bytes.Buffer
		err := Write(t.Context(), m.dir, &b)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) || b.Len() > 0 {
			t.Errorf("%s: %d bytes, %v; want %q", name, b.Len(), err, test.want)
		}
	}
}

// TestDamagedFolder shows what can be read, and names the rest.
func TestDamagedFolder(t *testing.T) {
	m := newMaker(t, "a")
	m.task(task.Task{ID: "one", Prompt: "one?"})
	m.tasks.WriteString("not a task\n")
	m.row(trial.Row{Task: "one", Subject: "a", Trial: 1, Passed: true, Score: 1}, nil)
	m.row(trial.Row{Task: "one", Subject: "a", Trial: 2, Trace: "../secret.jsonl.gz"}, nil)
	m.row(trial.Row{Task: "one", Subject: "a", Trial: 3, Trace: "traces/none.jsonl.gz"}, nil)
	m.row(trial.Row{Task: "one", Subject: "b", Trial: 1, Trace: "traces/text.jsonl.gz"}, nil)
	m.file("traces/text.jsonl.gz", []byte("not compressed"))
	if err := os.WriteFile(filepath.Join(m.dir, "../secret.jsonl.gz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.results.WriteString("not a result\n" + `{"task":"one","subject":"a","trial":4,"pas`)
	p := parse(t, m.done(), defaults)
	if len(p.index.Rows) != 4 || strings.Join(p.index.Subjects, " ") != "a b" {
		t.Errorf("%d rows of %q", len(p.index.Rows), p.index.Subjects)
	}
	for _, want := range []string{"1 line of a task could not be read", "1 line of a result could not be read", "results.jsonl:5:"} {
		if !strings.Contains(p.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for i, want := range []string{"has no trace", "path escapes", "no such file", "invalid header"} {
		if left := strings.Join(p.details[i].Left, " "); !strings.Contains(left, want) {
			t.Errorf("trial %d: %q, want %q", i+1, left, want)
		}
	}
}

// TestBoundsOfAPage leaves out rows and details, the passed trials first, and says so.
func TestBoundsOfAPage(t *testing.T) {
	m := newMaker(t, "a")
	for i := range 30 {
		m.row(trial.Row{Task: "t", Subject: "a", Trial: i + 1, Passed: i%3 > 0, Answer: strings.Repeat("x", i)}, nil)
	}
	b := defaults
	b.rows, b.page = 24, 3_000
	p := parse(t, m.done(), b)
	if len(p.index.Rows) != 24 {
		t.Errorf("%d rows", len(p.index.Rows))
	}
	left := 0
	for i, d := range p.details {
		if d == nil {
			if left++; !p.index.Rows[i].Passed {
				t.Error("a failed trial has no details, but a passed one has")
			}
		}
	}
	for _, want := range []string{"6 trials after the first 24 are in neither", "are in the table without details"} {
		if left == 0 || !strings.Contains(p.text, want) {
			t.Errorf("%d without details; the page does not say %q", left, want)
		}
	}
}

func TestWriteEnds(t *testing.T) {
	dir := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ctx, dir, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	full := errors.New("no space left on device")
	for left := range 6 {
		if err := Write(t.Context(), dir, &disk{left * 7_000, full}); !errors.Is(err, full) {
			t.Errorf("a full disk: %v", err)
		}
	}
}

// A disk has room for so many bytes.
type disk struct {
	left int
	full error
}

func (d *disk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, d.full
	}
	return len(p), nil
}

func TestSummary(t *testing.T) {
	row := func(task string, passed bool, class trial.Class, tokens int) *trial.Row {
		r := &trial.Row{Task: task, Subject: "s", Passed: passed, Steps: 3, Seconds: 2}
		r.Usage.Input = tokens
		if class != "" {
			r.Failure = &trial.Failure{Class: class}
		}
		return r
	}
	rows := []*trial.Row{row("a", true, "", 10), row("a", true, "", 30), row("b", false, trial.Tool, 0), row("b", false, "", 1), row("c", false, "", 7)}
	all := summarize([]string{"none", "s"}, rows)
	s := all[1]
	low, high := stats.Wilson(2, 5, .95)
	if s.Letter != "B" || s.Trials != 5 || s.Passed != 2 || s.Rate != .4 || s.Low != low || s.High != high || s.Tokens != 9.6 || s.Steps != 3 {
		t.Errorf("%+v", s)
	}
	if len(s.Failures) != 2 || s.Failures[0] != (failures{"wrong", 2, 1}) ||
		s.Margin != stats.Normal(.95)*clusteredError(rows) || s.Margin == 0 {
		t.Errorf("failures %v, margin %v", s.Failures, s.Margin)
	}
	if none := all[0]; none.Low != 0 || none.High != 1 || none.Rate != 0 {
		t.Errorf("without trials: %+v", none)
	}
	chart := scattered(all)
	if len(chart.Points) != 1 || chart.X != "mean tokens of a trial" {
		t.Errorf("%+v", chart)
	}
	huge := []*trial.Row{row("a", true, "", 1), row("b", true, "", 1)}
	huge[0].Cost, huge[1].Cost = math.MaxFloat64, math.MaxFloat64
	if n := len(scattered(summarize(nil, huge)).Ticks); n > 9 {
		t.Errorf("an endless cost has %d ticks", n)
	}
	for _, d := range distributions(all) {
		bars := 0.0
		for _, h := range d.Rows {
			for _, b := range h.Bars {
				bars += b.Passed + b.Failed
				if b.X < 0 || b.X+b.Width > barsWidth || b.FailedY < -1e-9 || math.IsNaN(b.Passed) {
					t.Errorf("%s: %+v", d.Name, b)
				}
			}
		}
		if bars == 0 {
			t.Errorf("%s has no bars", d.Name)
		}
	}
}

// TestLink is the address that the page's script understands: it decodes what is behind #trial=.
func TestLink(t *testing.T) {
	if got, want := Link("a/b c%", "model:x@1+lean", 3), "#trial=a%2Fb%20c%25/model:x@1+lean/3"; got != want {
		t.Errorf("Link = %q, want %q", got, want)
	}
	if got, want := Link("\u202e", "s", 1), "#trial=%E2%9F%A8U+202E%E2%9F%A9/s/1"; got != want {
		t.Errorf("Link = %q, want %q", got, want)
	}
}
