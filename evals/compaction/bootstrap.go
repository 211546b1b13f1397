package compaction

import (
	"math/rand/v2"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals"
)

// A difference compares a policy with the ladder profile on the same trajectories at the same budget. The value is
// policy ÷ ladder for the cost and policy − ladder for other metrics; low and high bound its 95 % interval, from a
// paired bootstrap over trajectories.
type difference struct {
	Policy string  `json:"policy"`
	Budget int     `json:"budget"`
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

const (
	resamples     = 1_000
	bootstrapSeed = 1
)

// compared are the metrics of a [difference], computed from the sums of a policy and of the ladder.
var compared = []struct {
	name  string
	value func(policy, reference *tally) float64
}{
	{"long_range_recall", func(p, r *tally) float64 { return share(p.SeenFar, p.Far) - share(r.SeenFar, r.Far) }},
	{"long_range_nolist", func(p, r *tally) float64 { return share(p.UnlistedFar, p.Far) - share(r.UnlistedFar, r.Far) }},
	{"long_range_lines", func(p, r *tally) float64 {
		return share(p.SeenFarLines, p.FarLines) - share(r.SeenFarLines, r.FarLines)
	}},
	{"edit_anchor_recall", func(p, r *tally) float64 {
		return share(p.SeenAnchors, p.Anchors) - share(r.SeenAnchors, r.Anchors)
	}},
	{"cost", func(p, r *tally) float64 {
		if r.cost() == 0 {
			return 1
		}
		return p.cost() / r.cost()
	}},
}

// differences compares every policy with the ladder profile at the same budget, without very long sessions.
func differences(r results) []difference {
	all := []difference{}
	for e, en := range r.entrants {
		reference := slices.IndexFunc(r.entrants, func(o entrant) bool {
			return o.policy.Name == string(contextwindow.Ladder) && o.budget == en.budget
		})
		if reference < 0 || reference == e {
			continue
		}
		var ours, theirs []*tally
		base := r.of(reference)
		for i, y := range r.of(e) {
			if y != nil && base[i] != nil && y.Requests > 0 && !r.scripts[i].long() {
				ours, theirs = append(ours, y), append(theirs, base[i])
			}
		}
		if len(ours) > 1 {
			all = append(all, resample(en, ours, theirs)...)
		}
	}
	return all
}

// resample computes the differences of two policies by a bootstrap that draws the same trajectories for both.
func resample(e entrant, ours, theirs []*tally) []difference {
	r := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(ours))))
	values := make([][]float64, len(compared))
	for range resamples {
		var p, q tally
		for range ours {
			i := r.IntN(len(ours))
			p.add(ours[i].sums())
			q.add(theirs[i].sums())
		}
		for m := range compared {
			values[m] = append(values[m], compared[m].value(&p, &q))
		}
	}
	every := func(int) bool { return true }
	p, q := sum(ours, every), sum(theirs, every)
	all := make([]difference, len(compared))
	for m, metric := range compared {
		all[m] = difference{
			Policy: e.policy.Name, Budget: e.budget, Metric: metric.name, Value: metric.value(p, q),
			Low: evals.Quantile(values[m], .025), High: evals.Quantile(values[m], .975),
		}
	}
	return all
}
