package compaction

import (
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/compaction/internal/plot"
)

// Plot draws long-range recall against cost as SVG, one picture for each budget, by the names of their files. Costs are
// relative to the ladder profile on the same requests; budgets at which it was not played have no picture.
func (r *Report) Plot() map[string][]byte {
	pictures := make(map[string][]byte)
	for _, budget := range r.Budgets() {
		if c := r.chart(budget); c != nil {
			name, svg := plot.Recall(c)
			pictures[name] = svg
		}
	}
	return pictures
}

// chart returns what is drawn of a budget, or nil if the ladder profile was not played.
func (r *Report) chart(budget int) *plot.Chart {
	counts := func(x policyRow) bool { return x.Budget == budget && x.Source == allSources && x.Cost > 0 }
	i := slices.IndexFunc(r.Rows, func(x policyRow) bool { return counts(x) && x.Policy == string(contextwindow.Ladder) })
	if i < 0 {
		return nil
	}
	ladder, of := r.Rows[i], r.Details[i]
	c := &plot.Chart{
		Budget: budget, Requests: ladder.Requests, Runs: ladder.Trajectories, Identifiers: of.LongRange, Lines: of.LongLines,
	}
	for _, x := range r.Rows {
		if counts(x) {
			c.Points = append(c.Points, plot.Point{
				Policy: x.Policy, Cost: x.Cost / ladder.Cost, Identifiers: x.LongRangeBare, Lines: x.LongRangeLines,
				Ours:   slices.Contains(contextwindow.Profiles(), contextwindow.Profile(x.Policy)),
				Flawed: x.Invalid > 0 || x.OverBudget > 0,
			})
		}
	}
	return c
}
