package toollimit

import (
	"slices"
	"strconv"
	"strings"
)

// sectionStart begins the head line of a part of a batch, as "== path".
const sectionStart = "== "

// A section is a part of a batch: its head line, which may be "", and what is below.
type section struct {
	head, body string
	size       // of the body
}

// batch keeps the head of every part, gives the bodies fair shares of the room, and what a small one leaves to the larger
// ones. Each is cut by its own kind; where the whole text is, is said once. It returns "" for a text without parts.
func (c *cutter) batch(room size) string {
	var parts []section
	var heads size
	for _, p := range sections(c.text) {
		s := takeSection(p)
		parts, heads = append(parts, s), heads.plus(sizeOf(s.head))
	}
	if len(parts) < 2 {
		return ""
	}
	mark := gap{what: plural(len(parts), "part") + ", " + strconv.Itoa(len(parts)) + " of them cut", tokens: c.all.tokens()}.line(room, c.quota.Pointer)
	free := room.minus(sizeOf(mark))
	if mark == "" || free.cost <= 0 || free.runes <= 0 {
		return ""
	}
	share, ok := fairSize(parts, free.minus(heads))
	if !ok {
		return c.headsOnly(parts, free, room)
	}
	return c.cutParts(parts, share, room)
}

func takeSection(part string) section {
	head, body, _ := strings.Cut(part, "\n")
	if !strings.HasPrefix(part, sectionStart) {
		return section{"", part, sizeOf(part)}
	}
	return section{head + "\n", body, sizeOf(body)}
}

// leastBody is the smallest room in which something of a body is worth showing.
var leastBody = size{8 * perToken, 16}

// fairSize returns the room of each body; ok is false if that is too little for the larger ones.
func fairSize(parts []section, room size) (share size, ok bool) {
	costs, runes := make([]int, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		costs[i], runes[i] = p.cost, p.runes
	}
	share = size{fairShare(costs, room.cost), fairShare(runes, room.runes)}
	return share, leastBody.within(share)
}

// cutParts writes each part with its body cut to its share. What one part shows is listed by none after it.
func (c *cutter) cutParts(parts []section, share, room size) string {
	var b strings.Builder
	quota, cut, shown := c.quota, 0, size{}
	quota.Pointer = ""
	visible := make(map[string]bool)
	if c.quota.Seen != nil {
		quota.Seen = func(name string) bool { return visible[name] || c.quota.Seen(name) }
	}
	for _, p := range parts {
		b.WriteString(p.head)
		body, kind := p.body, partKind(p.body)
		if !p.within(share) || !withinMatches(kind, body, quota) {
			part := cutter{kind: kind, quota: quota, text: body, all: p.size, room: share.atMost(p.size), part: true}
			if body = part.cut(); body != "" && !strings.HasSuffix(body, "\n") {
				body += "\n"
			}
			cut++
		}
		b.WriteString(body)
		for name := range Identifiers(body) {
			visible[name] = true
		}
		shown = shown.plus(sizeOf(p.head + body))
	}
	if cut == 0 {
		return b.String()
	}
	g := gap{what: plural(len(parts), "part") + ", " + strconv.Itoa(cut) + " of them cut", tokens: c.all.minus(shown).tokens()}
	return b.String() + g.line(room, c.quota.Pointer)
}

// headsOnly names the parts with the number of their lines, as many as there is room for.
func (c *cutter) headsOnly(parts []section, free, room size) string {
	var b strings.Builder
	var used size
	n := 0
	for _, p := range parts {
		s := p.body[:len(firstLine(p.body))]
		if p.head != "" {
			s = strings.TrimSuffix(p.head, "\n") + " (" + plural(len(linesOf(p.body)), "line") + ")\n"
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
	g := gap{what: plural(len(parts), "part") + ", " + strconv.Itoa(n) + " named", tokens: c.all.minus(used).tokens()}
	return b.String() + g.line(room, c.quota.Pointer)
}

func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
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

// partKind tells the kind of a body by its form.
func partKind(body string) Kind {
	first := firstLine(body)
	switch _, _, ok := lineNumber(first, numberEnds[0]); {
	case ok:
		return File
	case strings.HasPrefix(first, "diff --git "):
		return Diff
	case len(takeApart(grouped(body)).files) > 0:
		return Search
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
