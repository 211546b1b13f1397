package trial_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
)

// sayer passes tasks whose prompt the subject echoes.
func sayer(text string) check.Check {
	return check.Check{Name: "says " + text, Run: func(_ context.Context, o *check.Outcome) (check.Verdict, error) {
		if strings.Contains(o.Answer, text) {
			return check.Verdict{Passed: true, Score: 1}, nil
		}
		return check.Verdict{Why: "it does not"}, nil
	}}
}

// setOf is a set of n tasks, task-0 and so on, each with a check that asks for its id in the answer.
func setOf(n int) *task.Set {
	s := &task.Set{Name: "test", Hash: fmt.Sprint("hash of ", n)}
	for i := range n {
		id := fmt.Sprintf("task-%d", i)
		s.Tasks = append(s.Tasks, task.Task{ID: id, Prompt: "say " + id, Judges: []check.Check{sayer(id)}})
	}
	return s
}

func echo(_ context.Context, in trial.Input) (*check.Outcome, error) {
	return &check.Outcome{Answer: in.Task.Prompt, Steps: 1, Usage: providers.Usage{Input: 10, Output: 2}, Cost: 0.25}, nil
}

func subject(name string, do func(context.Context, trial.Input) (*check.Outcome, error)) trial.Subject {
	return trial.Subject{Name: name, Do: do}
}

func rowsOf(t testing.TB, dir string) []*trial.Row {
	t.Helper()
	var rows []*trial.Row
	for r, err := range trial.Rows(dir) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestRun(t *testing.T) {
	set, dir := setOf(7), filepath.Join(t.TempDir(), "new", "run")
	silent := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		if in.Trial == 2 {
			return nil, &trial.Failure{Class: trial.Tool, Text: "the tool broke"}
		}
		return &check.Outcome{Answer: "nothing"}, nil
	}
	var last trial.Progress
	s, err := trial.Run(t.Context(), trial.Plan{
		Set: set, Subjects: []trial.Subject{subject("echo", echo), subject("silent", silent)}, Trials: 3, Jobs: 4, Dir: dir,
		Progress: func(p trial.Progress) { last = p },
	})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := s.Subjects[0], s.Subjects[1]
	if s.Trials != 42 || s.Total != 42 || good.Passed != 21 || good.Score != 21 || good.Cost != 5.25 || good.Usage.Input != 210 ||
		bad.Passed != 0 || bad.Failures[trial.Tool] != 7 || bad.Missed["task-3"] != 3 {
		t.Errorf("totals: %+v %+v", good, bad)
	}
	if last.Done != 42 || last.Total != 42 || last.Passed != 21 || last.Failed != 7 {
		t.Errorf("last progress: %+v", last)
	}
	again, err := trial.Summarize(dir)
	if err != nil || !same(s, again) {
		t.Errorf("read again: %v, %+v", err, again)
	}
	if rows := rowsOf(t, dir); len(rows) != 42 || rows[0].Trial != 1 {
		t.Errorf("%d rows, the first of trial %d", len(rows), rows[0].Trial)
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock stays: %v", err)
	}
}

// same compares totals; sums of floats depend on their order.
func same(a, b *trial.Summary) bool {
	close := func(x, y float64) bool { return math.Abs(x-y) < 1e-9*(1+math.Abs(x)) }
	return a.Trials == b.Trials && a.Total == b.Total && slices.EqualFunc(a.Subjects, b.Subjects, func(x, y *trial.Tally) bool {
		return x.Subject == y.Subject && x.Trials == y.Trials && x.Passed == y.Passed && close(x.Score, y.Score) &&
			maps.Equal(x.Failures, y.Failures) && maps.Equal(x.Missed, y.Missed) && x.Steps == y.Steps &&
			x.Calls == y.Calls && x.Usage == y.Usage && close(x.Cost, y.Cost)
	})
}

