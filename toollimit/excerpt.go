package toollimit

import (
	"strconv"
	"strings"
)

// A share says how the room of a text is divided, in percent: its head, its tail, and what is left for lines picked from
// the middle. Room that one does not use goes to the head.
type share struct {
	head, tail int
	ranks      func(x *excerpting, missing []line) []uint8 // 0: not picked; 1 before 2 and so on; nil: nothing is picked
	gap        func(x *excerpting, missing []line) gap     // without its tokens
	notes      bool                                        // first and last lines that are notes stay
	keyed      bool                                        // key lines are picked
	seen       func(identifier string) bool                // what is visible elsewhere; not nil: identifiers are listed
	bare       bool                                        // the gap line gives no range: lines are not those of the whole text
	moved      bool                                        // nor an offset: the text was stripped
	quoted     bool                                        // the gap line is a JSON string
}

// shareOf holds the shares of the kinds that are cut at head and tail. 60/40, 20/80 and 70/10 are the figures of the
// design; an error's cause stands rather at its end.
func shareOf(k Kind) share {
	switch k {
	case File:
		return share{head: 70, tail: 10, gap: fileGap, notes: true}
	case Output:
		return share{head: 20, tail: 60, ranks: errorRanks}
	case Error:
		return share{head: 35, tail: 65}
	case Receipt:
		return share{head: 50, tail: 0, ranks: byLine(receiptRank), notes: true}
	case Search, Listing, Diff, Batch:
		return share{head: 80, tail: 20, notes: true}
	case Text, JSON, Binary:
	}
	return share{head: 60, tail: 40}
}

// byLine ranks each line by itself.
func byLine(rank func(string) int) func(*excerpting, []line) []uint8 {
	return func(x *excerpting, missing []line) []uint8 {
		ranks := make([]uint8, len(missing))
		for i, l := range missing {
			ranks[i] = uint8(rank(l.of(x.text)))
		}
		return ranks
	}
}

// An excerpting is a text that is being cut at head and tail: its lines, and how many of them stay at each end.
type excerpting struct {
	text        string
	share       share
	body        []line // without the notes
	lead        int    // the lines before the body
	all, kept   size   // of the body, and of what stays of it
	h, t        int
	front, back string // of the first and last missing line, when nothing else is left there
	picks       []pick
	between     string // a line that marks what is left out between picks; "" when lines are numbered
	names       string // the line that lists identifiers of what is missing, with its newline
	visible     map[string]bool
}

// excerpt keeps head and tail of a text whose size is all, and picks from the middle, with one gap line between. It
// returns "" when there is no room for a mark.
func excerpt(text string, all, room size, sh share, pointer string) string {
	ls := linesOf(text)
	lead, trail := 0, 0
	free := room
	if sh.notes {
		var notes size
		lead, trail, notes = noteLines(text, ls, room.share(noteShare))
		free, all = free.minus(notes), all.minus(notes)
	}
	x := excerpting{text: text, share: sh, body: ls[lead : len(ls)-trail], lead: lead, all: all}
	if len(x.body) == 0 {
		return ""
	}
	if sh.gap == nil {
		x.share.gap = lineGap
	}
	g := x.share.gap(&x, x.body)
	g.tokens, g.quoted = all.tokens(), sh.quoted
	mark := g.line(free, pointer)
	if mark == "" {
		return ""
	}
	x.fill(free.minus(sizeOf(mark)))
	return text[:x.body[0].at] + x.render(free, pointer) + text[x.body[len(x.body)-1].end:]
}

func (x *excerpting) missing() []line { return x.body[x.h : len(x.body)-x.t] }

// fill divides the room.
func (x *excerpting) fill(free size) {
	sh, ends := x.share, free
	var names size
	if sh.seen != nil {
		names = free.share(namesShare)
		if !sh.keyed { // then nothing else is left for the list
			ends = free.minus(names)
		}
	}
	var head, tail, picked size
	x.h, head = take(x.text, x.body, ends.share(sh.head))
	x.t, tail = takeBack(x.text, x.missing(), ends.share(sh.tail))
	left := free.minus(head).minus(tail)
	names = names.atMost(left)
	left = left.minus(names)
	x.see()
	picked = x.pick(left)
	x.kept = head.plus(tail).plus(picked)
	left = x.grow(left.minus(picked))
	if len(x.picks) == 0 {
		n, more := takeBack(x.text, x.missing(), left)
		x.t, x.kept, left = x.t+n, x.kept.plus(more), left.minus(more)
	}
	x.parts(left)
	if sh.seen != nil {
		x.listNames(names)
	}
}

