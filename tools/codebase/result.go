package codebase

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/symbols"
)

// A Page says how much of what there is a result holds, what was left out and why, and how to go on. It is a part of
// every result, beside its items.
type Page struct {
	Total       int      `json:"total"`                  // how many there are: entries, paths, hits, lines, symbols
	Returned    int      `json:"returned"`               // how many of them are in items
	Truncated   bool     `json:"truncated"`              // whether returned falls short of total
	TruncatedBy string   `json:"truncated_by,omitempty"` // "limit", "max_per_file", "lines", "bytes", "columns" or "deadline"
	Next        int      `json:"next,omitempty"`         // the offset (read_file: the start_line) that goes on; 0: nothing does
	Skipped     Skipped  `json:"skipped"`
	TimedOut    bool     `json:"timed_out"`       // the deadline came first: what is here is true, but there may be more
	Notes       []string `json:"notes,omitempty"` // sentences for the reader: a limit that was clamped, a hint, a file that vanished

	asJSON bool // Options.JSON: Text writes the JSON form
}

// Skipped counts the files that a walk left out, by the first reason that held. A directory that was left out counts
// as one.
type Skipped struct {
	Ignored    int `json:"ignored"`    // by .gitignore, .ignore or the built-in list
	Hidden     int `json:"hidden"`     // name starts with a dot
	Binary     int `json:"binary"`     // holds a NUL byte and is not UTF-16
	TooLarge   int `json:"too_large"`  // larger than Options.MaxFile
	Secret     int `json:"secret"`     // by name, as .env or *.pem
	Unreadable int `json:"unreadable"` // permission, device, socket, link that leads nowhere or out
}

func (s *Skipped) add(o Skipped) {
	s.Ignored += o.Ignored
	s.Hidden += o.Hidden
	s.Binary += o.Binary
	s.TooLarge += o.TooLarge
	s.Secret += o.Secret
	s.Unreadable += o.Unreadable
}

