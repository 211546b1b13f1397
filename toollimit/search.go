package toollimit

import (
	"math"
	"strconv"
	"strings"
)

// The lines of a search result: notes first, then groups of a file's name with its number of hits, each followed by
// matches ("L12 text") and lines around them ("L11- text").

// A sized is a line and what it takes.
type sized struct {
	line
	size
}

func total(ls []sized) (t size) {
	for _, l := range ls {
		t = t.plus(l.size)
	}
	return t
}

// A found is the file of a group: its head line, its matches, and the lines around them.
type found struct {
	head    sized
	matches []sized
	around  []near
}

// A near is a line around a match, and how many lines away the next match is.
type near struct {
	sized
	away int
}

// A hunt is a search result taken apart.
type hunt struct {
	text        string
	notes, foot []sized
	files       []found
	hits        int
}

// matchLine reports whether s is a match, as "L12 text", or "L12-14 text" for one of several lines; aroundLine whether it
// is a line around one, as "L11- text".
func matchLine(s string) bool {
	after := afterNumber(s)
	if strings.HasPrefix(after, "-") {
		after = strings.TrimLeft(after[1:], "0123456789")
		return len(after) > 0 && after[0] != '-' && !aroundLine(s)
	}
	return after != "" && strings.IndexByte(" \t:", after[0]) >= 0
}

func aroundLine(s string) bool {
	after := afterNumber(s)
	return strings.HasPrefix(after, "-") && (len(after) == 1 || after[1] < '0' || after[1] > '9')
}

// afterNumber returns what stands behind "L" and a number; "" if s does not begin so.
func afterNumber(s string) string {
	if len(s) < 2 || s[0] != 'L' || s[1] < '0' || s[1] > '9' {
		return ""
	}
	return strings.TrimLeft(s[1:], "0123456789")
}

// fileLine reports whether s names a file with its hits, as "path (12 hits)".
func fileLine(s string) bool {
	s = strings.TrimRight(s, " \r\n")
	return strings.HasSuffix(s, " hits)") || strings.HasSuffix(s, "(1 hit)")
}

// grepLine takes "path:12:text" apart.
func grepLine(s string) (path, number, text string, ok bool) {
	path, rest, ok := strings.Cut(s, ":")
	if !ok || path == "" {
		return "", "", "", false
	}
	number, text, ok = strings.Cut(rest, ":")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return "", "", "", false
	}
	return path, number, text, true
}

// withinMatches reports whether text has no more matches, or entries, than q allows.
func withinMatches(k Kind, text string, q Quota) bool {
	return q.MaxMatches <= 0 || countMatches(k, text) <= q.MaxMatches
}

func countMatches(k Kind, text string) (n int) {
	if k != Search && k != Listing {
		return 0
	}
	for l := range strings.Lines(text) {
		switch {
		case k == Listing:
			if strings.TrimSpace(l) != "" && !isNote(l) {
				n++
			}
		case matchLine(l):
			n++
		default:
			if _, _, _, ok := grepLine(l); ok {
				n++
			}
		}
	}
	return n
}

// grouped rewrites "path:12:text" lines as groups. It leaves a text alone that has fewer than half of its lines so.
func grouped(text string) string {
	var b strings.Builder
	lines, matched := 0, 0
	var group []string
	last := ""
	flush := func() {
		if len(group) > 0 {
			b.WriteString(last + " (" + plural(len(group), "hit") + ")\n" + strings.Join(group, ""))
			group = group[:0]
		}
	}
	for l := range strings.Lines(text) {
		lines++
		path, number, found, ok := grepLine(l)
		if !ok {
			flush()
			last = ""
			b.WriteString(l)
			continue
		}
		if path != last {
			flush()
			last = path
		}
		matched++
		group = append(group, "L"+number+" "+strings.TrimLeft(strings.TrimRight(found, "\r\n"), " \t")+"\n")
	}
	flush()
	if matched*2 < lines {
		return text
	}
	return b.String()
}

