package toollimit

import (
	"slices"
	"strings"
)

// sectionStart begins the head line of a part of a batch, as "== path".
const sectionStart = "== "

// batch gives every part of a batch a fair share of the room, and what a small part leaves to the larger ones. A part of
// numbered lines is cut as a file. It returns "" for a text without parts.
func (c *cutter) batch(room size) string {
	parts := sections(c.text)
	if len(parts) < 2 {
		return ""
	}
	sizes, costs, runes := make([]size, len(parts)), make([]int, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		sizes[i] = sizeOf(p)
		costs[i], runes[i] = sizes[i].cost, sizes[i].runes
	}
	share := size{fairShare(costs, room.cost), fairShare(runes, room.runes)}
	if share.cost < perToken || share.runes < 1 {
		return ""
	}
	var b strings.Builder
	for i, p := range parts {
		if !sizes[i].within(share) {
			part := cutter{kind: partKind(p), quota: c.quota, text: p, all: sizes[i], room: share}
			p = part.cut()
		}
		b.WriteString(p)
	}
	return b.String()
}

// sections parts a batch before each head line; what stands before the first is a part too.
func sections(s string) (parts []string) {
	for {
		i := strings.Index(s, "\n"+sectionStart)
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i+1])
		s = s[i+1:]
	}
}

func partKind(part string) Kind {
	_, body, _ := strings.Cut(part, "\n")
	first, _, _ := strings.Cut(body, "\n")
	if _, _, ok := lineNumber(first, numberEnds[0]); ok {
		return File
	}
	return Text
}

// fairShare returns the largest bound with which the needs, each cut to it, are within room together.
func fairShare(needs []int, room int) int {
	needs = slices.Sorted(slices.Values(needs))
	for i, n := range needs {
		each := room / (len(needs) - i)
		if n > each {
			return each
		}
		room -= n
	}
	return room + needs[len(needs)-1]
}
