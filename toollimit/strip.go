package toollimit

import (
	"strconv"
	"strings"
)

// stripped drops first what a reader does not miss, and cuts only what is still too large.
func (c *cutter) stripped(room size) string {
	s, all, sh := c.text, c.all, c.share()
	if strippable(s) {
		s = strip(s)
		all, sh.moved = sizeOf(s), true
		sh.bare = sh.bare || strings.Count(s, "\n") != strings.Count(c.text, "\n")
		if all.within(room) {
			return s
		}
	}
	sh.quoted = c.kind == JSON && isLines(s)
	return excerpt(s, all, room, sh, c.quota.Pointer)
}

// maxEqual is the number of equal lines in a row that stay as they are.
const maxEqual = 3

// strippable reports whether strip changes s.
func strippable(s string) bool {
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

// strip removes terminal codes, what a carriage return overwrote, blanks at line ends, and repeated lines.
func strip(s string) string {
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

// lastWritten returns what a terminal shows of a line: the part behind the last carriage return, without blanks at its
// end.
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

// codeLength returns the length of the escape sequence that s begins with; one that does not end on its line is the
// escape character alone.
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
