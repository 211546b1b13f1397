package localize

import (
	"cmp"
	"slices"

	"github.com/forayhq/foray/tools/locate"
)

// without ranks the files of a ranking again as if a signal said nothing. What links of files say is not taken again.
func without(r *locate.Ranking, mode locate.Mode, signal int) []string {
	score := func(f *locate.Ranked) float64 {
		total := 0.0
		for i, s := range locate.Signals() {
			w := s.Question
			if mode == locate.Issue {
				w = s.Issue
			}
			if i != signal {
				total += w * f.Signals[i]
			}
		}
		return total
	}
	type scored struct {
		path  string
		score float64
	}
	var list []scored
	for i := range r.Files {
		list = append(list, scored{r.Files[i].Path, score(&r.Files[i])})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var paths []string
	for _, s := range list {
		paths = append(paths, s.path)
	}
	return paths
}

// ablate adds to the report what a ranking would be without each of its signals.
func (r *Report) ablate(method string, mode locate.Mode, in *Instance, a *Answer) {
	for i, s := range locate.Signals() {
		if s.Issue != 0 && mode == locate.Issue || s.Question != 0 && mode != locate.Issue {
			r.add(method+" − "+s.Name, mode, in, &Answer{Files: without(a.Ranking, mode, i)})
		}
	}
}
