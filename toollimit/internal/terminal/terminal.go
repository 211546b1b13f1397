// Package terminal removes from the output of commands what a terminal would not show. Start with [Clean].
package terminal

import (
	"strconv"
	"strings"
)

// maxEqual is how many equal lines in a row are kept.
const maxEqual = 3

// Dirty reports whether [Clean] changes s.
func Dirty(s string) bool {
	if strings.IndexByte(s, '\x1b') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		return true
	}
	n, last := 1, ""
	for l := range strings.Lines(s) {
		if blank := strings.TrimSuffix(l, "\n"); strings.HasSuffix(blank, " ") || strings.HasSuffix(blank, "\t") {
			return true
		}
		if l != last {
			n = 0
		}
		if n++; n > maxEqual {
			return true
		}
		last = l
	}
	return false
}

// Clean removes escape sequences, text that a carriage return overwrote, white space at line ends, and repeated lines.
func Clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	s = stripCodes(s)
	for len(s) > 0 {
		l, rest, found := strings.Cut(s, "\n")
		n := 1
		for found && strings.HasPrefix(rest, l) && strings.HasPrefix(rest[len(l):], "\n") {
			n, rest = n+1, rest[len(l)+1:]
		}
		s = rest
		l = lastWritten(l)
		switch {
		case n <= maxEqual:
			for range n - 1 {
				b.WriteString(l)
				b.WriteByte('\n')
			}
		case l != "":
			l += "  [×" + strconv.Itoa(n) + "]"
		}
		b.WriteString(l)
		if found {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lastWritten returns what a terminal shows of a line: the part after the last carriage return, without trailing white
// space.
func lastWritten(l string) string {
	l = strings.TrimRight(l, " \t\r")
	return l[strings.LastIndexByte(l, '\r')+1:]
}

// stripCodes removes the escape sequences of terminals: CSI (colours, cursor), OSC (titles, links), and two-byte ones.
func stripCodes(s string) string {
	const esc = '\x1b'
	if strings.IndexByte(s, esc) < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, esc)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+codeLength(s[i:]):]
	}
}

// codeLength returns the length of the escape sequence at the start of s. If the sequence does not end on its line,
// only the escape character counts.
func codeLength(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && s[i] >= 0x20 && s[i] < 0x7f; i++ {
			if s[i] >= 0x40 {
				return i + 1
			}
		}
	case ']':
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\\' && s[i-1] == '\x1b' {
				return i + 1
			}
		}
	default:
		if s[1] >= 0x20 && s[1] < 0x7f {
			return 2
		}
	}
	return 1
}
