package terms

import (
	_ "embed" // the groups

	"github.com/forayhq/foray/internal/textsearch"
)

// same lists words that code uses for the same thing, a group a line. A word may be in several groups.
//
//go:embed same.txt
var same string

// Groups returns the groups of words that code uses for the same thing.
func Groups() [][]string { return textsearch.Groups(same) }
