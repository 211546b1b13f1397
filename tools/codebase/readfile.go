package codebase

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/picture"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

type readArgs struct {
	Path   string   `json:"path,omitempty" doc:"file to read"`
	Paths  []string `json:"paths,omitempty" doc:"up to 20 files at once instead of one; start_line, end_line and limit apply to each"`
	Start  *int     `json:"start_line,omitempty" jsonschema:"minimum=1" doc:"first line; default 1"`
	End    *int     `json:"end_line,omitempty" jsonschema:"minimum=1" doc:"last line, instead of limit"`
	Limit  *int     `json:"limit,omitempty" jsonschema:"minimum=1" doc:"lines to return; 1 to 2000, default 400"`
	Symbol string   `json:"symbol,omitempty" doc:"read this definition, as outline names it: Class.method"`
	Around *int     `json:"around,omitempty" jsonschema:"minimum=1" doc:"read the definition around this line"`
	Column *int     `json:"column,omitempty" jsonschema:"minimum=1" doc:"first column to show, for long lines; default 1"`
}

// A FileResult is the lines that read_file read, one item a path. Total and Returned count lines.
//
//	{"items":[{"path":"a.go","start_line":1,"end_line":2,"total_lines":2,"lines":["package a",""]}],
//	 "total":2,"returned":2,...}
type FileResult struct {
	Items []FileText `json:"items"`
	Page

	shown []toollimit.Image
}

// Images returns the pictures among the files, for a model that takes pictures.
func (f *FileResult) Images() []toollimit.Image { return f.shown }

// FileText is lines of one file; Lines[0] is line StartLine. An empty file has no lines and StartLine 0. So has a
// picture, which is described.
type FileText struct {
	Path       string   `json:"path"`
	StartLine  int      `json:"start_line"`
	EndLine    int      `json:"end_line"`
	TotalLines int      `json:"total_lines"`
	Symbol     string   `json:"symbol,omitempty"`   // the requested symbol, or the one around the requested line
	Column     int      `json:"column,omitempty"`   // the first column shown, if not 1
	Encoding   string   `json:"encoding,omitempty"` // "utf-16" or "invalid utf-8", if not UTF-8
	Picture    string   `json:"picture,omitempty"`
	Lines      []string `json:"lines"`
	Next       int      `json:"next,omitempty"` // the start_line to continue with
}

// Bounds of what read_file returns.
const (
	maxReadLines = 2000
	maxLineRunes = 2000
	maxReadBytes = 50 << 10
	maxReadPaths = 20
)

// A cutout says what to read of each file.
type cutout struct {
	start, limit int
	end          int // 0: by limit
	symbol       string
	around       int // 0: not given
	column       int
	room         int // what is left of maxReadBytes
}

func (in *readArgs) cutout(page *Page) (*cutout, error) {
	c := checker{page: page}
	cut := &cutout{
		symbol: in.Symbol,
		start:  c.number("start_line", in.Start, 1, 1, maxOffset),
		end:    c.number("end_line", in.End, 0, 1, maxOffset),
		limit:  c.number("limit", in.Limit, 400, 1, maxReadLines),
		around: c.number("around", in.Around, 0, 1, maxOffset),
		column: c.number("column", in.Column, 1, 1, maxOffset),
		room:   maxReadBytes,
	}
	switch {
	case in.End != nil && cut.end < cut.start:
		c.fail(fmt.Sprintf("start_line=%d, end_line=%d", cut.end, cut.start),
			"start_line=%d is after end_line=%d", cut.start, cut.end)
	case in.End != nil:
		if cut.limit = cut.end - cut.start + 1; cut.limit > maxReadLines {
			page.Note("%d lines were requested; the maximum is %d", cut.limit, maxReadLines)
			cut.limit = maxReadLines
		}
	}
	if cut.symbol != "" && cut.around > 0 {
		c.fail("one of them", "symbol and around exclude each other")
	}
	return cut, c.err
}

