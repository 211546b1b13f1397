package toollimit

import (
	"math"
	"strings"
)

// An entry is a line of a listing, or a directory that only the paths below it name.
type entry struct {
	text    string // without the newline; a directory of paths ends in "/"
	own     bool   // text is a line of the listing
	kids    []int
	count   int // entries below
	shown   int // kids that are shown
	hidden  size
	visible size
}

// A tree is a listing taken apart; entry 0 is its root.
type tree struct {
	notes, foot string
	drawn       bool // with branches
	entries     []entry
}

// listing shows the upper levels first; a directory that has no room for its entries is shown with their number.
// The position is behind the gap line.
func (c *cutter) listing(room size) (s string, at int) {
	if c.tree == nil {
		c.tree = c.plant()
	}
	t := c.tree
	if len(t.entries) < 2 {
		return "", 0
	}
	mark := gap{what: plural(t.entries[0].count, "entry"), tokens: c.all.tokens()}.line(room, c.quota.Pointer)
	free := room.minus(sizeOf(t.notes)).minus(sizeOf(t.foot)).minus(sizeOf(mark))
	left := math.MaxInt
	if c.quota.MaxMatches > 0 {
		left = c.quota.MaxMatches
	}
	t.grow(free, left)
	var b strings.Builder
	b.WriteString(t.notes)
	hidden := t.write(&b, 0)
	tokens := max(c.all.tokens()-Tokens(b.String()), 0)
	b.WriteString(gap{what: entryCount(hidden), tokens: tokens}.line(room, c.quota.Pointer))
	at = b.Len()
	b.WriteString(t.foot)
	return b.String(), at
}

func entryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return thousands(n) + " entries"
}

// count sums the entries below each entry, and measures it with its entries hidden and shown. Children stand behind
// their parents, so one pass from the end does.
func (t *tree) count() {
	parent := make([]int, len(t.entries))
	for i, e := range t.entries {
		for _, k := range e.kids {
			parent[k] = i
		}
	}
	for i := len(t.entries) - 1; i > 0; i-- {
		e := &t.entries[i]
		e.hidden = lineSize(e.collapsed())
		if e.own {
			e.visible = e.hidden
			if e.count > 0 {
				e.visible = lineSize(e.text)
			}
			t.entries[parent[i]].count++
		}
		t.entries[parent[i]].count += e.count
	}
}

// collapsed is the line of an entry whose entries are hidden.
func (e *entry) collapsed() string {
	if e.count == 0 {
		return e.text
	}
	return e.text + " (" + entryCount(e.count) + ")"
}

// grow opens directories level by level as long as their entries fit, and in the end part of the first that did not.
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
		need, lines := t.opened(e)
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

// opened returns what showing the entries of e takes more than hiding them, and how many lines more that is.
func (t *tree) opened(e *entry) (z size, lines int) {
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

// openPart shows the first entries of e; the others are named by their number.
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

// indent is what the line of an entry begins with before its name.
func (t *tree) indent(i int) string {
	s := t.entries[i].text
	cutset := " "
	if t.drawn {
		cutset = branches
	}
	return s[:len(s)-len(strings.TrimLeft(s, cutset))]
}

func moreEntries(n int) string { return "… and " + thousands(n) + " more\n" }

// write renders entry i and what is shown below it, and returns the number of entries that are hidden.
func (t *tree) write(b *strings.Builder, i int) (hidden int) {
	e := &t.entries[i]
	if i > 0 {
		switch {
		case e.shown == 0:
			b.WriteString(e.collapsed() + "\n")
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
