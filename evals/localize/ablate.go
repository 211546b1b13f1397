package localize

import (
	"cmp"
	"slices"

	"github.com/forayhq/foray/tools/locate"
)

// without ranks the files of a ranking again with one signal removed. It does not recompute signals that depend on
// it.
func without(r *locate.Ranking, mode locate.Mode, signal int) []string {
	_, weights := mode.Signals()
	score := func(values []float64) float64 {
		total := 0.0
		for i, weight := range weights {
			if i != signal {
				total += weight * values[i]
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
		list = append(list, scored{r.Files[i].Path, score(r.Files[i].Signals)})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var paths []string
	for _, s := range list {
		paths = append(paths, s.path)
	}
	return paths
}

func (r *Report) ablate(method string, mode locate.Mode, in *Instance, a *Answer) {
	names, weights := mode.Signals()
	for i, name := range names {
		if weights[i] != 0 {
			r.add(method+" − "+name, mode, in, &Answer{Files: without(a.Ranking, mode, i)})
		}
	}
}
