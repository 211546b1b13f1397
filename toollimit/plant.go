package toollimit

import "strings"

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
