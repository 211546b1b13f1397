package toollimit

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit/internal/grep"
)

// How a search divides its room.
const (
	hitNoteShare = 20 // percent for notes
	pathShare    = 12 // percent for the names of files without a match
	bestFiles    = 10 // files that come before the others
	bestMatches  = 3  // matches of each of them
)

// matchWidths are the lengths in runes to which matches are shortened, tried in turn. Those before shortWidth are used
// only if they show all matches, the last only if not even the best files have a match.
var matchWidths = []int{math.MaxInt, 200, 100, 60}

const shortWidth = 2

// digits are what the number of shown matches may take more than the 0 it is planned with.
var digits = size{2 * perToken, 4}

// search keeps matches before the names of files, and both before the lines around matches. at is the position after
// the gap line.
func (in *input) search(room size) (s string, at int) {
	if in.hits == nil {
		h := parseHits(grep.Group(in.text))
		h.rank(in.quota.Query)
		in.hits = &h
	}
	h := in.hits
	switch {
	case len(h.files) > 0:
	case mostlyPaths(in.text):
		return in.listing(room)
	default:
		s = in.plain(room)
		return s, len(s)
	}
	most := h.hits
	if in.quota.MaxMatches > 0 {
		most = min(most, in.quota.MaxMatches)
	}
	var best *hitChoice
	for i, width := range matchWidths {
		if i+1 < len(matchWidths) && h.longest <= matchWidths[i+1] {
			continue // the next shows as much of each match
		}
		c := h.choose(room, in.quota, width, most)
		if best == nil || c.shown > best.shown {
			best = c
		}
		if c.shown == most || i >= shortWidth && c.shown >= min(most, bestFiles, len(h.files)) {
			break
		}
	}
	if best.shown == 0 && best.named == 0 {
		s = h.notesOnly(room, in.quota.Pointer)
		return s, len(s)
	}
	return best.render(room, in.quota.Pointer)
}

// mostlyPaths reports whether at least half of the lines contain no white space.
func mostlyPaths(text string) bool {
	lines, paths := 0, 0
	for l := range strings.Lines(text) {
		lines++
		if l = strings.TrimSpace(l); l != "" && !strings.ContainsAny(l, " \t") {
			paths++
		}
	}
	return paths*2 >= lines
}

// A hitChoice is what is shown of a search.
type hitChoice struct {
	*hits
	notes, foot []sizedLine
	width       int   // of matches, in runes
	counts      []int // matches shown, by file
	shown       int   // matches shown
	named       int   // files shown without a match: the first of the order that have none
	away        int   // context lines up to that distance
	free        size
}

// choose takes what fits at a width, and at most so many matches: a match of each of the best files, then more of
// them, a match of every other file, more of all, names, context lines, and more names.
func (h *hits) choose(room size, q Quota, width, most int) *hitChoice {
	c := &hitChoice{hits: h, width: width, counts: make([]int, len(h.files))}
	c.free = room.minus(sizeOf(c.rest().line(room, q.Pointer))).minus(digits)
	notes := room.share(hitNoteShare)
	c.foot, notes = linesWithin(h.foot, notes)
	c.notes, _ = linesWithin(h.notes, notes)
	c.free = c.free.minus(total(c.foot)).minus(total(c.notes))

	best := h.order[:min(bestFiles, len(h.order))]
	var names size
	if h.hits == 0 || len(h.files) > most || !c.firstMatches().within(c.free) {
		if c.free = c.free.minus(sizeOf(c.moreFiles())); h.hits == 0 {
			names = c.free
		} else if names = c.free.share(pathShare); !h.files[h.order[0]].head.size.within(names) {
			names = size{}
		}
	}
	c.free = c.free.minus(names)
	c.takeFirst(best, most)
	for range bestMatches - 1 {
		c.takeMore(best, most)
	}
	c.takeFirst(h.order[len(best):], most)
	for active := h.order; len(active) > 0; {
		active = c.takeMore(active, most)
	}
	rest := c.free
	c.free = names
	c.takeNames()
	c.free = c.free.plus(rest)
	if c.shown == most {
		c.takeAround()
	}
	c.takeNames()
	return c
}

func linesWithin(ls []sizedLine, room size) (kept []sizedLine, left size) {
	for _, l := range ls {
		if l.size.within(room) {
			kept, room = append(kept, l), room.minus(l.size)
		}
	}
	return kept, room
}

// firstMatches is the size of one match of every file.
func (c *hitChoice) firstMatches() (z size) {
	for i := range c.files {
		z = z.plus(c.files[i].head.size)
		if f := &c.files[i]; len(f.matches) > 0 {
			z = z.plus(c.clip(f.matches[f.best], c.width).size)
		}
	}
	return z
}

// take shows one more match of a file, if it fits.
func (c *hitChoice) take(i, most int) bool {
	f, n := &c.files[i], c.counts[i]
	if n == len(f.matches) || c.shown == most {
		return false
	}
	z := c.clip(f.matches[f.nth(n)], c.width).size
	if n == 0 {
		z = z.plus(f.head.size)
	}
	if !z.within(c.free) {
		return false
	}
	c.free = c.free.minus(z)
	c.counts[i]++
	c.shown++
	return true
}

// takeFirst shows a match of each file that has any, up to the first that does not fit.
func (c *hitChoice) takeFirst(order []int, most int) {
	for _, i := range order {
		if len(c.files[i].matches) > 0 && !c.take(i, most) {
			return
		}
	}
}

