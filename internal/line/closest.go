package line

import (
	"cmp"
	"slices"
	"strings"
)

// maxName is how many runes of a name [Closest] compares.
const maxName = 64

// Closest returns up to n of names in order of their edit distance to name, ties in the order of names. It ignores case
// and compares the first 64 runes.
func Closest(name string, names []string, n int) []string {
	want, costs := fold(name), make(map[string]int, len(names))
	for _, s := range names {
		costs[s] = distance(want, fold(s))
	}
	near := slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(costs[a], costs[b]) })
	return near[:min(max(n, 0), len(near))]
}

func fold(s string) []rune {
	if len(s) > 4*maxName {
		s = s[:4*maxName]
	}
	r := []rune(strings.ToLower(s))
	return r[:min(len(r), maxName)]
}

// Distance is the Levenshtein distance of two names: how many letters to insert, drop or replace. It ignores case and
// compares the first 64 runes.
func Distance(a, b string) int { return distance(fold(a), fold(b)) }

// distance is the Levenshtein distance of a and b.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
