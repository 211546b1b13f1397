package toollimit

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// isText reports whether s can be shown as it is: valid UTF-8 without NUL.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// garbledPart is the part of a text, in percent, from which on what cannot be read makes it binary, and garbledBytes how
// much of it is looked at. A text in an encoding of Western Europe stays below, an image or a program is above.
const (
	garbledPart  = 25
	garbledBytes = 16 << 10
)

// isGarbled reports whether much of a text is no text: invalid bytes, what stands in place of them, control characters.
func isGarbled(s string) bool {
	s = s[:min(len(s), garbledBytes)]
	bad, all := 0, 0
	for i := 0; i < len(s); all++ {
		if b := s[i]; b < utf8.RuneSelf {
			if noText[b] {
				bad++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError {
			bad++
		}
		i += size
	}
	return bad*100 > all*garbledPart
}

// noText are the control characters that no text has: all but blanks, backspace, bell and escape.
var noText = func() (table [utf8.RuneSelf]bool) {
	for b := range table {
		table[b] = (b < ' ' || b == 0x7f) && strings.IndexByte("\t\n\v\f\r\b\a\x1b", byte(b)) < 0
	}
	return table
}()

// describe says what bytes are, in place of them.
func (c *cutter) describe() string {
	form := http.DetectContentType([]byte(c.text[:min(len(c.text), 512)]))
	if strings.HasSuffix(form, "charset=utf-8") {
		form = "not UTF-8"
	}
	s := "[binary: " + plural(len(c.text), "byte") + ", " + form
	if c.quota.Pointer != "" {
		s += "; " + wholeText + c.quota.Pointer
	}
	if s += "]"; c.fits(s) {
		return s
	}
	if s = "[binary]"; c.fits(s) {
		return s
	}
	return ""
}