func takeApart(text string) hunt {
	h := hunt{text: text}
	for _, l := range linesOf(text) {
		s := l.of(text)
		l := sized{l, sizeOf(s)}
		switch {
		case fileLine(s) && !matchLine(s) && !aroundLine(s):
			h.files = append(h.files, found{head: l})
		case len(h.files) == 0:
			h.notes = append(h.notes, l)
		case matchLine(s):
			f := &h.files[len(h.files)-1]
			f.matches = append(f.matches, l)
			h.hits++
		case isNote(s):
			h.foot = append(h.foot, l)
		default:
			f := &h.files[len(h.files)-1]
			f.around = append(f.around, near{sized: l})
		}
	}
	for i := range h.files {
		h.files[i].measure()
	}
	return h
}

// measure sets how far each line around is from the next match, in lines.
func (f *found) measure() {
	m := 0
	for i := range f.around {
		a := &f.around[i]
		a.away = math.MaxInt
		for m < len(f.matches) && f.matches[m].at < a.at {
			m++
		}
		if m < len(f.matches) {
			a.away = between(f, a.at, f.matches[m].at)
		}
		if m > 0 {
			a.away = min(a.away, 1+between(f, f.matches[m-1].at, a.at))
		}
	}
}

// between counts the lines around that stand from one place to another, as a distance.
func between(f *found, from, to int) (n int) {
	lo, hi := 0, len(f.around)
	for lo < hi {
		if mid := (lo + hi) / 2; f.around[mid].at < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(f.around) && f.around[lo].at < to && n < maxAway; lo++ {
		n++
	}
	return n
}

// maxAway is the farthest that a line around counts as near to its match: the 20 lines that a search may ask for.
const maxAway = 20

// clippedMatch is the length in runes to which matches are cut when no whole one fits.
const clippedMatch = 120

// search keeps notes, then files with counts, then matches, fewer in each file before fewer files, then lines around.
func (c *cutter) search(room size) string {
	h := takeApart(grouped(c.text))
	if len(h.files) == 0 {
		return c.listing(room) // names of files alone
	}
	s, matches := h.selectWithin(room, c.quota)
	if matches == 0 && h.hits > 0 {
		h = takeApart(clipLines(h.text, clippedMatch))
		s, _ = h.selectWithin(room, c.quota)
	}
	return s
}

func clipLines(text string, n int) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(clip(strings.TrimSuffix(l, "\n"), n))
		b.WriteByte('\n')
	}
	return b.String()
}

// A choice is what of a hunt is shown.
type choice struct {
	files   int
	matches []int // of each file
	away    int   // lines around matches up to that distance
}

func (h *hunt) selectWithin(room size, q Quota) (s string, matches int) {
	var ch choice
	var used size
	if used = total(h.notes); !used.within(room) {
		return prefix(h.text, room), 0 // the note is the last thing to be lost
	}
	used = used.plus(total(h.foot))
	mark := h.gap(choice{matches: make([]int, len(h.files))}).line(room, q.Pointer)
	free := room.minus(used).minus(sizeOf(mark))
	left := math.MaxInt
	if q.MaxMatches > 0 {
		left = q.MaxMatches
	}
	free = h.chooseFiles(&ch, free)
	matches = h.chooseMatches(&ch, free, left)
	if ch.files == 0 {
		return h.notesOnly(room, q.Pointer), 0
	}
	return h.render(ch, room, q.Pointer), matches
}

// notesOnly is what is left when no file's name fits: the notes, and how many files there are if that fits.
func (h *hunt) notesOnly(room size, pointer string) string {
	var notes string
	for _, l := range h.notes {
		notes += l.of(h.text)
	}
	full := notes + moreFiles(len(h.files)) + h.gap(choice{matches: make([]int, len(h.files))}).line(room, pointer)
	for _, s := range []string{full, notes + moreFiles(len(h.files)), notes} {
		if s != "" && sizeOf(s).within(room) {
			return s
		}
	}
	return ""
}

