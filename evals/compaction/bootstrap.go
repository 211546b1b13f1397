package compaction

import (
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/internal/stats"
)

// An estimate is a figure of one policy with its sampling error, from a bootstrap over trajectories.
type estimate struct {
	Policy string `json:"policy"`
	Budget int    `json:"budget"`
	Source string `json:"source"`
	Metric string `json:"metric"`
	stats.Estimate
}

const resamples = 1_000

// A figure is a ratio of two sums over trajectories. A cost is compared with that of the ladder profile by its ratio,
// any other figure by the difference.
type figure struct {
	name string
	of   func(*tally) (part, whole float64)
	cost bool
}

func ratio(part, whole int) (float64, float64) { return float64(part), float64(whole) }

func (s *sight) ratio() (float64, float64) { return s.Seen, float64(s.Weight) }

// figures have a standard error, and are compared with those of the ladder profile.
var figures = []figure{
	{name: "first_sight_300", of: func(y *tally) (float64, float64) { return y.Sight[0].ratio() }},
	{name: "first_sight_1k", of: func(y *tally) (float64, float64) { return y.Sight[1].ratio() }},
	{name: "first_sight_4k", of: func(y *tally) (float64, float64) { return y.Sight[2].ratio() }},
	{name: "first_sight_larger", of: func(y *tally) (float64, float64) { return y.Sight[3].ratio() }},
	{name: "near_identifiers", of: func(y *tally) (float64, float64) { return ratio(y.UnlistedNear, y.Near) }},
	{name: "near_lines", of: func(y *tally) (float64, float64) { return ratio(y.SeenNearLines, y.NearLines) }},
	{name: "long_range_recall", of: func(y *tally) (float64, float64) { return ratio(y.SeenLongRange, y.LongRange) }},
	{name: "long_range_nolist", of: func(y *tally) (float64, float64) { return ratio(y.UnlistedLongRange, y.LongRange) }},
	{name: "long_range_lines", of: func(y *tally) (float64, float64) { return ratio(y.SeenLongRangeLines, y.LongRangeLines) }},
	{name: "edit_anchor_recall", of: func(y *tally) (float64, float64) { return ratio(y.SeenAnchors, y.Anchors) }},
	{name: "cost", of: func(y *tally) (float64, float64) { return y.cost(), 1 }, cost: true},
	{name: "effective_cost", of: func(y *tally) (float64, float64) { return y.effective(), 1 }, cost: true},
}

// compare returns the value of a figure for a policy or, with those of a reference, compared with it.
func (f *figure) compare(part, whole float64, reference *[2]float64) float64 {
	value := 1.
	switch {
	case f.cost && reference != nil:
		if reference[0] != 0 {
			value = part / reference[0]
		}
		return value
	case whole != 0:
		value = part / whole
	}
	if reference != nil {
		value -= f.compare(reference[0], reference[1], nil)
	}
	return value
}

// estimates returns the figures of all policies on each total with their errors, and compared with the ladder profile
// at the same budget.
func estimates(r results) (errors, differences []estimate) {
	errors, differences = []estimate{}, []estimate{}
	for e, en := range r.entrants {
		reference := slices.IndexFunc(r.entrants, func(o entrant) bool {
			return o.policy.Name == string(contextwindow.Ladder) && o.budget == en.budget
		})
		for _, g := range groups(r.scripts) {
			if !g.total {
				continue
			}
			ours, theirs := r.played(e, reference, g)
			if len(ours) < 2 {
				continue
			}
			errors = append(errors, resample(en, g, ours, nil)...)
			if reference >= 0 && reference != e {
				differences = append(differences, resample(en, g, ours, theirs)...)
			}
		}
	}
	return errors, differences
}

// played returns the tallies of a group that an entrant played, and those of the reference on the same trajectories.
// Without a reference, theirs are ours.
func (r *results) played(e, reference int, g group) (ours, theirs []*tally) {
	if reference < 0 {
		reference = e
	}
	base := r.of(reference)
	for i, y := range r.of(e) {
		if y != nil && base[i] != nil && y.Requests > 0 && g.has(r.scripts[i]) {
			ours, theirs = append(ours, y), append(theirs, base[i])
		}
	}
	return ours, theirs
}

// sumsOf returns the parts and wholes of all figures by trajectory.
func sumsOf(tallies []*tally) [][2]float64 {
	var all [][2]float64
	for _, y := range tallies {
		for _, f := range figures {
			part, whole := f.of(y)
			all = append(all, [2]float64{part, whole})
		}
	}
	return all
}

// resample estimates the figures of a policy by a bootstrap over trajectories or, with theirs, the comparison of two
// policies by one that draws the same trajectories for both.
func resample(e entrant, g group, ours, theirs []*tally) []estimate {
	p, q := sumsOf(ours), sumsOf(theirs)
	estimated := stats.Bootstrap(len(ours), resamples,
		func(draw func(i int) int) []float64 { return valuesOf(p, q, draw) })
	all := make([]estimate, len(figures))
	for m, value := range estimated {
		all[m] = estimate{e.policy.Name, e.budget, g.name, figures[m].name, value}
	}
	return all
}

// valuesOf returns the figures of as many trajectories as p has, drawn by index. Without q, they are compared with
// nothing.
func valuesOf(p, q [][2]float64, draw func(i int) int) []float64 {
	ours, theirs := make([][2]float64, len(figures)), make([][2]float64, len(figures))
	for i := range len(p) / len(figures) {
		from := draw(i) * len(figures)
		for m := range figures {
			add(&ours[m], p[from+m])
			if q != nil {
				add(&theirs[m], q[from+m])
			}
		}
	}
	values := make([]float64, len(figures))
	for m := range figures {
		var reference *[2]float64
		if q != nil {
			reference = &theirs[m]
		}
		values[m] = figures[m].compare(ours[m][0], ours[m][1], reference)
	}
	return values
}

func add(to *[2]float64, sums [2]float64) {
	to[0] += sums[0]
	to[1] += sums[1]
}