// grow gives room to the head, and returns what is left. Picks that the head reaches are lines of it.
func (x *excerpting) grow(room size) (left size) {
	n, used := take(x.text, x.missing(), room)
	x.h, x.kept, left = x.h+n, x.kept.plus(used), room.minus(used)
	for len(x.picks) > 0 && x.picks[0].index < x.h {
		z := x.picks[0].size
		left, x.kept, x.picks = left.plus(z), x.kept.minus(z), x.picks[1:]
	}
	return left
}

// broken marks where a line is broken off beside a gap of lines, and leastBroken is the length in runes from which on a
// piece of a line says something.
const (
	broken      = "…"
	leastBroken = 8
)

// parts leaves something of a line that is longer than the room at its end.
func (x *excerpting) parts(left size) {
	miss := x.missing()
	if len(miss) == 0 || x.share.quoted {
		return
	}
	mark := ""
	end := size{2 * perToken, 1} // of a newline, and of a mark
	if len(miss) > 1 {
		mark, end = broken, size{4 * perToken, 2}
	}
	if x.h == 0 {
		pct := x.share.head
		if x.t > 0 {
			pct = 100
		}
		x.front = prefix(strings.TrimRight(miss[0].of(x.text), "\r\n"), left.share(pct).minus(end))
		left = left.minus(sizeOf(x.front)).minus(end)
		x.front = x.piece(x.front, "", mark)
	}
	if x.t == 0 && x.share.tail > 0 {
		last := miss[len(miss)-1].of(x.text)
		if len(miss) == 1 {
			last = last[len(x.front):]
		}
		x.back = x.piece(suffix(last, left.minus(end)), mark, "")
	}
}

// piece is a piece of a line with a mark before or behind it, or "" for too short a piece.
func (x *excerpting) piece(s, before, behind string) string {
	if s == "" || len(x.body) > 1 && Runes(s) < leastBroken {
		return ""
	}
	return before + s + behind
}

func (x *excerpting) render(room size, pointer string) string {
	miss := x.missing()
	if len(miss) == 0 {
		return x.text[x.body[0].at:x.body[len(x.body)-1].end]
	}
	g := x.share.gap(x, miss)
	g.quoted = x.share.quoted
	cut := x.all.minus(x.kept).minus(sizeOf(x.front)).minus(sizeOf(x.back))
	g.tokens = cut.tokens()
	if len(miss) == 1 && x.front+x.back != "" {
		g.what, g.next = plural(cut.runes, "character"), ""
		if !x.share.bare && !x.share.moved && pointer != "" {
			g.next = "next: offset=" + strconv.Itoa(Runes(x.text[:miss[0].at])+Runes(x.front))
		}
	}
	var b strings.Builder
	b.Grow(len(x.text) - (miss[len(miss)-1].end - miss[0].at) + 400)
	b.WriteString(x.text[x.body[0].at:miss[0].at])
	b.WriteString(x.front)
	if x.front != "" {
		b.WriteByte('\n')
	}
	b.WriteString(g.line(room, pointer))
	b.WriteString(x.names)
	x.writePicks(&b)
	b.WriteString(x.back)
	b.WriteString(x.text[miss[len(miss)-1].end:x.body[len(x.body)-1].end])
	return b.String()
}

// lineGap names the missing lines by their numbers in the whole text, as a reader may ask for them.
func lineGap(x *excerpting, missing []line) gap {
	if x.share.bare || len(missing) == 0 || len(missing) == len(x.body) {
		return gap{what: plural(len(missing), "line")}
	}
	first := x.lead + x.h + 1
	return gap{what: "lines " + strconv.Itoa(first) + "-" + strconv.Itoa(first+len(missing)-1) + " of " + strconv.Itoa(x.lead+len(x.body))}
}

// noteStarts are the beginnings of lines that say something about the result rather than being part of it.
var noteStarts = []string{
	"[", "(", "…", "note:", "Note:", "showing ", "Showing ", "lines ", "skipped:", "next:", "truncated", "pattern ",
}

// isNote reports whether s is a note: it begins as one, or counts, as in "20 of 57 hits" or "3 directories, 12 files".
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

// noteShare is the part of the room, in percent, that notes may take.
const noteShare = 40

// noteLines counts the notes at the beginning and at the end of a text, as far as they fit into room, and returns what
// they take.
func noteLines(text string, ls []line, room size) (lead, trail int, used size) {
	ok := func(l line) bool {
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
