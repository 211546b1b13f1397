package toollimit

import (
	"strconv"
	"strings"
)

// A gap is what is missing: lines, or characters when less than a line is, and tokens.
type gap struct {
	what   string // "212 lines", "lines 13-224 of 400", "5,120 characters"
	tokens int
	next   string // how to go on, such as "next: start_line=13"
}

// gapForms are the forms of a gap line, the fullest first, and the share of the room that each may take in percent.
var gapForms = []struct {
	percent int
	text    func(g gap, pointer string) string
}{
	{34, fullGap}, {50, shortGap}, {50, func(gap, string) string { return "…" }},
}

func fullGap(g gap, pointer string) string {
	var b strings.Builder
	b.WriteString("[… " + g.what + ", " + thousands(g.tokens) + " tokens cut")
	if g.next != "" {
		b.WriteString("; " + g.next)
	}
	if pointer != "" {
		b.WriteString("; whole text: " + Reader + " id=" + pointer)
	}
	b.WriteByte(']')
	return b.String()
}

func shortGap(g gap, pointer string) string {
	if pointer == "" {
		return "[… " + g.what + "]"
	}
	return "[… " + pointer + "]"
}

// line returns the fullest gap line, with its newline, that takes no more than its share of room; or "".
func (g gap) line(room size, pointer string) string {
	for _, f := range gapForms {
		if s := f.text(g, pointer) + "\n"; sizeOf(s).within(room.share(f.percent)) {
			return s
		}
	}
	return ""
}

// thousands writes n with a comma between groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}
