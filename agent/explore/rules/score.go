package rules

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/textsearch"
)

// blocks finds the blocks of files and returns them, best first.
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

// priorOf is what the ranking of the tree says of a file, 1 for its first.
func (r *candidates) priorOf(f *file) float64 {
	if f.candidate == nil || r.e.located[0].score <= 0 {
		return 0
	}
	return max(0, f.candidate.score/r.e.located[0].score)
}

// Weights of search hits in a file, for trees that nothing else ranks. They are round numbers.
const (
	bodyWeight     = 1.0  // BM25 of the words in the file
	nameWeight     = 0.9  // a word in the file's name
	directoryShare = 0.5  // of that, in a directory's
	namedWeight    = 2.0  // a name of the question occurs here
	pathNamed      = 15.0 // the question names the file
)

// rank orders the files by what ranks the tree: locate, else the words of the question. Their priors are shares of the
// first one's.
func (r *candidates) rank() {
	e := r.e
	if len(e.located) > 0 {
		for _, f := range e.sorted {
			f.prior = r.priorOf(f)
		}
	} else {
		r.searchRank()
	}
	for _, f := range e.sorted {
		f.score = f.prior
	}
	r.ranked = slices.Clone(e.sorted)
	slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.prior, a.prior) })
}

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
		score := r.body(f, worths, average) + f.names(r.q, worths) + f.named(r.q)
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

func (f *file) named(q *question) (score float64) {
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

// tail is the last two parts of a path, by which a traceback of an installed copy names it.
func tail(p string) string {
	dir, base := path.Split(p)
	if dir == "" {
		return "\x00"
	}
	return path.Base(dir) + "/" + base
}

// idf weighs a word by how few files hold it.
func (r *candidates) idf(word int) float64 {
	all := float64(max(r.e.searched, len(r.e.files), 1))
	n := math.Min(float64(r.e.inFiles[word]), all)
	return textsearch.Rarity(all, n)
}

// leastIDF is the weight of a word that occurs in every file.
const leastIDF = .2

// worth is what a word counts for in the question: its weight and its rarity. A word that occurs nowhere counts as much
// as the others do on average, so that a question about something absent is not covered by the rest of its words.
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

// worths are those of all words, and their sum.
func (r *candidates) worths() ([]float64, float64) {
	worths, whole := make([]float64, len(r.q.words)), 0.0
	for i := range r.q.words {
		worths[i] = r.worth(i)
		whole += worths[i]
	}
	return worths, whole
}

func (r *candidates) body(f *file, worths []float64, average float64) (score float64) {
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

func (f *file) names(q *question, worths []float64) (score float64) {
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

// priorOfBlock is what locate says of a definition.
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

// candidates are the files and definitions of the tree, ranked for a question by what is known of them.
type candidates struct {
	q      *question
	e      *evidence
	ranked []*file  // best first
	best   []*block // the same for definitions
}
