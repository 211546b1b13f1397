package toollimit

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/toollimit/internal/grep"
	"github.com/forayhq/foray/toollimit/line"
)

// shortMatch is the length in runes to which matches are shortened if that shows more of them.
const shortMatch = 120

// search keeps notes, then files with counts, then matches, then context lines. It shows fewer matches in each file
// before it shows fewer files. at is the position after the gap line.
func (in *input) search(room size) (s string, at int) {
	if in.hits == nil {
		h := parseHits(grep.Group(in.text))
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
	s, at, matches := h.selectWithin(room, in.quota)
	if matches < min(len(h.files), h.hits) && h.hasLong() {
		clipped := parseHits(clipLines(h.text, shortMatch))
		clipped.clipped = sizeOf(h.text).minus(sizeOf(clipped.text))
		if short, end, more := clipped.selectWithin(room, in.quota); more > matches {
			return short, end
		}
	}
	return s, at
}

func (h *hits) hasLong() bool {
	return slices.ContainsFunc(h.files, func(f fileHits) bool {
		return slices.ContainsFunc(f.matches, func(m sizedLine) bool { return m.runes > shortMatch })
	})
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

func clipLines(text string, n int) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(clipMatch(strings.TrimSuffix(l, "\n"), n))
		b.WriteByte('\n')
	}
	return b.String()
}

// clipMatch truncates a line. If the line was already shortened around its match, the match is in the middle of the
// rest.
func clipMatch(s string, n int) string {
	const start = " …"
	i := strings.Index(s[:min(len(s), shortMatch)], start)
	if i < 0 || len(s) <= n {
		return line.Truncate(s, n)
	}
	head, middle := s[:i+1], s[i+1:]
	half := max(n-Runes(head), 2) / 2
	over := max(Runes(middle)/2-half, 0)
	for range over {
		_, w := utf8.DecodeRuneInString(middle)
		middle = middle[w:]
	}
	return head + "…" + line.Truncate(middle, 2*half)
}

type choice struct {
	files   int
	matches []int // of each file
	away    int   // context lines up to that distance
}

// selectWithin renders what fits. The position is after the gap line.
func (h *hits) selectWithin(room size, q Quota) (s string, at, matches int) {
	notes := total(h.notes)
	if !notes.within(room) {
		s = prefix(h.text, room) // notes are dropped last
		return s, len(s), 0
	}
	ch := choice{matches: make([]int, len(h.files))}
	mark := h.rest(ch).line(room, q.Pointer)
	free := room.minus(notes).minus(total(h.foot)).minus(sizeOf(mark))
	left := math.MaxInt
	if q.MaxMatches > 0 {
		left = q.MaxMatches
	}
	free = h.chooseFiles(&ch, free)
	matches = h.chooseMatches(&ch, free, left)
	if ch.files == 0 {
		s = h.notesOnly(room, q.Pointer)
		return s, len(s), 0
	}
	s, at = h.render(ch, room, q.Pointer)
	return s, at, matches
}

// notesOnly is shown if no file name fits: the notes, and the number of files if it fits.
func (h *hits) notesOnly(room size, pointer string) string {
	notes := textOf(h.text, h.notes)
	files := notes + h.moreFiles(0)
	full := files + h.rest(choice{matches: make([]int, len(h.files))}).line(room, pointer)
	for _, s := range []string{full, files, notes} {
		if s != "" && sizeOf(s).within(room) {
			return s
		}
	}
	return ""
}

// chooseFiles takes as many names as fit and returns the remaining room.
func (h *hits) chooseFiles(ch *choice, free size) size {
	var names size
	for _, f := range h.files {
		names = names.plus(f.head.size)
	}
	if names.within(free) {
		ch.files = len(h.files)
		return free.minus(names)
	}
	free = free.minus(sizeOf(h.moreFiles(0)))
	for _, f := range h.files {
		if !f.head.size.within(free) {
			break
		}
		free = free.minus(f.head.size)
		ch.files++
	}
	return free
}

// moreFiles counts the files from index n on, and their hits.
func (h *hits) moreFiles(n int) string {
	hits := 0
	for _, f := range h.files[n:] {
		hits += len(f.matches)
	}
	s := "… and " + line.Count(len(h.files)-n, "more file")
	if hits > 0 {
		s += " (" + line.Count(hits, "hit") + ")"
	}
	return s + "\n"
}

// chooseMatches gives all files the same number of matches, as large as fits, then one more to the first files. If it
// shows all matches, context lines get the rest of the room. It returns the number of matches.
func (h *hits) chooseMatches(ch *choice, free size, left int) (n int) {
	most := 0
	for _, f := range h.files[:ch.files] {
		most = max(most, len(f.matches))
	}
	same := sort.Search(most, func(n int) bool {
		z, matches := h.each(ch.files, n+1)
		return !z.within(free) || matches > left
	})
	z, n := h.each(ch.files, same)
	free, left = free.minus(z), left-n
	for i, f := range h.files[:ch.files] {
		ch.matches[i] = min(same, len(f.matches))
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

// each returns the size and the number of the first m matches of each of the first files.
func (h *hits) each(files, m int) (z size, n int) {
	for _, f := range h.files[:files] {
		k := min(m, len(f.matches))
		z, n = z.plus(total(f.matches[:k])), n+k
	}
	return z, n
}

// chooseAround returns the largest distance up to which all context lines fit.
func (h *hits) chooseAround(free size) (away int) {
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

func (h *hits) rest(ch choice) gap {
	shown, sum := 0, h.clipped
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
	what := strconv.Itoa(shown) + " of " + count(h.hits, "match", "matches") + " shown"
	switch {
	case shown == h.hits && ch.files < len(h.files):
		what = line.Count(len(h.files)-ch.files, "file")
	case shown == h.hits && h.clipped.runes > 0:
		what = "long lines shortened"
	case shown == h.hits:
		what = "lines around matches"
	}
	return gap{what: what, tokens: sum.tokens()}
}

// render writes a choice. The position is after the gap line.
func (h *hits) render(ch choice, room size, pointer string) (s string, at int) {
	var b strings.Builder
	b.WriteString(textOf(h.text, h.notes))
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
		b.WriteString(h.moreFiles(ch.files))
	}
	b.WriteString(h.rest(ch).line(room, pointer))
	at = b.Len()
	b.WriteString(textOf(h.text, h.foot))
	return b.String(), at
}
