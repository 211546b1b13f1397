package planner

import (
	"cmp"
	"math"
	"slices"
)

// Weights of a name of the question, and bounds of what is chosen.
const (
	identDefined = 12.0 // an identifier of the question is defined here
	identStands  = 2.0  // it stands here
)

// verify orders the candidates and their definitions anew by what was found inside them.
func (r *run) verify() {
	best := 0.0
	for _, b := range r.best {
		best = math.Max(best, b.score)
	}
	if best == 0 {
		return
	}
	share := make(map[string]float64)
	for _, b := range r.best {
		share[b.path] = math.Max(share[b.path], b.score/best)
	}
	for _, f := range r.ranked {
		f.score = f.prior + blockShare*share[f.path]
	}
	for _, b := range r.best {
		b.rank = r.e.files[b.path].score - blockShare*share[b.path] + blockShare*b.score/best
	}
	slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.score, a.score) })
	slices.SortStableFunc(r.best, func(a, b *block) int { return cmp.Compare(b.rank, a.rank) })
}

const blockShare = 1.0

// chosen are the best n blocks: few of one file, none inside another.
func (r *run) chosen(n int) []*block {
	var out []*block
	of := make(map[string]int)
	best := 0.0
	for _, b := range r.best {
		best = math.Max(best, b.score)
	}
	for _, b := range r.best {
		if len(out) == n {
			break
		}
		if b.rank < r.best[0].rank*chosenShare || b.name == "" && b.score < best*looseShare {
			continue
		}
		overlaps := slices.ContainsFunc(out, func(o *block) bool {
			return o.path == b.path && o.start <= b.end && b.start <= o.end && o.end-o.start < blockLines
		})
		aside := b.factor < 1 && len(out) >= asideFrom
		name := lastPart(b.name)
		if !overlaps && !aside && of[b.path] < blocksOfFile && (name == "" || of["\x00"+name] < blocksOfName) {
			of[b.path]++
			of["\x00"+name]++
			out = append(out, b)
		}
	}
	return out
}

// factor is by how much a file counts less for what it is.
func (r *run) factor(p string) float64 {
	if f := r.e.files[p]; f != nil {
		return f.factor
	}
	return r.q.factor(p)
}
