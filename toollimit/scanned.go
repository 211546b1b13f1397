package toollimit

import (
	"iter"
	"sync"

	"github.com/forayhq/foray/internal/identifier"
)

// scanned are the identifiers of the lines of a body, each scanned at most once, and what is known about them.
type scanned struct {
	words      identifier.Vocabulary
	lines      []identifier.Line
	names      []int32 // of all lines
	seen       []uint8 // by number: shown or seen elsewhere, new, or 0 for not asked
	head, tail int     // lines whose identifiers are shown
}

// scans keeps the memory of a scan for the next one: growing a vocabulary takes as long as filling it.
var scans = sync.Pool{New: func() any { return new(scanned) }}

// release ends a scan. The texts of the names belong to the caller's text, which must not be kept.
func (x *scanned) release() {
	if x.words.Len() <= mostKeptNames {
		x.words.Reset()
		clear(x.lines)
		*x = scanned{words: x.words, lines: x.lines[:0], names: x.names[:0], seen: x.seen[:0]}
		scans.Put(x)
	}
}

const mostKeptNames = 4_096 // of a scan whose memory is kept

const (
	shown = iota + 1
	unseen
)

// line returns a line of the body with its identifiers.
func (x *layout) line(i int) identifier.Line {
	for len(x.lines) < len(x.body) {
		x.lines = append(x.lines, identifier.Line{})
	}
	if l := &x.lines[i]; l.Names == nil {
		text := x.body[i].of(x.text)
		*l, x.names = x.words.Line(text[:min(len(text), maxNamesInput)], x.names)
		for len(x.seen) < x.words.Len() {
			x.seen = append(x.seen, 0)
		}
	}
	return x.lines[i]
}

// isSeen reports whether an identifier is shown or visible elsewhere.
func (x *layout) isSeen(number int32) bool {
	if x.seen[number] == 0 {
		x.seen[number] = unseen
		if x.share.seen(x.words.Name(number)) {
			x.seen[number] = shown
		}
	}
	return x.seen[number] == shown
}

// show records that a text is shown.
func (x *layout) show(text string) {
	for name := range identifier.All(text) {
		number := x.words.Number(name)
		for len(x.seen) < x.words.Len() {
			x.seen = append(x.seen, 0)
		}
		x.seen[number] = shown
	}
}

// missingNames yields the identifiers of the missing lines that are neither shown nor visible elsewhere.
func (x *layout) missingNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		bytes := 0
		for i := x.h; i < len(x.body)-x.t && bytes < maxNamesInput; i++ {
			bytes += x.body[i].end - x.body[i].at
			for _, number := range x.line(i).Names {
				if !x.isSeen(number) && !yield(x.words.Name(number)) {
					return
				}
			}
		}
	}
}
