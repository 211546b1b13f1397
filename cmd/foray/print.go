package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// printable keeps a text from steering a terminal: what comes out of a tree or a server may hold escape sequences.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || isBidi(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// isBidi reports whether r reorders the text behind it, so that what is shown is not what is there.
func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// line is a text on one line, as a terminal may show it.
func line(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// count writes a number with a comma between thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// many writes a number of things: "1 file", "2,000 files".
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// bytesText writes a size as people read it: 812 B, 4.2 kB, 13 MB.
func bytesText(n int) string {
	units := []string{"B", "kB", "MB", "GB"}
	f, u := float64(n), 0
	for f >= 1000 && u < len(units)-1 {
		f, u = f/1000, u+1
	}
	if u == 0 || f >= 9.95 {
		return fmt.Sprintf("%.0f %s", f, units[u])
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

// seconds writes a duration: 12ms, 0.2s, 14s, 3m05s, 2h30m.
func seconds(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// width is how many columns a rune takes on a terminal, rather too many than too few.
func width(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 {
		return 2
	}
	return 1
}

// fit cuts a text to so many columns, with an ellipsis where it was cut.
func fit(s string, columns int) string {
	used := 0
	for i, r := range s {
		used += width(r)
		if used > columns {
			return cutTo(s[:i], columns-1) + "…"
		}
	}
	return s
}

// fitBefore cuts a text so that it takes so many columns together with what stands behind it, which is cut only where there
// is no room for it alone.
func fitBefore(s, behind string, columns int) string {
	room := columns
	for _, r := range behind {
		room -= width(r)
	}
	return fit(fit(s, max(room, 1))+behind, columns)
}

// cutTo is the start of a text that takes at most so many columns.
func cutTo(s string, columns int) string {
	used := 0
	for i, r := range s {
		if used += width(r); used > columns {
			return s[:i]
		}
	}
	return s
}
