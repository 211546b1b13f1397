package symbols

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A text is a file cut into lines.
type text struct {
	data   []byte
	starts []int // byte offset of each line
}

func newText(data []byte) text {
	t := text{data: data, starts: make([]int, 0, bytes.Count(data, []byte("\n"))+1)}
	for at := 0; at < len(data); {
		t.starts = append(t.starts, at)
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return t
}

// count is the number of lines. A newline at the end opens no further line.
func (t text) count() int { return len(t.starts) }

// line is line n, from 1, without its end.
func (t text) line(n int) []byte {
	from, to := t.starts[n-1], len(t.data)
	if n < len(t.starts) {
		to = t.starts[n]
	}
	return bytes.TrimSuffix(t.data[from:to], []byte("\n"))
}

// lineOf is the line that holds the byte at.
func (t text) lineOf(at int) int {
	i, found := slices.BinarySearch(t.starts, at)
	if found {
		return i + 1
	}
	return max(i, 1)
}

// signature is a declaration on one line.
func signature(s string) string {
	return clip(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "))
}

// firstLine is the first line of a documentation that says something.
func firstLine(doc string) string {
	for line := range strings.Lines(doc) {
		if line = signature(line); line != "" {
			return line
		}
	}
	return ""
}

func clip(s string) string {
	if len(s) <= maxSignature || utf8.RuneCountInString(s) <= maxSignature {
		return s
	}
	return string([]rune(s)[:maxSignature]) + "…"
}

func alpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

// word is the identifier that code begins with.
func word(code []byte) string {
	i := 0
	for i < len(code) && (code[i] == '_' || alpha(code[i]) || digit(code[i])) {
		i++
	}
	return string(code[:i])
}
