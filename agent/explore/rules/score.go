package rules

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/textsearch"
)

// blocks returns the blocks of files that match the question, best first.
func (r *candidates) blocks(files []*file) []*block {
	worths, whole := r.worths()
	var all []*block
	for _, f := range files {
		for _, b := range f.blocks() {
			b.weigh(r.q, f, worths, whole)
			if b.score > 0 {
				all = append(all, b)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *block) int { return cmp.Compare(b.score, a.score) })
	return all
}

// priorOf returns locate's score of a file, as a share of the best score.
func (r *candidates) priorOf(f *file) float64 {
	if f.candidate == nil || r.e.located[0].score <= 0 {
		return 0
	}
	return max(0, f.candidate.score/r.e.located[0].score)
}

// Weights of search hits in a file, for runs without locate. They are round numbers, not fitted.
const (
	bodyWeight     = 1.0  // BM25 of the words in the file
	nameWeight     = 0.9  // a word in the file's name
	directoryShare = 0.5  // the share of nameWeight for a word in a directory's name
	namedWeight    = 2.0  // a name of the question occurs here
	pathNamed      = 15.0 // the question names the file
)

// rank orders the files by their priors: the scores of locate or else of the search hits, as shares of the best.
func (r *candidates) rank() {
	e := r.e
	if len(e.located) > 0 {
		for _, f := range e.sorted {
			f.prior = r.priorOf(f)
		}
		r.numbersFirst()
	} else {
		r.searchRank()
	}
	for _, f := range e.sorted {
		f.score = f.prior
	}
	r.ranked = slices.Clone(e.sorted)
	slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.prior, a.prior) })
}

// numbersFirst puts the few files of the source that have a number of the question before the others: locate knows no
// numbers, and one of several digits is rare.
func (r *candidates) numbersFirst() {
	var with []*file
	for _, f := range r.e.sorted {
		has := func(w word) bool {
			return w.number && slices.ContainsFunc(f.lines, func(h hit) bool { return w.in(h.Text) })
		}
		if f.factor == 1 && isCode(f.path) && slices.ContainsFunc(r.q.words, has) {
			with = append(with, f)
		}
	}
	if len(with) > maxNumbered {
		return
	}
	for _, f := range with {
		f.prior++
	}
}

// maxNumbered is how many files have a number that is rare.
const maxNumbered = 8

var bm25 = textsearch.BM25{K1: 1.2, B: .6}

// searchRank ranks files by how often the words and names of the question occur in them and in their paths.
func (r *candidates) searchRank() {
	average := 1.0
	if r.e.entries > 0 {
		average = math.Max(1, float64(r.e.size)/float64(r.e.entries))
	}
	worths, whole := r.worths()
	best := 0.0
	for _, f := range r.e.sorted {
		score := r.bodyScore(f, worths, average) + f.pathScore(r.q, worths) + f.identScore(r.q)
		score *= (.35 + .65*f.coverage(worths, whole)) * f.factor
		if r.q.namesPath(f.path) {
			score += pathNamed
		}
		f.prior = score
		best = math.Max(best, score)
	}
	for _, f := range r.e.sorted {
		f.prior /= math.Max(best, 1)
	}
}

// namesPath reports whether the question names a file, or a directory above it.
func (q *question) namesPath(p string) bool {
	return slices.ContainsFunc(q.paths, func(named string) bool {
		return p == named || strings.HasSuffix(p, "/"+named) || strings.HasSuffix(named, "/"+tail(p)) ||
			strings.HasPrefix(p, named+"/")
	})
}

func (f *file) identScore(q *question) (score float64) {
	for _, id := range q.idents {
		n := 0
		for _, h := range f.lines {
			if id.re.MatchString(h.Text) {
				n++
			}
		}
		score += namedWeight * math.Log1p(float64(min(n, 10)))
	}
	return score
}

// tail returns the last two parts of a path: a traceback of an installed copy names a file by them.
func tail(p string) string {
	dir, base := path.Split(p)
	if dir == "" {
		return "\x00"
	}
	return path.Base(dir) + "/" + base
}

// idf returns the inverse document frequency of a word: the fewer files contain it, the higher.
func (r *candidates) idf(word int) float64 {
	all := float64(max(r.e.searched, len(r.e.files), 1))
	n := math.Min(float64(r.e.inFiles[word]), all)
	return textsearch.Rarity(all, n)
}

// leastIDF is the weight of a word that occurs in every file.
const leastIDF = .2

// worth returns how much a word counts in the question: its weight times its rarity. A word that occurs nowhere has the
// average rarity of the others, so that the others alone cannot cover a question about something absent.
func (r *candidates) worth(i int) float64 {
	if r.e.inFiles[i] > 0 {
		return r.q.words[i].weight * math.Max(r.idf(i), leastIDF)
	}
	if r.q.words[i].optional {
		return 0
	}
	sum, n := 0.0, 0
	for j, w := range r.q.words {
		if r.e.inFiles[j] > 0 && w.weight > weakWeight {
			sum += math.Max(r.idf(j), leastIDF)
			n++
		}
	}
	return r.q.words[i].weight * math.Max(sum/math.Max(float64(n), 1), 1)
}

// worths returns the worth of each word, and the sum.
func (r *candidates) worths() ([]float64, float64) {
	worths, whole := make([]float64, len(r.q.words)), 0.0
	for i := range r.q.words {
		worths[i] = r.worth(i)
		whole += worths[i]
	}
	return worths, whole
}

func (r *candidates) bodyScore(f *file, worths []float64, average float64) (score float64) {
	size := average
	if f.size > 0 {
		size = float64(f.size)
	}
	for i, n := range f.counts {
		if n > 0 {
			score += worths[i] * bm25.Weight(float64(n), size, average)
		}
	}
	return score * bodyWeight
}

func (f *file) pathScore(q *question, worths []float64) (score float64) {
	dir, base := path.Split(f.path)
	for i, w := range q.words {
		switch {
		case w.re.MatchString(base):
			score += worths[i] * nameWeight
		case w.re.MatchString(dir):
			score += worths[i] * nameWeight * directoryShare
		}
	}
	return score
}

// priorOfBlock returns locate's score of a definition, or 0.
func (r *candidates) priorOfBlock(b *block) float64 {
	c := r.e.files[b.Path].candidate
	if c == nil {
		return 0
	}
	for i, s := range c.functions {
		if s.Start == b.Start || s.Name == b.Name && b.Name != "" {
			return max(c.scores[i], 0)
		}
	}
	return 0
}

// candidates ranks the files and definitions of the tree for a question, by the evidence so far.
type candidates struct {
	q      *question
	e      *evidence
	ranked []*file  // best first
	best   []*block // best first
}
