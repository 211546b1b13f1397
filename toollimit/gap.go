package toollimit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A gap describes what is missing: lines, or characters of one line, and tokens.
type gap struct {
	what   string // "212 lines", "lines 13-224 of 400", "5,120 characters"
	tokens int
	next   string // how to read on, such as "next: start_line=13"
	quoted bool   // written as a JSON string, among lines of JSON
}

// wholeText says how to read a text by its pointer, which is an id, after the name of a tool if there is one:
// "read_working_memory id=s12.1".
func wholeText(pointer string) string {
	if toolOf(pointer) == "" {
		return "id=" + pointer
	}
	return "whole text: " + pointer
}

// toolOf returns the tool that a pointer names, or "".
func toolOf(pointer string) string { return pointer[:max(strings.LastIndex(pointer, " id="), 0)] }

// idOf returns the id that a pointer names.
func idOf(pointer string) string { return strings.TrimPrefix(pointer[len(toolOf(pointer)):], " id=") }

// line returns the fullest gap line, with its newline, that keeps to its share of room, or "". Shorter forms omit how
// to read on, then the number of tokens, then the name of the tool, then the size of the gap.
func (g gap) line(room size, pointer string) string {
	next, whole, tool, id, least := "", "", "", "", []string{"…"}
	if g.next != "" {
		next = "; "
	}
	if pointer != "" {
		whole, tool, id = "; "+wholeText(pointer), "; "+pointer, "; id="+idOf(pointer)
		least = []string{"[… ", idOf(pointer), "]"}
		if toolOf(pointer) == "" {
			tool = id
		}
	}
	cut := ", " + tokenCount(g.tokens) + " cut"
	for _, form := range []struct {
		percent int      // the most that it may take of the room
		parts   []string // joined only when the form is tried
	}{
		{40, []string{"[… ", g.what, cut, next, g.next, whole, "]"}},
		{40, []string{"[… ", g.what, cut, whole, "]"}},
		{30, []string{"[… ", g.what, tool, "]"}},
		{30, []string{"[… ", g.what, id, "]"}},
		{50, least}, {50, []string{"…"}},
	} {
		s := strings.Join(form.parts, "")
		if g.quoted {
			s = quoteJSON(s)
		}
		if s += "\n"; sizeOf(s).within(room.share(form.percent)) {
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
	return slices.ContainsFunc(noteStarts, func(start string) bool { return strings.HasPrefix(s, start) })
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
