package toollimit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/internal/line"
)

// A section is a part of a batch: its head line, or "", and its body.
type section struct {
	head, body string
	size       // of the body
}

// batch keeps the head of every part and gives the bodies equal shares of the room; what a small body leaves goes to
// the larger ones. It truncates each body by its own kind, and names the pointer once, at the end. It returns "" for a
// text without parts.
func (in *input) batch(room size, truncate func(part input) string) string {
	var parts []section
	var heads size
	for _, p := range sections(in.text) {
		head, body := "", p
		if strings.HasPrefix(p, sectionStart) {
			head = firstLine(p)
			body = p[len(head):]
		}
		parts, heads = append(parts, section{head, body, sizeOf(body)}), heads.plus(sizeOf(head))
	}
	if len(parts) < 2 {
		return ""
	}
	all := partsGap(len(parts), strconv.Itoa(len(parts))+" of them cut", in.all)
	mark := all.line(room, in.quota.Pointer)
	free := room.minus(sizeOf(mark))
	if mark == "" || free.cost <= 0 || free.runes <= 0 {
		return ""
	}
	share, ok := fairSize(parts, free.minus(heads))
	if !ok {
		return in.headsOnly(parts, free, room)
	}
	return in.shorten(parts, share, room, truncate)
}

// leastBody is the least room worth giving to a body.
var leastBody = size{8 * perToken, 16}

// fairSize returns the room of each body; ok is false if it is too little for the larger ones.
func fairSize(parts []section, room size) (share size, ok bool) {
	costs, runes := make([]int, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		costs[i], runes[i] = p.cost, p.runes
	}
	share = size{fairShare(costs, room.cost), fairShare(runes, room.runes)}
	return share, leastBody.within(share)
}

// shorten writes each part with its body truncated to its share. Names that a part shows are not listed by later
// parts.
func (in *input) shorten(parts []section, share, room size, truncate func(input) string) string {
	var b strings.Builder
	quota, cut, shown := in.quota, 0, size{}
	quota.Pointer = ""
	visible := make(map[string]bool)
	if in.quota.Seen != nil {
		quota.Seen = func(name string) bool { return visible[name] || in.quota.Seen(name) }
	}
	for _, p := range parts {
		b.WriteString(p.head)
		body, kind := p.body, partKind(p.body)
		if !p.within(share) || !withinMatches(kind, body, quota) {
			part := input{kind: kind, quota: quota, text: body, all: p.size, room: share.atMost(p.size), part: true}
			if body = truncate(part); body != "" && !strings.HasSuffix(body, "\n") {
				body += "\n"
			}
			cut++
		}
		b.WriteString(body)
		for name := range identifier.All(body) {
			visible[name] = true
		}
		shown = shown.plus(sizeOf(p.head + body))
	}
	if cut == 0 {
		return b.String()
	}
	g := partsGap(len(parts), strconv.Itoa(cut)+" of them cut", in.all.minus(shown))
	return b.String() + g.line(room, in.quota.Pointer)
}

// headsOnly names as many parts as fit, with the number of lines of each.
func (in *input) headsOnly(parts []section, free, room size) string {
	var b strings.Builder
	var used size
	n := 0
	for _, p := range parts {
		s := p.body[:len(firstLine(p.body))]
		if p.head != "" {
			s = strings.TrimSuffix(p.head, "\n") + " (" + line.Count(len(linesOf(p.body)), "line") + ")\n"
		}
		z := used.plus(sizeOf(s))
		if !z.within(free) {
			break
		}
		b.WriteString(s)
		used, n = z, n+1
	}
	if n == 0 {
		return ""
	}
	g := partsGap(len(parts), strconv.Itoa(n)+" named", in.all.minus(used))
	return b.String() + g.line(room, in.quota.Pointer)
}

func partsGap(n int, which string, missing size) gap {
	return gap{what: line.Count(n, "part") + ", " + which, tokens: missing.tokens()}
}

// fairShare returns the largest bound such that all needs fit into room once each is lowered to the bound.
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
