package toollimit

import (
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit/internal/jsontext"
	"github.com/forayhq/foray/toollimit/internal/terminal"
)

// Truncate shortens a text of kind k to the quota and keeps its structure. It is pure and total. A text that fits is
// returned unchanged, with truncated false. Otherwise the result, including marker, escaping and pointer, is within
// every bound of q, is never larger than the text, is valid UTF-8, and does not change when truncated again. If not
// even a marker fits, Truncate returns the start of the text, or nothing.
//
// Bytes of kind [Binary] are always described instead of shown; bytes of another kind only if they exceed the quota.
func Truncate(k Kind, text string, q Quota) (short string, truncated bool) {
	raw := k == Binary && !isText(text)
	all := size{math.MaxInt, line.Runes(text)}
	if q.TextTokens > 0 {
		all.cost = q.TextTokens * perToken
	}
	room := q.room()
	if all.runes <= room.runes {
		// No byte costs more than three tokens: the lead byte of an emoji.
		if all.cost == math.MaxInt && len(text) > room.cost/(3*perToken) {
			all.cost = cost(text)
		}
		if !raw && (all.cost <= room.cost || all.cost == math.MaxInt) && withinMatches(k, text, q) {
			return text, false
		}
	}
	if all.cost == math.MaxInt {
		all.cost = cost(text)
	}
	if q.Pointer = withoutControls(q.Pointer); q.Tool != "" && q.Pointer != "" {
		q.Pointer = withoutControls(q.Tool) + " id=" + q.Pointer
	}
	t := truncation{input{kind: searchKind(k, text, q.Query), quota: q, text: text, all: all, room: room.atMost(all)}}
	if raw || isGarbled(text) && t.document() == nil {
		return t.describe(), true
	}
	if !utf8.ValidString(text) {
		t.text = strings.ToValidUTF8(text, "\uFFFD")
		t.all = sizeOf(t.text)
	}
	return t.run(), true
}

// withoutControls removes from a pointer whatever would break a line or a rune.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

// A truncation chooses the form for its input and keeps the result within the bounds.
type truncation struct{ input }

// roomShares are the shares of the room, in percent, to try each form with. Forms plan with exact sums, so the first
// nearly always fits. The others are for plans that were slightly off.
var roomShares = []int{100, 98, 92, 75, 50}

// run tries the form of the kind, then plain text, then the start of the text. JSON never becomes plain text.
func (t *truncation) run() string {
	forms := []func(size) string{t.byKind, t.plain, t.start}
	if t.kind == JSON && t.document() != nil {
		forms = forms[:1]
	}
	for _, form := range forms {
		for _, pct := range roomShares {
			if s := form(t.room.share(pct)); s == "" {
				break
			} else if t.fits(s) {
				return s
			}
		}
	}
	return ""
}

func (t *truncation) fits(s string) bool {
	return sizeOf(s).within(t.room) && withinMatches(t.kind, s, t.quota)
}

// byKind uses the form of the kind. Text that turns out to be JSON stays JSON, except in kinds that quote.
func (t *truncation) byKind(room size) string {
	switch t.kind {
	case Excerpt:
		if s := t.excerptForm(room); s != "" {
			return s
		}
	case File:
		return t.plain(room)
	case Search:
		if d := t.document(); d != nil {
			return t.json(d, room)
		}
		return t.withNames(room, t.search)
	case Listing:
		return t.withNames(room, t.listing)
	case Diff:
		return t.withNames(room, t.diff)
	case Batch:
		if s := t.batch(room, func(part input) string { return (&truncation{part}).run() }); s != "" {
			return s
		}
	case Text, Output, JSON, Receipt, Error, Binary:
	}
	if d := t.document(); d != nil {
		return t.json(d, room)
	}
	if t.kind == Receipt {
		return t.plain(room)
	}
	return t.clean(room)
}

func (t *truncation) describe() string {
	for _, s := range []string{description(t.text, t.quota.Pointer), "[binary]"} {
		if t.fits(s) {
			return s
		}
	}
	return ""
}

// clean removes terminal escapes, overwritten text and repeated lines. It truncates only what is still too large.
func (t *truncation) clean(room size) string {
	s, all, sh := t.text, t.all, t.share()
	if terminal.Dirty(s) {
		s = terminal.Clean(s)
		all, sh.moved = sizeOf(s), true
		sh.bare = sh.bare || strings.Count(s, "\n") != strings.Count(t.text, "\n")
		if all.within(room) {
			return s
		}
	}
	sh.quoted = t.kind == JSON && isJSONLines(s)
	return excerpt(s, all, room, sh, t.quota.Pointer)
}

// start returns as much of the beginning of the text as fits.
func (t *truncation) start(room size) string {
	s := prefix(t.text, room)
	if withinMatches(t.kind, s, t.quota) {
		return s
	}
	n, left := 0, t.quota.MaxMatches
	for n < len(s) {
		end := n + 1 + strings.IndexByte(s[n:], '\n')
		if end == n {
			end = len(s)
		}
		if countMatches(t.kind, s[n:end]) > 0 {
			left--
		}
		if left < 0 {
			break
		}
		n = end
	}
	return s[:n]
}

// An input is the text that one call truncates. It keeps what was parsed, since several sizes are tried.
type input struct {
	kind  Kind
	quota Quota
	text  string
	all   size // of text
	room  size // the smaller of quota and text
	part  bool // the text is a part of a batch

	hits   *hits              // the text as a search result
	tree   *tree              // the text as a listing
	patch  *patch             // the text as a diff
	doc    *jsontext.Document // the text as JSON
	parsed bool               // doc is set, if the text is JSON
}

// withNames writes a form and inserts a list of missing identifiers at the position that the form returns. If the list
// is short, it writes the form again with the unused room.
func (in *input) withNames(room size, form func(size) (string, int)) string {
	if in.quota.Seen == nil {
		s, _ := form(room)
		return s
	}
	names := room.share(namesShare)
	s, at := form(room.minus(names))
	list := in.missingNames(s, names)
	if sizeOf(list).within(names.share(50)) {
		s, at = form(room.minus(sizeOf(list)))
		list = in.missingNames(s, sizeOf(list))
	}
	return s[:at] + list + s[at:]
}

// missingNames lists, within room, identifiers of the text that are neither shown nor seen elsewhere.
func (in *input) missingNames(shown string, room size) string {
	text := in.text
	if in.hits != nil && len(in.hits.files) > 0 {
		text = in.hits.ranked()
	}
	return nameLine(identifier.All(text[:min(len(text), maxNamesInput)]), room, false, in.shownOrSeen(identifier.All(shown)))
}

// shownOrSeen returns a function that reports whether an identifier is shown or seen elsewhere.
func (in *input) shownOrSeen(shown iter.Seq[string]) func(string) bool {
	visible := make(map[string]bool)
	for name := range shown {
		visible[name] = true
	}
	return func(name string) bool { return visible[name] || in.quota.Seen(name) }
}
