package toollimit

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// An entry is a line of a listing, or a directory that only the paths below it mention.
type entry struct {
	text    string // without the newline; a directory of paths ends in "/"
	own     bool   // text is a line of the listing
	kids    []int
	count   int // entries below
	shown   int // kids shown
	hidden  size
	visible size
}

// A tree is a parsed listing; entry 0 is its root.
type tree struct {
	notes, foot string
	drawn       bool // with box characters
	entries     []entry
}

// parseTree parses a listing that is drawn with branches, has a section per directory, is indented by two spaces per
// level, or has one path per line.
func parseTree(text string, room size) *tree {
	ls := linesOf(text)
	lead, trail, _ := noteLines(text, ls, room.share(noteShare))
	t := &tree{entries: make([]entry, 1, len(ls)+len(ls)/4+8)}
	if len(ls) == lead+trail {
		return t
	}
	body := ls[lead : len(ls)-trail]
	t.notes, t.foot = text[:body[0].at], text[body[len(body)-1].end:]
	text = text[body[0].at:body[len(body)-1].end]
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

func (t *tree) add(parent int, s string, own bool) int {
	i := len(t.entries)
	t.entries = append(t.entries, entry{text: s, own: own})
	t.entries[parent].kids = append(t.entries[parent].kids, i)
	return i
}

const (
	// branchEnd precedes each name of a drawn tree; branches are all characters that trees are drawn with.
	branchEnd = "── "
	branches  = "│├└─|`+- \u00a0"
)

// branchDepth is the level of a line of a drawn tree: four characters per level, none for the root.
func branchDepth(l string) int {
	rest := strings.TrimLeft(l, branches)
	return (line.Runes(l) - line.Runes(rest)) / 4
}

func blankDepth(l string) int { return (len(l) - len(strings.TrimLeft(l, " "))) / 2 }

// addNested adds lines whose level shows in their beginning.
func (t *tree) addNested(text string, depthOf func(string) int) {
	type level struct{ depth, entry int }
	path := []level{{-1, 0}}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \r\n")
		if l == "" {
			continue
		}
		depth := depthOf(l)
		path = slices.DeleteFunc(path, func(p level) bool { return p.depth >= depth })
		path = append(path, level{depth, t.add(path[len(path)-1].entry, l, true)})
	}
}

// hasSections reports whether a listing has several directories, each under a line "path:".
func hasSections(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return isSection(first) || strings.Contains(text, ":\n") && strings.Contains(text, "\n\n")
}

func isSection(l string) bool {
	return len(l) > 1 && strings.HasSuffix(strings.TrimRight(l, "\r"), ":")
}

// addSections adds the sections of directories, nested by their paths.
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

// sectionAbove returns the section of the nearest parent directory of a path, or the root.
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

// maxDepth bounds the directories of a path that become entries of their own.
const maxDepth = 32

// addPaths adds paths under their directories. A line with white space before its first slash is not a path. A
// directory with a line of its own is the entry of its contents.
func (t *tree) addPaths(text string) {
	dirs := map[string]int{} // by path without the last slash; 0: not yet added
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

// dirOf is the directory of a path, without the last slash, or "".
func dirOf(l string) string {
	if first := strings.IndexByte(l, '/'); first < 0 || strings.ContainsAny(l[:first], " \t") {
		return ""
	}
	return l[:max(strings.LastIndexByte(l[:len(l)-1], '/'), 0)]
}

// dir returns the entry of a directory, and adds it and its parents if needed.
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

// count sums the entries below each entry, and measures each with its entries hidden and shown. Children follow their
// parents, so one backward pass is enough.
func (t *tree) count() {
	parent := make([]int, len(t.entries))
	for i, e := range t.entries {
		for _, k := range e.kids {
			parent[k] = i
		}
	}
	for i := len(t.entries) - 1; i > 0; i-- {
		e := &t.entries[i]
		e.hidden = lineSize(e.collapsedLine())
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

// collapsedLine is the line of an entry whose entries are hidden.
func (e *entry) collapsedLine() string {
	if e.count == 0 {
		return e.text
	}
	return e.text + " (" + entryCount(e.count) + ")"
}

func entryCount(n int) string { return count(n, "entry", "entries") }

// count is [line.Count] for a noun with a plural of its own.
func count(n int, noun, plural string) string {
	if n == 1 {
		return "1 " + noun
	}
	return line.Number(n) + " " + plural
}
