package gitrepo

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/tools/tree"
)

// A section is the part of a patch for one file.
type section struct {
	old, new     string // paths; "" if the file does not exist
	oldID, newID string // blob names
	lines        []string
	hunks        bool // it has lines of the file
}

// sectionStart opens the section of a file. No line of a hunk begins like this.
const sectionStart = "diff --git "

// sections splits a patch that was made with --full-index. It drops text before the first section.
func sections(patch string) []section {
	var all []section
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, sectionStart) {
			all = append(all, section{})
		}
		if len(all) > 0 {
			s := &all[len(all)-1]
			s.lines = append(s.lines, line)
		}
	}
	for i := range all {
		all[i].readHead()
	}
	return all
}

// readHead reads the paths and the blob names. It takes the paths from lines with one path each. The first line has
// both, and is ambiguous unless they are equal; it is needed only for files without such lines, where they are.
func (s *section) readHead() {
	both := strings.TrimPrefix(s.lines[0], sectionStart)
	s.old, s.new = equalNames(both)
	for i, line := range s.lines[1:] {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "@@":
			s.hunks = true
			return
		case word == "index":
			ids, _, _ := strings.Cut(rest, " ")
			s.oldID, s.newID, _ = strings.Cut(ids, "..")
			s.lines[i+1] = strings.Replace(line, ids, short(s.oldID)+".."+short(s.newID), 1)
		case word == "---":
			s.old = sideName(rest, "a/")
		case word == "+++":
			s.new = sideName(rest, "b/")
		case strings.HasPrefix(line, "rename from "), strings.HasPrefix(line, "copy from "):
			s.old = sideName(line[strings.Index(line, "from ")+5:], "")
		case strings.HasPrefix(line, "rename to "), strings.HasPrefix(line, "copy to "):
			s.new = sideName(line[strings.Index(line, "to ")+3:], "")
		}
	}
}

// sideName reads a path of a patch: quoted if necessary, and followed by a tab if it contains a space.
func sideName(text, prefix string) string {
	name, ok := unquote(strings.TrimSuffix(text, "\t"))
	if !ok || name == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(name, prefix)
}

// equalNames reads "a/NAME b/NAME".
func equalNames(both string) (string, string) {
	half := len(both) / 2
	if len(both)%2 == 0 || half < 2 || both[half] != ' ' {
		return "", ""
	}
	left, right := sideName(both[:half], "a/"), sideName(both[half+1:], "b/")
	if left != right {
		return "", ""
	}
	return left, right
}

// redactHunks replaces the lines of the hunks with those of the redacted files, where given. A hunk may show the middle
// of a key without its first line, so the key can be recognised only in the whole file.
func (s *section) redactHunks(old, new [][]byte) {
	if old == nil && new == nil {
		return
	}
	from, to := 0, 0
	for i, line := range s.lines {
		switch {
		case strings.HasPrefix(line, "@@ "):
			from, to = hunkStart(line)
			if end := strings.Index(line[3:], " @@"); end >= 0 {
				s.lines[i] = line[:3+end+3] // a line of the file follows
			}
		case from == 0 && to == 0, line == "":
		case line[0] == '-':
			s.lines[i] = "-" + at(old, from, line[1:])
			from++
		case line[0] == '+':
			s.lines[i] = "+" + at(new, to, line[1:])
			to++
		case line[0] == ' ':
			s.lines[i] = " " + at(new, to, at(old, from, line[1:]))
			from, to = from+1, to+1
		}
	}
}

// at returns line n of lines, counted from 1, or other if lines has no line n.
func at(lines [][]byte, n int, other string) string {
	if n < 1 || n > len(lines) {
		return other
	}
	return string(bytes.TrimSuffix(lines[n-1], []byte("\r")))
}

// hunkStart reads the first line numbers of "@@ -3,4 +5,6 @@".
func hunkStart(line string) (from, to int) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return 0, 0
	}
	number := func(s, sign string) int {
		digits, _, _ := strings.Cut(strings.TrimPrefix(s, sign), ",")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	return number(words[1], "-"), number(words[2], "+")
}

// shownLines returns the lines of a section without credentials. It hides all but the first if a path is that of a
// secret file, or neither path could be read.
func (s *session) shownLines(objects *objects, c *section) []string {
	allowed := s.o.AllowSecret
	if c.old+c.new == "" || allowed.IsSecret(c.old) || allowed.IsSecret(c.new) {
		return []string{c.lines[0], "(not shown: the name of a file with credentials)"}
	}
	if c.hunks {
		c.redactHunks(s.redactedLines(objects, c.old, c.oldID), s.redactedLines(objects, c.new, c.newID))
	}
	in := false
	for i, line := range c.lines {
		in = in || strings.HasPrefix(line, "@@ ")
		name, from := cmp.Or(c.new, c.old), 0
		if in && line != "" { // the mark of a line is no part of it
			from = 1
			if line[0] == '-' {
				name = cmp.Or(c.old, c.new)
			}
		}
		c.lines[i] = line[:from] + string(allowed.Redact(name, []byte(line[from:])))
	}
	return c.lines
}

// redactedLines returns the lines of a blob with a credential of several lines, redacted; otherwise nil.
func (s *session) redactedLines(objects *objects, name, id string) [][]byte {
	if !isHash(id) {
		return nil
	}
	blob, err := objects.get(id, nil)
	if err != nil || !(tree.Content{Data: blob.data}).Spans() {
		return nil // a missing side, of a new or deleted file, has no lines in the patch
	}
	clean := s.o.AllowSecret.Redact(name, blob.data)
	if bytes.Equal(clean, blob.data) {
		return nil
	}
	return bytes.Split(clean, []byte("\n"))
}
