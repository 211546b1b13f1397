package toollimit

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
)

// isText reports whether s is valid UTF-8 without NUL.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// A text counts as binary if more than garbledPart percent of it is unreadable, judged by its first garbledBytes.
// Text in a Western European encoding stays below the limit; images and programs exceed it.
const (
	garbledPart  = 25
	garbledBytes = 16 << 10
)

// isGarbled reports whether much of s is unreadable: invalid bytes, replacement characters, control characters.
func isGarbled(s string) bool {
	s = s[:min(len(s), garbledBytes)]
	bad, all := 0, 0
	for i := 0; i < len(s); all++ {
		if b := s[i]; b < utf8.RuneSelf {
			if unreadable[b] {
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

// unreadable marks the control characters that text never has: all but white space, backspace, bell and escape.
var unreadable = func() (table [utf8.RuneSelf]bool) {
	for b := range table {
		table[b] = (b < ' ' || b == 0x7f) && strings.IndexByte("\t\n\v\f\r\b\a\x1b", byte(b)) < 0
	}
	return table
}()

func description(bytes, pointer string) string {
	form := http.DetectContentType([]byte(bytes[:min(len(bytes), 512)]))
	if strings.HasSuffix(form, "charset=utf-8") {
		form = "not UTF-8"
	}
	s := "[binary: " + line.Count(len(bytes), "byte") + ", " + form
	if pointer != "" {
		s += "; " + wholeText(pointer)
	}
	return s + "]"
}
