package toollimit

import (
	"cmp"
	"strings"
)

// A hit is a line of a search result in any form. A path alone is a heading, a number alone a line below one.
type hit struct {
	path, number, text string
	around             bool // a line around a match
	count              bool // the number is that of the hits
}

// A reading takes a line of a form apart; ok is false for a line of another form.
type reading func(s string) (h hit, ok bool)

// grouped rewrites what grep and ripgrep print as groups of matches below their file, and leaves other texts alone.
func grouped(text string) string {
	if text == "" || hasGroups(text) {
		return text
	}
	paths := grepPaths(text)
	for _, read := range []reading{grepReading(paths), headedLine, countLine, namedLine} {
		if mostly(text, read) {
			return group(text, read)
		}
	}
	return text
}

// hasGroups reports whether a file is named with its hits already.
func hasGroups(text string) bool {
	for l := range strings.Lines(text) {
		if fileLine(l) {
			if _, ok := grepLine(l); !ok {
				return true
			}
		}
	}
	return false
}

// mostly reports whether a form reads at least half of the lines; those that part groups are of any form.
func mostly(text string, read reading) bool {
	lines, matches, others := 0, 0, 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if l == "" || l == "--" {
			continue
		}
		lines++
		switch h, ok := read(l); {
		case ok && !h.around:
			matches++
		case ok:
			others++
		}
	}
	return matches > 0 && (matches+others)*2 >= lines
}

// group writes the lines of a text that a form reads below the files that they are of. Where lines have no path, it is
// the line before the first of them that is not read.
func group(text string, read reading) string {
	var b, body strings.Builder
	path, hits, heading := "", 0, ""
	flush := func() {
		if hits > 0 || body.Len() > 0 {
			b.WriteString(cmp.Or(path, "matches") + " (" + plural(hits, "hit") + ")\n" + body.String())
		}
		hits = 0
		body.Reset()
	}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		h, ok := read(l)
		switch {
		case !ok && (l == "" || l == "--"):
			continue
		case !ok:
			flush()
			if heading != "" {
				b.WriteString(heading + "\n")
			}
			heading = l
			continue
		case h.path == "" && heading != "":
			flush()
			path, heading = heading, ""
		case h.path != "" && h.path != path || heading != "":
			flush()
			if heading != "" {
				b.WriteString(heading + "\n")
			}
			path, heading = h.path, ""
		}
		hits += h.write(&body)
	}
	flush()
	if heading != "" {
		b.WriteString(heading + "\n")
	}
	return b.String()
}

// write writes a line as the house does, and returns the number of hits that it stands for.
func (h hit) write(b *strings.Builder) int {
	switch {
	case h.count:
		return number(h.number)
	case h.around:
		b.WriteString("L" + h.number + "- " + strings.TrimSpace(h.text) + "\n")
		return 0
	}
	b.WriteString("L" + h.number + " " + strings.TrimSpace(h.text) + "\n")
	return 1
}

// number reads at most nine digits.
func number(digits string) (n int) {
	for _, d := range digits[:min(len(digits), 9)] {
		n = n*10 + int(d-'0')
	}
	return n
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// longestPath is the length of the longest path that a line may begin with, in bytes.
const longestPath = 1 << 10

// cutPath cuts a line behind its path and a colon; a drive of Windows is part of the path.
func cutPath(s string) (path, rest string, ok bool) {
	from := 0
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		from = 2
	}
	i := strings.IndexByte(s[from:min(len(s), longestPath)], ':')
	if i < 0 {
		return "", "", false
	}
	path, rest = s[:from+i], s[from+i+1:]
	return path, rest, path != "" && !isNumber(path)
}

// grepLine reads "path:12:text".
func grepLine(s string) (h hit, ok bool) {
	path, rest, ok := cutPath(s)
	if !ok {
		return hit{}, false
	}
	number, text, ok := strings.Cut(rest, ":")
	return hit{path: path, number: number, text: text}, ok && isNumber(number)
}

// grepPaths are the paths of all matches.
func grepPaths(text string) map[string]bool {
	paths := make(map[string]bool)
	for l := range strings.Lines(text) {
		if h, ok := grepLine(l); ok {
			paths[h.path] = true
		}
	}
	return paths
}

// grepReading reads "path:12:text", and "path-13-text" around matches in the same paths.
func grepReading(paths map[string]bool) reading {
	return func(s string) (hit, bool) {
		if h, ok := grepLine(s); ok {
			return h, true
		}
		for i := 1; i < min(len(s), longestPath); i++ {
			if s[i] != '-' || !paths[s[:i]] {
				continue
			}
			if number, text, ok := strings.Cut(s[i+1:], "-"); ok && isNumber(number) {
				return hit{path: s[:i], number: number, text: text, around: true}, true
			}
		}
		return hit{}, false
	}
}

// headedLine reads "12:text", "Line 12:text", and "13-text" around matches, below the path.
func headedLine(s string) (h hit, ok bool) {
	s = strings.TrimPrefix(s, "Line ")
	rest := strings.TrimLeft(s, "0123456789")
	if len(rest) == len(s) || rest == "" || rest[0] != ':' && rest[0] != '-' {
		return hit{}, false
	}
	return hit{number: s[:len(s)-len(rest)], text: rest[1:], around: rest[0] == '-'}, true
}

// countLine reads "path:12".
func countLine(s string) (h hit, ok bool) {
	path, number, ok := cutPath(s)
	return hit{path: path, number: number, count: true}, ok && isNumber(number)
}

// namedLine reads "path:text", for searches without numbers. Only what looks like a path is one.
func namedLine(s string) (h hit, ok bool) {
	path, text, ok := cutPath(s)
	if !ok || strings.ContainsAny(path, " \t(\"'") || !strings.ContainsAny(path, "./") || text == "" {
		return hit{}, false
	}
	return hit{path: path, number: "?", text: text}, true
}
