package toollimit

import "strings"

// A share says how the room of a text is divided, in percent: its head, its tail, and what is left for lines picked from
// the middle. Room that one does not use goes to the head.
type share struct {
	head, tail int
	rank       func(line string) int                      // 0: not picked; 1 before 2 before 3; nil: nothing is picked
	gap        func(text string, missing, all []line) gap // without its tokens
	notes      bool                                       // first and last lines that are notes stay
	seen       func(identifier string) bool               // what is visible elsewhere; not nil: key lines are picked, not ranked ones
}

// shareOf holds the shares of the kinds that are cut at head and tail. 60/40, 20/80 and 70/10 are the figures of the
// design; an error's cause stands rather at its end.
func shareOf(k Kind) share {
	switch k {
	case File:
		return share{head: 70, tail: 10, gap: fileGap, notes: true}
	case Output:
		return share{head: 20, tail: 60, rank: errorRank}
	case Error:
		return share{head: 35, tail: 65}
	case Receipt:
		return share{head: 50, tail: 0, rank: receiptRank, notes: true}
	case Search, Listing, Diff, Batch:
		return share{head: 80, tail: 20, notes: true}
	case Text, JSON, Binary:
	}
	return share{head: 60, tail: 40}
}

// pickedRunes bounds a line picked from the middle.
const pickedRunes = 200

// An excerpting is a text that is being cut at head and tail: its lines, and how many of them stay at each end.
type excerpting struct {
	text        string
	body        []line // without the notes
	all, kept   size   // of the body, and of what stays of it
	h, t        int
	front, back string // of the first and last missing line, when nothing else is left there
	picks       []pick
	names       string // the line that lists identifiers of what is missing, with its newline
}

type pick struct {
	index int // in body
	text  string
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
	x := excerpting{text: text, body: ls[lead : len(ls)-trail], all: all}
	if len(x.body) == 0 {
		return ""
	}
	if sh.gap == nil {
		sh.gap = lineGap
	}
	g := sh.gap(text, x.body, x.body)
	g.tokens = all.tokens()
	mark := g.line(free, pointer)
	if mark == "" {
		return ""
	}
	x.fill(free.minus(sizeOf(mark)), sh)
	return text[:x.body[0].at] + x.render(sh, free, pointer) + text[x.body[len(x.body)-1].end:]
}

func (x *excerpting) missing() []line { return x.body[x.h : len(x.body)-x.t] }

// fill divides the room.
func (x *excerpting) fill(free size, sh share) {
	var head, tail, picked size
	x.h, head = take(x.text, x.body, free.share(sh.head))
	x.t, tail = takeBack(x.text, x.missing(), free.share(sh.tail))
	left := free.minus(head).minus(tail)
	switch {
	case sh.seen != nil:
		picked = x.keyLines(left, free.share(namesShare), sh.seen)
	case sh.rank != nil:
		picked = x.pick(left, sh.rank)
	}
	left = left.minus(picked)
	n, more := take(x.text, x.missing(), left)
	x.h, left = x.h+n, left.minus(more)
	for len(x.picks) > 0 && x.picks[0].index < x.h {
		z := sizeOf(x.picks[0].text)
		left, picked, x.picks = left.plus(z), picked.minus(z), x.picks[1:]
	}
	x.kept = head.plus(tail).plus(more).plus(picked)
	if len(x.picks) == 0 {
		n, more = takeBack(x.text, x.missing(), left)
		x.t, x.kept, left = x.t+n, x.kept.plus(more), left.minus(more)
	}
	x.parts(left, sh)
}

// parts leaves something of a line that is longer than the room at its end.
func (x *excerpting) parts(left size, sh share) {
	miss := x.missing()
	if len(miss) == 0 {
		return
	}
	newline := size{2 * perToken, 1}
	if x.h == 0 {
		pct := sh.head
		if x.t > 0 {
			pct = 100
		}
		x.front = prefix(strings.TrimSuffix(miss[0].of(x.text), "\n"), left.share(pct).minus(newline))
		left = left.minus(sizeOf(x.front)).minus(newline)
	}
	if x.t == 0 && sh.tail > 0 {
		last := miss[len(miss)-1].of(x.text)
		if len(miss) == 1 {
			last = last[len(x.front):]
		}
		x.back = suffix(last, left)
	}
}

// pick chooses lines of the middle by rank, in their order, within room, and returns what they take.
func (x *excerpting) pick(room size, rank func(string) int) (used size) {
	miss := x.missing()
	ranks, chosen := make([]uint8, len(miss)), make([]string, len(miss))
	for i, l := range miss {
		ranks[i] = uint8(rank(l.of(x.text)))
	}
	for want := uint8(1); want <= 3; want++ {
		for i, l := range miss {
			if ranks[i] != want {
				continue
			}
			s := clip(strings.TrimRight(l.of(x.text), " \t\r\n"), pickedRunes) + "\n"
			if z := used.plus(sizeOf(s)); z.within(room) {
				used, chosen[i] = z, s
			}
		}
	}
	for i, s := range chosen {
		if s != "" {
			x.picks = append(x.picks, pick{x.h + i, s})
		}
	}
	return used
}

func (x *excerpting) render(sh share, room size, pointer string) string {
	miss := x.missing()
	if len(miss) == 0 {
		return x.text[x.body[0].at:x.body[len(x.body)-1].end]
	}
	g := sh.gap(x.text, miss, x.body)
	cut := x.all.minus(x.kept).minus(sizeOf(x.front)).minus(sizeOf(x.back))
	g.tokens = cut.tokens()
	if len(miss) == 1 && x.front+x.back != "" {
		g.what, g.next = plural(cut.runes, "character"), ""
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
	for _, p := range x.picks {
		b.WriteString(p.text)
	}
	b.WriteString(x.back)
	b.WriteString(x.text[miss[len(miss)-1].end:x.body[len(x.body)-1].end])
	return b.String()
}

func lineGap(_ string, missing, _ []line) gap {
	return gap{what: plural(len(missing), "line")}
}

// noteStarts are the beginnings of lines that say something about the result rather than being part of it.
var noteStarts = []string{
	"[", "(", "…", "note:", "Note:", "showing ", "Showing ", "lines ", "skipped:", "next:", "truncated", "pattern ",
}

// isNote reports whether s is a note: it begins as one, or counts, as in "20 of 57 hits".
func isNote(s string) bool {
	if rest := strings.TrimLeft(s, "0123456789"); len(rest) < len(s) && strings.HasPrefix(rest, " of ") {
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
