package line

import (
	"fmt"
	"strings"
	"unicode"
)

// blanks are letters and marks without a shape, which are not of a category of their own.
const blanks = "\u034f\u115f\u1160\u17b4\u17b5\u2028\u2029\u2800\u3164\uffa0"

// Hidden reports whether a reader would not see r, or would see the text around it in another order.
func Hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(blanks, r)
}

// Visible writes characters that are invisible or reorder text as ⟨U+202E⟩, for a page that people read. Newlines and
// tabs stay; a carriage return before a newline is dropped.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r != '\n' && r != '\t' && Hidden(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
