package toollimit

import (
	"math"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// listing shows the upper levels first. A directory whose entries do not fit is shown with their number. at is the
// position after the gap line.
func (in *input) listing(room size) (s string, at int) {
	if in.tree == nil {
		in.tree = parseTree(in.text, in.room)
	}
	t := in.tree
	if len(t.entries) < 2 {
		return "", 0
	}
	mark := gap{what: line.Count(t.entries[0].count, "entry"), tokens: in.all.tokens()}.line(room, in.quota.Pointer)
	free := room.minus(sizeOf(t.notes)).minus(sizeOf(t.foot)).minus(sizeOf(mark))
	left := math.MaxInt
	if in.quota.MaxMatches > 0 {
		left = in.quota.MaxMatches
	}
	t.grow(free, left)
	var b strings.Builder
	b.WriteString(t.notes)
	hidden := t.write(&b, 0)
	tokens := max(in.all.tokens()-Tokens(b.String()), 0)
	b.WriteString(gap{what: entryCount(hidden), tokens: tokens}.line(room, in.quota.Pointer))
	at = b.Len()
	b.WriteString(t.foot)
	return b.String(), at
}

// grow opens directories level by level while their entries fit, and then part of the first one that did not fit.
func (t *tree) grow(free size, left int) {
	closed := -1
	for i := range t.entries {
		t.entries[i].shown = 0
	}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		e := &t.entries[queue[0]]
		if len(e.kids) == 0 {
			continue
		}
		need, lines := t.openingSize(e)
		if !need.within(free) || lines > left {
			if closed < 0 {
				closed = queue[0]
			}
			continue
		}
		free, left = free.minus(need), left-lines
		e.shown = len(e.kids)
		queue = append(queue, e.kids...)
	}
	if closed >= 0 {
		t.openPart(&t.entries[closed], free, left)
	}
}

// openingSize returns the size and the number of lines that showing the entries of e adds.
func (t *tree) openingSize(e *entry) (z size, lines int) {
	z = e.visible.minus(e.hidden)
	if !e.own && e.count > 0 {
		lines = -1
	}
	if e.text == "" {
		z, lines = size{}, 0
	}
	for _, k := range e.kids {
		z, lines = z.plus(t.entries[k].hidden), lines+1
	}
	return z, lines
}

// openPart shows the first entries of e and the number of the others.
func (t *tree) openPart(e *entry, free size, left int) {
	free = free.minus(sizeOf(t.indent(e.kids[0]) + moreEntries(e.count)))
	left--
	for _, k := range e.kids {
		free = free.minus(t.entries[k].hidden)
		if left--; left < 0 || free.cost < 0 || free.runes < 0 {
			return
		}
		e.shown++
	}
}

// indent is the beginning of the line of an entry, before its name.
func (t *tree) indent(i int) string {
	s := t.entries[i].text
	cutset := " "
	if t.drawn {
		cutset = branches
	}
	return s[:len(s)-len(strings.TrimLeft(s, cutset))]
}

func moreEntries(n int) string { return "… and " + line.Number(n) + " more\n" }

// write renders entry i and its shown descendants, and returns the number of hidden entries.
func (t *tree) write(b *strings.Builder, i int) (hidden int) {
	e := &t.entries[i]
	if i > 0 {
		switch {
		case e.shown == 0:
			b.WriteString(e.collapsedLine() + "\n")
			return e.count
		case e.own:
			b.WriteString(e.text + "\n")
		}
	}
	for _, k := range e.kids[:e.shown] {
		hidden += t.write(b, k)
	}
	if rest := e.kids[e.shown:]; len(rest) > 0 {
		n := 0
		for _, k := range rest {
			n += t.entries[k].count
			if t.entries[k].own {
				n++
			}
		}
		b.WriteString(t.indent(rest[0]) + moreEntries(n))
		hidden += n
	}
	return hidden
}