// String names the counts that are not zero, as "3 ignored, 1 binary"; "" when all are.
func (s Skipped) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		name string
	}{
		{s.Ignored, "ignored"}, {s.Hidden, "hidden"}, {s.Binary, "binary"},
		{s.TooLarge, "too large"}, {s.Secret, "secret"}, {s.Unreadable, "unreadable"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *Page) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// head is the note lines, which open every text form.
func (p *Page) head(b *strings.Builder) {
	for _, n := range p.Notes {
		b.WriteString("note: ")
		b.WriteString(oneLine(n))
		b.WriteByte('\n')
	}
	if p.TimedOut {
		b.WriteString("note: the deadline came first; there may be more\n")
	}
}

// foot is the last line: what there is, what is shown, what was skipped, how to go on.
func (p *Page) foot(b *strings.Builder, noun string) {
	fmt.Fprintf(b, "%d of %d %s", p.Returned, p.Total, noun)
	if s := p.Skipped.String(); s != "" {
		b.WriteString("; skipped: " + s)
	}
	if p.Next > 0 {
		fmt.Fprintf(b, "; next: offset=%d", p.Next)
	}
	b.WriteByte('\n')
}

// cut sets the page for n of total items that begin at offset.
func (p *Page) cut(total, offset, n int) {
	p.Total, p.Returned = total, n
	if offset+n < total {
		p.Truncated, p.TruncatedBy, p.Next = true, "limit", offset+n
	}
}

func asJSON(v any) (toollimit.Kind, string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return toollimit.Error, "encoding the result: " + err.Error()
	}
	return toollimit.JSON, string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// A Listing is what list_dir found: the entries below Path in the order of the tree.
//
//	{"path":"src","items":[{"path":"src/a.go","depth":1,"type":"file","size":120}],"total":1,"returned":1,"truncated":false,"skipped":{...},"timed_out":false}
type Listing struct {
	Path  string  `json:"path"`
	Items []Entry `json:"items"`
	Page
}

// An Entry is one line of a Listing.
type Entry struct {
	Path   string `json:"path"`             // from the root
	Depth  int    `json:"depth"`            // 1: directly in the listed directory
	Type   string `json:"type"`             // "file", "dir", "link" or "other"
	Size   int64  `json:"size,omitempty"`   // bytes, of files
	Files  int    `json:"files,omitempty"`  // of a directory whose entries are not shown: files below it
	Closed bool   `json:"closed,omitempty"` // a directory whose entries are not shown
	Target string `json:"target,omitempty"` // of a link, as it is written there; "" when it leads out of the root
}

// A GlobResult is the paths that glob found. Files come in the order of the tree, or newest first.
//
//	{"items":["a.go","b/c.go"],"total":2,"returned":2,"truncated":false,"skipped":{...},"timed_out":false}
type GlobResult struct {
	Items []string `json:"items"`
	Page
}

// A SearchResult is what search found, grouped by file in the order of the tree. Total and Returned count hits in mode
// content, files in the modes files and count. A hit is a line with a match (multiline: a match).
//
//	{"items":[{"path":"a.go","hits":1,"matches":[{"line":3,"column":6,"symbol":"Foo.Bar","text":"func (Foo) Bar()"}]}],
//	 "files_searched":12,"files_matched":1,"hits":1,"total":1,"returned":1,...}
type SearchResult struct {
	Mode          string         `json:"mode"`  // "content", "files" or "count"
	Items         []FileMatches  `json:"items"` // files with a hit
	FilesSearched int            `json:"files_searched"`
	FilesMatched  int            `json:"files_matched"`
	Hits          int            `json:"hits"`               // in all files
	Patterns      []PatternCount `json:"patterns,omitempty"` // one each, when several were asked for
	Page
}

// A PatternCount is how often one of several patterns was hit.
type PatternCount struct {
	Pattern string `json:"pattern"`
	Hits    int    `json:"hits"`
	Files   int    `json:"files"`
}

// FileMatches is the hits in one file.
type FileMatches struct {
	Path    string  `json:"path"`
	Hits    int     `json:"hits"`              // in the file, shown or not
	Matches []Match `json:"matches,omitempty"` // mode content: those that are shown, by line
}

// A Match is one hit. Lines and columns count from 1, columns in runes.
type Match struct {
	Line    int      `json:"line"`
	EndLine int      `json:"end_line,omitempty"` // multiline: the last line, when it is not Line
	Column  int      `json:"column"`
	Symbol  string   `json:"symbol,omitempty"`  // qualified name of the innermost symbol around it
	Text    string   `json:"text"`              // the line, at most 500 runes around the match
	Pattern int      `json:"pattern,omitempty"` // which of several patterns, from 1: the first that hits
	Before  []string `json:"before,omitempty"`  // the lines before it
	After   []string `json:"after,omitempty"`   // the lines after its first, those of a multiline hit included
}

// A FileResult is what read_file read: one item a path. Total and Returned count lines.
//
//	{"items":[{"path":"a.go","start_line":1,"end_line":2,"total_lines":2,"lines":["package a",""]}],"total":2,"returned":2,...}
type FileResult struct {
	Items []FileText `json:"items"`
	Page
}

// FileText is lines of one file. Lines[0] is line StartLine. An empty file has no lines and StartLine 0.
type FileText struct {
	Path       string   `json:"path"`
	StartLine  int      `json:"start_line"`
	EndLine    int      `json:"end_line"`
	TotalLines int      `json:"total_lines"`
	Symbol     string   `json:"symbol,omitempty"`   // the symbol that was asked for, or that encloses the line asked for
	Column     int      `json:"column,omitempty"`   // the first column shown, when it is not 1
	Encoding   string   `json:"encoding,omitempty"` // "utf-16" or "invalid utf-8", when it is not UTF-8
	Lines      []string `json:"lines"`
	Next       int      `json:"next,omitempty"` // the start_line that goes on
}

// An OutlineResult is the symbols of a file, or of the files of a directory, by path and line.
//
//	{"path":"a.py","items":[{"path":"a.py","name":"Foo.bar","kind":"method","start":3,"end":9,"depth":2,"signature":"def bar(self)","doc":"Does bar."}],...}
type OutlineResult struct {
	Path  string   `json:"path"`
	Items []Symbol `json:"items"`
	Page
}

// A Symbol is a definition in a file.
type Symbol struct {
	Path string `json:"path"`
	symbols.Symbol
}

// Text writes the JSON form or the tree.
func (l *Listing) Text() (toollimit.Kind, string) {
	if l.asJSON {
		return asJSON(l)
	}
	return toollimit.Listing, l.tree()
}

// Text writes the JSON form or one path a line.
func (g *GlobResult) Text() (toollimit.Kind, string) {
	if g.asJSON {
		return asJSON(g)
	}
	return toollimit.Listing, g.list()
}

// Text writes the JSON form or the hits grouped by file.
func (s *SearchResult) Text() (toollimit.Kind, string) {
	if s.asJSON {
		return asJSON(s)
	}
	return toollimit.Search, s.groups()
}

// Text writes the JSON form or the numbered lines; the kind is Batch when several paths were asked for.
func (f *FileResult) Text() (toollimit.Kind, string) {
	switch {
	case f.asJSON:
		return asJSON(f)
	case len(f.Items) > 1:
		return toollimit.Batch, f.numbered()
	default:
		return toollimit.File, f.numbered()
	}
}

// Text writes the JSON form or one symbol a line, with the first line of its documentation below.
func (o *OutlineResult) Text() (toollimit.Kind, string) {
	if o.asJSON {
		return asJSON(o)
	}
	return toollimit.Listing, o.lines()
}
