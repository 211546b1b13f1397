package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks are letters and marks without a shape, which are not of a category of their own.
const blanks = "\u034f\u115f\u1160\u17b4\u17b5\u2028\u2029\u2800\u3164\uffa0"

// hidden reports whether a reader would not see r, or would see the text around it in another order.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(blanks, r)
}

// visible writes characters that are invisible or reorder text as ⟨U+202E⟩. Newlines and tabs stay; a carriage return
// before a newline is dropped.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r != '\n' && r != '\t' && hidden(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shown is s as the page shows it: visible, and with a note in the middle if it has more than most bytes. Two thirds of
// what stays are the beginning.
func shown(s string, most int) string {
	if len(s) <= most {
		return visible(s)
	}
	head, tail := most*2/3, len(s)-most/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return visible(s[:head]) + fmt.Sprintf("\n[… %d bytes are not in this page …]\n", tail-head) + visible(s[tail:])
}
