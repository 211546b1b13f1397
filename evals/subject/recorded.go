package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/trial"
)

// noFiles is why the working copy beside a recording shows nothing of the run.
const noFiles = "a recording holds no files"

func openRecording(ctx context.Context, args string, env Env) (do, error) {
	path, subject, _ := strings.Cut(args, "#")
	if !filepath.IsAbs(path) {
		path = filepath.Join(env.Dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	_, err = trial.ReadInfo(dir)
	if err == nil && (info.IsDir() || filepath.Base(path) == "results.jsonl") {
		return openResults(dir, subject)
	}
	if err != nil && !errors.Is(err, trial.ErrNoRun) {
		return nil, err
	}
	return openSessions(ctx, path)
}

// A trialKey names a trial of a subject.
type trialKey struct {
	task  string
	trial int
}

// openResults answers with the rows of a run.
func openResults(dir, subject string) (do, error) {
	rows, subjects := map[trialKey]*trial.Row{}, []string{}
	for r, err := range trial.Rows(dir) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(subjects, r.Subject) {
			subjects = append(subjects, r.Subject)
		}
		if subject == "" || r.Subject == subject {
			rows[trialKey{r.Task, r.Trial}] = r
		}
	}
	switch {
	case subject == "" && len(subjects) > 1:
		return nil, fmt.Errorf("it has several subjects: add one of #%s", strings.Join(subjects, ", #"))
	case len(rows) == 0 && subject != "" && len(subjects) > 0:
		return nil, fmt.Errorf("it has no subject %q, but %s", subject, strings.Join(subjects, ", "))
	case len(rows) == 0:
		return nil, errors.New("it has no results")
	}
	return func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		r := rows[trialKey{in.Task.ID, in.Trial}]
		if r == nil {
			return nil, fmt.Errorf("%s has no trial %d of the task %s", dir, in.Trial, in.Task.ID)
		}
		o := &check.Outcome{Answer: r.Answer, Stop: r.Stop, Calls: r.Calls, Steps: r.Steps, Usage: r.Usage, Cost: r.Cost,
			Priced: r.Priced, Took: time.Duration(r.Seconds * float64(time.Second)), Lost: noFiles}
		if r.Failure != nil && r.Failure.Class != trial.Check { // other checks may judge it now
			return o, r.Failure
		}
		return o, nil
	}, nil
}

// openSessions answers with recorded runs of agents: the one with the id of the task, or the only one.
func openSessions(ctx context.Context, path string) (do, error) {
	c, err := recording.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(c.Trajectories) == 0 {
		why := "neither results of foray eval run nor a recorded session"
		if len(c.Skipped) > 0 {
			why += ": " + c.Skipped[0]
		}
		return nil, errors.New(why)
	}
	return func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		t := c.Find(in.Task.ID)
		if t == nil && len(c.Trajectories) == 1 {
			t = c.Trajectories[0]
		}
		if t == nil {
			return nil, fmt.Errorf("%s has no session with the id %s, but %d others, such as %s", path, in.Task.ID,
				len(c.Trajectories), c.Trajectories[0].ID)
		}
		return recorded(t), nil
	}, nil
}

// recorded makes the outcome of a recorded run. Nothing is known of its tokens.
func recorded(t *recording.Trajectory) *check.Outcome {
	o := &check.Outcome{Stop: "recorded", Lost: noFiles}
	for _, u := range t.Units {
		o.View = append(o.View, u...)
		if u[0].Role != transcript.Assistant {
			continue
		}
		o.Steps++
		if u[0].Text != "" {
			o.Answer = u[0].Text
		}
		o.Calls = append(o.Calls, callsOf(u)...)
	}
	return o
}
