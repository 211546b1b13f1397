package rules

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/testfile"
)

// top returns the best n files with a score above 0.
func (r *candidates) top(n int) []*file {
	n = min(n, len(r.ranked))
	for n > 0 && r.ranked[n-1].score <= 0 {
		n--
	}
	return r.ranked[:n]
}

// Weights of the evidence for a definition, against 1 for its file. They are round numbers, not fitted: on recorded
// issues and questions, no evidence from inside the files beat the order of locate, be it words of the question, quoted
// messages, tracebacks or calls between candidates. So it only decides between files that locate ranks nearly alike.
const (
	textShare     = .3  // the block's own score
	functionShare = .8  // locate's score of the definition
	nearShare     = .05 // locate's score of the definition, when it decides between files
)

func newCandidates(q *question, e *evidence) *candidates {
	e.adoptLocated()
	e.adopt()
	e.order(q)
	r := &candidates{q: q, e: e}
	r.rank()
	namedFirst(q, r.ranked, func(f *file) string { return f.path })
	r.best = r.blocks(r.top(focusFiles))
	r.verify()
	namedFirst(q, r.ranked, func(f *file) string { return f.path })
	namedFirst(q, r.best, func(b *block) string { return b.Path })
	r.memberFirst()
	return r
}

// memberFirst moves a method to the front whose name has only words of the question, the earliest ones, if the question
// names the type of it, which comes first: who asks how to copy a file with MountManager means its copy.
func (r *candidates) memberFirst() {
	if r.q.issue || len(r.best) == 0 || r.best[0].ident == "" || !holders[r.best[0].Kind] {
		return
	}
	of, first := r.best[0], -1
	for i, b := range r.best {
		if b.Path == of.Path && of.Start < b.Start && b.End <= of.End && r.asksFor(b, of.Name) &&
			(first < 0 || b.inName[0] < r.best[first].inName[0]) {
			first = i
		}
	}
	if first > 0 {
		b := r.best[first]
		r.best = slices.Insert(slices.Delete(r.best, first, first+1), 0, b)
	}
}

// asksFor reports whether the name of a definition has only words of the question that decide and are not in that of
// its type.
func (r *candidates) asksFor(b *block, of string) bool {
	weak := func(i int) bool { return r.q.words[i].weight <= weakWeight || r.q.words[i].in(of) }
	return len(b.inName) > 0 && b.density(r.q) == 1 && !slices.ContainsFunc(b.inName, weak)
}

// namedFirst moves what is in the only file that a question names to the front: it mostly asks for something in it.
func namedFirst[T any](q *question, all []T, of func(T) string) {
	if q.issue || len(q.paths) != 1 {
		return
	}
	elsewhere := func(x T) int {
		if p := of(x); p == q.paths[0] || strings.HasSuffix(p, "/"+q.paths[0]) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(elsewhere(a), elsewhere(b)) })
}

// verify ranks the candidates and their definitions again, by what was found inside them.
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
		b.own = b.rank * b.lengthFactor() * r.pathFactor(b.Path)
		b.rank = b.own + r.e.files[b.Path].prior*r.pathFactor(b.Path)
	}
	for _, f := range r.ranked {
		f.score = (f.prior + best[f.path]) * r.pathFactor(f.path)
	}
	slices.SortStableFunc(r.best, func(a, b *block) int { return cmp.Compare(b.rank, a.rank) })
	if !located {
		slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.score, a.score) })
		return
	}
	r.promote()
	r.best = inOrder(r.ranked, r.best)
}

// lengthFactor returns the factor of a definition for its length: a long type counts less, unless the question names
// it.
func (b *block) lengthFactor() float64 {
	if holders[b.Kind] && b.End-b.Start > blockLines && b.ident == "" {
		return longType
	}
	return 1
}

const longType = .4 // factor of a long type

// promote moves the contender with the highest score to the front. The other files keep the order of locate.
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

// contenders is how many of the first candidates compete for the first place.
const contenders = 5

// inOrder orders blocks. The best blocks of the files keep the order of the files; the other blocks of a file follow
// its best one, where their rank puts them.
func inOrder(files []*file, blocks []*block) []*block {
	of := make(map[string][]*block)
	for _, b := range blocks {
		of[b.Path] = append(of[b.Path], b)
	}
	out := make([]*block, 0, len(blocks))
	var open []*block // blocks to place, best first
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

// pathFactor returns the factor by which the final ranking lowers a file: generated and vendored files count less, and
// so do tests, unless the question asks for them or is an issue.
func (r *candidates) pathFactor(p string) float64 {
	switch {
	case vendoredPath.MatchString(p):
		return generatedShare
	case testfile.Is(p) && !r.q.tests && !r.q.issue:
		return testShare
	}
	return 1
}

const (
	generatedShare = .4
	testShare      = .9
)

// holders are the kinds of definitions that contain others. A holder and a definition in it may both be picked.
var holders = set("class struct interface trait impl module enum type")

// pick returns the best n blocks: few of one file, and none that overlaps another, except in a holder. Tests come last.
func (r *candidates) pick(n int) []*block {
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
		if b.rank < r.best[0].rank*pickShare || b.Name == "" && b.score < best*looseShare {
			continue
		}
		overlaps := slices.ContainsFunc(out, func(o *block) bool {
			return o.Path == b.Path && o.Start <= b.End && b.Start <= o.End &&
				(b.Start <= o.Start && o.End <= b.End || !holders[o.Kind])
		})
		minor := b.factor < 1 && len(out) >= minorUntil && len(r.e.located) == 0
		name := lastPart(b.Name)
		if !overlaps && !minor && of[b.Path] < blocksOfFile && (name == "" || of["\x00"+name] < blocksOfName) {
			of[b.Path]++
			of["\x00"+name]++
			out = append(out, b)
		}
	}
	return sourceFirst(r.q, out, func(b *block) (string, string) { return b.Path, b.Name })
}

// sourceFirst moves tests to the end, unless the question asks for tests or is an issue: who asks how
// something works wants the code that does it.
func sourceFirst[T any](q *question, all []T, of func(T) (path, name string)) []T {
	if q.tests || q.issue {
		return all
	}
	var source, tests []T
	for _, x := range all {
		if path, name := of(x); testfile.Is(path) || testName.MatchString(name) {
			tests = append(tests, x)
		} else {
			source = append(source, x)
		}
	}
	return append(source, tests...)
}

// factor returns the factor of a file for its kind.
func (r *candidates) factor(p string) float64 {
	if f := r.e.files[p]; f != nil {
		return f.factor
	}
	return r.q.factor(p)
}
