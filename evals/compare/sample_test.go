package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// A run is a folder of results in short. Each subject has a text of words, one a task, with a letter a trial: "+"
// passed, "-" did not, "P" failed by the provider, "." is missing.
type run struct {
	set, hash string
	subjects  [][2]string // name and text
	prompts   map[string]string
	broken    string // a line after the results
	spent     int    // tokens of a trial; 0: 1000
}

// write makes the folder.
func (r run) write(t *testing.T, dir string) string {
	t.Helper()
	var rows, tasks strings.Builder
	info := trial.Info{Version: trial.Version, Set: r.set, Hash: r.hash, Trials: 1}
	encode := func(to *strings.Builder, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(append(raw, '\n'))
	}
	for s, subject := range r.subjects {
		info.Subjects = append(info.Subjects, subject[0])
		words := strings.Fields(subject[1])
		info.Tasks = len(words)
		for i, word := range words {
			id := fmt.Sprintf("t%02d", i+1)
			if s == 0 {
				encode(&tasks, task.Task{ID: id, Prompt: "do " + id + r.prompts[id]})
			}
			info.Trials = max(info.Trials, len(word))
			for n, letter := range word {
				if letter != '.' {
					encode(&rows, r.row(id, subject[0], i, n+1, letter))
				}
			}
		}
	}
	var raw strings.Builder
	encode(&raw, info)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run.json": raw.String(), "tasks.jsonl": tasks.String(), "results.jsonl": rows.String() + r.broken} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (r run) row(id, subject string, i, n int, letter rune) trial.Row {
	row := trial.Row{
		Task: id, Subject: subject, Trial: n, Tags: []string{[]string{"easy", "hard"}[i%2]}, Seconds: .5 + float64(i%7)/10,
		Started: time.Date(2026, 5, 4, 3, 2, i, 0, time.UTC),
		Steps:   2 + i%3, Answer: "an answer", Stop: "answered", Passed: letter == '+', Trace: "traces/" + id + "." + subject + fmt.Sprintf(".%d.jsonl.gz", n),
		Usage: providers.Usage{Input: cmp.Or(r.spent, 1000) + 10*i + 7*len(subject)*(i%5), Output: 100, Cached: 400}, Cost: .01,
	}
	v := check.Verdict{Check: "contains", Passed: row.Passed, Score: one(row.Passed)}
	if !row.Passed {
		v.Why = "the answer lacks \"42\""
	}
	row.Score, row.Checks = v.Score, []check.Verdict{v}
	if letter == 'P' {
		row.Failure, row.Checks, row.Score = &trial.Failure{Class: trial.Provider, Text: "503 overloaded"}, nil, 0
	}
	return row
}

// words repeats texts of tasks: ("+ ", 3, "- ", 2) is three tasks that passed and two that did not.
func words(parts ...any) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(strings.Repeat(parts[i].(string)+" ", parts[i+1].(int)))
	}
	return b.String()
}

func TestChange(t *testing.T) {
	for ratio, want := range map[float64]string{.7: "−30", 1.02: "+2", 100: "+9900", 6887: "more than ×100"} {
		if got := change(ratio); got != want {
			t.Errorf("%g: %s, want %s", ratio, got, want)
		}
	}
}
