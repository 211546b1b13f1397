package rules

import (
	"cmp"
	"math"
	"slices"
)

// top are the best n files that score at all.
func (r *candidates) top(n int) []*file {
	n = min(n, len(r.ranked))
	for n > 0 && r.ranked[n-1].score <= 0 {
		n--
	}
	return r.ranked[:n]
}

// Weights of what is known of a definition and its file, on top of 1 for a file's prior. Round numbers. Of what reading tells
// nothing puts a file in front that is right more often than the one that was ranked first, neither what of the question
// its definitions hold, nor quoted messages, tracebacks or calls between the candidates: only where two are ranked nearly
// alike their best definitions tell which.
const (
	textShare     = .3  // a definition, by what of the question it holds
	functionShare = .8  // the same, as locate ranks it
	nearShare     = .05 // the same, of two files that are ranked nearly alike
)

func newCandidates(q *question, e *evidence) *candidates {
	e.adoptLocated()
	e.adopt()
	e.order(q)
	r := &candidates{q: q, e: e}
	r.rank()
	r.best = r.blocks(r.top(focusFiles))
	r.verify()
	return r
}

// verify orders the candidates and their definitions anew by what was found inside them.
func (r *candidates) verify() {
	bestBlock, bestFunction := 0.0, 0.0
	for _, b := range r.best {
		bestBlock = math.Max(bestBlock, b.score)
		b.prior = r.priorOfBlock(b)
		bestFunction = math.Max(bestFunction, b.prior)
	}
	if bestBlock == 0 {
		return
	}
	located := len(r.e.located) > 0
	best := make(map[string]float64) // what its best definition says for a file
	for _, b := range r.best {
		function := b.prior / math.Max(bestFunction, 1e-9)
		b.rank = textShare*b.score/bestBlock + functionShare*function
		share := b.rank
		if located {
			share = nearShare * function
		}
		best[b.Path] = math.Max(best[b.Path], share)
		b.own = b.rank * b.handy() * r.aside(b.Path)
		b.rank = b.own + r.e.files[b.Path].prior*r.aside(b.Path)
	}
	for _, f := range r.ranked {
		f.score = (f.prior + best[f.path]) * r.aside(f.path)
	}
	slices.SortStableFunc(r.best, func(a, b *block) int { return cmp.Compare(b.rank, a.rank) })
	if !located {
		slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.score, a.score) })
		return
	}
	r.promote()
	r.best = inOrder(r.ranked, r.best)
}

// handy is by how much a long type counts less than a definition that can be read at once, unless it was asked for by name.
func (b *block) handy() float64 {
	if holders[b.Kind] && b.End-b.Start > blockLines && b.ident == "" {
		return unwieldy
	}
	return 1
}

const unwieldy = .4

// promote puts the candidate for which most speaks in front of the others, which stay as locate ranks them.
func (r *candidates) promote() {
	first := 0
	for i, f := range r.ranked[:min(len(r.ranked), contenders)] {
		if f.score > r.ranked[first].score {
			first = i
		}
	}
	winner := r.ranked[first]
	copy(r.ranked[1:first+1], r.ranked[:first])
	r.ranked[0] = winner
}

// contenders is how many candidates compete for the first place.
const contenders = 5

// inOrder orders blocks and keeps the order of their files: the first block of a file comes after the first of the files
// before it, and its others where their rank puts them.
func inOrder(files []*file, blocks []*block) []*block {
	of := make(map[string][]*block)
	for _, b := range blocks {
		of[b.Path] = append(of[b.Path], b)
	}
	out := make([]*block, 0, len(blocks))
	var open []*block // of files that have begun, best first
	emit := func(limit float64) {
		for len(open) > 0 && open[0].own > limit {
			out = append(out, open[0])
			open = open[1:]
		}
	}
	for _, f := range files {
		own := of[f.path]
		if len(own) == 0 {
			continue
		}
		emit(own[0].own)
		out = append(out, own[0])
		open = append(open, own[1:]...)
		slices.SortStableFunc(open, func(a, b *block) int { return cmp.Compare(b.own, a.own) })
	}
	emit(math.Inf(-1))
	return out
}

// aside is by how much a file counts less, whatever it holds, for what it is: written by a program or by others, or, for a
// question that does not ask for them, a test.
func (r *candidates) aside(p string) float64 {
	switch {
	case vendoredPath.MatchString(p):
		return generatedShare
	case testPath.MatchString(p) && !r.q.tests && !r.q.issue:
		return testShare
	}
	return 1
}

const (
	generatedShare = .4
	testShare      = .9
)

// holders are the kinds of definitions that hold others: beside one, what is in it may be chosen too.
var holders = set("class struct interface trait impl module enum type")

// chosen are the best n blocks: few of one file, none inside another.
func (r *candidates) chosen(n int) []*block {
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
		if b.rank < r.best[0].rank*chosenShare || b.Name == "" && b.score < best*looseShare {
			continue
		}
		overlaps := slices.ContainsFunc(out, func(o *block) bool {
			return o.Path == b.Path && o.Start <= b.End && b.Start <= o.End && (b.Start <= o.Start && o.End <= b.End || !holders[o.Kind])
		})
		aside := b.factor < 1 && len(out) >= minorUntil && len(r.e.located) == 0
		name := lastPart(b.Name)
		if !overlaps && !aside && of[b.Path] < blocksOfFile && (name == "" || of["\x00"+name] < blocksOfName) {
			of[b.Path]++
			of["\x00"+name]++
			out = append(out, b)
		}
	}
	return out
}

// factor is by how much a file counts less for what it is.
func (r *candidates) factor(p string) float64 {
	if f := r.e.files[p]; f != nil {
		return f.factor
	}
	return r.q.factor(p)
}
