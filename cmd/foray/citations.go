package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/toollimit/line"
)

// bracket finds citations in the text of a model: [path:12-30], also several in one pair of brackets. What stands
// directly behind a word is an index, not a citation.
var bracket = regexp.MustCompile(`(?:^|[^\w\])])\[([^\[\]\n]+?:L?\d+(?:-L?\d+)?(?:\s*[,;]\s*[^\[\]\n]+?:L?\d+(?:-L?\d+)?)*)\]`)

// cited splits a citation into a path and lines.
var cited = regexp.MustCompile("^`?(.+?):L?(\\d{1,9})(?:-L?(\\d{1,9}))?`?$")

// listHead is the line before the list of files at the end of an answer.
const listHead = "RELEVANT_FILES:"

// An answer is a model's text, taken apart.
type answer struct {
	text     string   // without the list at its end
	relevant []string // citations that stand, in order, each once: those of the list, else those of the text
	broken   []string // what does not stand, with the reason
}

// readAnswer takes a model's text apart and looks up every citation in the tree.
func readAnswer(fsys fs.FS, text string) answer {
	text, listed := splitList(text)
	a := answer{text: text}
	var fromText []string
	for _, m := range bracket.FindAllStringSubmatch(text, -1) {
		for _, c := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ';' }) {
			fromText = a.check(fsys, strings.TrimSpace(c), fromText)
		}
	}
	for _, c := range listed {
		a.relevant = a.check(fsys, c, a.relevant)
	}
	if len(a.relevant) == 0 {
		a.relevant = fromText
	}
	return a
}

// splitList cuts the list of files off a text. What a line says behind a citation is left out.
func splitList(text string) (rest string, listed []string) {
	at := strings.LastIndex(text, listHead)
	if at < 0 {
		return strings.TrimSpace(text), nil
	}
	for entry := range strings.Lines(text[at+len(listHead):]) {
		fields := strings.Fields(strings.TrimLeft(entry, " \t-*"))
		if len(fields) > 0 && !strings.HasPrefix(fields[0], "```") {
			listed = append(listed, strings.Trim(fields[0], "`[],"))
		}
	}
	return strings.TrimSpace(strings.TrimRight(text[:at], "#*` \n")), listed
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
	m := cited.FindStringSubmatch(citation)
	lines, name, start, end := m != nil, citation, 0, 0
	if lines {
		name = m[1]
		start, _ = strconv.Atoi(m[2]) // nine digits at most, by the pattern
		end, _ = strconv.Atoi(cmp.Or(m[3], m[2]))
	}
	name = path.Clean(strings.Trim(name, "`"))
	if !fs.ValidPath(name) {
		return "", "the path leads out of the tree"
	}
	total, err := countLines(fsys, name)
	switch {
	case err != nil:
		return "", "there is no such file"
	case lines && (start < 1 || end < start):
		return "", fmt.Sprintf("lines %d-%d are no range", start, end)
	case end > total:
		return "", "the file has " + line.Count(total, "line")
	case !lines:
		return name, ""
	}
	return span(name, start, end), ""
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
