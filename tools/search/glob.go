package search

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is a doublestar pattern of paths: * and ? within a name, ** across directories, {a,b} and [a-z].
type glob string

// Bounds of a glob, which keep its matching from backtracking for long.
const (
	maxGlob       = 512 // bytes
	maxGlobStars  = 6   // "**"
	maxGlobBraces = 8
)

// ParseGlob checks a glob. The error is a [tools.Problem] that names the field it was given in.
func ParseGlob(field, p string) (glob, error) {
	p = strings.TrimPrefix(p, "./")
	const try = "a pattern like **/*.go or src/{a,b}/*.ts"
	switch {
	case strings.TrimSpace(p) == "":
		return "", tools.Problemf("bad_arguments", try, "%s is blank", field)
	case strings.HasPrefix(p, "/"), slices.Contains(strings.Split(p, "/"), ".."):
		return "", tools.Problemf("outside", try, "%s leads out of the root", field)
	case len(p) > maxGlob || strings.Count(p, "**") > maxGlobStars || strings.Count(p, "{") > maxGlobBraces:
		return "", tools.Problemf("bad_pattern", try, "%s is too long: at most %d bytes, %d times ** and %d times {",
			field, maxGlob, maxGlobStars, maxGlobBraces)
	case !doublestar.ValidatePattern(p):
		return "", tools.Problemf("bad_pattern", try,
			"%s is not a valid glob: a bracket or brace is not closed, or a backslash ends it", field)
	}
	return glob(p), nil
}

// Match reports whether g matches p as a path from the root, or relative to the directory base.
func (g glob) Match(p, base string) bool {
	if base != "." && doublestar.MatchUnvalidated(string(g), strings.TrimPrefix(p, base+"/")) {
		return true
	}
	return doublestar.MatchUnvalidated(string(g), p)
}

// MatchBelow reports whether g matches p in some directory.
func (g glob) MatchBelow(p string) bool { return doublestar.MatchUnvalidated("**/"+string(g), p) }

// Hidden reports whether g asks for hidden names.
func (g glob) Hidden() bool {
	asks := func(start string) bool { return strings.Contains(string(g), start) }
	return strings.HasPrefix(string(g), ".") || slices.ContainsFunc([]string{"/.", "{.", ",."}, asks)
}
