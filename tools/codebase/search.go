package codebase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
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

// A searchPage is the part of a search that is shown.
type searchPage struct {
	mode          string
	before, after int // lines of context; -1: by the number of hits
	limit, offset int
}

// query checks the arguments.
func (in *searchArgs) query(page *Page) (*search.Search, *searchPage, error) {
	p := &searchPage{mode: orElse(in.Mode, "content")}
	var errs [6]error
	q := search.Query{
		Patterns: in.Patterns, Literal: in.Literal, Word: in.Word, Lines: in.Multiline, Case: in.Case,
		Include: in.Include, Exclude: in.Exclude, Brief: p.mode != "content",
	}
	if in.Pattern != "" || len(in.Patterns) == 0 {
		q.Patterns = append([]string{in.Pattern}, in.Patterns...)
	}
	p.before, errs[0] = contextBound("before", in.Before, in.Context, page)
	p.after, errs[1] = contextBound("after", in.After, in.Context, page)
	if (p.before < 0) != (p.after < 0) {
		p.before, p.after = max(p.before, 0), max(p.after, 0)
	}
	q.PerFile, errs[2] = bound{"max_per_file", 20, 1, 2000}.of(in.MaxPerFile, page)
	p.limit, errs[3] = bound{"limit", 100, 1, 2000}.of(in.Limit, page)
	p.offset, errs[4] = offsetBound.of(in.Offset, page)
	if err := cmp.Or(oneOf("mode", in.Mode, "", "content", "files", "count"),
		oneOf("case", in.Case, "", "sensitive", "insensitive", "smart"), cmp.Or(errs[:]...)); err != nil {
		return nil, nil, err
	}
	q.Most = p.offset + p.limit
	s, err := search.New(q)
	return s, p, err
}

// contextBound is before or after: given by itself, by context, or -1.
func contextBound(name string, given, context *int, page *Page) (int, error) {
	given = cmp.Or(given, context)
	if given == nil {
		return -1, nil
	}
	return bound{name, 0, 0, 20}.of(given, page)
}

func (t *toolbox) search(ctx context.Context, in searchArgs) (*SearchResult, error) {
	out := &SearchResult{Page: Page{asJSON: t.json}}
	s, p, err := in.query(&out.Page)
	if err != nil {
		return nil, err
	}
	out.Mode = p.mode
	ctx, stop := t.Clock(ctx)
	defer stop()
	base, err := t.Target(ctx, orElse(in.Path, "."))
	if err != nil {
		return nil, err
	}
	found, skipped, err := s.Run(ctx, t.Tree, base)
	out.Skipped.Add(skipped)
	if err := out.ended(ctx, err); err != nil {
		return nil, err
	}
	out.Result = *found
	out.show(p, s.PerFile)
	t.decorate(ctx, p, out)
	if out.Hits > 0 || out.TimedOut {
		return out, nil
	}
	without := ""
	if names := out.Skipped.String(); names != "" {
		without = " (skipped: " + names + ")"
	}
	out.note("no hit in %s%s", line.Count(out.FilesSearched, "file"), without)
	if out.FilesSearched == 0 && len(in.Include)+len(in.Exclude) > 0 {
		out.note("no file passes include and exclude")
	}
	for _, hint := range s.Hints(ctx, t.Tree, base) {
		out.note("%s", hint)
	}
	return out, nil
}

// show cuts the items to the hits or files that offset and limit choose.
func (s *SearchResult) show(p *searchPage, perFile int) {
	found := s.Items
	if p.mode != "content" {
		from, to := window(len(found), p.offset, p.limit)
		s.Items = found[from:to]
		s.cut(s.FilesMatched, from, to-from)
		s.pastEnd(p.offset, s.FilesMatched, "files")
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
		s.note("%s left out by max_per_file=%d", line.Count(s.Hits-s.Shown, "hit"), perFile)
	}
	s.pastEnd(p.offset, s.Shown, "hits")
}

// autoContext is how many lines are shown around hits when the call does not say: the more the fewer hits.
var autoContext = []struct{ hits, lines int }{{1, 20}, {3, 8}}

// decorate adds the enclosing symbols and the lines around the hits that are shown. It reads their files again: one that
// is gone by now keeps its hits and gets a note.
func (t *toolbox) decorate(ctx context.Context, p *searchPage, out *SearchResult) {
	if p.mode != "content" {
		return
	}
	before, after := p.before, p.after
	if before < 0 {
		before, after = 0, 0
		for i := len(autoContext) - 1; i >= 0; i-- {
			if a := autoContext[i]; out.Hits <= a.hits {
				before, after = a.lines, a.lines
			}
		}
	}
	notes := make([]string, len(out.Items))
	it := iter.Iterator[search.File]{MaxGoroutines: t.Options().Workers}
	it.ForEachIdx(out.Items, func(i int, f *search.File) {
		if tree.Expired(ctx) != nil {
			return
		}
		c, err := t.Load(f.Path)
		if err != nil {
			notes[i] = fmt.Sprintf("%s vanished during the search; its hits are shown without the lines around them", line.Path(f.Path))
			return
		}
		c.Data = t.Shown(c)
		label(f, t.symbols(ctx, f.Path, c.Data))
		surround(f, line.Split(c.Data), before, after)
	})
	for _, n := range notes {
		if n != "" {
			out.note("%s", n)
		}
	}
}