// Each way to fail has its class, costs nothing but its trial, and scores zero.
func TestFailures(t *testing.T) {
	ways := map[string]struct {
		do   func(context.Context, trial.Input) (*check.Outcome, error)
		want trial.Class
		text string
	}{
		"panics": {func(context.Context, trial.Input) (*check.Outcome, error) { panic("at the disco") }, trial.Agent, "at the disco"},
		"errs":   {func(context.Context, trial.Input) (*check.Outcome, error) { return nil, errors.New("no idea") }, trial.Agent, "no idea"},
		"leaks": {func(context.Context, trial.Input) (*check.Outcome, error) {
			return nil, errors.New("GITHUB_TOKEN=ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36] + " refused")
		}, trial.Agent, "GITHUB_TOKEN=[redacted:github-token] refused"},
		"nothing": {func(context.Context, trial.Input) (*check.Outcome, error) { return nil, nil }, trial.Agent, "returned nothing"},
		"goexit":  {func(context.Context, trial.Input) (*check.Outcome, error) { runtime.Goexit(); return nil, nil }, trial.Agent, "goroutine"},
		"model": {func(context.Context, trial.Input) (*check.Outcome, error) {
			return &check.Outcome{Answer: "task-0", Steps: 3}, fmt.Errorf("asking: %w", &providers.Error{Class: providers.Rate, Err: errors.New("slow down")})
		}, trial.Provider, "slow down"},
		"greedy": {func(context.Context, trial.Input) (*check.Outcome, error) {
			return &check.Outcome{Answer: "task-0", Steps: 9}, nil
		}, trial.Agent, "9 steps, of 5"},
		"checked": {func(context.Context, trial.Input) (*check.Outcome, error) {
			return &check.Outcome{Answer: "break the check"}, nil
		}, trial.Check, "panic: broken"},
		"late": {func(ctx context.Context, _ trial.Input) (*check.Outcome, error) {
			<-ctx.Done()
			return &check.Outcome{Answer: "task-0"}, ctx.Err()
		}, trial.Harness, "out of time"},
	}
	set := setOf(1)
	set.Tasks[0].Budget.Steps = 5
	set.Tasks[0].Judges = append(set.Tasks[0].Judges, check.Check{Name: "breaks", Run: func(_ context.Context, o *check.Outcome) (check.Verdict, error) {
		if strings.HasPrefix(o.Answer, "break") {
			panic("broken")
		}
		return check.Verdict{Passed: true, Score: 1}, nil
	}})
	var subjects []trial.Subject
	for name, way := range ways {
		subjects = append(subjects, subject(name, way.do))
	}
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if _, err := trial.Run(t.Context(), trial.Plan{Set: set, Subjects: subjects, Dir: dir, Jobs: 3}); err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, dir)
		if len(rows) != len(ways) {
			t.Errorf("%d rows", len(rows))
		}
		for _, r := range rows {
			want := ways[r.Subject]
			if r.Failure == nil || r.Failure.Class != want.want || !strings.Contains(r.Failure.Text, want.text) {
				t.Errorf("%s: %+v, want %s: %s", r.Subject, r.Failure, want.want, want.text)
			}
			if r.Passed || r.Score != 0 {
				t.Errorf("%s: passed %v, score %v", r.Subject, r.Passed, r.Score)
			}
			if r.Subject == "model" && r.Steps != 3 {
				t.Errorf("the outcome beside an error is lost: %+v", r)
			}
		}
	})
}

// A subject that hangs is abandoned with the class of the harness; the others go on. Too many end the run.
func TestHangs(t *testing.T) {
	for _, n := range []int{5, 40} {
		synctest.Test(t, func(t *testing.T) {
			set, dir, release := setOf(n), t.TempDir(), make(chan struct{})
			hang := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
				<-release
				if _, err := in.Trace.Write([]byte("late")); !errors.Is(err, os.ErrClosed) {
					t.Errorf("writing after the end: %v", err)
				}
				return &check.Outcome{}, nil
			}
			s, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: dir, Jobs: 2, Timeout: time.Minute,
				Subjects: []trial.Subject{subject("hang", hang), subject("echo", echo)}})
			close(release)
			if n > 32 {
				if err == nil || !strings.Contains(err.Error(), "still run") {
					t.Errorf("40 hang: %v", err)
				}
				return
			}
			if err != nil || s.Subjects[0].Failures[trial.Harness] != n || s.Subjects[1].Passed != n {
				t.Errorf("%v: %+v %+v", err, s.Subjects[0], s.Subjects[1])
			}
		})
	}
}

// A check that hangs fails its trial with the class of checks.
func TestCheckHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, release := setOf(2), make(chan struct{})
		set.Tasks[0].Judges = []check.Check{{Name: "hangs", Run: func(context.Context, *check.Outcome) (check.Verdict, error) {
			<-release
			return check.Verdict{Passed: true, Score: 1}, nil
		}}}
		s, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: t.TempDir(), Subjects: []trial.Subject{subject("echo", echo)}})
		close(release)
		if err != nil || s.Subjects[0].Failures[trial.Check] != 1 || s.Subjects[0].Passed != 1 {
			t.Errorf("%v: %+v", err, s.Subjects[0])
		}
	})
}