// chooseFiles takes as many names as fit, and returns the room that is left.
func (h *hunt) chooseFiles(ch *choice, free size) size {
	more := sizeOf(moreFiles(len(h.files)))
	var names size
	for _, f := range h.files {
		names = names.plus(f.head.size)
	}
	if names.within(free) {
		ch.files = len(h.files)
		return free.minus(names)
	}
	free = free.minus(more)
	for _, f := range h.files {
		if !f.head.size.within(free) {
			break
		}
		free = free.minus(f.head.size)
		ch.files++
	}
	return free
}

func moreFiles(n int) string { return "… and " + plural(n, "more file") + "\n" }

// chooseMatches gives each file the same number of matches, the most that fits, then one more to the first ones, and
// lines around when all matches are shown. It returns the number of matches.
func (h *hunt) chooseMatches(ch *choice, free size, left int) (n int) {
	ch.matches = make([]int, len(h.files))
	most := 0
	for _, f := range h.files[:ch.files] {
		most = max(most, len(f.matches))
	}
	lo, hi := 0, most
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if z, n := h.each(ch.files, mid); z.within(free) && n <= left {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	z, n := h.each(ch.files, lo)
	free, left = free.minus(z), left-n
	for i, f := range h.files[:ch.files] {
		ch.matches[i] = min(lo, len(f.matches))
		if k := ch.matches[i]; k < len(f.matches) && left > 0 && f.matches[k].size.within(free) {
			ch.matches[i]++
			free, left, n = free.minus(f.matches[k].size), left-1, n+1
		}
	}
	if n == h.hits {
		ch.away = h.chooseAround(free)
	}
	return n
}

// each returns what the first m matches of each of the first files take, and their number.
func (h *hunt) each(files, m int) (z size, n int) {
	for _, f := range h.files[:files] {
		k := min(m, len(f.matches))
		z, n = z.plus(total(f.matches[:k])), n+k
	}
	return z, n
}

// chooseAround returns the largest distance up to which all lines around fit.
func (h *hunt) chooseAround(free size) (away int) {
	var at [maxAway + 1]size
	for _, f := range h.files {
		for _, a := range f.around {
			if a.away <= maxAway {
				at[a.away] = at[a.away].plus(a.size)
			}
		}
	}
	for away < maxAway && at[away+1].within(free) {
		away++
		free = free.minus(at[away])
	}
	return away
}

func (h *hunt) gap(ch choice) gap {
	shown, sum := 0, size{}
	for i, f := range h.files {
		shown += ch.matches[i]
		sum = sum.plus(total(f.matches[ch.matches[i]:]))
		for _, a := range f.around {
			if a.away > ch.away {
				sum = sum.plus(a.size)
			}
		}
		if i >= ch.files {
			sum = sum.plus(f.head.size)
		}
	}
	what := strconv.Itoa(shown) + " of " + plural(h.hits, "match") + " shown"
	if shown == h.hits {
		what = "lines around matches"
	}
	return gap{what: strings.Replace(what, "matchs", "matches", 1), tokens: sum.tokens()}
}

func (h *hunt) render(ch choice, room size, pointer string) string {
	var b strings.Builder
	for _, l := range h.notes {
		b.WriteString(l.of(h.text))
	}
	for i, f := range h.files[:ch.files] {
		b.WriteString(f.head.of(h.text))
		a := 0
		around := func(until int) {
			for ; a < len(f.around) && f.around[a].at < until; a++ {
				if f.around[a].away <= ch.away {
					b.WriteString(f.around[a].of(h.text))
				}
			}
		}
		for _, m := range f.matches[:ch.matches[i]] {
			around(m.at)
			b.WriteString(m.of(h.text))
		}
		around(math.MaxInt)
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	if ch.files < len(h.files) {
		b.WriteString(moreFiles(len(h.files) - ch.files))
	}
	b.WriteString(h.gap(ch).line(room, pointer))
	for _, l := range h.foot {
		b.WriteString(l.of(h.text))
	}
	return b.String()
}