func label(f *search.File, all []symbols.Symbol) {
	for i := range f.Matches {
		if s := symbols.Innermost(all, f.Matches[i].Line); s != nil {
			f.Matches[i].Symbol = s.Name
		}
	}
}

// surround adds lines before and after each hit, and the further lines of a hit that crosses lines.
func surround(f *search.File, t line.Text, before, after int) {
	for i := range f.Matches {
		m := &f.Matches[i]
		last := max(m.Line, min(m.EndLine, m.Line+maxContext))
		for n := max(m.Line-before, 1); n < m.Line && n <= t.Count(); n++ {
			m.Before = append(m.Before, showLine(t, n))
		}
		for n := m.Line + 1; n <= min(last+after, t.Count()); n++ {
			m.After = append(m.After, showLine(t, n))
		}
	}
}

// maxContext is the most lines that are shown after the first line of a hit that crosses lines.
const maxContext = 20

// showLine is line n as it is printed beside a hit.
func showLine(t line.Text, n int) string { return line.Around(t.Line(n), 0, 0, maxLine) }

// maxLine is how much of a line is shown beside a hit, in runes.
const maxLine = 500

// A SearchResult is what search found, grouped by file in the order of the tree. Total and Returned count hits in mode
// content, files in the modes files and count. A hit is a line with a match (multiline: a match).
//
//	{"items":[{"path":"a.go","hits":1,"matches":[{"line":3,"column":6,"symbol":"Foo.Bar","text":"func (Foo) Bar()"}]}],
//	 "files_searched":12,"files_matched":1,"hits":1,"total":1,"returned":1,...}
type SearchResult struct {
	Mode string `json:"mode"` // "content", "files" or "count"
	search.Result
	Page
}

// Text writes the JSON form or the hits grouped by file.
func (s *SearchResult) Text() (toollimit.Kind, string) {
	if s.asJSON {
		return asJSON(s)
	}
	return toollimit.Search, s.groups()
}

func (s *SearchResult) groups() string {
	var b strings.Builder
	s.head(&b)
	for _, p := range s.Patterns {
		fmt.Fprintf(&b, "pattern %s: %s in %s\n", strconv.Quote(p.Pattern), line.Count(p.Hits, "hit"), line.Count(p.Files, "file"))
	}
	for _, f := range s.Items {
		if s.Mode == "files" {
			b.WriteString(line.Path(f.Path) + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s (%s)\n", line.Path(f.Path), line.Count(f.Hits, "hit"))
		writeFile(&f, &b)
	}
	if s.Mode != "content" {
		fmt.Fprintf(&b, "%s; ", line.Count(s.Hits, "hit"))
		s.foot(&b, "files with a hit")
		return b.String()
	}
	s.foot(&b, "hits in "+line.Count(s.FilesMatched, "file"))
	return b.String()
}

// write prints the hits and the lines around them, each line once, with a gap line where lines are left out between.
func writeFile(f *search.File, b *strings.Builder) {
	context := map[int]string{}
	hit := map[int]bool{}
	for _, m := range f.Matches {
		hit[m.Line] = true
		for i, t := range m.Before {
			context[m.Line-len(m.Before)+i] = t
		}
		for i, t := range m.After {
			context[m.Line+1+i] = t
		}
	}
	var around []int
	for n := range context {
		if !hit[n] {
			around = append(around, n)
		}
	}
	slices.Sort(around)
	last := 0
	before := func(n int) {
		for len(around) > 0 && around[0] < n {
			gap(b, last, around[0], len(context) > 0)
			fmt.Fprintf(b, "L%d- %s\n", around[0], context[around[0]])
			last, around = around[0], around[1:]
		}
		gap(b, last, n, len(context) > 0)
	}
	for _, m := range f.Matches {
		before(m.Line)
		writeMatch(&m, b)
		last = m.Line
	}
	if len(around) > 0 {
		before(around[len(around)-1] + 1)
	}
}

func gap(b *strings.Builder, last, next int, context bool) {
	if context && last > 0 && next > last+1 {
		b.WriteString("--\n")
	}
}

func writeMatch(m *search.Match, b *strings.Builder) {
	fmt.Fprintf(b, "L%d", m.Line)
	if m.EndLine > m.Line {
		fmt.Fprintf(b, "-%d", m.EndLine)
	}
	if m.Symbol != "" {
		fmt.Fprintf(b, " [%s]", m.Symbol)
	}
	b.WriteString(" " + m.Text + "\n")
}
