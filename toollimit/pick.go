package toollimit

import (
	"slices"
	"strings"
)

// pickedRunes bounds a line picked from the middle.
const pickedRunes = 200

// A pick is a line of the middle that is shown.
type pick struct {
	index int // in the body
	text  string
	size  // with a mark of what is left out before it
}

// errorPart is the part of the room of the middle, in percent, that error lines may take where key lines follow.
const errorPart = 50

// leftOut stands between picks that are not neighbours, in a text whose lines have no numbers.
const leftOut = "…\n"

// markPart is the part of the room of the middle, in percent, that such a mark may take; in less room there is none.
const markPart = 10

// pick chooses lines of the middle within room, and returns what they take: by rank first, then key lines.
func (x *excerpting) pick(room size) (used size) {
	sh, miss := x.share, x.missing()
	if len(miss) == 0 || sh.ranks == nil && !sh.keyed {
		return size{}
	}
	if !sh.quoted && !numbered(x.text, miss) && sizeOf(leftOut).within(room.share(markPart)) {
		x.between = leftOut
	}
	if sh.ranks != nil {
		part := room
		if sh.keyed {
			part = room.share(errorPart)
		}
		used = x.pickRanked(part, sh.ranks(x, miss))
	}
	if sh.keyed {
		used = used.plus(x.keyLines(room.minus(used)))
		slices.SortFunc(x.picks, func(a, b pick) int { return a.index - b.index })
	}
	return used
}

// pickRanked takes lines by rank, those of one rank in their order; what stands near an error only if that is taken.
func (x *excerpting) pickRanked(room size, ranks []uint8) (used size) {
	miss := x.missing()
	taken := make([]bool, len(miss))
	for want := uint8(1); want <= maxRank; want++ {
		for i, l := range miss {
			near := taken[max(i-errorReach, 0):min(i+errorReach+1, len(taken))]
			if ranks[i] != want || (want == beforeError || want == nearError) && !slices.Contains(near, true) {
				continue
			}
			s := clip(strings.TrimRight(l.of(x.text), " \t\r\n"), pickedRunes)
			z := x.add(i, s, room.minus(used))
			used, taken[i] = used.plus(z), z != size{}
		}
	}
	slices.SortFunc(x.picks, func(a, b pick) int { return a.index - b.index })
	return used
}

// add picks line i of what is missing, as text, if it fits into room, and returns what it takes.
func (x *excerpting) add(i int, text string, room size) size {
	text += "\n"
	z := sizeOf(text).plus(sizeOf(x.between))
	if !z.within(room) {
		return size{}
	}
	x.picks = append(x.picks, pick{x.h + i, text, z})
	x.seeIn(text)
	return z
}

func (x *excerpting) writePicks(b *strings.Builder) {
	next := x.h
	for i, p := range x.picks {
		if i > 0 && p.index > next {
			b.WriteString(x.between)
		}
		b.WriteString(p.text)
		next = p.index + 1
	}
	if len(x.picks) > 0 && next < len(x.body)-x.t {
		b.WriteString(x.between)
	}
}

// see takes up what is visible of the text at its ends.
func (x *excerpting) see() {
	if x.share.seen == nil {
		return
	}
	x.seeIn(x.text[:x.missingFrom()])
	x.seeIn(x.text[x.missingTo():])
}

func (x *excerpting) seeIn(text string) {
	if x.share.seen == nil {
		return
	}
	if x.visible == nil {
		x.visible = make(map[string]bool)
	}
	for name := range Identifiers(text) {
		x.visible[name] = true
	}
}

// isSeen reports whether an identifier stands in what is shown of the text or elsewhere.
func (x *excerpting) isSeen(name string) bool { return x.visible[name] || x.share.seen(name) }

// missingFrom and missingTo are the places in the text where what is missing begins and ends.
func (x *excerpting) missingFrom() int {
	if x.h == 0 {
		return x.body[0].at
	}
	return x.body[x.h-1].end
}

func (x *excerpting) missingTo() int {
	if x.t == 0 {
		return x.body[len(x.body)-1].end
	}
	return x.body[len(x.body)-x.t].at
}

// keyLines picks the key lines of the middle, within room, and returns what they take.
func (x *excerpting) keyLines(room size) (used size) {
	miss := x.missing()
	lines := make([]string, len(miss))
	for i, l := range miss {
		lines[i] = strings.TrimRight(l.of(x.text), " \t\r\n")
	}
	for _, p := range x.picks {
		lines[p.index-x.h] = ""
	}
	weigh := func(name string) int {
		if x.isSeen(name) {
			return 0
		}
		return 1
	}
	KeyLines(lines, weigh, func(i int) bool {
		z := x.add(i, lines[i], room.minus(used))
		used = used.plus(z)
		return z != size{}
	})
	return used
}

// listNames lists, within room, identifiers of what is missing that are nowhere else. Room that the list does not need
// goes to the head; what the head then shows leaves the list.
func (x *excerpting) listNames(room size) {
	x.seeIn(x.front)
	x.seeIn(x.back)
	x.writeNames(room)
	if h := x.h; x.front+x.back == "" {
		if x.grow(room.minus(sizeOf(x.names))); x.h > h {
			x.writeNames(sizeOf(x.names))
		}
	}
}

func (x *excerpting) writeNames(room size) {
	x.see()
	if len(x.missing()) == 0 {
		x.names = ""
		return
	}
	from, to := x.missingFrom()+len(strings.TrimSuffix(x.front, broken)), x.missingTo()-len(strings.TrimPrefix(x.back, broken))
	x.names = nameLine(x.text[from:max(from, to)], room, x.share.quoted, x.isSeen)
}