// Every trial has a working copy of its own, which is gone after it; what checks look at is there until then.
func TestWorkingCopies(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	set, dir := setOf(1), t.TempDir()
	set.Tasks[0].Files = map[string]string{"a/b.txt": "clean"}
	set.Tasks[0].Judges = []check.Check{{Name: "dirty", Run: func(_ context.Context, o *check.Outcome) (check.Verdict, error) {
		raw, err := os.ReadFile(filepath.Join(o.Dir, "a/b.txt"))
		fresh := t.TempDir()
		err = errors.Join(err, o.Fresh(t.Context(), fresh))
		first, failed := os.ReadFile(filepath.Join(fresh, "a/b.txt"))
		return check.Verdict{Passed: string(raw) == "dirty" && string(first) == "clean", Score: 1}, errors.Join(err, failed)
	}}}
	write := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		path := filepath.Join(in.Dir, "a/b.txt")
		raw, err := os.ReadFile(path)
		if string(raw) != "clean" {
			err = errors.Join(err, fmt.Errorf("found %q", raw))
		}
		err = errors.Join(err, os.WriteFile(path, []byte("dirty"), 0o600), os.Mkdir(filepath.Join(in.Dir, "shut"), 0o500))
		return &check.Outcome{}, err
	}
	s, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: dir, Trials: 20, Jobs: 4, Subjects: []trial.Subject{subject("write", write)}})
	if err != nil || s.Subjects[0].Passed != 20 {
		t.Errorf("%v: %+v", err, s.Subjects[0])
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A trace is kept only when there are events, under names that differ for tasks that a file system would mix up.
func TestTraces(t *testing.T) {
	dir := t.TempDir()
	set := setOf(4)
	set.Tasks[0].ID, set.Tasks[1].ID, set.Tasks[2].ID = "A/b", "a/b", "../../"+strings.Repeat("長", 300)
	events := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		if in.Task.ID != "task-3" {
			for range 3 {
				fmt.Fprintln(in.Trace, in.Task.ID)
			}
		}
		return &check.Outcome{}, nil
	}
	if _, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: dir, Subjects: []trial.Subject{subject("exec:a b/c", events)}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rowsOf(t, dir) {
		if r.Task == "task-3" {
			if r.Trace != "" {
				t.Errorf("a trace without events: %s", r.Trace)
			}
			continue
		}
		file, err := os.Open(filepath.Join(dir, r.Trace))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(z)
		if want := strings.Repeat(r.Task+"\n", 3); err != nil || string(raw) != want {
			t.Errorf("%s: %q, %v", r.Trace, raw, err)
		}
		file.Close()
	}
	if files, err := os.ReadDir(filepath.Join(dir, "traces")); err != nil || len(files) != 3 {
		t.Errorf("%d traces, %v", len(files), err)
	}
}

// What a subject says is bounded in the results, and stays valid JSON.
func TestFloods(t *testing.T) {
	dir := t.TempDir()
	flood := func(context.Context, trial.Input) (*check.Outcome, error) {
		o := &check.Outcome{Answer: strings.Repeat("\xff\x00長", 1<<20), Cost: math.NaN()}
		for i := range 5000 {
			o.Calls = append(o.Calls, check.Call{Name: "search", Args: json.RawMessage(`{"torn` + strings.Repeat("x", i))})
		}
		return o, nil
	}
	if _, err := trial.Run(t.Context(), trial.Plan{Set: setOf(1), Dir: dir, Subjects: []trial.Subject{subject("flood", flood)}}); err != nil {
		t.Fatal(err)
	}
	r := rowsOf(t, dir)[0]
	if len(r.Answer) > 65_536 || len(r.Calls) != 1000 || len(r.Calls[0].Args) == 0 || r.Cost != 0 {
		t.Errorf("answer %d, calls %d, cost %v", len(r.Answer), len(r.Calls), r.Cost)
	}
	if info, err := os.Stat(filepath.Join(dir, "results.jsonl")); err != nil || info.Size() > 5<<20 {
		t.Errorf("%v bytes, %v", info.Size(), err)
	}
}

