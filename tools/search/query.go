package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A Query says what to search for, and how much of it to return.
type Query struct {
	Patterns []string // at most 16; a line that matches any is a hit
	Literal  bool     // the patterns are texts, not regular expressions
	Word     bool     // match whole words only
	Lines    bool     // let a match cross lines
	Case     string   // "sensitive" (the default), "insensitive", or "smart": insensitive unless the pattern has a capital
	Include  []string // globs: search only files that match one
	Exclude  []string // globs: leave out files and directories that match one
	Brief    bool     // count the hits, and return none of their lines
	PerFile  int      // hits to return of one file
	Most     int      // hits to return (Brief: files), the first in tree order
	Once     bool     // cache a file only when it is read again; see [tree.Sweep]
}

// Bounds of a query.
const (
	maxPatterns = 16
	maxGlobs    = 64 // in Include, and in Exclude
)

// A Search is a checked query. It is safe for concurrent use.
type Search struct {
	Query
	patterns         []*pattern
	options          []options // by pattern
	include, exclude []glob
	forMarks         bool // a pattern names the mark of a redacted credential
}

// New checks a query. The error is a [tools.Problem].
func New(q Query) (*Search, error) {
	s := &Search{Query: q}
	var err error
	if s.include, err = globs("include", q.Include, "/**"); err != nil {
		return nil, err
	}
	if s.exclude, err = globs("exclude", q.Exclude, ""); err != nil {
		return nil, err
	}
	if len(q.Patterns) > maxPatterns {
		return nil, tools.Problemf("bad_arguments", fmt.Sprintf("at most %d patterns, or one with a|b|c", maxPatterns),
			"%d patterns are too many", len(q.Patterns))
	}
	total := 0
	for _, source := range q.Patterns {
		s.forMarks = s.forMarks || strings.Contains(source, "redacted:")
		if strings.TrimSpace(source) == "" {
			const try = "a word or a regular expression; to list files, glob"
			return nil, tools.Problemf("bad_arguments", try, "pattern is blank")
		}
		o := options{literal: q.Literal, word: q.Word, multiline: q.Lines}
		o.fold = q.Case == "insensitive" || q.Case == "smart" && !hasUpper(source, q.Literal)
		p, err := parse(source, o)
		if err != nil {
			return nil, err
		}
		if total += p.cost; total > maxSize {
			return nil, tools.Problemf("bad_pattern", "fewer patterns", "the patterns are too large together")
		}
		s.patterns = append(s.patterns, p)
		s.options = append(s.options, o)
	}
	for _, p := range s.patterns { // which are small enough together
		if err := p.build(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// globs checks the globs of a field. below replaces the slash at the end of a glob, which means a directory. A glob
// without a slash matches at any depth.
func globs(field string, from []string, below string) ([]glob, error) {
	if len(from) > maxGlobs {
		return nil, tools.Problemf("bad_arguments", fmt.Sprintf("at most %d globs", maxGlobs),
			"%s has %d globs", field, len(from))
	}
	var all []glob
	for _, source := range from {
		g, err := ParseGlob(field, source)
		if err != nil {
			return nil, err
		}
		if dir, ok := strings.CutSuffix(g.source, "/"); ok {
			g = globOf(dir + below)
		}
		if !strings.Contains(g.source, "/") {
			g = g.Below()
		}
		all = append(all, g)
	}
	return all, nil
}

// sweep returns a sweep that calls look with each file that the query includes.
func (s *Search) sweep(base string, look func(*tally, string, tree.Content)) tree.Sweep[tally] {
	anyOf := func(globs []glob) func(string) bool {
		return func(p string) bool {
			return slices.ContainsFunc(globs, func(g glob) bool { return g.Match(p, base) })
		}
	}
	included, excluded := anyOf(s.include), anyOf(s.exclude)
	return tree.Sweep[tally]{
		Hidden: slices.ContainsFunc(s.include, glob.Hidden),
		Prune:  excluded,
		Take:   func(p string) bool { return (len(s.include) == 0 || included(p)) && !excluded(p) },
		Look:   look,
		Once:   s.Query.Once,
	}
}