func (t *toolbox) readFile(ctx context.Context, in readArgs) (*FileResult, error) {
	out := &FileResult{Items: []FileText{}, Page: Page{JSON: t.json}}
	c, err := in.cutout(&out.Page)
	if err != nil {
		return nil, err
	}
	paths := in.Paths
	if in.Path != "" || len(paths) == 0 {
		paths = append([]string{in.Path}, paths...)
	}
	if len(paths) > maxReadPaths {
		out.Note("%d paths were requested; the first %d are read", len(paths), maxReadPaths)
		paths = paths[:maxReadPaths]
	}
	for i, p := range paths {
		if late := tree.Expired(ctx); late != nil {
			if err := out.partial(ctx, late); err != nil {
				return nil, err
			}
			break
		}
		if c.room <= 0 {
			out.Truncated, out.TruncatedBy = true, "bytes"
			out.Note("%s not read: the limit of %s is reached", line.Count(len(paths)-i, "file"), line.Bytes(maxReadBytes))
			break
		}
		item, err := t.item(ctx, p, c, out)
		switch {
		case err != nil && len(paths) == 1:
			return nil, err
		case err != nil:
			out.Note("%v", err)
		default:
			out.include(item)
		}
	}
	if len(out.Items) == 0 && !out.TimedOut {
		notes := strings.Join(out.Notes, " | ")
		return nil, tools.Problemf("not_found", "list_dir or glob", "none of the paths can be read: %s", notes)
	}
	return out, nil
}

func (f *FileResult) include(item FileText) {
	f.Items = append(f.Items, item)
	f.Total += item.TotalLines
	f.Returned += len(item.Lines)
	if item.Next > 0 {
		f.Truncated = true
		f.TruncatedBy = cmp.Or(f.TruncatedBy, "lines")
	}
	if f.Next = 0; len(f.Items) == 1 {
		f.Next = item.Next
	}
}

// item reads one file: a picture for a model that takes pictures, or the part of a text that c asks for.
func (t *toolbox) item(ctx context.Context, p string, c *cutout, out *FileResult) (FileText, error) {
	if !picture.IsName(p) {
		return t.excerpt(ctx, p, c, &out.Page)
	}
	im, err := Picture(ctx, t.Tree, p)
	if err != nil {
		return FileText{}, err
	}
	if !tools.RunFrom(ctx).Sees {
		return FileText{}, tools.Problemf("binary", "a text file", "%s; this model takes no pictures", im.String())
	}
	out.shown = append(out.shown, im)
	return FileText{Path: im.Name, Picture: im.String(), Lines: []string{}}, nil
}

// Picture reads a picture of the tree. Its errors are [tools.Problem].
func Picture(ctx context.Context, t *tree.Tree, p string) (toollimit.Image, error) {
	at, err := t.Resolve(ctx, p)
	if err != nil {
		return toollimit.Image{}, err
	}
	data, err := tree.Bytes(t, at, picture.MaxFile+1)
	if err != nil {
		return toollimit.Image{}, t.Problem(ctx, at.Path, err)
	}
	return picture.Of(at.Path, data)
}

// excerpt reads the part of one file that c asks for.
func (t *toolbox) excerpt(ctx context.Context, p string, c *cutout, page *Page) (FileText, error) {
	at, body, err := t.File(ctx, p)
	if err != nil {
		return FileText{}, err
	}
	text := line.Split(body.Data)
	item := FileText{Path: at.Path, TotalLines: text.Count(), Encoding: body.Encoding, Lines: []string{}}
	if !utf8.Valid(body.Data) {
		item.Encoding = "invalid utf-8"
	}
	if item.TotalLines == 0 {
		return item, nil
	}
	from, to, err := t.lines(ctx, at.Path, text, c, &item)
	if err != nil {
		return FileText{}, err
	}
	if c.column > 1 {
		item.Column = c.column
	}
	item.StartLine = from
	item.take(text, from, to, c, page)
	item.EndLine = from + len(item.Lines) - 1
	if item.EndLine < item.TotalLines && (item.EndLine < to || item.Symbol == "" && c.end == 0) {
		item.Next = item.EndLine + 1
	}
	return item, nil
}

// lines returns the range of lines that c asks for.
func (t *toolbox) lines(
	ctx context.Context, p string, text line.Text, c *cutout, item *FileText,
) (from, to int, err error) {
	switch {
	case c.symbol != "":
		s, err := find(t.symbols(ctx, p, text.Data), c.symbol, p)
		if err != nil {
			return 0, 0, err
		}
		item.Symbol = s.Name
		return s.Start, min(s.End, s.Start+maxReadLines-1), nil
	case c.around > text.Count():
		return 0, 0, pastEnd(p, "around", c.around, text.Count())
	case c.around > 0:
		if s := symbols.Innermost(t.symbols(ctx, p, text.Data), c.around); s != nil && s.End-s.Start < maxReadLines {
			item.Symbol = s.Name
			return s.Start, s.End, nil
		}
		from = max(c.around-aroundLines, 1)
		return from, min(c.around+aroundLines, text.Count()), nil
	case c.start > text.Count():
		return 0, 0, pastEnd(p, "start_line", c.start, text.Count())
	}
	return c.start, min(c.start+c.limit-1, text.Count()), nil
}

