package locate

import (
	"math"
	"path"
)

// seeds is how many of the best files pass weight on to related files.
const seeds = 20

// spread computes the signals of files by their relation to the best files, given the total of all other signals: the
// best files import them (sLinks), changed in the same commits (sTogether) or are in the same folder (sFolder). It also
// computes sTested, for files that a test imports whose text matches the query.
func (s *scoring) spread(total []float64) {
	weight := make([]float64, len(total)) // of the best files; 0: not one of them
	order := byScore(total)
	if len(order) == 0 || total[order[0]] <= 0 {
		return
	}
	for rank, f := range order[:min(seeds, len(order))] {
		weight[f] = max(total[f], 0) / total[order[0]] / math.Sqrt(float64(rank+1))
	}
	for f, links := range s.ix.links {
		for _, to := range links {
			s.values[sLinks][to] += weight[f] / math.Sqrt(float64(len(links)))
			if s.ix.files[f].kind == test {
				s.values[sTested][to] += math.Pow(s.values[sBody][f], 3) / math.Sqrt(float64(len(links)))
			}
		}
	}
	s.takeTogether(weight)
	const smooth = 5 // changes
	for f := range s.values[sTogether] {
		s.values[sTogether][f] /= math.Sqrt(float64(s.ix.churn[f] + smooth))
	}
	folders := map[string]float64{}
	for _, f := range order[:min(seeds, len(order))] {
		folders[path.Dir(s.ix.files[f].Path)] += weight[f]
	}
	for f, w := range weight {
		s.values[sFolder][f] = folders[path.Dir(s.ix.files[f].Path)] - w
	}
	for _, i := range []signal{sLinks, sTested, sTogether, sFolder} {
		normalise(s.values[i])
	}
}

// Bounds of the commits that show which files change together.
const (
	togetherCommits = 5000
	togetherFiles   = 10 // of a commit
)

// takeTogether lends weight to files that changed together with weighted files.
func (s *scoring) takeTogether(weight []float64) {
	for i := range s.ix.history[:min(len(s.ix.history), togetherCommits)] {
		c := &s.ix.history[i]
		if len(c.files) < 2 || len(c.files) > togetherFiles {
			continue
		}
		sum := 0.0
		for _, p := range c.files {
			if f, ok := s.ix.byPath[p]; ok {
				sum += weight[f]
			}
		}
		for _, p := range c.files {
			if f, ok := s.ix.byPath[p]; ok && sum > weight[f] {
				s.values[sTogether][f] += (sum - weight[f]) / float64(len(c.files)-1)
			}
		}
	}
}
