package codebase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// showPath is a path as a line can hold it: quoted when it has control characters or is not UTF-8.
func showPath(p string) string {
	if utf8.ValidString(p) && strings.IndexFunc(p, unicode.IsControl) < 0 {
		return p
	}
	return strconv.Quote(p)
}

// oneLine keeps a text to one line of valid UTF-8.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

func (l *Listing) tree() string {
	var b strings.Builder
	l.head(&b)
	for _, e := range l.Items {
		b.WriteString(strings.Repeat("  ", e.Depth-1))
		b.WriteString(showPath(e.Path[strings.LastIndexByte(e.Path, '/')+1:]))
		switch e.Type {
		case "dir":
			b.WriteByte('/')
			if e.Closed {
				fmt.Fprintf(&b, " (%s)", plural(e.Files, "file"))
			}
		case "link":
			b.WriteString(" -> " + showPath(orElse(e.Target, "(outside)")))
		case "file":
			b.WriteString("  " + size(e.Size))
		default:
			b.WriteString("  (not a file)")
		}
		b.WriteByte('\n')
	}
	l.foot(&b, "entries")
	return b.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// size writes bytes as people read them: 812 B, 4.2 kB, 13 MB.
func size(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	f, u := float64(n), 0
	for f >= 1000 && u < len(units)-1 {
		f, u = f/1000, u+1
	}
	if u == 0 || f >= 9.95 {
		return fmt.Sprintf("%.0f %s", f, units[u])
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

func (g *GlobResult) list() string {
	var b strings.Builder
	g.head(&b)
	for _, p := range g.Items {
		b.WriteString(showPath(p))
		b.WriteByte('\n')
	}
	g.foot(&b, "files")
	return b.String()
}

func (s *SearchResult) groups() string {
	var b strings.Builder
	s.head(&b)
	for _, p := range s.Patterns {
		fmt.Fprintf(&b, "pattern %s: %s in %s\n", strconv.Quote(p.Pattern), plural(p.Hits, "hit"), plural(p.Files, "file"))
	}
	for _, f := range s.Items {
		if s.Mode == "files" {
			b.WriteString(showPath(f.Path) + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s (%s)\n", showPath(f.Path), plural(f.Hits, "hit"))
		f.write(&b)
	}
	if s.Mode != "content" {
		fmt.Fprintf(&b, "%s; ", plural(s.Hits, "hit"))
		s.foot(&b, "files with a hit")
		return b.String()
	}
	s.foot(&b, "hits in "+plural(s.FilesMatched, "file"))
	return b.String()
}

// write prints the hits and the lines around them, each line once, with a gap line where lines are left out between.
func (f *FileMatches) write(b *strings.Builder) {
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
		m.write(b)
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

func (m *Match) write(b *strings.Builder) {
	fmt.Fprintf(b, "L%d", m.Line)
	if m.EndLine > m.Line {
		fmt.Fprintf(b, "-%d", m.EndLine)
	}
	if m.Symbol != "" {
		fmt.Fprintf(b, " [%s]", m.Symbol)
	}
	b.WriteString(" " + m.Text + "\n")
}

func (f *FileResult) numbered() string {
	var b strings.Builder
	f.head(&b)
	for _, t := range f.Items {
		if len(f.Items) > 1 {
			b.WriteString("== " + showPath(t.Path) + "\n")
		}
		t.write(&b)
	}
	if s := f.Skipped.String(); s != "" {
		b.WriteString("skipped: " + s + "\n")
	}
	return b.String()
}

func (t *FileText) write(b *strings.Builder) {
	for i, line := range t.Lines {
		fmt.Fprintf(b, "%4d│ %s\n", t.StartLine+i, line)
	}
	if t.TotalLines == 0 {
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

func (o *OutlineResult) lines() string {
	var b strings.Builder
	o.head(&b)
	path := o.Path
	for _, s := range o.Items {
		if s.Path != path {
			path = s.Path
			b.WriteString(showPath(path) + "\n")
		}
		indent := strings.Repeat("  ", max(s.Depth-1, 0))
		fmt.Fprintf(&b, "%sL%d-%d %s\n", indent, s.Start, s.End, s.Signature)
		if s.Doc != "" {
			fmt.Fprintf(&b, "%s  %s\n", indent, s.Doc)
		}
	}
	o.foot(&b, "symbols")
	return b.String()
}

func (r *ReportReceipt) receipt() string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString("note: " + oneLine(n) + "\n")
	}
	fmt.Fprintf(&b, "status: accepted\nfound: %t\n%s read again in %s, all stand as cited\n",
		r.Report.Found, plural(r.Citations, "citation"), plural(r.Files, "file"))
	fmt.Fprintf(&b, "%s, %s, %s, %s\n", plural(len(r.Report.Summary), "statement"), plural(len(r.Report.Places), "place"),
		plural(len(r.Report.Edges), "edge"), plural(len(r.Report.Excerpts), "excerpt"))
	return b.String()
}
