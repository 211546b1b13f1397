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
	type candidate struct {
		name string
		cost int
	}
	want, near, row := fold(name), make([]candidate, 0, max(n, 0)+1), []int(nil)
	for _, s := range names {
		other := fold(s)
		full := len(near) >= n
		if full && (n <= 0 || max(len(want)-len(other), len(other)-len(want)) >= near[n-1].cost) {
			continue // not closer than the last one, whatever its letters
		}
		var c candidate
		c.name = s
		c.cost, row = distance(want, other, row)
		if full && c.cost >= near[n-1].cost {
			continue
		}
		at, _ := slices.BinarySearchFunc(near, c.cost+1, func(x candidate, cost int) int { return cmp.Compare(x.cost, cost) })
		near = slices.Insert(near, at, c)
		near = near[:min(len(near), n)]
	}
	out := make([]string, len(near))
	for i, c := range near {
		out[i] = c.name
	}
	return out
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
func Distance(a, b string) int {
	d, _ := distance(fold(a), fold(b), nil)
	return d
}

// distance is the Levenshtein distance of a and b. It uses the memory of row, and returns it for the next call.
func distance(a, b []rune, row []int) (int, []int) {
	row = row[:0]
	for j := range len(b) + 1 {
		row = append(row, j)
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
	return row[len(b)], row
}