// takeMore shows one more match of each file that shows some, and returns the files that may show yet more.
func (c *hitChoice) takeMore(order []int, most int) (active []int) {
	for _, i := range order {
		if c.counts[i] > 0 && c.take(i, most) {
			active = append(active, i)
		}
	}
	return active
}

// takeNames names files that show no match, in order, up to the first that does not fit.
func (c *hitChoice) takeNames() {
	n := 0
	for _, i := range c.order {
		if c.counts[i] > 0 {
			continue
		}
		if n++; n <= c.named {
			continue
		}
		z := c.files[i].head.size
		if !z.within(c.free) {
			return
		}
		c.free = c.free.minus(z)
		c.named++
	}
}

// missingFiles counts the files without a match that come after the first n of them.
func (c *hitChoice) missingFiles(n int) int {
	files := 0
	for _, count := range c.counts {
		if count == 0 {
			files++
		}
	}
	return files - n
}

// takeAround shows context lines of the matches that are shown, up to the largest distance at which all fit.
func (c *hitChoice) takeAround() {
	var at [maxAway + 1]size
	for i := range c.files {
		f := &c.files[i]
		if len(f.around) == 0 || c.counts[i] == 0 {
			continue
		}
		f.measure(c.matchesOf(i))
		for _, a := range f.around {
			if a.away <= maxAway {
				at[a.away] = at[a.away].plus(a.size)
			}
		}
	}
	for c.away < maxAway && at[c.away+1].within(c.free) {
		c.away++
		c.free = c.free.minus(at[c.away])
	}
}

// matchesOf returns the matches of a file that are shown, in the order of the text.
func (c *hitChoice) matchesOf(i int) []hitLine {
	f := &c.files[i]
	var shown []hitLine
	for n := range c.counts[i] {
		shown = append(shown, c.clip(f.matches[f.nth(n)], c.width))
	}
	slices.SortFunc(shown, func(a, b hitLine) int { return a.at - b.at })
	return shown
}

// moreFiles counts the files that are not shown, and their hits.
func (c *hitChoice) moreFiles() string {
	files, hits := 0, 0
	for _, i := range c.order {
		if c.counts[i] > 0 {
			continue
		}
		if files++; files > c.named {
			hits += c.files[i].hits
		}
	}
	s := "… and " + line.Count(files-c.named, "more file")
	if hits > 0 {
		s += " (" + line.Count(hits, "hit") + ")"
	}
	return s + "\n"
}

// notesOnly is shown if nothing else fits: the notes, and the number of files if it fits.
func (h *hits) notesOnly(room size, pointer string) string {
	c := &hitChoice{hits: h, width: math.MaxInt, counts: make([]int, len(h.files))}
	notes := textOf(h.text, h.notes)
	files := notes + c.moreFiles()
	for _, s := range []string{files + c.rest().line(room, pointer), files, notes} {
		if s != "" && sizeOf(s).within(room) {
			return s
		}
	}
	return prefix(h.text, room)
}

// rest describes what is missing.
func (c *hitChoice) rest() gap {
	shown, clipped := total(c.notes).plus(total(c.foot)), false
	for i := range c.files {
		f := &c.files[i]
		if c.counts[i] > 0 {
			shown = shown.plus(f.head.size)
		}
		for n := range c.counts[i] {
			m := c.clip(f.matches[f.nth(n)], c.width)
			shown, clipped = shown.plus(m.size), clipped || m.size != f.matches[f.nth(n)].size
		}
		for _, a := range f.around {
			if a.away <= c.away && c.away > 0 {
				shown = shown.plus(a.size)
			}
		}
	}
	what, next := strconv.Itoa(c.shown)+" of "+count(c.hits.hits, "match", "matches")+" shown", ""
	switch missing := c.missingFiles(c.named); {
	case c.shown < c.hits.hits && len(c.files) > 1:
		next = "best files first"
	case c.shown < c.hits.hits:
	case missing > 0:
		what = line.Count(missing, "file")
	case clipped:
		what = "long lines shortened"
	default:
		what = "lines around matches"
	}
	return gap{what: what, tokens: c.all.minus(shown).tokens(), next: next}
}

// render writes a choice: the files with their matches and those that are only named, in order, or in the order of the
// text if no match is missing. The position is after the gap line.
func (c *hitChoice) render(room size, pointer string) (s string, at int) {
	var b strings.Builder
	b.WriteString(textOf(c.text, c.notes))
	left, order := c.named, c.order
	if c.shown == c.hits.hits && c.missingFiles(c.named) == 0 {
		order = slices.Sorted(slices.Values(order))
	}
	for _, i := range order {
		f := &c.files[i]
		if c.counts[i] == 0 {
			if left--; left < 0 {
				continue
			}
		}
		b.WriteString(f.head.of(c.text))
		c.renderMatches(&b, i)
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	if c.missingFiles(c.named) > 0 {
		b.WriteString(c.moreFiles())
	}
	b.WriteString(c.rest().line(room, pointer))
	at = b.Len()
	b.WriteString(textOf(c.text, c.foot))
	return b.String(), at
}

// renderMatches writes the shown matches of a file with the lines around them.
func (c *hitChoice) renderMatches(b *strings.Builder, i int) {
	around := c.files[i].around
	until := func(at int) {
		for ; len(around) > 0 && around[0].at < at; around = around[1:] {
			if c.away > 0 && around[0].away <= c.away {
				b.WriteString(around[0].of(c.text))
			}
		}
	}
	for _, m := range c.matchesOf(i) {
		until(m.at)
		b.WriteString(m.text)
	}
	until(math.MaxInt)
}
