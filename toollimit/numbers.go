package toollimit

import (
	"strconv"
	"strings"
)

// numberEnds separate number and text of a numbered line: "  12│ text" in foray, "  12\\ttext", "  12→text" and
// "12:text" elsewhere. Only the first is unambiguous.
var numberEnds = []string{"│", "\t", "→", ":"}

// lineNumber splits a numbered line at end; ok is false if the line has no number.
func lineNumber(s, end string) (n int, text string, ok bool) {
	num, text, ok := strings.Cut(s, end)
	if !ok || len(num) > 12 {
		return 0, s, false
	}
	n, err := strconv.Atoi(strings.TrimLeft(num, " "))
	if err != nil || n < 0 {
		return 0, s, false
	}
	return n, strings.TrimPrefix(text, " "), true
}

// numberEnd returns the separator after the line numbers of a text, or "". Two consecutive numbers prove it.
func numberEnd(text string, ls []span) string {
	for _, end := range numberEnds {
		for i := range min(len(ls)-1, 3) {
			n, _, ok := lineNumber(ls[i].of(text), end)
			next, _, also := lineNumber(ls[i+1].of(text), end)
			if ok && also && next == n+1 {
				return end
			}
		}
	}
	return ""
}

// withoutNumber returns a line without its number, if it has one.
func withoutNumber(s string) string {
	for _, end := range numberEnds {
		if _, text, ok := lineNumber(s, end); ok {
			return text
		}
	}
	return s
}
