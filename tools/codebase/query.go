package codebase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
)

type searchArgs struct {
	Pattern    string   `json:"pattern,omitempty" jsonschema_description:"regular expression (RE2 syntax), or text with literal=true"`
	Patterns   []string `json:"patterns,omitempty" jsonschema_description:"up to 16 patterns at once instead of one; a line that matches any is a hit"`
	Literal    bool     `json:"literal,omitempty" jsonschema_description:"take the pattern as text; default false"`
	Case       string   `json:"case,omitempty" jsonschema:"enum=sensitive,enum=insensitive,enum=smart" jsonschema_description:"sensitive, insensitive, or smart: insensitive unless the pattern has a capital; default sensitive"`
	Word       bool     `json:"word,omitempty" jsonschema_description:"match whole words only; default false"`
	Multiline  bool     `json:"multiline,omitempty" jsonschema_description:"let a match cross lines; default false"`
	Path       string   `json:"path,omitempty" jsonschema_description:"directory or file to search; default \".\""`
	Include    []string `json:"include,omitempty" jsonschema_description:"globs; only files that match one are searched; *.go means at any depth"`
	Exclude    []string `json:"exclude,omitempty" jsonschema_description:"globs; files and directories that match one are not searched"`
	Mode       string   `json:"mode,omitempty" jsonschema:"enum=content,enum=files,enum=count" jsonschema_description:"content: lines; files: paths; count: hits a file; default content"`
	Before     *int     `json:"before,omitempty" jsonschema:"minimum=0" jsonschema_description:"lines to show before a hit; 0 to 20"`
	After      *int     `json:"after,omitempty" jsonschema:"minimum=0" jsonschema_description:"lines to show after a hit; 0 to 20"`
	Context    *int     `json:"context,omitempty" jsonschema:"minimum=0" jsonschema_description:"lines to show before and after; 0 to 20; not given: 20 for one hit, 8 for two or three, else 0"`
	MaxPerFile *int     `json:"max_per_file,omitempty" jsonschema:"minimum=1" jsonschema_description:"hits to show of one file; 1 to 2000, default 20"`
	Limit      *int     `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"hits (modes files and count: files) to return; 1 to 2000, default 100"`
	Offset     *int     `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"hits or files to leave out at the beginning; default 0"`
}

// A query is the arguments of a search, checked.
type query struct {
	matchers         []*matcher
	mode             string
	include, exclude []string
	before, after    int // -1: chosen by the number of hits
	perFile          int
	limit, offset    int
	sources          []string // the patterns as given
	options          matchOptions
	folds            []bool // by pattern
}

// maxPatterns is how many patterns one search takes.
const maxPatterns = 16

func (in *searchArgs) query(page *Page) (*query, error) {
	q := &query{mode: orElse(in.Mode, "content"), before: -1, after: -1}
	q.options = matchOptions{literal: in.Literal, word: in.Word, multiline: in.Multiline}
	errs := []error{
		oneOf("mode", in.Mode, "", "content", "files", "count"),
		oneOf("case", in.Case, "", "sensitive", "insensitive", "smart"),
		q.bounds(in, page),
	}
	for _, g := range []struct {
		field string
		from  []string
		to    *[]string
		below string // what a slash at the end stands for
	}{{"include", in.Include, &q.include, "/**"}, {"exclude", in.Exclude, &q.exclude, ""}} {
		for _, pattern := range g.from {
			p, err := globPattern(g.field, pattern)
			if dir, ok := strings.CutSuffix(p, "/"); ok {
				p = dir + g.below
			}
			if !strings.Contains(p, "/") {
				p = "**/" + p
			}
			*g.to = append(*g.to, p)
			errs = append(errs, err)
		}
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return q, q.compile(in)
}

func (q *query) bounds(in *searchArgs, page *Page) (err error) {
	around := func(name string, given *int) int {
		if given == nil {
			given = in.Context
		}
		if given == nil {
			return -1
		}
		n, e := bound{name, 0, 0, 20}.of(given, page)
		err = cmp.Or(err, e)
		return n
	}
	q.before, q.after = around("before", in.Before), around("after", in.After)
	if (q.before < 0) != (q.after < 0) {
		q.before, q.after = max(q.before, 0), max(q.after, 0)
	}
	var err1, err2, err3 error
	q.perFile, err1 = bound{"max_per_file", 20, 1, 2000}.of(in.MaxPerFile, page)
	q.limit, err2 = bound{"limit", 100, 1, 2000}.of(in.Limit, page)
	q.offset, err3 = offsetBound.of(in.Offset, page)
	return cmp.Or(err, err1, err2, err3)
}

func (q *query) compile(in *searchArgs) error {
	q.sources = in.Patterns
	if in.Pattern != "" || len(in.Patterns) == 0 {
		q.sources = append([]string{in.Pattern}, in.Patterns...)
	}
	if len(q.sources) > maxPatterns {
		return &tools.Problem{Code: "bad_arguments", Message: fmt.Sprintf("%d patterns are too many", len(q.sources)), Try: fmt.Sprintf("at most %d patterns, or one with a|b|c", maxPatterns)}
	}
	for _, source := range q.sources {
		if strings.TrimSpace(source) == "" {
			return blank("pattern", "a word or a regular expression; to list files, glob")
		}
		o := q.options
		o.fold = in.Case == "insensitive" || (in.Case == "smart" && !smart(source, in.Literal))
		m, err := compile(source, o)
		if err != nil {
			return err
		}
		q.matchers = append(q.matchers, m)
		q.folds = append(q.folds, o.fold)
	}
	return nil
}

func (q *query) wants(p, base string) bool {
	match := func(pattern string) bool { return matchGlob(pattern, p, base) }
	return (len(q.include) == 0 || slices.ContainsFunc(q.include, match)) && !q.excludes(p, base)
}

// excludes reports whether p is a file or directory that is left out.
func (q *query) excludes(p, base string) bool {
	return slices.ContainsFunc(q.exclude, func(pattern string) bool { return matchGlob(pattern, p, base) })
}