// A cancelled run keeps what ended, and says so by its error.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int32
	stop := func(ctx context.Context, in trial.Input) (*check.Outcome, error) {
		if n.Add(1) > 10 {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return echo(ctx, in)
	}
	dir := t.TempDir()
	plan := trial.Plan{Set: setOf(30), Dir: dir, Jobs: 2, Subjects: []trial.Subject{subject("s", stop)}}
	s, err := trial.Run(ctx, plan)
	if !errors.Is(err, context.Canceled) || s.Trials < 9 || s.Trials > 10 { // one may be judged when the run ends
		t.Fatalf("%v: %+v", err, s)
	}
	if _, err := trial.Run(t.Context(), plan); !errors.Is(err, trial.ErrExists) {
		t.Errorf("without Resume: %v", err)
	}
	plan.Resume, plan.Subjects[0].Do = true, echo
	s, err = trial.Run(t.Context(), plan)
	if err != nil || s.Trials != 30 || s.Subjects[0].Passed != 30 || len(rowsOf(t, dir)) != 30 {
		t.Errorf("resumed: %v: %+v", err, s)
	}
}

// Resume drops a torn line, lines that are no rows, rows that are there twice and those of the harness, and no other.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	plan := trial.Plan{Set: setOf(6), Dir: dir, Trials: 2, Subjects: []trial.Subject{subject("echo", echo)}}
	want, err := trial.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "results.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	harness := `{"task":"task-5","subject":"echo","trial":2,"failure":{"class":"harness","text":"out of time"}}` + "\n"
	agent := `{"task":"task-5","subject":"echo","trial":2,"failure":{"class":"agent","text":"gave up"}}` + "\n"
	for name, c := range map[string]struct {
		left string
		runs int32 // again
	}{
		"nothing":     {"", 12},
		"whole":       {string(whole), 0},
		"half":        {string(bytes.Join(lines[:6], nil)), 6},
		"torn":        {string(whole[:len(whole)-9]), 1},
		"twice":       {string(whole) + string(lines[3]), 0},
		"damaged":     {string(lines[0]) + "\x00\x00\n\n{}\n[]\n" + string(bytes.Join(lines[1:12], nil)), 0},
		"harness":     {string(bytes.Join(lines[:11], nil)) + harness, 1},
		"other class": {string(bytes.Join(lines[:11], nil)) + agent, 0},
		"foreign":     {string(whole) + `{"task":"of another set","subject":"echo","trial":1}` + "\n", 0},
	} {
		if err := os.WriteFile(path, []byte(c.left), 0o600); err != nil {
			t.Fatal(err)
		}
		var runs atomic.Int32
		again := plan
		again.Resume, again.Subjects = true, []trial.Subject{subject("echo", func(ctx context.Context, in trial.Input) (*check.Outcome, error) {
			runs.Add(1)
			return echo(ctx, in)
		})}
		s, err := trial.Run(t.Context(), again)
		if err != nil || runs.Load() != c.runs || name != "other class" && !same(s, want) {
			t.Errorf("%s: %v, %d runs, %+v", name, err, runs.Load(), s)
		}
		read, err := trial.Summarize(dir)
		if err != nil || !same(s, read) || read.Damaged > 0 || len(rowsOf(t, dir)) != 12 {
			t.Errorf("%s: read again: %v, %+v", name, err, read)
		}
	}
}

// Resume runs failures of other classes again if the plan says so.
func TestRetry(t *testing.T) {
	dir := t.TempDir()
	plan := trial.Plan{Set: setOf(4), Dir: dir, Subjects: []trial.Subject{subject("s", func(context.Context, trial.Input) (*check.Outcome, error) {
		return nil, &trial.Failure{Class: trial.Provider, Text: "down"}
	})}}
	for _, retry := range [][]trial.Class{nil, {trial.Agent}, {trial.Agent, trial.Provider}} {
		s, err := trial.Run(t.Context(), plan)
		if err != nil || s.Subjects[0].Passed != 0 || s.Trials != 4 {
			t.Errorf("%v: %v, %+v", retry, err, s.Subjects[0])
		}
		plan.Resume, plan.Retry, plan.Subjects[0].Do = true, retry, echo
	}
	if s, err := trial.Run(t.Context(), plan); err != nil || s.Subjects[0].Passed != 4 || len(rowsOf(t, dir)) != 4 {
		t.Errorf("retried: %v, %+v", err, s.Subjects[0])
	}
}

