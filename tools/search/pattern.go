package search

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"sync"

	"github.com/forayhq/foray/tools/tree"
)

// A pattern is one pattern of a query, compiled. It finds lines or, if multiline, matches that may cross lines. It is
// safe for concurrent use.
type pattern struct {
	source    string
	tree      *syntax.Regexp
	plain     []byte  // if set, the pattern is just this text and needs no regexp
	needles   needles // one of them occurs in every match
	re        *regexp.Regexp
	group     int // group of re that is the match: 1 for a whole word, else 0
	multiline bool
	resume    func() *regexp.Regexp // re after one more rune and a gap; its group 1 is the match of re
	cost      int                   // instructions of the program, about until it is built: the most steps a byte
	automata  *sync.Pool            // of *automaton, nil if the program is too large for one
}

// options say how to read a pattern.
type options struct {
	literal, fold, word, multiline bool
}

// errTooLarge means that a pattern would take too long on a text.
var errTooLarge = errors.New("text too large for the pattern")

// maxSteps bounds the work of a regexp on a text that cannot be split: instructions × bytes, about a second.
const maxSteps = 1 << 27

// A span is one hit: where its line or lines start and end, and the match in them. A rough one has only the end of the
// match as start and end; [pattern.locate] makes it exact.
type span struct {
	from, to, start, end int
	rough                bool
}

// maxChunk bounds the bytes times instructions of one call of a regexp, so that it stays in its fast path, which keeps
// a bit for each (32 kB).
const maxChunk = 1 << 18

// each yields the hits in data, whose lines end in LF, until yield returns false. It returns errTooLarge for a line
// that is too long for the pattern, and the error of [tree.Expired] when the time is up.
func (m *pattern) each(ctx context.Context, data []byte, yield func(span) bool) error {
	switch {
	case m.multiline:
		return m.places(ctx, data, yield)
	case len(m.needles.list) > 0 && !m.needles.foldMisses(data):
		return m.byNeedle(ctx, data, yield)
	default:
		return m.byLine(ctx, data, yield)
	}
}

// byLine finds the lines with a match with the automaton.
func (m *pattern) byLine(ctx context.Context, data []byte, yield func(span) bool) error {
	a := m.automaton()
	if a == nil {
		return m.byChunk(ctx, data, 0, yield)
	}
	defer m.automata.Put(a)
	text := bytes.TrimSuffix(data, []byte("\n"))
	for at := 0; at < len(data); {
		i, ok := a.find(text[min(at, len(text)):])
		switch {
		case !ok:
			return m.byChunk(ctx, data, at, yield)
		case i < 0:
			return nil
		}
		h := lineAround(data, at, at+i)
		h.start, h.end, h.rough = at+i, at+i, true
		if !yield(h) {
			return nil
		}
		at = h.to + 1
	}
	return nil
}

func (m *pattern) automaton() (a *automaton) {
	if m.automata != nil {
		a, _ = m.automata.Get().(*automaton)
	}
	return a
}

func (m *pattern) byNeedle(ctx context.Context, data []byte, yield func(span) bool) error {
	s := newScan(data, &m.needles)
	var a *automaton
	if m.plain == nil {
		if a = m.automaton(); a != nil {
			defer m.automata.Put(a)
		}
	}
	for at := 0; at < len(data); {
		i := s.next(at)
		if i < 0 {
			return nil
		}
		h := lineAround(data, at, i)
		at = h.to + 1
		end, sure := a.find(data[h.from:h.to])
		switch {
		case m.plain != nil:
			h.start, h.end = i, i+len(m.plain)
		case end < 0 && sure:
			continue
		case end >= 0:
			h.start, h.end, h.rough = h.from+end, h.from+end, true
		case tree.Expired(ctx) != nil:
			return tree.Expired(ctx)
		case m.tooLong(&h):
			return errTooLarge
		case !m.locate(data, &h):
			continue
		}
		if !yield(h) {
			return nil
		}
	}
	return nil
}

// lineAround returns the line that holds the byte i, and starts at or after at.
func lineAround(data []byte, at, i int) span {
	h := span{from: at, to: len(data)}
	if n := bytes.LastIndexByte(data[at:i], '\n'); n >= 0 {
		h.from = at + n + 1
	}
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		h.to = i + n
	}
	return h
}

// tooLong reports whether the line h is too long for the regexp.
func (m *pattern) tooLong(h *span) bool { return (h.to-h.from)*m.cost > maxSteps }

// locate finds the match in the line h with the regexp, and reports whether it has one. A rough h stays so if its line
// is too long.
func (m *pattern) locate(data []byte, h *span) bool {
	if h.rough && m.tooLong(h) {
		return true
	}
	loc := m.re.FindSubmatchIndex(data[h.from:h.to])
	if loc == nil {
		return h.rough
	}
	h.start, h.end, h.rough = h.from+loc[2*m.group], h.from+loc[2*m.group+1], false
	return true
}

// byChunk runs the regexp on chunks of whole lines that keep it in its fast path, from the line that starts at at. It
// serves patterns that are too large for an automaton. It is slow, so it checks the time before each chunk.
func (m *pattern) byChunk(ctx context.Context, data []byte, at int, yield func(span) bool) error {
	most := max(maxChunk/max(m.cost, 1), 256)
	for at < len(data) {
		if err := tree.Expired(ctx); err != nil {
			return err
		}
		end := min(at+most, len(data))
		if n := bytes.LastIndexByte(data[at:end], '\n'); n >= 0 && end < len(data) {
			end = at + n + 1
		} else if n := bytes.IndexByte(data[end:], '\n'); n >= 0 && end < len(data) {
			end += n + 1
		} else {
			end = len(data)
		}
		if (end-at)*m.cost > maxSteps {
			return errTooLarge
		}
		chunk := bytes.TrimSuffix(data[at:end], []byte("\n"))
		loc := m.re.FindSubmatchIndex(chunk)
		if loc == nil {
			at = end
			continue
		}
		start, stop := at+loc[2*m.group], at+loc[2*m.group+1]
		h := lineAround(data, at, start)
		h.start, h.end = start, min(stop, h.to)
		if !yield(h) {
			return nil
		}
		at = h.to + 1
	}
	return nil
}
