package codebase

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

type searchArgs struct {
	Pattern    string   `json:"pattern,omitempty" doc:"regular expression (RE2 syntax), or text with literal=true"`
	Patterns   []string `json:"patterns,omitempty" doc:"up to 16 patterns at once instead of one; a line that matches any is a hit"`
	Literal    bool     `json:"literal,omitempty" doc:"read the pattern as text"`
	Case       string   `json:"case,omitempty" jsonschema:"enum=sensitive,enum=insensitive,enum=smart" doc:"sensitive, insensitive, or smart: insensitive unless the pattern has a capital; default sensitive"`
	Word       bool     `json:"word,omitempty" doc:"match whole words only"`
	Multiline  bool     `json:"multiline,omitempty" doc:"let a match cross lines"`
	Path       string   `json:"path,omitempty" doc:"directory or file to search"`
	Include    []string `json:"include,omitempty" doc:"globs; search only files that match one; *.go matches at any depth"`
	Exclude    []string `json:"exclude,omitempty" doc:"globs; skip files and directories that match one"`
	Mode       string   `json:"mode,omitempty" jsonschema:"enum=content,enum=files,enum=count" doc:"content: lines; files: paths; count: hits per file; default content"`
	Before     *int     `json:"before,omitempty" jsonschema:"minimum=0" doc:"lines to show before a hit; 0 to 20"`
	After      *int     `json:"after,omitempty" jsonschema:"minimum=0" doc:"lines to show after a hit; 0 to 20"`
	Context    *int     `json:"context,omitempty" jsonschema:"minimum=0" doc:"lines to show before and after; 0 to 20; default 20 for one hit, 8 for two or three, else 0"`
	MaxPerFile *int     `json:"max_per_file,omitempty" jsonschema:"minimum=1" doc:"hits to show per file; 1 to 2000, default 20"`
	Limit      *int     `json:"limit,omitempty" jsonschema:"minimum=1" doc:"hits, or files in modes files and count, to return; 1 to 2000, default 100"`
	Offset     *int     `json:"offset,omitempty" jsonschema:"minimum=0" doc:"hits or files to skip"`
}

// A SearchResult is the result of search, grouped by file in tree order. Total and Returned count hits in mode content,
// and files in the modes files and count. A hit is a line with a match; with multiline, a match.
//
//	{"mode":"content",
//	 "items":[{"path":"a.go","hits":1,"matches":[{"line":3,"column":6,"symbol":"Foo.Bar","text":"func (Foo) Bar()"}]}],
//	 "files_searched":12,"files_matched":1,"hits":1,"total":1,"returned":1,...}
type SearchResult struct {
	Mode string `json:"mode"` // "content", "files" or "count"
	search.Result
	Page
}

// A searchPage is the part of a search that is shown.
type searchPage struct {
	mode          string
	before, after int // lines of context; -1: see autoContext
	limit, offset int
}

// query checks the arguments.
func (in *searchArgs) query(page *Page) (*search.Search, *searchPage, error) {
	c := checker{page: page}
	p := &searchPage{mode: cmp.Or(in.Mode, "content")}
	p.before, p.after = c.context("before", in.Before, in.Context), c.context("after", in.After, in.Context)
	if (p.before < 0) != (p.after < 0) {
		p.before, p.after = max(p.before, 0), max(p.after, 0)
	}
	q := search.Query{
		Patterns: in.Patterns, Literal: in.Literal, Word: in.Word, Lines: in.Multiline, Case: in.Case,
		Include: in.Include, Exclude: in.Exclude, Brief: p.mode != "content",
		PerFile: c.number("max_per_file", in.MaxPerFile, 20, 1, 2000),
	}
	if in.Pattern != "" || len(in.Patterns) == 0 {
		q.Patterns = append([]string{in.Pattern}, in.Patterns...)
	}
	p.limit = c.number("limit", in.Limit, 100, 1, 2000)
	p.offset = c.offset(in.Offset)
	q.Most = p.offset + p.limit
	c.oneOf("mode", in.Mode, "content", "files", "count")
	c.oneOf("case", in.Case, "sensitive", "insensitive", "smart")
	if c.err != nil {
		return nil, nil, c.err
	}
	s, err := search.New(q)
	return s, p, err
}

