package locate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/textsearch"
)

// A Commit is a change in the history, with the words of its message.
type Commit struct {
	words   bag
	hash    string   // hexadecimal, "" if unknown
	numbers []string // of issues and pull requests
	files   []string
}

// Bounds of the history that is used.
const (
	maxCommits = 20_000
	maxFiles   = 20 // of a commit: a commit that changes more says nothing about any of them
	maxNumbers = 10 // issues in a message: more are the contents of a release
)

// NewCommit takes the words of a commit's message and the issues that it names. The paths of the changed files are
// relative to the root, with slashes.
func NewCommit(hash, message string, files []string) Commit {
	var terms []term
	var s splitter
	raw := []byte(message)
	textsearch.Names(raw, func(from, to int) {
		s.terms(raw[from:to], func(t term) { terms = append(terms, t) })
	})
	c := Commit{words: newBag(terms), hash: hash, numbers: numbersIn(message), files: files}
	if len(c.files) > maxFiles {
		c.files = nil
	}
	if len(c.numbers) > maxNumbers {
		c.numbers = nil
	}
	return c
}

// bestCommits is how many commits lend weight to the files that they changed.
const bestCommits = 200

func (s *scoring) takeCommits() {
	history := s.ix.history
	df := make([]int, len(s.lookup.terms))
	found := make([][]hit, len(history))
	total := 0
	for i := range history {
		found[i] = history[i].words.hits(s.lookup)
		for _, h := range found[i] {
			df[h.at]++
		}
		total += history[i].words.length()
	}
	average := float64(total) / float64(max(len(history), 1))
	type scored struct {
		at    int
		value float64
	}
	var list []scored
	for at := range history {
		c := &history[at]
		v := 0.0
		for _, h := range found[at] {
			weight := s.q.all.weight[h.at] + s.title[h.at]
			v += idf(df[h.at], len(history)) * weight * bm25Weight(h.n, c.words.length(), average)
		}
		if v > 0 && len(c.files) > 0 {
			list = append(list, scored{at, v})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.at, b.at)) })
	for _, c := range list[:min(bestCommits, len(list))] {
		files := history[c.at].files
		for _, p := range files {
			if f, ok := s.ix.byPath[p]; ok {
				s.values[sCommits][f] += c.value * c.value / float64(len(files))
			}
		}
	}
}

// takeCited finds the commits that the query cites, by hash or by the number of an issue or pull request in their
// messages. Such a commit often caused the bug.
func (s *scoring) takeCited() {
	s.cited = s.ix.cited(s.q)
	for _, i := range s.cited {
		var files []int
		for _, p := range s.ix.history[i].files {
			if f, ok := s.ix.byPath[p]; ok && s.ix.files[f].kind == source {
				files = append(files, f)
			}
		}
		for _, f := range files {
			s.values[sCited][f] += 1 / math.Sqrt(float64(len(files)))
		}
	}
}

func (ix *Index) cited(q *query) (found []int) {
	if len(q.hashes) == 0 && len(q.numbers) == 0 {
		return nil
	}
	numbers := make(map[string]bool)
	for _, n := range q.numbers {
		numbers[n] = true
	}
	hashes := make(map[string][]string) // by their first digits
	for _, h := range q.hashes {
		hashes[h[:leastHash]] = append(hashes[h[:leastHash]], h)
	}
	for i := range ix.history {
		c := &ix.history[i]
		isHash := func(h string) bool { return strings.HasPrefix(c.hash, h) }
		if slices.ContainsFunc(c.numbers, func(n string) bool { return numbers[n] }) ||
			len(c.hash) >= leastHash && slices.ContainsFunc(hashes[c.hash[:leastHash]], isHash) {
			found = append(found, i)
		}
	}
	return found
}

// leastHash is the shortest abbreviation of a hash that names a commit: git's own minimum.
const leastHash = 7
