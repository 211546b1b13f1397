package rules

import (
	"maps"
	"slices"
)

// Thresholds of what counts as found, as shares of the question's words by worth.
const (
	foundCoverage = .4
	nameCoverage  = .15 // enough beside an identifier that stands, or a rare word that names a definition
	rareWord      = 1   // inverse document frequency: in about a third of the files or fewer
	goodShare     = .5  // of the first one's rank that a block needs to be in the summary
)

// found reports whether what was asked about is there: an identifier or path of the question, or most of its words
// together in one place.
func (r *run) found(chosen []*block) bool {
	if len(chosen) == 0 {
		return false
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(r.missing())), func(i int) bool { return r.q.words[i].proper }) && len(r.q.idents) == 0 {
		return false // what the question is about has a name, and nothing has it
	}
	best := r.coverage()
	stands := slices.ContainsFunc(r.q.idents, r.stands)
	if len(r.q.idents) > 0 && !stands && len(r.e.globbed) == 0 {
		return false
	}
	if slices.ContainsFunc(r.best, func(b *block) bool { return b.ident != "" }) {
		return true
	}
	if stands || len(r.e.globbed) > 0 {
		return best >= nameCoverage
	}
	return best >= foundCoverage || best >= nameCoverage && r.namedByWord()
}

// namedByWord reports whether a definition of code is named by a word of the question that is neither weak nor common,
// while most of its words stand somewhere.
func (r *run) namedByWord() bool {
	strong, missing := 0, 0
	for i, w := range r.q.words {
		if w.weight > weakWeight && !w.optional {
			strong++
			if r.e.inFiles[i] == 0 {
				missing++
			}
		}
	}
	return 2*missing < strong && slices.ContainsFunc(r.best, func(b *block) bool {
		return b.factor == 1 && slices.ContainsFunc(b.inName, func(i int) bool {
			return r.q.words[i].weight > weakWeight && r.e.idf(i) > rareWord
		})
	})
}

// coverage is the largest share of the question's words that one block proves.
func (r *run) coverage() (best float64) {
	for _, b := range r.best {
		best = max(best, b.proof)
	}
	return best
}

// weak reports whether the question holds only words that stand everywhere.
func (r *run) weak() bool {
	return len(r.q.idents)+len(r.q.paths) == 0 && !slices.ContainsFunc(r.q.words, func(w word) bool { return w.weight > weakWeight })
}
