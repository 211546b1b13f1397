package toollimit

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
)

// A gap describes what is missing: lines, or characters of one line, and tokens.
type gap struct {
	what   string // "212 lines", "lines 13-224 of 400", "5,120 characters"
	tokens int
	next   string // how to read on, such as "next: start_line=13"
	quoted bool   // written as a JSON string, among lines of JSON
}

// gapForms are the forms of a gap line, fullest first, each with the share of the room that it may take, in percent.
var gapForms = []struct {
	percent int
	text    func(g gap, pointer string) string
}{
	{40, gap.full}, {40, gap.brief}, {30, gap.named}, {30, gap.short}, {50, gap.least},
	{50, func(gap, string) string { return "…" }},
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

// brief omits how to read on.
func (g gap) brief(pointer string) string {
	g.next = ""
	return g.full(pointer)
}

// named also omits the number of tokens.
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

// wholeText names the tool that reads a text by its pointer.
const wholeText = "whole text: " + ReadTool + " id="

// line returns the fullest gap line, with its newline, that keeps to its share of room, or "".
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

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // impossible: every string marshals
		return `""`
	}
	return string(b)
}

func tokenCount(n int) string { return line.Count(max(n, 0), "token") }

// noteStarts are the beginnings of lines about a result, which are no part of it.
var noteStarts = []string{
	"[", "(", "…", "note:", "Note:", "showing ", "Showing ", "lines ", "skipped:", "next:", "truncated", "pattern ",
}

// isNote reports whether s is a note: it begins as one, or counts, such as "20 of 57 hits" or "3 directories, 12
// files".
func isNote(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	if len(rest) < len(s) && (strings.HasPrefix(rest, " of ") || strings.HasPrefix(rest, " director")) {
		return true
	}
	for _, p := range noteStarts {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// noteShare is the share of the room that notes may take, in percent.
const noteShare = 40

// noteLines counts the leading and trailing notes of a text that fit into room, and returns their size.
func noteLines(text string, ls []span, room size) (lead, trail int, used size) {
	ok := func(l span) bool {
		s := l.of(text)
		if !isNote(s) && strings.TrimSpace(s) != "" {
			return false
		}
		z := used.plus(sizeOf(s))
		if !z.within(room) {
			return false
		}
		used = z
		return true
	}
	for lead < len(ls) && ok(ls[lead]) {
		lead++
	}
	for trail < len(ls)-lead && ok(ls[len(ls)-1-trail]) {
		trail++
	}
	return lead, trail, used
}
