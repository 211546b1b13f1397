package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a text into lines of at most width columns, at words if it can. A width below 1 counts as 1.
func Wrap(s string, width int) []string {
	return strings.Split(ansi.Wrap(s, max(width, 1), ""), "\n")
}

// fit cuts a line to width columns.
func fit(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// columns is how wide a line is.
func columns(s string) int { return ansi.StringWidth(s) }

func blank(s string) bool { return strings.TrimSpace(ansi.Strip(s)) == "" }

// indented puts a first mark before the first line and as many spaces before the others.
func indented(lines []string, mark string) []string {
	pad := strings.Repeat(" ", columns(mark))
	out := make([]string, len(lines))
	for i, l := range lines {
		if out[i] = pad + l; i == 0 {
			out[i] = mark + l
		}
	}
	return out
}

// plain is a line without styles.
func plain(s string) string { return ansi.Strip(s) }
