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
	quoted bool   // as a JSON string, between lines of JSON
}

// gapForms are the forms of a gap line, the fullest first, and the share of the room that each may take, in percent.
var gapForms = []struct {
	percent int
	text    func(g gap, pointer string) string
}{
	{40, gap.full}, {40, gap.brief}, {30, gap.named}, {30, gap.short}, {50, gap.least}, {50, func(gap, string) string { return "…" }},
}

func (g gap) full(pointer string) string {
	var b strings.Builder
	b.WriteString("[… " + g.what + ", " + tokenCount(g.tokens) + " cut")
	if g.next != "" {
		b.WriteString("; " + g.next)
	}
	if pointer != "" {
		b.WriteString("; " + wholeText + pointer)
	}
	b.WriteByte(']')
	return b.String()
}

// brief leaves out how to go on.
func (g gap) brief(pointer string) string {
	g.next = ""
	return g.full(pointer)
}

// named leaves out how much that is in tokens.
func (g gap) named(pointer string) string {
	if pointer == "" {
		return g.short(pointer)
	}
	return "[… " + g.what + "; " + ReadTool + " id=" + pointer + "]"
}

func (g gap) short(pointer string) string {
	if pointer == "" {
		return "[… " + g.what + "]"
	}
	return "[… " + g.what + "; id=" + pointer + "]"
}

func (g gap) least(pointer string) string {
	if pointer == "" {
		return "…"
	}
	return "[… " + pointer + "]"
}

// wholeText names the tool that gives back a text by its pointer.
const wholeText = "whole text: " + ReadTool + " id="

// line returns the fullest gap line, with its newline, that takes no more than its share of room; or "".
func (g gap) line(room size, pointer string) string {
	for _, f := range gapForms {
		s := f.text(g, pointer)
		if g.quoted {
			s = quoteJSON(s)
		}
		if s += "\n"; sizeOf(s).within(room.share(f.percent)) {
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

func tokenCount(n int) string { return plural(max(n, 0), "token") }
