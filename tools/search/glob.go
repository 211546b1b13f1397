package search

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is a doublestar pattern of paths: * and ? within a name, ** across directories, {a,b} and [a-z].
type glob struct {
	source string
	any    []string // what its braces expand to
}

// Bounds of a glob, which keep its matching from backtracking for long.
const (
	maxGlob         = 512 // bytes
	maxGlobStars    = 6   // "**"
	maxGlobBraces   = 8
	maxAlternatives = 256 // of all braces, multiplied
)

// ParseGlob checks a glob. The error is a [tools.Problem] that names the field it was given in.
func ParseGlob(field, p string) (glob, error) {
	p = strings.TrimPrefix(p, "./")
	const try = "a pattern like **/*.go or src/{a,b}/*.ts"
	switch {
	case strings.TrimSpace(p) == "":
		return glob{}, tools.Problemf("bad_arguments", try, "%s is blank", field)
	case strings.HasPrefix(p, "/"), slices.Contains(strings.Split(p, "/"), ".."):
		return glob{}, tools.Problemf("outside", try, "%s leads out of the root", field)
	case len(p) > maxGlob || strings.Count(p, "**") > maxGlobStars || strings.Count(p, "{") > maxGlobBraces:
		return glob{}, tools.Problemf("bad_pattern", try, "%s is too long: at most %d bytes, %d times ** and %d times {",
			field, maxGlob, maxGlobStars, maxGlobBraces)
	case !doublestar.ValidatePattern(p):
		return glob{}, tools.Problemf("bad_pattern", try,
			"%s is not a valid glob: a bracket or brace is not closed, or a backslash ends it", field)
	}
	g := globOf(p)
	if len(g.any) > maxAlternatives {
		return glob{}, tools.Problemf("bad_pattern", "fewer alternatives in {}, or several globs",
			"%s is too long: its braces stand for more than %d patterns", field, maxAlternatives)
	}
	return g, nil
}

// globOf returns the glob of a valid pattern. More than maxAlternatives patterns are cut off.
func globOf(p string) glob {
	g := glob{source: p}
	for open := []string{p}; len(open) > 0 && len(g.any) <= maxAlternatives; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		if parts := alternatives(next); parts != nil {
			open = append(open, parts...)
		} else {
			g.any = append(g.any, next)
		}
	}
	return g
}

// alternatives returns what the first braces of p expand to, or nil if it has none.
func alternatives(p string) []string {
	var all []string
	for i, depth, open, from := 0, 0, 0, 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			for i++; i < len(p) && p[i] != ']'; i++ {
				if p[i] == '\\' {
					i++
				}
			}
		case '{':
			if depth++; depth == 1 {
				open, from = i, i+1
			}
		case ',', '}':
			if depth == 1 {
				all = append(all, p[from:i])
				from = i + 1
			}
			if p[i] == '}' {
				depth--
			}
			if depth == 0 && p[i] == '}' {
				for j := range all {
					all[j] = p[:open] + all[j] + p[i+1:]
				}
				return all
			}
		}
	}
	return nil
}

// String returns the pattern as it was given.
func (g glob) String() string { return g.source }

// Match reports whether g matches p as a path from the root, or relative to the directory base.
func (g glob) Match(p, base string) bool {
	if base != "." && g.matches(strings.TrimPrefix(p, base+"/")) {
		return true
	}
	return g.matches(p)
}

func (g glob) matches(p string) bool {
	return slices.ContainsFunc(g.any, func(one string) bool { return doublestar.MatchUnvalidated(one, p) })
}

// Below returns the glob that matches what g matches, in any directory.
func (g glob) Below() glob { return globOf("**/" + g.source) }

// Hidden reports whether g asks for hidden names.
func (g glob) Hidden() bool {
	asks := func(start string) bool { return strings.Contains(g.source, start) }
	return strings.HasPrefix(g.source, ".") || slices.ContainsFunc([]string{"/.", "{.", ",."}, asks)
}
