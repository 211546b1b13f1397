package toollimit

import (
	"encoding/json"
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/toollimit/internal/jsontext"
	"github.com/forayhq/foray/toollimit/internal/tokens"
)

// enoughKeys is the number of keys below which the next of [jsontext.FewKeys] is better.
const enoughKeys = 4

// document parses the text, once. It returns nil unless the text is a JSON object or array, or any JSON of kind JSON.
func (in *input) document() *jsontext.Document {
	if in.parsed {
		return in.doc
	}
	in.parsed = true
	s := strings.TrimSpace(in.text)
	if s == "" || in.kind != JSON && s[0] != '{' && s[0] != '[' || len(s) > math.MaxInt32 || !json.Valid([]byte(s)) {
		return nil
	}
	in.doc = jsontext.Parse(s)
	return in.doc
}

// json shortens a JSON value inside. It lists identifiers of the missing part in a member or element of its own.
func (in *input) json(d *jsontext.Document, room size) string {
	if in.quota.Seen == nil || d.Text[0] != '{' && d.Text[0] != '[' {
		return in.shortJSON(d, room)
	}
	around := `,""`
	if d.Text[0] == '{' {
		around = `,"_also":""`
	}
	names := room.share(namesShare)
	s := in.shortJSON(d, room.minus(names))
	list := in.missingInJSON(d.Text, s, names.minus(sizeOf(around)))
	if sizeOf(list).within(names.share(50)) {
		s = in.shortJSON(d, room.minus(sizeOf(list)).minus(sizeOf(around)))
		list = in.missingInJSON(d.Text, s, sizeOf(list))
	}
	if list == "" || len(s) <= len("{}") {
		return s
	}
	return s[:len(s)-1] + around[:len(around)-1] + list + `"` + s[len(s)-1:]
}

func (in *input) missingInJSON(text, shown string, room size) string {
	return nameList(jsonNames(text[:min(len(text), maxNamesInput)]), room, in.shownOrSeen(jsonNames(shown)))
}

// jsonNames yields the identifiers of a text and skips the escapes of JSON, whose letters belong to no name.
func jsonNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			piece := text
			if i := strings.IndexByte(text, '\\'); i >= 0 {
				piece, text = text[:i], text[min(i+2, len(text)):]
			} else {
				text = ""
			}
			for name := range identifier.All(piece) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// shortJSON uses the gentlest level that fits. If none does, it keeps as many keys of each object as fit.
func (in *input) shortJSON(d *jsontext.Document, room size) string {
	r := jsontext.Renderer{Document: d, MaxBytes: tokens.MaxBytes(room.cost, room.runes)}
	key, arrays, matches := matchKey(d)
	limited := in.quota.MaxMatches > 0 && matches > in.quota.MaxMatches
	if limited {
		r.Limited, r.Most, r.Each = key, in.quota.MaxMatches, max(in.quota.MaxMatches/arrays, 1)
		r.Note = in.note(room)
		if s, ok := fits(&r, jsontext.Levels[0], 0, room); ok {
			return s
		}
		r.Note = ""
	}
	for i, l := range jsontext.Levels {
		if i == 1 {
			r.Note = in.note(room)
		}
		if s, ok := fits(&r, l, 0, room); ok {
			if i > 1 {
				s = widen(&r, l, jsontext.Levels[i-1].First, s, room)
			}
			return s
		}
	}
	for i, l := range jsontext.FewKeys {
		lo, hi := 0, d.MaxKeys()
		for lo < hi {
			mid := (lo + hi + 1) / 2
			if _, ok := fits(&r, l, mid, room); ok {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if lo < enoughKeys && (lo == 0 || i < len(jsontext.FewKeys)-1) {
			continue
		}
		if s, ok := fits(&r, l, lo, room); ok {
			return s
		}
	}
	return in.least(d.Text[0], room)
}

// widen shows as many more first elements of arrays as fit, fewer than most. s is the text without them.
func widen(r *jsontext.Renderer, l jsontext.Level, most int, s string, room size) string {
	for low, high := l.First+1, most-1; low <= high; {
		l.First = (low + high) / 2
		if wider, ok := fits(r, l, 0, room); ok {
			s, low = wider, l.First+1
		} else {
			high = l.First - 1
		}
	}
	return s
}

// fits renders a level and reports whether the text is within room.
func fits(r *jsontext.Renderer, l jsontext.Level, keys int, room size) (string, bool) {
	out, ok := r.Render(l, keys)
	if !ok || len(out) > room.runes && utf8.RuneCount(out) > room.runes {
		return "", false
	}
	s := string(out)
	return s, cost(s) <= room.cost
}

// note is a JSON string that says what happened and how to read the whole value.
func (in *input) note(room size) string {
	forms := []string{tokenCount(in.all.tokens()) + " before the cut", "…"}
	if p := in.quota.Pointer; p != "" {
		forms = []string{forms[0] + "; " + wholeText(p), wholeText(p), idOf(p)}
	}
	for _, f := range forms {
		if f = quoteJSON(f); sizeOf(f).within(room.share(34)) {
			return f
		}
	}
	return quoteJSON(forms[len(forms)-1])
}

// least returns the fullest of the smallest values of the form that fits.
func (in *input) least(first byte, room size) string {
	forms := []string{`""`, "0"}
	switch first {
	case '{':
		forms = []string{`{"_cut":` + in.note(room) + `}`, `{"_cut":"…"}`, "{}"}
	case '[':
		forms = []string{"[" + in.note(room) + "]", "[]"}
	}
	for _, f := range forms {
		if sizeOf(f).within(room) {
			return f
		}
	}
	return ""
}

func isJSONLines(text string) bool {
	lines := 0
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if lines++; !json.Valid([]byte(l)) {
			return false
		}
	}
	return lines > 1
}
