package toollimit

import (
	"encoding/json"
	"iter"
	"math"
	"strings"
	"unicode/utf8"
)

// A node is a JSON value as a span of the text; its children are linked by next. Keys, numbers and strings stay the
// bytes that they are, so that order, precision and escapes are kept.
type node struct {
	at, end     int32
	key, keyEnd int32 // of a member of an object, quotes included
	first, next int32 // index of a node; 0: none
	kids        int32
}

// A document is a JSON text taken apart. Node 0 is unused, node 1 the value.
type document struct {
	text  string
	nodes []node
}

// A level says how much of a value is shown: the first and last elements of an array, the runes of a string, and how
// deep objects and arrays are opened.
type level struct{ first, last, runes, depth int }

// levels go from gentle to harsh. Three and one elements are what a reader needs to see the form of an array; more are
// kept where there is room.
var levels = []level{
	{math.MaxInt32, 0, math.MaxInt32, math.MaxInt32}, {100, 5, 4000, 100}, {30, 3, 2000, 100}, {10, 2, 800, 100},
	{3, 1, 400, 100}, {3, 1, 160, 100}, {3, 1, 80, 32}, {3, 1, 40, 16}, {3, 1, 24, 8}, {2, 1, 24, 5}, {1, 0, 16, 4},
	{1, 0, 16, 3}, {1, 0, 12, 2}, {1, 0, 8, 1}, {1, 0, 0, 1},
}

// fewKeys are the levels at which keys are left out, and enoughKeys the number below which the harsher one is better.
const enoughKeys = 4

var fewKeys = []level{{2, 1, 24, 3}, {1, 0, 0, 1}}

// document takes the text apart, once, if it is a JSON object or array, or anything of kind JSON; otherwise it is nil.
func (c *cutter) document() *document {
	if c.parsed {
		return c.doc
	}
	c.parsed = true
	s := strings.TrimSpace(c.text)
	if s == "" || c.kind != JSON && s[0] != '{' && s[0] != '[' || len(s) > math.MaxInt32 || !json.Valid([]byte(s)) {
		return nil
	}
	c.doc = &document{text: s, nodes: make([]node, 1, 1+len(s)/16)}
	c.doc.parse(0)
	return c.doc
}

// json shortens a JSON value inside, and lists identifiers of what is missing in a member or element of its own.
func (c *cutter) json(d *document, room size) string {
	if c.quota.Seen == nil || d.text[0] != '{' && d.text[0] != '[' {
		return c.shortJSON(d, room)
	}
	around := `,""`
	if d.text[0] == '{' {
		around = `,"_also":""`
	}
	names := room.share(namesShare)
	s := c.shortJSON(d, room.minus(names))
	list := c.missingInJSON(d.text, s, names.minus(sizeOf(around)))
	if sizeOf(list).within(names.share(50)) {
		s = c.shortJSON(d, room.minus(sizeOf(list)).minus(sizeOf(around)))
		list = c.missingInJSON(d.text, s, sizeOf(list))
	}
	if list == "" || len(s) <= len("{}") {
		return s
	}
	return s[:len(s)-1] + around[:len(around)-1] + list + `"` + s[len(s)-1:]
}

func (c *cutter) missingInJSON(text, shown string, room size) string {
	return nameList(jsonNames(text[:min(len(text), searchedForNames)]), room, c.visible(jsonNames(shown)))
}

// jsonNames yields the identifiers of a text with the escapes of JSON, whose letters are no part of them.
func jsonNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			piece := text
			if i := strings.IndexByte(text, '\\'); i >= 0 {
				piece, text = text[:i], text[min(i+2, len(text)):]
			} else {
				text = ""
			}
			for name := range Identifiers(piece) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