// context returns the argument before or after: its own value, else that of context, else -1.
func (c *checker) context(name string, given, context *int) int {
	if given = cmp.Or(given, context); given == nil {
		return -1
	}
	return c.number(name, given, 0, 0, 20)
}

func (t *toolbox) search(ctx context.Context, in searchArgs) (*SearchResult, error) {
	out := &SearchResult{Page: Page{JSON: t.json}}
	s, p, err := in.query(&out.Page)
	if err != nil {
		return nil, err
	}
	out.Mode, s.Once = p.mode, !t.task
	base, err := t.Target(ctx, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	found, skipped, err := s.Run(ctx, t.Tree, base)
	out.Skipped.Add(skipped)
	if err := out.partial(ctx, err); err != nil {
		return nil, err
	}
	out.Result = *found
	out.show(p, s.PerFile)
	t.decorate(ctx, p, out)
	if out.Hits > 0 || out.TimedOut {
		return out, nil
	}
	out.explain(&in)
	for _, hint := range s.Hints(ctx, t.Tree, base, found) {
		out.Note("%s", hint)
	}
	return out, nil
}

// explain notes what a search without a hit looked at.
func (s *SearchResult) explain(in *searchArgs) {
	skipped := ""
	if names := s.Skipped.String(); names != "" {
		skipped = " (skipped: " + names + ")"
	}
	s.Note("no hit in %s%s", line.Count(s.FilesSearched, "file"), skipped)
	if s.FilesSearched == 0 && len(in.Include)+len(in.Exclude) > 0 {
		s.Note("no file passes include and exclude")
	}
}

// show keeps the items from offset on, up to limit.
func (s *SearchResult) show(p *searchPage, perFile int) {
	found := s.Items
	if p.mode != "content" {
		s.Items = slicePage(&s.Page, found, s.FilesMatched, p.offset, p.limit, "files")
		return
	}
	s.Items = []search.File{}
	before := 0
	for _, f := range found {
		kept := len(f.Matches)
		from := min(max(p.offset-before, 0), kept)
		to := min(max(p.offset+p.limit-before, from), kept)
		before += kept
		if to > from {
			f.Matches = f.Matches[from:to]
			s.Items = append(s.Items, f)
			s.Returned += to - from
		}
	}
	s.Total = s.Hits
	switch {
	case p.offset+s.Returned < s.Shown:
		s.Truncated, s.TruncatedBy, s.Next = true, "limit", p.offset+s.Returned
	case s.Shown < s.Hits && !s.Truncated:
		s.Truncated, s.TruncatedBy = true, "max_per_file"
	}
	if s.Shown < s.Hits {
		s.Note("%s left out by max_per_file=%d", line.Count(s.Hits-s.Shown, "hit"), perFile)
	}
	s.pastEnd(p.offset, s.Shown, "hits")
}

// autoContext is how many lines search shows around each hit by default, by the number of hits.
var autoContext = []int{1: 20, 2: 8, 3: 8}

// decorate adds symbols and lines around the hits that are shown, from their files. If a file has vanished, it notes
// that.
func (t *toolbox) decorate(ctx context.Context, p *searchPage, out *SearchResult) {
	if p.mode != "content" {
		return
	}
	before, after := p.before, p.after
	if before < 0 {
		if before = 0; out.Hits < len(autoContext) {
			before = autoContext[out.Hits]
		}
		after = before
	}
	vanished := make([]bool, len(out.Items))
	it := iter.Iterator[search.File]{MaxGoroutines: t.Options().Workers}
	it.ForEachIdx(out.Items, func(i int, f *search.File) {
		if tree.Expired(ctx) != nil {
			return
		}
		c, err := t.Load(f.Path)
		if err != nil {
			vanished[i] = true
			return
		}
		c.Data = t.Shown(c)
		surround(f, t.symbols(ctx, f.Path, c.Data), line.Split(c.Data), before, after)
	})
	for i, gone := range vanished {
		if gone {
			out.Note("%s vanished during the search; its hits are shown without the lines around them",
				line.Path(out.Items[i].Path))
		}
	}
}

// surround adds to each hit the symbol around it, the lines before and after, and its other lines if it crosses lines.
func surround(f *search.File, all []symbols.Symbol, t line.Text, before, after int) {
	for i := range f.Matches {
		m := &f.Matches[i]
		if s := symbols.Innermost(all, m.Line); s != nil {
			m.Symbol = s.Name
		}
		last := max(m.Line, min(m.EndLine, m.Line+maxContext))
		for n := max(m.Line-before, 1); n < m.Line && n <= t.Count(); n++ {
			m.Before = append(m.Before, showLine(t, n))
		}
		for n := m.Line + 1; n <= min(last+after, t.Count()); n++ {
			m.After = append(m.After, showLine(t, n))
		}
	}
}

// maxContext is how many lines of a hit that crosses lines are shown after the first.
const maxContext = 20

// showLine returns line n as it is printed.
func showLine(t line.Text, n int) string { return line.Around(t.Line(n), 0, 0, maxLine) }

// maxLine is how much of a line is shown, in runes.
const maxLine = 500

// Text writes the JSON form or the hits grouped by file.
func (s *SearchResult) Text() (toollimit.Kind, string) {
	noun := "hits in " + line.Count(s.FilesMatched, "file")
	if s.Mode != "content" {
		noun = "files with a hit"
	}
	return s.Render(s, toollimit.Search, noun, func(b *strings.Builder) {
		for _, p := range s.Patterns {
			fmt.Fprintf(b, "pattern %q: %s in %s\n", p.Pattern, line.Count(p.Hits, "hit"), line.Count(p.Files, "file"))
		}
		for i := range s.Items {
			f := &s.Items[i]
			if s.Mode == "files" {
				b.WriteString(line.Path(f.Path) + "\n")
				continue
			}
			fmt.Fprintf(b, "%s (%s)\n", line.Path(f.Path), line.Count(f.Hits, "hit"))
			writeHits(b, f)
		}
		if s.Mode != "content" {
			b.WriteString(line.Count(s.Hits, "hit") + "; ")
		}
	})
}

// writeHits writes the hits and the lines around them, each line once, with "--" where lines are left out.
func writeHits(b *strings.Builder, f *search.File) {
	context := map[int]string{}
	for _, m := range f.Matches {
		for i, text := range m.Before {
			context[m.Line-len(m.Before)+i] = text
		}
		for i, text := range m.After {
			context[m.Line+1+i] = text
		}
	}
	some := len(context) > 0
	for _, m := range f.Matches {
		delete(context, m.Line)
	}
	around, last := slices.Sorted(maps.Keys(context)), 0
	gap := func(next int) {
		if some && last > 0 && next > last+1 {
			b.WriteString("--\n")
		}
		last = next
	}
	before := func(n int) {
		for ; len(around) > 0 && around[0] < n; around = around[1:] {
			gap(around[0])
			fmt.Fprintf(b, "L%d- %s\n", around[0], context[around[0]])
		}
	}
	for i := range f.Matches {
		m := &f.Matches[i]
		before(m.Line)
		gap(m.Line)
		writeMatch(b, m)
	}
	before(math.MaxInt)
}

func writeMatch(b *strings.Builder, m *search.Match) {
	fmt.Fprintf(b, "L%d", m.Line)
	if m.EndLine > m.Line {
		fmt.Fprintf(b, "-%d", m.EndLine)
	}
	if m.Symbol != "" {
		fmt.Fprintf(b, " [%s]", m.Symbol)
	}
	b.WriteString(" " + m.Text + "\n")
}
