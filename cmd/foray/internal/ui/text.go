package ui

import (
	"fmt"
	"time"

	"github.com/forayhq/foray/internal/line"
)

// Line makes s [line.Printable] and puts it on one line.
func Line(s string) string { return line.Flat(line.Printable(s)) }

// Entries writes a number of things whose plural is irregular: Entries(2, "memory", "memories") is "2 memories".
func Entries(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return line.Number(n) + " " + several
}

// Seconds writes a duration as 12ms, 0.2s, 14s, 3m05s or 2h30m.
func Seconds(d time.Duration) string {
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

// Time writes a time in the local zone to the minute, "" for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Fit shortens s to at most columns of a terminal. A shortened text ends in "…". Wide characters count as two columns.
func Fit(s string, columns int) string {
	used := 0
	for i, r := range s {
		used += width(r)
		if used > columns {
			return prefix(s[:i], columns-1) + "…"
		}
	}
	return s
}

// fitWithSuffix shortens s so that it fits with suffix into columns. It shortens the suffix only if that is too long by
// itself.
func fitWithSuffix(s, suffix string, columns int) string {
	room := columns
	for _, r := range suffix {
		room -= width(r)
	}
	return Fit(Fit(s, max(room, 1))+suffix, columns)
}

// prefix returns the longest prefix of s that takes at most columns.
func prefix(s string, columns int) string {
	used := 0
	for i, r := range s {
		if used += width(r); used > columns {
			return s[:i]
		}
	}
	return s
}

// width returns the columns that r takes on a terminal. When in doubt it overestimates.
func width(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 {
		return 2
	}
	return 1
}
