package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// Results returns each recording at each budget, as far as it counts there, as a trial of each policy. It is passed if
// every promise is kept and the run could end. Its score also has what the views showed of new results and of what
// calls referred to. Tokens are those of all requests, cached ones those in the prefix shared with the request before.
func (r *Report) Results() *trial.Results { return &r.trials }

// trial adds what a policy made of a recording.
func (r *Report) trial(e entrant, s *script, o evals.Outcome[*tally]) {
	if o.Err == nil && o.Output.Requests == 0 {
		return
	}
	t := task.Task{
		ID: fmt.Sprintf("%s@%d", o.Case, e.budget), Prompt: s.prompt(), Window: e.budget, Tags: []string{s.Source},
	}
	row := trial.Row{Subject: e.policy.Name}
	if o.Err != nil {
		row.Failure = &trial.Failure{Class: trial.Agent, Text: o.Err.Error()}
		r.trials.Add(t, row)
		return
	}
	y := o.Output
	for _, promise := range checks {
		why := ""
		if i := slices.IndexFunc(o.Breaches, func(b evals.Breach) bool { return b.Check == promise.Name }); i >= 0 {
			why = o.Breaches[i].Err.Error()
		}
		row.Checks = append(row.Checks, trial.Held(promise.Name, why == "", why))
	}
	after := fmt.Sprintf("%d requests after it gave up", y.GoesOn)
	row.Checks = append(row.Checks, trial.Held("ends", y.GoesOn == 0, after))
	for i := range y.Sight {
		if y.Sight[i].Results > 0 {
			row.Checks = append(row.Checks, shown("first sight "+classNames[i], y.Sight[i].share()))
		}
	}
	if y.Near > 0 {
		row.Checks = append(row.Checks, shown("near identifiers", share(y.UnlistedNear, y.Near)))
	}
	row.Steps = y.Requests
	row.Usage = providers.Usage{Input: recording.Tokens(y.Quarters), Cached: recording.Tokens(y.PrefixQuarters)}
	r.trials.Add(t, row)
}

// maxPrompt bounds what a task shows of a recording's first user message, in bytes.
const maxPrompt = 2_000

// prompt returns the beginning of the first user message.
func (s *script) prompt() string {
	for _, u := range s.Units {
		if u[0].Role == transcript.User {
			text := u[0].Text
			return strings.ToValidUTF8(text[:min(len(text), maxPrompt)], "")
		}
	}
	return ""
}

// shown is a share that no policy fails by.
func shown(name string, share float64) check.Verdict {
	return check.Verdict{Check: name, Passed: true, Score: share}
}
