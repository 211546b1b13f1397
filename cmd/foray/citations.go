package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools/report"
)

// bracket finds citations in the text of a model: [path:12-30], also several in one pair of brackets. What stands
// directly behind a word is an index, not a citation.
var bracket = regexp.MustCompile(`(?:^|[^\w\])])\[([^\[\]\n]+?(?::L?|#L)\d+(?:-L?\d+)?(?:\s*[,;]\s*[^\[\]\n]+?(?::L?|#L)\d+(?:-L?\d+)?)*)\]`)

// An answer is a model's text, taken apart.
type answer struct {
	text     string   // without the list at its end
	relevant []string // citations that stand, in order, each once: those of the list, else those of the text
	broken   []string // what does not stand, with the reason
}

// readAnswer takes a model's text apart and looks up every citation in the tree.
func readAnswer(fsys fs.FS, text string) answer {
	text, listed := report.SplitList(text)
	a := answer{text: text}
	var fromText []string
	for _, m := range bracket.FindAllStringSubmatch(text, -1) {
		for _, c := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ';' }) {
			fromText = a.check(fsys, strings.TrimSpace(c), fromText)
		}
	}
	for _, c := range listed {
		if _, err := countLines(fsys, c); err != nil { // not a path with blanks, so a remark may follow it
			if _, err := report.ParseCitation(c); err != nil {
				c, _, _ = strings.Cut(c, " ")
			}
		}
		a.relevant = a.check(fsys, c, a.relevant)
	}
	if len(a.relevant) == 0 {
		a.relevant = fromText
	}
	return a
}

// check adds a citation to those that stand, or says why it does not.
func (a *answer) check(fsys fs.FS, citation string, stand []string) []string {
	form, fault := resolveCitation(fsys, citation)
	switch {
	case fault != "":
		if entry := fmt.Sprintf("the citation %s does not stand: %s", ui.Line(citation), fault); !slices.Contains(a.broken, entry) {
			a.broken = append(a.broken, entry)
		}
	case !slices.Contains(stand, form):
		stand = append(stand, form)
	}
	return stand
}

// resolveCitation returns a citation in its usual form, or what is wrong with it.
func resolveCitation(fsys fs.FS, citation string) (form, fault string) {
	c, invalid := report.ParseCitation(citation)
	lines, name := c.Path != "", c.Path
	if !lines {
		name = path.Clean(strings.Trim(citation, "`"))
	}
	if !fs.ValidPath(name) {
		return "", "the path leads out of the tree"
	}
	total, err := countLines(fsys, name)
	switch {
	case err != nil:
		return "", "there is no such file"
	case lines && invalid != nil:
		return "", fmt.Sprintf("lines %d-%d are no range", c.Start, c.End)
	case c.End > total:
		return "", "the file has " + line.Count(total, "line")
	case !lines:
		return name, ""
	}
	return c.String(), ""
}

// countLines counts the lines of a regular file. A last line without a newline counts.
func countLines(fsys fs.FS, name string) (int, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, fs.ErrInvalid
	}
	lines, last := 0, byte('\n')
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			lines += bytes.Count(buf[:n], []byte{'\n'})
			last = buf[n-1]
		}
		switch {
		case err == io.EOF && last != '\n':
			return lines + 1, nil
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return 0, err
		}
	}
}
