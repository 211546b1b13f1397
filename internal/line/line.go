// Package line writes texts, numbers and sizes so that they fit into one line that a person or a model reads, and texts
// and JSON that cannot steer a terminal.
//
// Start with [Truncate] for a text that may be too long, with [Count] for a number of things, and with [Printable] and
// [WriteJSON] for what someone else wrote.
package line

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Flat joins the words of s with single spaces, so that no line break or tab is left.
func Flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// Truncate shortens s to at most max runes, where max is at least 1. A shortened text ends in "…", which counts as
// one rune.
func Truncate(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	end := 0
	for range max - 1 {
		_, width := utf8.DecodeRuneInString(s[end:])
		end += width
	}
	return s[:end] + "…"
}

// Path writes a file's path as it is, or quoted if it holds what [Printable] replaces, or a line break or tab.
func Path(p string) string {
	if Printable(p) == p && !strings.ContainsAny(p, "\n\t") {
		return p
	}
	return strconv.Quote(p)
}

// Number writes n with a comma between thousands: "12,345".
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count writes a number of things in English: "1 file", "2,000 files". The noun is one whose plural ends in s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// Bytes writes a size in decimal units with two digits: "812 B", "4.2 kB", "13 MB".
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	size, unit := float64(n), 0
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if unit == 0 || size >= 9.95 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

// Around shortens one line to at most max runes of valid UTF-8 that show the bytes from start to end, with line breaks
// as blanks. An ellipsis replaces what is left out on either side.
func Around(text []byte, start, end, max int) string {
	if len(text) <= max || utf8.RuneCount(text) <= max {
		return Single(string(text))
	}
	from, to := start, start
	for n := (max - utf8.RuneCount(text[start:end])) / 2; n > 0 && from > 0; n-- {
		_, width := utf8.DecodeLastRune(text[:from])
		from -= width
	}
	for n := max - utf8.RuneCount(text[from:start]); n > 0 && to < len(text); n-- {
		_, width := utf8.DecodeRune(text[to:])
		to += width
	}
	s := Single(string(text[from:to]))
	if from > 0 {
		s = "…" + s
	}
	if to < len(text) {
		s += "…"
	}
	return s
}

// Single makes s one line of valid UTF-8: each line break becomes a blank. Unlike [Flat] it keeps all other space, as
// code needs.
func Single(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Runes counts runes like utf8.RuneCountInString, but skips ASCII eight bytes at a time.
func Runes(s string) int {
	const word, high = 8, 0x80
	n := 0
	for n+word <= len(s) && s[n]|s[n+1]|s[n+2]|s[n+3]|s[n+4]|s[n+5]|s[n+6]|s[n+7] < high {
		n += word
	}
	return n + utf8.RuneCountInString(s[n:])
}
