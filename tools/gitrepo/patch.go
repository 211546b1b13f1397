package gitrepo

import (
	"bytes"
	"strconv"
	"strings"
)

// A section is the part of a patch that is of one file.
type section struct {
	old, new     string // paths; "" of a file that is not there
	oldID, newID string // names of blobs
	lines        []string
	hunks        bool // lines of the file are shown
}

// sectionStart opens the part of a patch that is of one file. Within a hunk no line begins so.
const sectionStart = "diff --git "

// sections parts a patch, made with --full-index. What stands before the first section is left out.
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

// readHead reads the names and the blobs. They are read from the lines that have one name each; the first line has two,
// and is used for files of which nothing else is said: there the names are equal.
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

// sideName is a name as a line of a patch has it: quoted if need be, with a tab behind one that holds a blank.
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

// cover replaces the lines of the hunks by those of the contents, where they are given: they have the same lines, but for
// what is redacted. A patch alone does not show that a line is in the middle of a key.
func (s *section) cover(old, new [][]byte) {
	if old == nil && new == nil {
		return
	}
	from, to := 0, 0
	for i, line := range s.lines {
		switch {
		case strings.HasPrefix(line, "@@ "):
			from, to = hunkStart(line)
			if end := strings.Index(line[3:], " @@"); end >= 0 {
				s.lines[i] = line[:3+end+3] // behind it stands a line of the file
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

// at is line n of lines, counted from 1, or other if they are not given.
func at(lines [][]byte, n int, other string) string {
	if n < 1 || n > len(lines) {
		return other
	}
	return string(bytes.TrimSuffix(lines[n-1], []byte("\r")))
}

// hunkStart reads the first lines of "@@ -3,4 +5,6 @@".
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