// In a round, subject follows subject, so that what a server has cached of one serves its next trial and no other's.
func TestOrder(t *testing.T) {
	var order []string
	note := func(name string) trial.Subject {
		return subject(name, func(ctx context.Context, in trial.Input) (*check.Outcome, error) {
			order = append(order, fmt.Sprint(name, in.Trial, in.Task.ID[len("task-"):]))
			return echo(ctx, in)
		})
	}
	plan := trial.Plan{Set: setOf(2), Dir: t.TempDir(), Trials: 2, Subjects: []trial.Subject{note("a"), note("b")}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "a10 a11 b10 b11 a20 a21 b20 b21" {
		t.Error(got)
	}
}

// What a run allowed its trials and who judged them is kept for the run that resumes it.
func TestInfoKeepsWhatARunAllowed(t *testing.T) {
	plan := trial.Plan{Set: setOf(1), Dir: t.TempDir(), Subjects: []trial.Subject{subject("a", echo)},
		Timeout: 90 * time.Second, Judge: "p/first"}
	for _, judge := range []string{"p/first", "p/second"} {
		plan.Judge = judge
		if _, err := trial.Run(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		if info, err := trial.ReadInfo(plan.Dir); err != nil || info.Timeout != 90 || info.Judge != judge {
			t.Errorf("%v: %+v", err, info)
		}
		plan.Resume = true
	}
}

// A cost of nothing is known or not. Rows of earlier versions do not say which.
func TestPriced(t *testing.T) {
	dir := t.TempDir()
	plan := trial.Plan{Set: setOf(3), Dir: dir, Subjects: []trial.Subject{subject("s",
		func(_ context.Context, in trial.Input) (*check.Outcome, error) {
			return map[string]*check.Outcome{"task-0": {}, "task-1": {Priced: true}, "task-2": {Cost: .5}}[in.Task.ID], nil
		})}}
	s, err := trial.Run(t.Context(), plan)
	if err != nil || s.Subjects[0].Priced != 2 || s.Subjects[0].Cost != .5 {
		t.Errorf("%v: %+v", err, s.Subjects[0])
	}
	path := filepath.Join(dir, "results.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(raw, []byte(`,"priced":true`), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := trial.Summarize(dir); err != nil || s.Subjects[0].Priced != 1 {
		t.Errorf("earlier: %v: %+v", err, s.Subjects[0])
	}
}

// A run may be extended: by subjects, and by trials.
func TestExtend(t *testing.T) {
	dir := t.TempDir()
	plan := trial.Plan{Set: setOf(3), Dir: dir, Subjects: []trial.Subject{subject("a", echo)}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	plan.Resume, plan.Trials, plan.Subjects = true, 4, []trial.Subject{subject("b", echo)}
	s, err := trial.Run(t.Context(), plan)
	if err != nil || len(s.Subjects) != 2 || s.Subjects[0].Trials != 3 || s.Subjects[1].Trials != 12 || s.Total != 24 {
		t.Errorf("%v: %+v", err, s)
	}
}

// Checks of a task that was made in Go judge it, and the set of the caller stays as it is.
func TestChecksAreParsed(t *testing.T) {
	set := &task.Set{Name: "numbers", Tasks: []task.Task{{ID: "half", Prompt: "half of 84?", Checks: checks(`{"kind":"number","equals":42}`)}}}
	for answer, passed := range map[string]int{"42": 1, "41": 0} {
		s, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: t.TempDir(), Subjects: []trial.Subject{subject("s",
			func(context.Context, trial.Input) (*check.Outcome, error) { return &check.Outcome{Answer: answer}, nil })}})
		if err != nil || s.Subjects[0].Passed != passed || set.Tasks[0].Judges != nil {
			t.Errorf("%s: %v, %+v", answer, err, s.Subjects[0])
		}
	}
}

func checks(raw string) []json.RawMessage { return []json.RawMessage{json.RawMessage(raw)} }

// A refusal is a change after which a plan is refused, and a part of the error.
type refusal = struct {
	change func(dir string, p *trial.Plan) error
	want   string
}

// changed returns the refusal of a set whose second task was changed.
func changed(change func(*task.Task), want string) refusal {
	return refusal{func(_ string, p *trial.Plan) error {
		p.Set = setOf(3)
		change(&p.Set.Tasks[1])
		return nil
	}, want}
}

// A folder that holds something else, or a plan that cannot run, is refused, and the results stay as they are.
func TestRefused(t *testing.T) {
	plan := trial.Plan{Set: setOf(3), Subjects: []trial.Subject{subject("a", echo)}, Resume: true}
	for name, c := range map[string]refusal{
		"another set": {func(_ string, p *trial.Plan) error { p.Set = setOf(4); return nil }, "has changed since"},
		"another selection": {func(_ string, p *trial.Plan) error {
			s := setOf(3)
			s.Tasks = s.Tasks[:2]
			p.Set = s
			return nil
		}, "selection"},
		"newer": {func(dir string, _ *trial.Plan) error {
			return os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"version":9,"foray":"v9"}`), 0o600)
		}, "newer foray (v9)"},
		"older": {func(dir string, _ *trial.Plan) error {
			return os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"version":0}`), 0o600)
		}, "version 0"},
		"damaged": {func(dir string, _ *trial.Plan) error {
			return os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"ver`), 0o600)
		}, "run.json"},
		"no info":     {func(dir string, _ *trial.Plan) error { return os.Remove(filepath.Join(dir, "run.json")) }, "no run.json"},
		"no subjects": {func(_ string, p *trial.Plan) error { p.Subjects = nil; return nil }, "no subject"},
		"twice": {func(_ string, p *trial.Plan) error {
			p.Subjects = append(p.Subjects, p.Subjects[0])
			return nil
		}, "name of its own"},
		"no tasks":     {func(_ string, p *trial.Plan) error { p.Set = &task.Set{Name: "empty"}; return nil }, "has none"},
		"no checks":    changed(func(t *task.Task) { t.Judges = nil }, `task "task-1" has no checks, so nothing could fail`),
		"bad checks":   changed(func(t *task.Task) { t.Judges, t.Checks = nil, checks(`{"kind":"numbr"}`) }, `did you mean "number"?`),
		"the same id":  changed(func(t *task.Task) { t.ID = "task-0" }, `task "task-0": each needs an id of its own`),
		"the empty id": changed(func(t *task.Task) { t.ID = "" }, "an id of its own"),
	} {
		dir := t.TempDir()
		p := plan
		p.Dir = dir
		if _, err := trial.Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := c.change(dir, &p); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trial.Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "results.jsonl")); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the results changed: %v", name, err)
		}
	}
}