// shortJSON takes the gentlest level that fits, and when none does, as many keys of each object as fit.
func (c *cutter) shortJSON(d *document, room size) string {
	r := renderer{document: d, most: mostBytes(room)}
	for i, l := range levels {
		if i == 1 {
			r.note = c.note(room)
		}
		if r.fits(l, 0, room) {
			return string(r.out)
		}
	}
	for i, l := range fewKeys {
		lo, hi := 0, d.mostKeys()
		for lo < hi {
			if mid := (lo + hi + 1) / 2; r.fits(l, mid, room) {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if (lo >= enoughKeys || lo > 0 && i == len(fewKeys)-1) && r.fits(l, lo, room) {
			return string(r.out)
		}
	}
	return c.least(d.text[0], room)
}

// fits renders at a level, with at most so many keys of each object, 0 for all, and reports whether that is within room.
func (r *renderer) fits(l level, keys int, room size) bool {
	r.level, r.keys, r.out = l, keys, r.out[:0]
	if !r.value(1, 0) || len(r.out) > room.runes && utf8.RuneCount(r.out) > room.runes {
		return false
	}
	return cost(string(r.out)) <= room.cost
}

// mostKeys is the number of members of the largest object.
func (d *document) mostKeys() (n int) {
	for i := range d.nodes[1:] {
		if node := &d.nodes[i+1]; d.text[node.at] == '{' {
			n = max(n, int(node.kids))
		}
	}
	return n
}

// mostBytes is a length that no text within room reaches in practice: four bytes a rune, eight a token.
func mostBytes(room size) int {
	n := math.MaxInt
	if room.runes < n/4 {
		n = 4 * room.runes
	}
	return min(n, room.cost/perToken*8+64)
}

// note says in a JSON string what happened and where the whole value is.
func (c *cutter) note(room size) string {
	forms := []string{tokenCount(c.all.tokens()) + " before the cut", "…"}
	if p := c.quota.Pointer; p != "" {
		forms = []string{forms[0] + "; " + wholeText + p, wholeText + p, p}
	}
	for _, f := range forms {
		if f = quoteJSON(f); sizeOf(f).within(room.share(34)) {
			return f
		}
	}
	return quoteJSON(forms[len(forms)-1])
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return `""`
	}
	return string(b)
}

// least returns the smallest values of the form, the fullest that fits first.
func (c *cutter) least(first byte, room size) string {
	forms := []string{`""`, "0"}
	switch first {
	case '{':
		forms = []string{`{"_cut":` + c.note(room) + `}`, `{"_cut":"…"}`, "{}"}
	case '[':
		forms = []string{"[" + c.note(room) + "]", "[]"}
	}
	for _, f := range forms {
		if sizeOf(f).within(room) {
			return f
		}
	}
	return ""
}

// parse appends the value at position at, which is valid JSON, and returns the position behind it.
func (d *document) parse(at int) int {
	n := len(d.nodes)
	d.nodes = append(d.nodes, node{at: int32(at)})
	switch d.text[at] {
	case '{', '[':
		at = d.parseKids(n, at)
	case '"':
		at = d.stringEnd(at)
	default:
		for at < len(d.text) && strings.IndexByte(",]} \t\r\n", d.text[at]) < 0 {
			at++
		}
	}
	d.nodes[n].end = int32(at)
	return at
}

func (d *document) parseKids(n, at int) int {
	object, last := d.text[at] == '{', 0
	for at = d.space(at + 1); d.text[at] != '}' && d.text[at] != ']'; {
		key, keyEnd := 0, 0
		if object {
			key, keyEnd = at, d.stringEnd(at)
			at = d.space(d.space(keyEnd) + 1) // behind the colon
		}
		kid := len(d.nodes)
		at = d.space(d.parse(at))
		d.nodes[kid].key, d.nodes[kid].keyEnd = int32(key), int32(keyEnd)
		if last == 0 {
			d.nodes[n].first = int32(kid)
		} else {
			d.nodes[last].next = int32(kid)
		}
		last = kid
		d.nodes[n].kids++
		if d.text[at] == ',' {
			at = d.space(at + 1)
		}
	}
	return at + 1
}

func (d *document) space(at int) int {
	for at < len(d.text) && (d.text[at] == ' ' || d.text[at] == '\n' || d.text[at] == '\t' || d.text[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the position behind the string that begins at at.
func (d *document) stringEnd(at int) int {
	for at++; d.text[at] != '"'; at++ {
		if d.text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// isLines reports whether each line of a text is a JSON value of its own.
func isLines(text string) bool {
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
