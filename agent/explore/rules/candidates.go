package rules

import (
	"cmp"
	"math"
	"slices"
)

// top returns the best n files with a score above 0.
func (r *candidates) top(n int) []*file {
	n = min(n, len(r.ranked))
	for n > 0 && r.ranked[n-1].score <= 0 {
		n--
	}
	return r.ranked[:n]
}

// Weights of the evidence for a definition, beside a weight of 1 for its file. All are round numbers. On recorded
// issues and questions, no evidence from inside the files beat the order of locate: neither the words of the question
// in their definitions, nor quoted messages, tracebacks or calls between candidates. It only decides between files
// that locate ranks nearly alike.
const (
	textShare     = .3  // the words of the question in a definition
	functionShare = .8  // locate's score of the definition
	nearShare     = .05 // the same, between files ranked nearly alike
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

// verify ranks the candidates and their definitions again by what was found inside them.
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
	best := make(map[string]float64) // by file: the share of its best definition
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

// handy returns the factor of a definition for its length: a long type counts less, unless the question names it.
func (b *block) handy() float64 {
	if holders[b.Kind] && b.End-b.Start > blockLines && b.ident == "" {
		return unwieldy
	}
	return 1
}

const unwieldy = .4

// promote moves the contender with the highest score to the front. The others keep the order of locate.
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

// inOrder orders blocks but keeps the order of their files: the first block of a file comes after the first blocks of
// all files before it, its other blocks wherever their rank puts them.
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

// aside returns the factor of a file for its kind: generated and vendored files count less, and so do tests unless the
// question asks for tests.
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

// holders are the kinds of definitions that contain others. A holder and a definition in it may both be chosen.
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
			return o.Path == b.Path && o.Start <= b.End && b.Start <= o.End &&
				(b.Start <= o.Start && o.End <= b.End || !holders[o.Kind])
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

// factor returns the factor of a file for its kind.
func (r *candidates) factor(p string) float64 {
	if f := r.e.files[p]; f != nil {
		return f.factor
	}
	return r.q.factor(p)
}
