package toollimit

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// isText reports whether s can be shown as it is: valid UTF-8 without NUL.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// describe says what bytes are, in place of them.
func (c *cutter) describe() string {
	s := "[binary: " + plural(len(c.text), "byte") + ", " + http.DetectContentType([]byte(c.text[:min(len(c.text), 512)]))
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
