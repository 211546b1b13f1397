package symbols

import (
	"bytes"
	"strings"
)

// A lexicon says what in a language is comment or string, so that braces and keywords there do not count.
type lexicon struct {
	line   []string    // opens a comment to the end of the line
	block  [][2]string // opens and closes a comment
	quotes []quote     // longest opener first
	chars  bool        // 'x' is a character; an apostrophe otherwise is none (lifetimes)
	regex  bool        // /x/ after an operator is a regular expression
}

// A quote opens and closes a string.
type quote struct {
	open, close string
	raw         bool // a backslash escapes nothing
	lines       bool // may cross lines
	template    bool // ${ } holds code
}

// mask returns src with comments and strings blanked. Newlines and the length stay, so that offsets hold.
func (l *lexicon) mask(src []byte) []byte {
	out := bytes.Clone(src)
	code := byte('\n') // the last byte of code that is no blank
	for i := 0; i < len(src); {
		n := l.skip(src[i:], code)
		if n == 0 {
			if c := src[i]; c != ' ' && c != '\t' {
				code = c
			}
			i++
			continue
		}
		for j := i; j < i+n; j++ {
			if out[j] != '\n' {
				out[j] = ' '
			}
		}
		if i += n; src[i-1] != '\n' {
			code = '"'
		}
	}
	return out
}

// skip is the length of the comment or string that src begins with, 0 for code. code is the byte of code before it.
func (l *lexicon) skip(src []byte, code byte) int {
	for _, open := range l.line {
		if hasPrefix(src, open) {
			return until(src, "\n", len(src))
		}
	}
	for _, b := range l.block {
		if hasPrefix(src, b[0]) {
			return len(b[0]) + closing(src[len(b[0]):], b[1])
		}
	}
	for i := range l.quotes {
		if q := &l.quotes[i]; hasPrefix(src, q.open) {
			return q.length(src)
		}
	}
	switch {
	case l.chars && src[0] == '\'':
		return charLength(src)
	case l.regex && src[0] == '/' && strings.IndexByte("(,=:[!&|?{};+\n", code) >= 0:
		return regexLength(src)
	}
	return 0
}

func hasPrefix(src []byte, s string) bool {
	return len(src) >= len(s) && src[0] == s[0] && string(src[:len(s)]) == s
}

// until is where s stands in src, or most.
func until(src []byte, s string, most int) int {
	if i := bytes.Index(src, []byte(s)); i >= 0 {
		return i
	}
	return most
}

// closing is the length of src up to and with s.
func closing(src []byte, s string) int {
	if i := bytes.Index(src, []byte(s)); i >= 0 {
		return i + len(s)
	}
	return len(src)
}

func (q *quote) length(src []byte) int {
	for i := len(q.open); i < len(src); i++ {
		switch {
		case src[i] == '\\' && !q.raw:
			i++
		case src[i] == '\n' && !q.lines:
			return i
		case hasPrefix(src[i:], q.close):
			return i + len(q.close)
		case q.template && hasPrefix(src[i:], "${"):
			i += q.hole(src[i:]) - 1
		}
	}
	return len(src)
}

// hole is the length of the ${ } that src begins with; templates inside it are skipped, one level of them at a time.
func (q *quote) hole(src []byte) int {
	depth := 0
	const longest = 4000 // bytes: a longer hole was not written by a person
	for i := 1; i < min(len(src), longest); i++ {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '`':
			flat := quote{open: q.open, close: q.close, lines: true}
			i += flat.length(src[i:]) - 1
		}
	}
	return 2
}

// charLength is the length of the character literal that src begins with, 1 for a lone apostrophe.
func charLength(src []byte) int {
	const longest = 12 // '\u{10FFFF}'
	if len(src) > 2 && src[1] != '\\' {
		if n := bytes.IndexByte(src[1:min(len(src), 6)], '\''); n == 1 || (n > 1 && src[1] >= 0x80) {
			return n + 2
		}
		return 1
	}
	if len(src) > 3 {
		if n := bytes.IndexByte(src[3:min(len(src), longest)], '\''); n >= 0 {
			return n + 4
		}
	}
	return 1
}

// regexLength is the length of the regular expression that src begins with, 0 when it does not end on its line.
func regexLength(src []byte) int {
	class := false
	for i := 1; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 0
}
