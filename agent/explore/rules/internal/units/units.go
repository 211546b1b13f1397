// Package units ranks parts of files, such as sections and tests, by the words of a question in their titles and text.
//
// Start with [Rank].
package units

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/search"
)

// A Word is one of the question, and how much it counts.
type Word struct {
	Pattern string // regular expression of its forms
	Re      *regexp.Regexp
	Weight  float64
}

// A Unit is a part of a file.
type Unit struct {
	Path, Title string
	Above       string // the titles of what it is in
	Start, End  int
	Share       float64 // of the question in it, by the weight and the rarity of the words: 0 to 1
	Named       int     // words in its title or those above
	Found       int     // words in it, not counting its path

	parts []float64 // by word: how well it is found
}

// Shares are how much a word counts that is not in the title of a unit, against 1 for one that is.
type Shares struct{ Above, Body, Path float64 }

// Rank gives the units their shares of the question, by the lines with a word of it, and puts the best first.
func Rank(all []*Unit, words []Word, found codebase.SearchResult, s Shares) {
	hits := make(map[string][]search.Match)
	for _, item := range found.Items {
		hits[item.Path] = item.Matches
	}
	for _, u := range all {
		u.find(words, hits[u.Path], s)
	}
	worths, whole := worthsOf(all, words)
	for _, u := range all {
		for i, part := range u.parts {
			u.Share += part * worths[i] / whole
		}
	}
	slices.SortStableFunc(all, func(a, b *Unit) int { return cmp.Compare(b.Share, a.Share) })
}

// find notes how well each word is found in a unit.
func (u *Unit) find(words []Word, hits []search.Match, s Shares) {
	u.parts = make([]float64, len(words))
	from, _ := slices.BinarySearchFunc(hits, u.Start+1, func(m search.Match, line int) int { return m.Line - line })
	for i, w := range words {
		body := func() bool {
			for _, m := range hits[from:] {
				if m.Line > u.End {
					return false
				}
				if w.Re.MatchString(m.Text) {
					return true
				}
			}
			return false
		}
		switch {
		case w.Re.MatchString(u.Title):
			u.parts[i] = 1
			u.Named++
			u.Found++
		case w.Re.MatchString(u.Above):
			u.parts[i] = s.Above
			u.Named++
			u.Found++
		case body():
			u.parts[i] = s.Body
			u.Found++
		case w.Re.MatchString(u.Path):
			u.parts[i] = s.Path
		}
	}
}

// worthsOf returns how much each word counts, by how few units have it, and the sum. One that none has counts like the
// others do on average.
func worthsOf(all []*Unit, words []Word) (worths []float64, whole float64) {
	worths = make([]float64, len(words))
	sum, found := 0.0, 0.0
	for i, w := range words {
		n := 0
		for _, u := range all {
			if u.parts[i] > 0 {
				n++
			}
		}
		if n > 0 {
			rarity := math.Log1p(float64(len(all)) / float64(n))
			worths[i] = w.Weight * rarity
			sum, found = sum+rarity, found+1
		}
	}
	for i, w := range words {
		if worths[i] == 0 {
			worths[i] = w.Weight * max(sum, 1) / max(found, 1)
		}
		whole += worths[i]
	}
	return worths, whole
}