// Two runs do not share a folder.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	inner := errors.New("not run")
	nested := func(ctx context.Context, in trial.Input) (*check.Outcome, error) {
		_, inner = trial.Run(ctx, trial.Plan{Set: setOf(1), Dir: dir, Resume: true, Subjects: []trial.Subject{subject("echo", echo)}})
		return echo(ctx, in)
	}
	s, err := trial.Run(t.Context(), trial.Plan{Set: setOf(1), Dir: dir, Subjects: []trial.Subject{subject("nested", nested)}})
	if err != nil || s.Subjects[0].Passed != 1 {
		t.Errorf("the first: %v", err)
	}
	if inner == nil || !strings.Contains(inner.Error(), "another run") {
		t.Errorf("the second: %v", inner)
	}
}

// The memory of a run does not grow with its trials.
func TestMemory(t *testing.T) {
	ostest.SkipRaced(t)
	big := strings.Repeat("x", 4_000)
	talk := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		o := &check.Outcome{Answer: in.Task.ID + " " + big[:len(big)-in.Trial%7]}
		for range 20 {
			o.Calls = append(o.Calls, check.Call{Name: "search", Args: json.RawMessage(`"` + big[:100+in.Trial%9] + `"`)})
		}
		_, err := io.WriteString(in.Trace, o.Answer)
		return o, err
	}
	heap := map[int]uint64{}
	_, err := trial.Run(t.Context(), trial.Plan{Set: setOf(10), Trials: 1000, Jobs: 2, Dir: t.TempDir(),
		Subjects: []trial.Subject{subject("talk", talk)}, Progress: func(p trial.Progress) {
			if p.Done == 1000 || p.Done == 10_000 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap[p.Done] = m.HeapAlloc
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	// The rows are 50 MB. What is under way at the time, and the race detector, take a little.
	if grown := int64(heap[10_000]) - int64(heap[1000]); grown > 4<<20 {
		t.Errorf("9,000 trials took %d bytes that stay", grown)
	}
}

func BenchmarkTrial(b *testing.B) {
	nothing := func(context.Context, trial.Input) (*check.Outcome, error) { return &check.Outcome{}, nil }
	b.ReportAllocs()
	_, err := trial.Run(b.Context(), trial.Plan{Set: setOf(1), Trials: b.N, Jobs: 2, Dir: b.TempDir(),
		Subjects: []trial.Subject{subject("nothing", nothing)}})
	if err != nil {
		b.Fatal(err)
	}
}