// aroundLines is how many lines are shown on either side of a line outside of definitions.
const aroundLines = 20

func pastEnd(p, field string, n, count int) error {
	try, lines := fmt.Sprintf("%s from 1 to %d", field, count), line.Count(count, "line")
	return tools.Problemf("past_end", try, "%s=%d is past the end: %s has %s", field, n, line.Path(p), lines)
}

// find returns the symbol with this full name, or else the first whose last parts are the name. Its problem suggests
// the closest names.
func find(all []symbols.Symbol, name, p string) (symbols.Symbol, error) {
	names := make([]string, len(all))
	for i, s := range all {
		if s.Name == name && s.Kind != "impl" {
			return s, nil
		}
		names[i] = s.Name
	}
	for _, s := range all {
		if strings.HasSuffix(s.Name, "."+name) || s.Name == name {
			return s, nil
		}
	}
	try := "outline with path=" + line.Path(p)
	if near := line.Closest(name, names, 3); len(near) > 0 {
		try = "symbol = " + strings.Join(near, ", ")
	}
	shown := line.Single(line.Truncate(name, 80))
	return symbols.Symbol{}, tools.Problemf("not_found", try, "%s defines no %s", line.Path(p), shown)
}

// take appends the lines from from to to, as far as there is room.
func (t *FileText) take(src line.Text, from, to int, c *cutout, page *Page) {
	long := 0
	for n := from; n <= to; n++ {
		line, cut := columns(src.Line(n), c.column)
		if c.room -= len(line) + 8; c.room < 0 && len(t.Lines) > 0 {
			page.Truncated, page.TruncatedBy = true, "bytes"
			break
		}
		if cut && long == 0 {
			long = n
		}
		t.Lines = append(t.Lines, line)
	}
	if long > 0 {
		page.Note("line %d of %s is longer than %d columns; more with column=%d",
			long, line.Path(t.Path), maxLineRunes, c.column+maxLineRunes)
	}
}

// columns returns a line from a column on, at most maxLineRunes, and reports whether it continues.
func columns(line []byte, column int) (s string, cut bool) {
	for ; column > 1 && len(line) > 0; column-- {
		_, size := utf8.DecodeRune(line)
		line = line[size:]
	}
	end := 0
	for n := 0; n < maxLineRunes && end < len(line); n++ {
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	cut = end < len(line)
	s = strings.ToValidUTF8(string(bytes.ReplaceAll(line[:end], []byte("\r"), []byte(" "))), "\uFFFD")
	if cut {
		s += "…"
	}
	return s, cut
}

// Text writes the JSON form or the numbered lines. The kind is Batch if several paths were requested.
func (f *FileResult) Text() (toollimit.Kind, string) {
	kind, several := toollimit.File, len(f.Items) > 1
	if several {
		kind = toollimit.Batch
	}
	return f.Render(f, kind, "", func(b *strings.Builder) {
		for i := range f.Items {
			if several {
				b.WriteString("== " + line.Path(f.Items[i].Path) + "\n")
			}
			f.Items[i].write(b)
		}
		if s := f.Skipped.String(); s != "" {
			b.WriteString("skipped: " + s + "\n")
		}
	})
}

func (t *FileText) write(b *strings.Builder) {
	for i, line := range t.Lines {
		fmt.Fprintf(b, "%4d│ %s\n", t.StartLine+i, line)
	}
	switch {
	case t.Picture != "":
		b.WriteString("the picture " + t.Picture + "\n")
		return
	case t.TotalLines == 0:
		b.WriteString("empty file\n")
		return
	}
	fmt.Fprintf(b, "lines %d-%d of %d", t.StartLine, t.EndLine, t.TotalLines)
	if t.Symbol != "" {
		b.WriteString("; symbol: " + t.Symbol)
	}
	if t.Encoding != "" {
		b.WriteString("; encoding: " + t.Encoding)
	}
	if t.Column > 1 {
		fmt.Fprintf(b, "; from column %d", t.Column)
	}
	if t.Next > 0 {
		fmt.Fprintf(b, "; next: start_line=%d", t.Next)
	}
	b.WriteByte('\n')
}
