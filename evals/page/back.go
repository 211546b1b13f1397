package page

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// wholly says that all of a message came back.
const wholly = -1

// Shorter lines, such as a brace or a return, are in too many texts to say where they are from. A result that is new
// may share a line or two with one that is gone.
const (
	leastLine    = 24 // bytes
	leastResults = 3  // lines of a result
)

// A memory knows which lines the requests of an agent held.
type memory struct {
	seen map[int]bool   // messages
	held map[uint64]int // how often the last request holds a line; 0 if only earlier ones do
}

var lineSeed = maphash.MakeSeed()

// linesOf returns hashes of the lines of a message that few others have. What the runtime wrote has none: a digest
// quotes what is gone.
func linesOf(m *transcript.Message) (lines []uint64) {
	if m.Origin == transcript.Runtime {
		return nil
	}
	for one := range strings.Lines(m.Text) {
		one = strings.TrimSpace(one)
		if number, rest, found := strings.Cut(one, "] "); found && strings.Trim(number, "[0123456789") == "" {
			one = rest // as in the block of earlier lines
		}
		if len(one) >= leastLine {
			lines = append(lines, maphash.String(lineSeed, one))
		}
	}
	return lines
}

// back returns how many lines of a message an earlier request held and the last one did not, or wholly.
func (b *memory) back(index int, lines []uint64, result bool) int {
	if b.seen[index] && !slices.ContainsFunc(lines, func(l uint64) bool { return b.held[l] > 0 }) {
		return wholly
	}
	n := 0
	for _, l := range lines {
		if count, known := b.held[l]; known && count == 0 {
			n++
		}
	}
	switch {
	case result && n > 0 && n == len(lines):
		return wholly
	case result && n < leastResults:
		return 0
	}
	return n
}

// hold replaces messages of the last request with those of the next one.
func (b *memory) hold(gone, now []int, lines [][]uint64) {
	for _, m := range gone {
		for _, l := range lines[m] {
			b.held[l]--
		}
	}
	for _, m := range now {
		b.seen[m] = true
		for _, l := range lines[m] {
			b.held[l]++
		}
	}
}
