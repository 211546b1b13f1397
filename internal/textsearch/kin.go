package textsearch

import (
	"cmp"
	_ "embed" // the families
	"strings"
	"sync"
)

// kin lists words of one origin that do not begin alike, so that no stem serves them all, then words whose abbreviation
// in code few others begin with, a family a line.
//
//go:embed kin.txt
var kin string

// Kin returns families of words and of abbreviations with one origin.
func Kin() [][]string { return Groups(kin) }

// KinRoot is [Root], but words of one family of [Kin] have the root of the first: "sent" becomes "send".
func KinRoot(word []byte) []byte {
	root := Root(word)
	return []byte(cmp.Or(kinRoot()[string(root)], string(root)))
}

// kinRoot holds, by the root of a word, the root of the first of its family.
var kinRoot = sync.OnceValue(func() map[string]string {
	roots := make(map[string]string)
	for _, family := range Kin() {
		first := string(Root([]byte(family[0])))
		for _, word := range family {
			roots[string(Root([]byte(word)))] = first
		}
	}
	return roots
})

// Groups returns the words of each line of a table.
func Groups(table string) (all [][]string) {
	for line := range strings.Lines(table) {
		all = append(all, strings.Fields(line))
	}
	return all
}
