package planner

import (
	"cmp"
	"math"
	"path"
	"slices"
)

// Weights of a name of the question, and bounds of what is chosen.
const (
	identDefined = 12.0 // an identifier of the question is defined here
	identStands  = 2.0  // it stands here
)

// labW are weights.
var labW = []float64{1, .3, .5, 0, .3, .3, .2}

// verify orders the candidates and their definitions anew by what was found inside them.
func (r *run) verify() {
	bestBlock, bestFunction := 0.0, 0.0
	for _, b := range r.best {
		bestBlock = math.Max(bestBlock, b.score)
		b.prior = r.e.priorOfBlock(b)
		bestFunction = math.Max(bestFunction, b.prior)
	}
	if bestBlock == 0 {
		return
	}
	top := make(map[string]float64)
	for _, b := range r.best {
		b.rank = labW[1]*b.score/bestBlock + labW[2]*b.prior/math.Max(bestFunction, 1e-9)
		top[b.path] = math.Max(top[b.path], b.rank)
	}
	for _, f := range r.ranked {
		f.score = labW[0] * f.prior
		if r.e.located != nil {
			f.score += r.evidenceOf(f)
		}
	}
	for _, b := range r.best {
		b.rank = (b.rank + r.e.files[b.path].score) * r.aside(b.path)
	}
	for _, f := range r.ranked {
		f.score = (f.score + top[f.path]) * r.aside(f.path)
	}
	slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.score, a.score) })
	slices.SortStableFunc(r.best, func(a, b *block) int { return cmp.Compare(b.rank, a.rank) })
}

// aside is by how much a file counts less, whatever it holds, for what it is: written by a program or by others, or, for a
// question that does not ask for them, a test.
func (r *run) aside(p string) float64 {
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
	testShare      = .7
)

// baseShare is the share of the question's words, by worth, that name the file: not its directories.
func (f *file) baseShare(q *question, worths []float64, whole float64) (share float64) {
	if whole == 0 {
		return 0
	}
	base := path.Base(f.path)
	for i, w := range q.words {
		if w.re.MatchString(base) {
			share += worths[i] / whole
		}
	}
	return share
}

// evidenceOf is what the quotes of an issue say for a file: the last lines of its tracebacks, its messages and code.
func (r *run) evidenceOf(f *file) (score float64) {
	for i, fr := range r.q.frames {
		if fr.at(f.path) {
			score = math.Max(score, labW[4]*float64(i+1)/float64(len(r.q.frames)))
		}
	}
	for _, l := range r.q.literals {
		if r.holders(l)[f.path] {
			score = math.Max(score, labW[5]/float64(len(r.holders(l))))
		}
	}
	return score
}

// holders are the files of code that a quoted text stands in.
func (r *run) holders(l literal) map[string]bool {
	if all, ok := r.held[l.text]; ok {
		return all
	}
	all := make(map[string]bool)
	for _, f := range r.e.sorted {
		if f.factor == 1 && slices.ContainsFunc(f.lines, func(h hit) bool { return l.re.MatchString(h.text) }) {
			all[f.path] = true
		}
	}
	if r.held == nil {
		r.held = make(map[string]map[string]bool)
	}
	r.held[l.text] = all
	return all
}

// priorOfBlock is what locate says of a definition.
func (e *evidence) priorOfBlock(b *block) float64 {
	c := e.files[b.path].candidate
	if c == nil {
		return 0
	}
	for i, s := range c.functions {
		if s.start == b.start || s.name == b.name && b.name != "" {
			return max(c.scores[i], 0)
		}
	}
	return 0
}

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
