package toollimit

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Truncate shortens a text of kind k to the room of q and keeps its form. It is pure and total. A text that fits is returned
// as it is, with cut false. Otherwise the result, with marker, escaping and pointer, is within every bound of q, is never
// larger than text, is valid UTF-8, and is left alone by a second call. When not even a marker has room, the start of the
// text is left, or nothing. Bytes of kind Binary are described, never passed on, even when they would fit; those of
// another kind when they do not fit.
func Truncate(k Kind, text string, q Quota) (short string, cut bool) {
	raw := k == Binary && !isText(text)
	all := size{math.MaxInt, Runes(text)}
	if q.TextTokens > 0 {
		all.cost = q.TextTokens * perToken
	}
	r := q.room()
	if all.runes <= r.runes {
		// No byte costs more than three tokens, the lead byte of an emoji.
		if all.cost == math.MaxInt && len(text) > r.cost/(3*perToken) {
			all.cost = cost(text)
		}
		if !raw && (all.cost <= r.cost || all.cost == math.MaxInt) && withinMatches(k, text, q) {
			return text, false
		}
	}
	if all.cost == math.MaxInt {
		all.cost = cost(text)
	}
	q.Pointer = onOneLine(q.Pointer)
	c := cutter{kind: k, quota: q, text: text, all: all, room: r.atMost(all)}
	if raw || isGarbled(text) && c.document() == nil {
		return c.describe(), true
	}
	if !utf8.ValidString(text) {
		c.text = strings.ToValidUTF8(text, "\uFFFD")
		c.all = sizeOf(c.text)
	}
	return c.cut(), true
}

// onOneLine drops from a pointer what would break a line or a rune.
func onOneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

// A cutter is one call of Truncate: the valid text, and the room, which is the smaller of the quota and the input.
type cutter struct {
	kind  Kind
	quota Quota
	room  size
	text  string
	all   size // of text
	part  bool // the text is a part of a batch

	hunt   *hunt     // the text as the result of a search, once parsed
	tree   *tree     // the text as a listing, once parsed
	patch  *patch    // the text as a diff, once parsed
	doc    *document // the text as JSON, once parsed
	parsed bool
}

// roomShares are the parts of the room, in percent, that a form is tried with. Forms plan with exact sums, so that the
// first nearly always fits; the others are for what a plan does not see.
var roomShares = []int{100, 92, 75, 50}

// cut tries the form of the kind, then plain text, then the start of the text. JSON never becomes plain text.
func (c *cutter) cut() string {
	forms := []func(size) string{c.byKind, c.plain, c.start}
	if c.kind == JSON && c.document() != nil {
		forms = forms[:1]
	}
	for _, form := range forms {
		for _, pct := range roomShares {
			if s := form(c.room.share(pct)); s == "" {
				break
			} else if c.fits(s) {
				return s
			}
		}
	}
	return ""
}

// fits is the hard bound.
func (c *cutter) fits(s string) bool {
	return sizeOf(s).within(c.room) && withinMatches(c.kind, s, c.quota)
}

// byKind cuts by the form that the kind says. What turns out to be JSON stays JSON, but for the kinds that quote.
func (c *cutter) byKind(room size) string {
	switch c.kind {
	case File:
		return c.file(room)
	case Search:
		return c.listed(room, c.search)
	case Listing:
		return c.listed(room, c.listing)
	case Diff:
		return c.listed(room, c.diff)
	case Batch:
		if s := c.batch(room); s != "" {
			return s
		}
	case Text, Output, JSON, Receipt, Error, Binary:
	}
	if d := c.document(); d != nil {
		return c.json(d, room)
	}
	if c.kind == Receipt {
		return c.plain(room)
	}
	return c.stripped(room)
}

// plain cuts at the head and the tail, whatever the kind.
func (c *cutter) plain(room size) string {
	return excerpt(c.text, c.all, room, c.share(), c.quota.Pointer)
}

// share is how the kind divides the room; a quota that knows what is visible elsewhere gives the middle to key lines.
func (c *cutter) share() share {
	sh := shareOf(c.kind)
	sh.bare, sh.seen = c.part, c.quota.Seen
	if sh.seen == nil {
		return sh
	}
	switch c.kind {
	case File:
		sh.head, sh.tail, sh.keyed = keyedFileHead, keyedFileTail, true
	case Output, Text:
		sh.head, sh.tail, sh.keyed = keyedHead, keyedTail, true
	case Search, Listing, JSON, Diff, Receipt, Batch, Error, Binary:
	}
	return sh
}

// start returns what fits of the beginning of the text.
func (c *cutter) start(room size) string {
	s := prefix(c.text, room)
	if withinMatches(c.kind, s, c.quota) {
		return s
	}
	n, left := 0, c.quota.MaxMatches
	for n < len(s) {
		end := n + 1 + strings.IndexByte(s[n:], '\n')
		if end == n {
			end = len(s)
		}
		if countMatches(c.kind, s[n:end]) > 0 {
			left--
		}
		if left < 0 {
			break
		}
		n = end
	}
	return s[:n]
}
