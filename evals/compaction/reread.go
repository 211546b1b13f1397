package compaction

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
)

// The price of reading a text again, in units of an uncached input token: one more request with the window from the
// cache, the tokens of the call as output, and the result, written to the cache once and read from it as long as it
// stays.
const (
	costOutput   = 5
	callTokens   = 60    // of the call, and of the framing of its result
	rereadTokens = 2_000 // at most, of the text that is read
	rereadStays  = 4     // requests after the one that needed it
)

// A text read again must cover one identifier, one line of an old text, or this many other lines.
const worthLines = 3

// A source is a message of the recording that could be read again.
type source struct {
	at     spot
	tokens int
	ids    set
	lines  set
}

// A reread is a source that was read again, and the last request in which it is visible.
type reread struct{ source, until int }

// A needs is what the calls of a message refer to and the view does not show.
type needs struct {
	ids, lines []int
}

func (n *needs) empty() bool { return len(n.ids) == 0 && len(n.lines) == 0 }

// without removes what a source holds.
func (n *needs) without(s *source) {
	n.ids = slices.DeleteFunc(n.ids, s.ids.has)
	n.lines = slices.DeleteFunc(n.lines, s.lines.has)
}

// addSource records a message that later requests may need.
func (s *script) addSource(at spot, m *transcript.Message) {
	text := s.recorded(m.Text, false)
	one := source{at: at, ids: slices.Clone(text.ids), lines: slices.Clone(text.lines)}
	quarters := text.quarters
	for _, call := range m.Calls {
		args := s.recorded(string(call.Args), true)
		one.ids.or(args.ids)
		one.lines.or(args.lines)
		quarters += args.quarters
	}
	one.tokens = recording.Tokens(quarters)
	number := len(s.sources)
	for n := range s.idSources {
		if one.ids.has(n) {
			s.idSources[n] = append(s.idSources[n], number)
		}
	}
	for n := range s.lineSources {
		if one.lines.has(n) {
			s.lineSources[n] = append(s.lineSources[n], number)
		}
	}
	s.sources = append(s.sources, one)
}

// readAgain counts the sources that must be read again before a target, and their price: a greedy cover of what the
// view lacks by messages of earlier units. Of sources that cover equally much, it takes the newest.
func (r *replay) readAgain(t *target, v *seen, quarters int) {
	y := r.tally
	missing := needs{ids: v.unlisted.without(t.deps), lines: v.lines.without(t.lines)}
	r.rereads = slices.DeleteFunc(r.rereads, func(x reread) bool { return x.until < y.Requests })
	for _, x := range r.rereads {
		missing.without(&r.sources[x.source])
	}
	for !missing.empty() {
		best := r.bestSource(t, &missing)
		if best < 0 {
			return
		}
		read := &r.sources[best]
		missing.without(read)
		r.rereads = append(r.rereads, reread{best, y.Requests + rereadStays})
		y.Rereads++
		y.RereadCost += costCached*float64(quarters)/4 + costOutput*callTokens +
			(costNew+rereadStays*costCached)*float64(callTokens+min(read.tokens, rereadTokens))
	}
}

// A coverage is what one source covers of what is missing.
type coverage struct{ ids, anchors, lines int }

func (c coverage) worth() bool { return c.ids > 0 || c.anchors > 0 || c.lines >= worthLines }

// bestSource returns the source before a target that covers the most of what is missing, or -1 if none is worth
// reading.
func (r *replay) bestSource(t *target, missing *needs) int {
	covers := make(map[int]coverage)
	count := func(sources []int, add func(*coverage)) {
		for _, n := range sources {
			if r.sources[n].at.unit >= t.unit {
				return
			}
			c := covers[n]
			add(&c)
			covers[n] = c
		}
	}
	for _, id := range missing.ids {
		count(r.idSources[id], func(c *coverage) { c.ids++ })
	}
	for _, line := range missing.lines {
		anchor := slices.Contains(t.anchors, line)
		count(r.lineSources[line], func(c *coverage) {
			if c.lines++; anchor {
				c.anchors++
			}
		})
	}
	best := -1
	for n, c := range covers {
		if !c.worth() {
			continue
		}
		if best < 0 || c.ids+c.lines > covers[best].ids+covers[best].lines ||
			c.ids+c.lines == covers[best].ids+covers[best].lines && n > best {
			best = n
		}
	}
	return best
}
