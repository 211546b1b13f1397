package grep

import (
	"cmp"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A hit is a line of a search result in any form. A path alone is a heading; a number alone belongs to the heading
// above.
type hit struct {
	path, number, text string
	around             bool // a context line
	count              bool // number is the number of hits
}

// A reader parses a line of one form; ok is false for a line of another form.
type reader func(s string) (h hit, ok bool)

// Group rewrites the output of grep or ripgrep as groups of matches under their file. It returns other texts unchanged.
func Group(text string) string {
	if text == "" || hasGroups(text) {
		return text
	}
	paths := grepPaths(text)
	for _, read := range []reader{grepReader(paths), headedLine, countLine, namedLine} {
		if mostly(text, read) {
			return group(text, read)
		}
	}
	return text
}

// hasGroups reports whether a line names a file with its hits.
func hasGroups(text string) bool {
	for l := range strings.Lines(text) {
		if IsFile(l) {
			if _, ok := grepLine(l); !ok {
				return true
			}
		}
	}
	return false
}

// mostly reports whether a form reads at least half of the lines. Separators between groups fit any form.
func mostly(text string, read reader) bool {
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

// group writes the lines that a form reads under their files. If lines have no path, the path is the last line before
// them that the form does not read.
func group(text string, read reader) string {
	var b, body strings.Builder
	path, hits, heading := "", 0, ""
	flush := func() {
		if hits > 0 || body.Len() > 0 {
			b.WriteString(cmp.Or(path, "matches") + " (" + line.Count(hits, "hit") + ")\n" + body.String())
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

// write writes the line in foray's form and returns its number of hits.
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

// maxPath is the length of the longest path at the start of a line, in bytes.
const maxPath = 1 << 10

// cutPath splits a line after its path and a colon. A Windows drive is part of the path.
func cutPath(s string) (path, rest string, ok bool) {
	from := 0
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		from = 2
	}
	i := strings.IndexByte(s[from:min(len(s), maxPath)], ':')
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

// Sample returns the texts of the matches "path:12:text" among the first n lines, and how many lines have another form,
// such as the "path:12:3: text" of a compiler. Separators and lines around matches do not count.
func Sample(text string, n int) (matches []string, other int) {
	paths := make(map[string]bool)
	for l := range strings.Lines(text) {
		if n--; n < 0 {
			break
		}
		l = strings.TrimRight(l, "\r\n")
		h, ok := grepReader(paths)(l)
		column := h.text[:len(h.text)-len(strings.TrimLeft(h.text, "0123456789"))]
		switch {
		case l == "" || l == "--" || ok && h.around:
		case !ok || isTime(h) || column != "" && strings.HasPrefix(h.text[len(column):], ":"):
			other++
		default:
			paths[h.path] = true
			matches = append(matches, h.text)
		}
	}
	return matches, other
}

// isTime reports whether a match is a line of a log: "12:30:59" instead of "path:30:text".
func isTime(h hit) bool {
	i := max(len(h.path)-2, 0)
	return len(h.number) == 2 && isNumber(h.path[i:]) && isNumber(h.text[:min(2, len(h.text))])
}

func grepPaths(text string) map[string]bool {
	paths := make(map[string]bool)
	for l := range strings.Lines(text) {
		if h, ok := grepLine(l); ok {
			paths[h.path] = true
		}
	}
	return paths
}

// grepReader reads "path:12:text", and "path-13-text" around matches of the same paths.
func grepReader(paths map[string]bool) reader {
	return func(s string) (hit, bool) {
		if h, ok := grepLine(s); ok {
			return h, true
		}
		for i := 1; i < min(len(s), maxPath) && len(paths) > 0; i++ {
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

// headedLine reads "12:text", "Line 12:text" and the context "13-text", below a path.
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

// namedLine reads "path:text", from a search without line numbers, if the path looks like one.
func namedLine(s string) (h hit, ok bool) {
	path, text, ok := cutPath(s)
	if !ok || strings.ContainsAny(path, " \t(\"'") || !strings.ContainsAny(path, "./") || text == "" {
		return hit{}, false
	}
	return hit{path: path, number: "?", text: text}, true
}
