package toollimit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// excerpt keeps head and tail of a text whose size is all, and lines picked from the middle, with one gap line. It
// returns "" if no marker fits.
func excerpt(text string, all, room size, sh share, pointer string) string {
	ls := linesOf(text)
	lead, trail := 0, 0
	free := room
	if sh.notes {
		var notes size
		lead, trail, notes = noteLines(text, ls, room.share(noteShare))
		free, all = free.minus(notes), all.minus(notes)
	}
	x := layout{text: text, share: sh, body: ls[lead : len(ls)-trail], lead: lead, all: all, scanned: scans.Get().(*scanned)}
	defer x.release()
	if len(x.body) == 0 {
		return ""
	}
	if sh.gap == nil {
		x.share.gap = lineGap
	}
	x.h = len(x.body) - 1 // the highest numbers make the longest line
	g := x.share.gap(&x, x.missing())
	x.h = 0
	g.tokens, g.quoted = all.tokens(), sh.quoted
	mark := g.line(free, pointer)
	if mark == "" {
		return ""
	}
	x.fill(free.minus(sizeOf(mark)))
	return text[:x.body[0].at] + x.render(free, pointer) + text[x.body[len(x.body)-1].end:]
}

// fill takes the head, then the tail, then lines of the middle. The room left over goes to the head or, if no line was
// picked, to both ends and to parts of their next lines. If identifiers are tracked, the list of missing ones gets a
// share of the room: taken from the middle if that shows key lines, otherwise from the ends.
func (x *layout) fill(free size) {
	sh, ends := x.share, free // ends is what head and tail have their shares of
	var names size            // for the list of missing identifiers
	if sh.seen != nil {
		names = free.share(namesShare)
		if !sh.keyed {
			ends = free.minus(names)
		}
	}
	var head, tail size
	x.h, head = take(x.text, slices.All(x.body), ends.share(sh.head))
	x.t, tail = take(x.text, slices.Backward(x.missing()), ends.share(sh.tail))
	x.kept = head.plus(tail)
	left := free.minus(x.kept)
	names = names.atMost(left)
	left = left.minus(names)
	if sh.seen != nil {
		x.markEnds()
	}
	picked := x.pick(left)
	x.kept = x.kept.plus(picked)
	left = x.grow(left.minus(picked))
	if len(x.picks) == 0 {
		n, more := take(x.text, slices.Backward(x.missing()), left)
		x.t, x.kept, left = x.t+n, x.kept.plus(more), left.minus(more)
	}
	x.partialLines(left)
	if sh.seen != nil {
		x.listNames(names)
	}
}

// grow gives room to the head and returns what is left. Picked lines that the head reaches become part of it.
func (x *layout) grow(room size) (left size) {
	n, used := take(x.text, slices.All(x.missing()), room)
	x.h, x.kept, left = x.h+n, x.kept.plus(used), room.minus(used)
	for len(x.picks) > 0 && x.picks[0].index < x.h {
		z := x.picks[0].size
		left, x.kept, x.picks = left.plus(z), x.kept.minus(z), x.picks[1:]
	}
	return left
}

// broken marks where a line breaks off at a gap. minBroken is the shortest piece of a line worth showing, in runes.
const (
	broken    = "…"
	minBroken = 8
)

// partialLines shows part of the first and the last missing line when a whole line does not fit.
func (x *layout) partialLines(left size) {
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

// piece is a piece of a line between marks, or "" if it is too short.
func (x *layout) piece(s, before, after string) string {
	if s == "" || len(x.body) > 1 && line.Runes(s) < minBroken {
		return ""
	}
	return before + s + after
}

// listNames lists, within room, identifiers that appear only in the missing part. Room that the list does not need
// goes to the head, and names that the head then shows leave the list.
func (x *layout) listNames(room size) {
	x.show(x.front)
	x.show(x.back)
	x.writeNames(room)
	if h := x.h; x.front+x.back == "" {
		if x.grow(room.minus(sizeOf(x.list))); x.h > h {
			x.writeNames(sizeOf(x.list))
		}
	}
}

func (x *layout) writeNames(room size) {
	x.markEnds()
	if len(x.missing()) == 0 {
		x.list = ""
		return
	}
	x.list = nameLine(x.missingNames(), room, x.share.quoted, func(string) bool { return false })
}

func (x *layout) render(room size, pointer string) string {
	miss := x.missing()
	if len(miss) == 0 {
		return x.text[x.body[0].at:x.body[len(x.body)-1].end]
	}
	g := x.share.gap(x, miss)
	g.quoted = x.share.quoted
	cut := x.all.minus(x.kept).minus(sizeOf(x.front)).minus(sizeOf(x.back))
	g.tokens = cut.tokens()
	if len(miss) == 1 && x.front+x.back != "" {
		g.what, g.next = line.Count(cut.runes, "character"), ""
		if !x.share.bare && !x.share.moved && pointer != "" {
			g.next = "next: offset=" + strconv.Itoa(line.Runes(x.text[:miss[0].at])+line.Runes(x.front))
		}
	}
	var b strings.Builder
	size := len(x.text) - (miss[len(miss)-1].end - miss[0].at) + len(x.list) + 400
	for _, p := range x.picks {
		size += len(p.text) + len(x.between)
	}
	b.Grow(size)
	b.WriteString(x.text[x.body[0].at:miss[0].at])
	b.WriteString(x.front)
	if x.front != "" {
		b.WriteByte('\n')
	}
	b.WriteString(g.line(room, pointer))
	b.WriteString(x.list)
	x.writePicks(&b)
	b.WriteString(x.back)
	b.WriteString(x.text[miss[len(miss)-1].end:x.body[len(x.body)-1].end])
	return b.String()
}

// lineGap names the missing lines by their numbers in the whole text, so that a reader can ask for them.
func lineGap(x *layout, missing []span) gap {
	if x.share.bare || len(missing) == 0 || len(missing) == len(x.body) {
		return gap{what: line.Count(len(missing), "line")}
	}
	first := x.lead + x.h
	last, all := x.number(first+len(missing))-1, x.number(x.lead+len(x.body))-1
	return gap{what: "lines " + strconv.Itoa(x.number(first)) + "-" + strconv.Itoa(last) + " of " + strconv.Itoa(all)}
}

// number returns the number of a line in the full text.
func (x *layout) number(line int) int {
	if numbers := x.share.numbers; line < len(numbers) {
		return numbers[line]
	}
	return line + 1
}
