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

// plant makes a tree of a listing: drawn with branches, by sections of directories, indented by two blanks a level, or of
// paths, one a line.
func (c *cutter) plant() *tree {
	ls := linesOf(c.text)
	lead, trail, _ := noteLines(c.text, ls, c.room.share(noteShare))
	t := &tree{entries: make([]entry, 1, len(ls)+len(ls)/4+8)}
	if len(ls) == lead+trail {
		return t
	}
	body := ls[lead : len(ls)-trail]
	t.notes, t.foot = c.text[:body[0].at], c.text[body[len(body)-1].end:]
	text := c.text[body[0].at:body[len(body)-1].end]
	switch {
	case strings.Contains(text, branchEnd) || strings.Contains(text, "\n|-- "):
		t.drawn = true
		t.addNested(text, branchDepth)
	case hasSections(text):
		t.addSections(text)
	case strings.Contains(text, "\n  ") && !strings.HasPrefix(text, " "):
		t.addNested(text, blankDepth)
	default:
		t.addPaths(text)
	}
	t.count()
	return t
}

// add makes s the last child of the parent.
func (t *tree) add(parent int, s string, own bool) int {
	i := len(t.entries)
	t.entries = append(t.entries, entry{text: s, own: own})
	t.entries[parent].kids = append(t.entries[parent].kids, i)
	return i
}

// branchEnd is what a drawn tree has before each name; branches are the characters that it is drawn with.
const (
	branchEnd = "── "
	branches  = "│├└─|`+- \u00a0"
)

// branchDepth is the level of a line of a drawn tree, four characters each: the root's name has none.
func branchDepth(l string) int {
	rest := strings.TrimLeft(l, branches)
	return (Runes(l) - Runes(rest)) / 4
}

func blankDepth(l string) int { return (len(l) - len(strings.TrimLeft(l, " "))) / 2 }

// addNested adds lines whose level shows by what they begin with.
func (t *tree) addNested(text string, depthOf func(string) int) {
	type level struct{ depth, entry int }
	path := []level{{-1, 0}}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \r\n")
		if l == "" {
			continue
		}
		depth := depthOf(l)
		for path[len(path)-1].depth >= depth {
			path = path[:len(path)-1]
		}
		path = append(path, level{depth, t.add(path[len(path)-1].entry, l, true)})
	}
}

// hasSections reports whether a listing is one of several directories, each with a line "path:" above it.
func hasSections(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return isSection(first) || strings.Contains(text, ":\n") && strings.Contains(text, "\n\n")
}

func isSection(l string) bool {
	return len(l) > 1 && strings.HasSuffix(strings.TrimRight(l, "\r"), ":")
}

// addSections adds the sections of directories; one is below another if its path is.
func (t *tree) addSections(text string) {
	sections := map[string]int{}
	section, start := 0, true
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case l == "":
			start = true
			continue
		case start && isSection(l):
			path := strings.TrimSuffix(l, ":")
			section = t.add(sectionAbove(sections, path), l, true)
			sections[path] = section
		default:
			t.add(section, l, true)
		}
		start = false
	}
}

// sectionAbove returns the section of the nearest directory above a path, or the root.
func sectionAbove(sections map[string]int, path string) int {
	for range maxDepth {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			break
		}
		path = path[:i]
		if above, ok := sections[path]; ok {
			return above
		}
	}
	return 0
}

// maxDepth bounds the directories of one path that are told apart.
const maxDepth = 32

// addPaths adds paths below their directories. A line with a blank before its first slash is no path. A directory that is
// a line itself is the entry of what is below it.
func (t *tree) addPaths(text string) {
	dirs := map[string]int{} // by path without the last slash; 0: not there yet
	last := ""
	for l := range strings.Lines(text) {
		if dir := dirOf(strings.TrimRight(l, "\r\n")); dir != last {
			dirs[dir], last = 0, dir
		}
	}
	last = ""
	parent := 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if dir := dirOf(l); dir != last || dir == "" {
			parent, last = t.dir(dirs, dir), dir
		}
		i := t.add(parent, l, true)
		if known, ok := dirs[strings.TrimSuffix(l, "/")]; ok && known == 0 {
			dirs[strings.TrimSuffix(l, "/")] = i
		}
	}
}

// dirOf is the directory of a path, without the last slash; "" for none.
func dirOf(l string) string {
	if first := strings.IndexByte(l, '/'); first < 0 || strings.ContainsAny(l[:first], " \t") {
		return ""
	}
	return l[:max(strings.LastIndexByte(l[:len(l)-1], '/'), 0)]
}

// dir returns the entry of a directory, which it adds, with those above it, if it is not there.
func (t *tree) dir(dirs map[string]int, path string) int {
	parent := 0
	for from, depth := 0, 0; path != "" && from <= len(path) && depth < maxDepth; depth++ {
		end := len(path)
		if i := strings.IndexByte(path[from:], '/'); i >= 0 {
			end = from + i
		}
		from = end + 1
		if path[:end] == "" {
			continue
		}
		if dirs[path[:end]] == 0 {
			dirs[path[:end]] = t.add(parent, path[:end]+"/", false)
		}
		parent = dirs[path[:end]]
	}
	return parent
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
