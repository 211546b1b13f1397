package gitrepo

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/codebase"
)

// dateForm is how times are shown, in UTC.
const dateForm = "2006-01-02"

// A LogResult holds the commits that git_log found, newest first.
//
//	{"revision":"3f2a…","path":"a.go","items":[{"hash":"3f2a…","date":"2024-03-01","author":"Ann",
//	"subject":"Fix a","files":["a.go"]}],"total":1,"returned":1,...}
type LogResult struct {
	Revision string     `json:"revision"` // the commit where the log starts
	Path     string     `json:"path,omitempty"`
	Lines    *lineRange `json:"lines,omitempty"` // the lines of Path that the log covers
	Items    []logEntry `json:"items"`
	More     bool       `json:"more,omitempty"` // more commits follow; Total counts those examined
	codebase.Page
}

type lineRange struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Symbol string `json:"symbol,omitempty"` // the definition on these lines
}

type logEntry struct {
	Hash      string   `json:"hash"`
	Date      string   `json:"date"` // commit date, in UTC
	Author    string   `json:"author"`
	Subject   string   `json:"subject"`
	Body      string   `json:"body,omitempty"` // at most 1,000 runes
	Merge     bool     `json:"merge,omitempty"`
	Path      string   `json:"path,omitempty"`       // its name at that time, in the log of one file
	Files     []string `json:"files,omitempty"`      // up to 10 of the requested files that it touched
	MoreFiles int      `json:"more_files,omitempty"` // how many more
}

// A ShowResult is a commit and its changes. Items, Total and Returned count files.
//
//	{"hash":"3f2a…","date":"2024-03-01","author":"Ann","subject":"Fix a","parents":["77…"],
//	"items":[{"path":"a.go","status":"modified","added":2,"deleted":1}],"diff":"diff --git …",...}
type ShowResult struct {
	Hash    string       `json:"hash"`
	Date    string       `json:"date"`
	Author  string       `json:"author"`
	Subject string       `json:"subject"`
	Body    string       `json:"body,omitempty"`
	Parents []string     `json:"parents"`
	Items   []fileChange `json:"items"`
	Diff    string       `json:"diff"` // unified, against the first parent; at most 256 KiB
	codebase.Page
}

type fileChange struct {
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"` // if it was renamed or copied
	Status  string `json:"status"`             // "added", "deleted", "modified", "renamed", "copied" or "type changed"
	Added   int    `json:"added"`              // lines
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
	Secret  bool   `json:"secret,omitempty"` // named like a secret, so its diff is not shown
}

// A BlameResult shows which commits last changed lines of a file. Total and Returned count lines.
//
//	{"revision":"3f2a…","path":"a.go","items":[{"start":1,"end":2,"hash":"77…","date":"2024-03-01",
//	"author":"Ann","subject":"Add a","lines":["package a",""]}],...}
type BlameResult struct {
	Revision string       `json:"revision"`
	Path     string       `json:"path"`
	Symbol   string       `json:"symbol,omitempty"` // the requested definition
	Items    []blameRange `json:"items"`            // by line
	codebase.Page
}

type blameRange struct {
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Hash     string   `json:"hash"`
	Date     string   `json:"date"`
	Author   string   `json:"author"`
	Subject  string   `json:"subject"`
	OldPath  string   `json:"old_path,omitempty"` // the name of the file in that commit, if different
	Boundary bool     `json:"boundary,omitempty"` // the history ends here, so the lines may be older
	Lines    []string `json:"lines"`
}

// Text renders JSON, or a line per commit with its files below.
func (l *LogResult) Text() (toollimit.Kind, string) {
	return l.Render(l, toollimit.Listing, "", l.write)
}

func (l *LogResult) write(b *strings.Builder) {
	for _, e := range l.Items {
		fmt.Fprintf(b, "%s %s %s: %s", short(e.Hash), e.Date, e.Author, oneLine(e.Subject))
		if e.Merge {
			b.WriteString(" (merge)")
		}
		if e.Path != "" && e.Path != l.Path {
			b.WriteString(" (as " + line.Path(e.Path) + ")")
		}
		b.WriteByte('\n')
		for _, f := range e.Files {
			b.WriteString("  " + line.Path(f) + "\n")
		}
		if e.MoreFiles > 0 {
			fmt.Fprintf(b, "  … and %d more\n", e.MoreFiles)
		}
	}
	of := fmt.Sprint(l.Total)
	if l.More {
		of = "more than " + fmt.Sprint(l.Total-1)
	}
	fmt.Fprintf(b, "%d of %s commits", l.Returned, of)
	if l.Lines != nil {
		fmt.Fprintf(b, " that touch %s:%d-%d", line.Path(l.Path), l.Lines.Start, l.Lines.End)
	}
	if l.Next > 0 {
		fmt.Fprintf(b, "; next: offset=%d", l.Next)
	}
	b.WriteByte('\n')
}

// Text renders JSON, or the commit, its files and its diff.
func (s *ShowResult) Text() (toollimit.Kind, string) {
	return s.Render(s, toollimit.Diff, "", s.write)
}

func (s *ShowResult) write(b *strings.Builder) {
	fmt.Fprintf(b, "commit %s\n%s, %s\n\n    %s\n", s.Hash, s.Author, s.Date, oneLine(s.Subject))
	for line := range strings.Lines(s.Body) {
		b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
	}
	fmt.Fprintf(b, "\n%d of %d files\n", s.Returned, s.Total)
	for _, c := range s.Items {
		b.WriteString("  " + c.String() + "\n")
	}
	b.WriteString(s.Diff)
}

// String renders a change such as "a.go +2 -1", with a rename, copy or other status.
func (c fileChange) String() string {
	text := line.Path(c.Path)
	switch {
	case c.Binary:
		text += " (binary)"
	default:
		text += fmt.Sprintf(" +%d -%d", c.Added, c.Deleted)
	}
	switch {
	case c.OldPath != "":
		text += " (" + c.Status + " from " + line.Path(c.OldPath) + ")"
	case c.Status != "modified":
		text += " (" + c.Status + ")"
	}
	if c.Secret {
		text += " (secret: not shown)"
	}
	return text
}

// Text renders JSON, or numbered lines under the commits that last changed them.
func (r *BlameResult) Text() (toollimit.Kind, string) {
	return r.Render(r, toollimit.File, "", r.write)
}

func (r *BlameResult) write(b *strings.Builder) {
	for _, g := range r.Items {
		mark := ""
		if g.Boundary {
			mark = "^"
		}
		fmt.Fprintf(b, "%s%s %s %s: %s", mark, short(g.Hash), g.Date, g.Author, oneLine(g.Subject))
		if g.OldPath != "" {
			b.WriteString(" (in " + line.Path(g.OldPath) + ")")
		}
		b.WriteByte('\n')
		for i, line := range g.Lines {
			fmt.Fprintf(b, "%4d│ %s\n", g.Start+i, line)
		}
	}
	if r.Total == 0 {
		b.WriteString("empty file\n")
		return
	}
	fmt.Fprintf(b, "lines %d-%d of %d at %s", r.Items[0].Start, r.Items[len(r.Items)-1].End, r.Total, short(r.Revision))
	if r.Next > 0 {
		fmt.Fprintf(b, "; next: start_line=%d", r.Next)
	}
	b.WriteByte('\n')
}
