package search

import (
	"context"
	"unicode/utf8"

	"github.com/forayhq/foray/tools/tree"
)

// places finds matches that may cross lines. Matches do not overlap. It checks the time before each, since each may
// read the text to its end.
func (m *pattern) places(ctx context.Context, data []byte, yield func(span) bool) error {
	if len(m.needles.list) > 0 && !m.needles.foldMisses(data) && newScan(data, &m.needles).next(0) < 0 {
		return nil
	}
	if len(data)*m.cost > maxSteps {
		return errTooLarge
	}
	l := span{to: -1} // the line where the last match ends
	for at, last := 0, -1; at <= len(data); {
		if err := tree.Expired(ctx); err != nil {
			return err
		}
		from, to, start, end, ok := m.from(data, at)
		if !ok || start == len(data) && (start == 0 || data[start-1] == '\n') {
			return nil // no line follows the last newline
		}
		if at = to; from == to {
			_, size := utf8.DecodeRune(data[to:])
			at += max(size, 1)
			if from == last { // no empty match directly after another
				continue
			}
		}
		last = to
		if start > l.to {
			l = lineAround(data, l.to+1, start)
		}
		h := l
		if end := max(start, end-1); end > l.to {
			l = lineAround(data, l.to+1, end)
		}
		h.to, h.start, h.end = l.to, start, end
		if !yield(h) {
			return nil
		}
	}
	return nil
}

// from returns the first match of the regexp at or after at, and in it the group that is the match.
func (m *pattern) from(data []byte, at int) (from, to, start, end int, ok bool) {
	re, group, base := m.re, m.group, 0
	if at > 0 { // the text begins one rune earlier, on which anchors at the match depend
		_, size := utf8.DecodeLastRune(data[:at])
		re, group, base = m.resume(), m.group+1, at-size
	}
	loc := re.FindSubmatchIndex(data[base:])
	if loc == nil {
		return 0, 0, 0, 0, false
	}
	whole := group - m.group
	return base + loc[2*whole], base + loc[2*whole+1], base + loc[2*group], base + loc[2*group+1], true
}
