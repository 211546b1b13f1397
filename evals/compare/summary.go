package compare

import (
	"math"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
)

// A subjectSummary is what one subject did in the trials that count.
type subjectSummary struct {
	Subject  string     `json:"subject"`
	Folder   string     `json:"folder"`
	Tasks    int        `json:"tasks"`
	Trials   int        `json:"trials"`
	Passed   int        `json:"passed"`    // trials
	PassRate float64    `json:"pass_rate"` // 0 to 1
	Wilson   [2]float64 `json:"pass_rate_wilson_95"`
	// Error is the standard error of PassRate with trials clustered by task; nil with fewer than two tasks.
	Error   *float64  `json:"pass_rate_clustered_error"`
	PassAt  []float64 `json:"pass_at_k"`  // from k = 1 to the fewest trials of a task
	PassAll []float64 `json:"pass_all_k"` // pass^k, likewise
	// Unseen is the rate that 95 % confidence leaves open if no task failed, or none passed; else 0.
	Unseen  float64             `json:"rule_of_three,omitempty"`
	Score   stats.Estimate      `json:"score"`
	Cost    float64             `json:"cost"`          // US dollars, of all trials
	Priced  int                 `json:"priced"`        // trials with a known cost
	Input   float64             `json:"input_tokens"`  // mean of a trial, and so the next four
	Cached  float64             `json:"cached_tokens"` // part of Input
	Output  float64             `json:"output_tokens"`
	Steps   float64             `json:"steps"`
	Seconds [2]float64          `json:"seconds_p50_p95"`
	Failed  map[trial.Class]int `json:"failures,omitempty"` // trials that ended with a failure
}

// resamples of a bootstrap: enough for stable ends of its intervals.
const resamples = 5_000

// summarize adds up the trials of an entrant that count.
func (p *pairing) summarize(e *entrant) subjectSummary {
	s := subjectSummary{Subject: e.name, Folder: e.results.Path, Tasks: len(p.tasks), Failed: make(map[trial.Class]int)}
	passes, scores := make([][]float64, len(p.tasks)), make([][]float64, len(p.tasks))
	var took []float64
	for i, task := range p.tasks {
		for _, n := range p.trials[task] {
			row := e.rows[task][n]
			passes[i] = append(passes[i], one(row.Passed))
			scores[i] = append(scores[i], row.Score)
			took = append(took, row.Seconds)
			s.add(row)
		}
	}
	m := float64(s.Trials)
	for _, v := range []*float64{&s.Input, &s.Cached, &s.Output, &s.Steps} {
		*v /= m
	}
	s.PassRate = float64(s.Passed) / m
	s.Wilson[0], s.Wilson[1] = stats.Wilson(s.Passed, s.Trials, stats.Confidence)
	if mean := stats.Clustered(passes); !math.IsNaN(mean.Error) {
		s.Error = &mean.Error
	}
	s.Score = stats.BootstrapMean(scores, resamples)
	s.Seconds = [2]float64{stats.Quantile(took, .5), stats.Quantile(took, .95)}
	if s.Passed == 0 || s.Passed == s.Trials {
		s.Unseen = stats.RuleOfThree(s.Tasks)
	}
	s.passAtK(passes)
	return s
}

func (s *subjectSummary) add(row *trial.Row) {
	s.Trials++
	if row.Passed {
		s.Passed++
	}
	if row.Failure != nil {
		s.Failed[row.Failure.Class]++
	}
	s.Cost += row.Cost
	if row.Priced {
		s.Priced++
	}
	s.Input += float64(row.Usage.Input)
	s.Cached += float64(row.Usage.Cached)
	s.Output += float64(row.Usage.Output)
	s.Steps += float64(row.Steps)
}

// passAtK sets PassAt and PassAll: the means over tasks.
func (s *subjectSummary) passAtK(passes [][]float64) {
	most := math.MaxInt
	for _, trials := range passes {
		most = min(most, len(trials))
	}
	for k := 1; k <= most; k++ {
		at, all := 0., 0.
		for _, trials := range passes {
			passed := 0
			for _, v := range trials {
				passed += int(v)
			}
			at += stats.PassAt(len(trials), passed, k)
			all += stats.PassAll(len(trials), passed, k)
		}
		s.PassAt, s.PassAll = append(s.PassAt, at/float64(len(passes))), append(s.PassAll, all/float64(len(passes)))
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
