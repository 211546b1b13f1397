package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals"
)

// budgets are the limits, in tokens, at which every profile is played, each in every so many rounds: a large window
// takes as long as many small ones.
var budgets = []struct{ limit, every int }{
	{500, 1}, {1_000, 1}, {2_000, 1}, {4_000, 1}, {8_000, 2}, {24_000, 4}, {48_000, 8}, {200_000, 32},
}

const perRun = 80 // operations on one window

type run struct {
	budget contextwindow.Budget
	seed   uint64
}

type outcome struct {
	ops, requests, compactions int
	bound, refused, kept, due  int // of the strict service
	wrong                      error
}

// A row adds up the runs of a profile at a budget.
type row struct {
	Profile     string `json:"profile"`
	Budget      int    `json:"budget"`
	Operations  int    `json:"ops"`
	Requests    int    `json:"requests"`
	Compactions int    `json:"compactions"`
	Bound       int    `json:"bound"`   // requests with provider data
	Refused     int    `json:"refused"` // by a strict service, since provider data was out of place
	Kept        int    `json:"kept"`    // provider data that was sent after an unchanged prefix
	Due         int    `json:"due"`     // provider data that could have been
	Violations  int    `json:"violations"`
}

// A violation is an invariant that did not hold. Round 0 of its seed replays it.
type violation struct {
	Profile string `json:"profile"`
	Budget  int    `json:"budget"`
	Seed    uint64 `json:"seed"`
	What    string `json:"what"`
}

// A Report is what [Run] found.
type Report struct {
	Suite      string      `json:"suite"`
	Operations int         `json:"ops"`
	PerSecond  float64     `json:"ops_per_s"` // 0 if it was not timed
	Rows       []row       `json:"rows"`
	Violations []violation `json:"violations"`
}

// Run plays at least so many operations, in whole rounds of all profiles and budgets, from a seed. Now times it; nil
// leaves it untimed. The only error is that of the context.
func Run(ctx context.Context, operations int, seed uint64, o *evals.Options, now func() time.Time) (*Report, error) {
	suite := evals.Suite[run, outcome]{
		Cases:      cases(operations, seed),
		Contenders: []evals.Contender[run, outcome]{{Name: "window", Run: playRun}},
		Checks:     []evals.Check[run, outcome]{{Name: "invariants", Holds: func(_ run, o outcome) error { return o.wrong }}},
	}
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	start := now()
	outcomes, err := suite.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	r := newReport(suite.Cases, outcomes)
	if took := now().Sub(start); took > 0 {
		r.PerSecond = float64(r.Operations) / took.Seconds()
	}
	return r, nil
}

// cases returns as many whole rounds as so many operations need.
func cases(operations int, seed uint64) []evals.Case[run] {
	var all []evals.Case[run]
	for round := 0; len(all)*perRun < operations; round++ {
		for _, profile := range contextwindow.Profiles() {
			for _, b := range budgets {
				if round%b.every > 0 {
					continue
				}
				in := run{contextwindow.Budget{Limit: b.limit, Profile: profile}, seed + uint64(round)}
				id := fmt.Sprintf("%s at %d, seed %d", profile, b.limit, in.seed)
				all = append(all, evals.Case[run]{ID: id, Input: in})
			}
		}
	}
	return all
}

func playRun(_ context.Context, r run) (outcome, error) {
	p := newPlayer(r.budget, r.seed)
	p.play(perRun)
	o := outcome{ops: p.ops, requests: p.requests, compactions: len(p.w.Compactions()), wrong: p.wrong}
	o.refused, o.bound = p.service.Refused()
	o.kept, o.due = p.service.Kept()
	return o, nil
}

func newReport(all []evals.Case[run], outcomes []evals.Outcome[outcome]) *Report {
	r := &Report{Suite: "fuzz"}
	for i, o := range outcomes {
		in := all[i].Input
		row := r.row(in.budget)
		row.Operations += o.Output.ops
		row.Requests += o.Output.requests
		row.Compactions += o.Output.compactions
		row.Bound += o.Output.bound
		row.Refused += o.Output.refused
		row.Kept += o.Output.kept
		row.Due += o.Output.due
		r.Operations += o.Output.ops
		if wrong := errors.Join(o.Err, o.Output.wrong); wrong != nil {
			row.Violations++
			r.Violations = append(r.Violations, violation{string(in.budget.Profile), in.budget.Limit, in.seed, wrong.Error()})
		}
	}
	return r
}

// row returns the row of a budget. It adds a missing one.
func (r *Report) row(b contextwindow.Budget) *row {
	same := func(x row) bool { return x.Profile == string(b.Profile) && x.Budget == b.Limit }
	at := slices.IndexFunc(r.Rows, same)
	if at < 0 {
		r.Rows = append(r.Rows, row{Profile: string(b.Profile), Budget: b.Limit})
		at = len(r.Rows) - 1
	}
	return &r.Rows[at]
}

// law sums up what the strict service saw.
func (r *Report) law() string {
	var all row
	for _, x := range r.Rows {
		all.Bound, all.Refused = all.Bound+x.Bound, all.Refused+x.Refused
		all.Kept, all.Due = all.Kept+x.Kept, all.Due+x.Due
	}
	return fmt.Sprintf("A strict service refused %d of %d requests with provider data; opaque parts kept while their prefix was intact: %s of %d.",
		all.Refused, all.Bound, share(all.Kept, all.Due), all.Due)
}

// share is a share of parts. Only the whole is shown as 1.
func share(kept, due int) string {
	if kept == due {
		return "1"
	}
	return fmt.Sprintf("%.5f", min(float64(kept)/float64(due), .99999))
}

const shownViolations = 20 // that the Markdown report lists

// WriteMarkdown writes the report as tables.
func (r *Report) WriteMarkdown(w io.Writer) error {
	t := evals.Table{
		Title:   "Random operations on windows",
		Note:    fmt.Sprintf("%d operations, %d violations. %s", r.Operations, len(r.Violations), r.law()),
		Columns: []string{"profile", "budget", "operations", "requests", "with data", "refused", "opaque kept", "compactions", "violations"},
	}
	if r.PerSecond > 0 {
		t.Note += fmt.Sprintf(" %.0f operations a second.", r.PerSecond)
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, []string{row.Profile, strconv.Itoa(row.Budget), strconv.Itoa(row.Operations),
			strconv.Itoa(row.Requests), strconv.Itoa(row.Bound), strconv.Itoa(row.Refused), share(row.Kept, row.Due),
			strconv.Itoa(row.Compactions), strconv.Itoa(row.Violations)})
	}
	tables := []evals.Table{t}
	if len(r.Violations) > 0 {
		v := evals.Table{Title: "Violations", Note: "Replay one with --ops 1 and its seed.",
			Columns: []string{"profile", "budget", "seed", "what"}}
		for _, x := range r.Violations[:min(len(r.Violations), shownViolations)] {
			v.Rows = append(v.Rows, []string{x.Profile, strconv.Itoa(x.Budget), strconv.FormatUint(x.Seed, 10), x.What})
		}
		tables = append(tables, v)
	}
	return evals.WriteMarkdown(w, tables...)
}
