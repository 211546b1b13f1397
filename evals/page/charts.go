package page

import (
	"math"

	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// The size of the scatter chart and of one histogram, in the units of their view boxes.
const (
	plotLeft, plotTop, plotWidth, plotHeight = 44.0, 12.0, 400.0, 220.0
	barsWidth, barsHeight                    = 200.0, 44.0
	bins                                     = 20
)

// mostCharted is how many subjects have histograms.
const mostCharted = 12

// mostOnAxis is where an axis ends at the latest. Costs of damaged results may add up to infinity, and its ticks would.
const mostOnAxis = 1e15

// A scatter is score against cost.
type scatter struct {
	X      string // what its horizontal axis is
	Ticks  []tick
	Ys     []tick
	Points []dot
}

// A tick is a mark of an axis.
type tick struct {
	At    float64
	Label string
}

// A dot is a subject in the scatter chart.
type dot struct {
	X, Y   float64
	LabelX float64
	Label  string
	Title  string
}

// scattered places subjects by their means. Where nothing cost money, the axis has tokens, and where no model was
// asked, seconds.
func scattered(subjects []*subject) scatter {
	s, value, write := scatter{X: "mean tokens of a trial"}, tokensMean, amount
	cost, tokens := largest(subjects, costMean), largest(subjects, tokensMean)
	switch {
	case cost > 0:
		s.X, value, write = "mean cost of a trial", costMean, line.Dollars
	case tokens == 0:
		s.X, value = "mean seconds of a trial", secondsMean
	}
	most := min(largest(subjects, value), mostOnAxis)
	step := nice(most / 4)
	end := step * math.Max(math.Ceil(most/step), 1)
	for at := 0.0; at <= end*1.001; at += step {
		label := "0"
		if at > 0 {
			label = write(at)
		}
		s.Ticks = append(s.Ticks, tick{plotLeft + plotWidth*at/end, label})
	}
	for _, y := range []float64{0, .25, .5, .75, 1} {
		s.Ys = append(s.Ys, tick{plotTop + plotHeight*(1-y), amount(y)})
	}
	for _, sub := range subjects {
		if sub.Trials > 0 {
			s.add(dot{X: plotLeft + plotWidth*value(sub)/end, Y: plotTop + plotHeight*(1-sub.Score), Label: sub.Letter,
				Title: sub.Name + ": score " + amount(sub.Score) + ", " + write(value(sub))})
		}
	}
	return s
}

// add adds a dot, whose label moves to the right until it is beside those of other dots.
func (s *scatter) add(d dot) {
	d.LabelX = d.X + 9
	for _, other := range s.Points {
		if math.Abs(other.Y-d.Y) < 12 && math.Abs(other.LabelX-d.LabelX) < 14 {
			d.LabelX = other.LabelX + 14
		}
	}
	s.Points = append(s.Points, d)
}

func tokensMean(s *subject) float64  { return s.Tokens }
func costMean(s *subject) float64    { return s.mean }
func secondsMean(s *subject) float64 { return s.Seconds }

// largest returns the largest value of all subjects.
func largest(subjects []*subject, value func(*subject) float64) float64 {
	most := 0.0
	for _, s := range subjects {
		most = max(most, value(s))
	}
	return most
}

// nice rounds a step up to a short number.
func nice(v float64) float64 {
	if v <= 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= m*power {
			return m * power
		}
	}
	return 10 * power
}

// A distribution is one figure of all subjects, on one scale.
type distribution struct {
	Name string
	Max  string // the end of its axis
	Rows []histogram
}

// A histogram is one figure of one subject.
type histogram struct {
	Letter string
	Title  string
	Bars   []bar
}

// A bar holds trials whose figure is in one bin: the passed ones below the failed ones.
type bar struct {
	X, Width       float64
	Passed, Failed float64 // heights
	FailedY        float64
	PassedY        float64
}

// distributions returns the histograms of tokens, steps and seconds.
func distributions(subjects []*subject) []distribution {
	subjects = subjects[:min(len(subjects), mostCharted)]
	return []distribution{
		distributed("tokens", subjects, func(r *trial.Row) float64 { return float64(tokensOf(r)) }),
		distributed("steps", subjects, func(r *trial.Row) float64 { return float64(r.Steps) }),
		distributed("seconds", subjects, func(r *trial.Row) float64 { return r.Seconds }),
	}
}

func distributed(name string, subjects []*subject, value func(*trial.Row) float64) distribution {
	most := 0.0
	for _, s := range subjects {
		for _, r := range s.rows {
			most = max(most, value(r))
		}
	}
	end := nice(most/4) * 4
	d := distribution{Name: name, Max: amount(end)}
	if most == 0 {
		d.Max = "none"
	}
	for _, s := range subjects {
		var passed, failed [bins]int
		top := 1
		for _, r := range s.rows {
			i := min(max(int(value(r)/end*bins), 0), bins-1)
			if r.Passed {
				passed[i]++
			} else {
				failed[i]++
			}
			top = max(top, passed[i]+failed[i])
		}
		h := histogram{Letter: s.Letter, Title: s.Name + ": " + name + " of " + line.Count(s.Trials, "trial")}
		for i := range bins {
			if passed[i]+failed[i] == 0 {
				continue
			}
			b := bar{X: barsWidth / bins * float64(i), Width: barsWidth/bins - 1,
				Passed: barsHeight * float64(passed[i]) / float64(top), Failed: barsHeight * float64(failed[i]) / float64(top)}
			b.PassedY = barsHeight - b.Passed
			b.FailedY = b.PassedY - b.Failed
			h.Bars = append(h.Bars, b)
		}
		d.Rows = append(d.Rows, h)
	}
	return d
}
