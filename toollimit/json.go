package toollimit

import (
	"encoding/json"
	"math"
	"strconv"
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
	{1, 0, 16, 3}, {1, 0, 12, 2}, {1, 0, 8, 1},
}

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

// json shortens a JSON value inside.
func (c *cutter) json(d *document, room size) string {
	r := renderer{document: d, most: mostBytes(room)}
	for i, l := range levels {
		if i == 1 {
			r.note = c.note(room)
		}
		r.level, r.out = l, r.out[:0]
		if !r.value(1, 0) || len(r.out) > room.runes && utf8.RuneCount(r.out) > room.runes {
			continue
		}
		if out := string(r.out); cost(out) <= room.cost {
			return out
		}
	}
	return c.least(d.text[0], room)
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

// A renderer writes a document at a level; it gives up when the text grows beyond most bytes.
type renderer struct {
	*document
	level
	most int
	note string // a quoted string, or ""
	out  []byte
}

func (r *renderer) value(i int32, depth int) bool {
	n := &r.nodes[i]
	switch r.text[n.at] {
	case '{':
		return r.object(n, depth)
	case '[':
		return r.array(n, depth)
	case '"':
		r.out = appendShort(r.out, r.text[n.at:n.end], r.runes)
	default:
		r.out = append(r.out, r.text[n.at:n.end]...)
	}
	return len(r.out) <= r.most
}

func (r *renderer) object(n *node, depth int) bool {
	if depth >= r.depth && n.kids > 0 {
		r.count(int(n.kids), "key")
		return true
	}
	r.out = append(r.out, '{')
	for i := n.first; i != 0; i = r.nodes[i].next {
		key := r.text[r.nodes[i].key:r.nodes[i].keyEnd]
		if depth == 0 && r.note != "" && key == `"_cut"` {
			continue
		}
		r.comma('{')
		r.out = append(append(r.out, key...), ':')
		if !r.value(i, depth+1) {
			return false
		}
	}
	if depth == 0 && r.note != "" {
		r.comma('{')
		r.out = append(append(r.out, `"_cut":`...), r.note...)
	}
	r.out = append(r.out, '}')
	return len(r.out) <= r.most
}

func (r *renderer) array(n *node, depth int) bool {
	if depth >= r.depth && n.kids > 0 {
		r.count(int(n.kids), "item")
		return true
	}
	r.out = append(r.out, '[')
	hidden := max(int(n.kids)-r.first-r.last, 0)
	if hidden == 1 {
		hidden = 0 // its count would take as much room as itself
	}
	k := 0
	for i := n.first; i != 0; i = r.nodes[i].next {
		if k == r.first && hidden > 0 {
			r.comma('[')
			r.out = append(strconv.AppendInt(append(r.out, `"… `...), int64(hidden), 10), ` more"`...)
		}
		if k++; k > r.first && k <= r.first+hidden {
			continue
		}
		r.comma('[')
		if !r.value(i, depth+1) {
			return false
		}
	}
	if depth == 0 && r.note != "" {
		r.comma('[')
		r.out = append(r.out, r.note...)
	}
	r.out = append(r.out, ']')
	return len(r.out) <= r.most
}

// comma separates a value from the one before it.
func (r *renderer) comma(open byte) {
	if r.out[len(r.out)-1] != open {
		r.out = append(r.out, ',')
	}
}

func (r *renderer) count(n int, noun string) {
	r.out = append(append(append(r.out, `"… `...), plural(n, noun)...), '"')
}

// appendShort appends the quoted string s with at most n of its characters, from its head and tail. An escape is one
// character, and so is a surrogate pair of two escapes.
func appendShort(out []byte, s string, n int) []byte {
	if len(s)-2 <= n {
		return append(out, s...)
	}
	tail := n / 3
	var borders []int
	for at := 1; at < len(s)-1; at += charLength(s[at:]) {
		borders = append(borders, at)
	}
	if len(borders) <= n {
		return append(out, s...)
	}
	head, end := borders[n-tail], len(s)-1
	if tail > 0 {
		end = borders[len(borders)-tail]
	}
	out = append(append(out, s[:head]...), "…["...)
	out = append(append(out, '+'), thousands(len(borders)-n)...)
	return append(append(out, "]…"...), s[end:]...)
}

// charLength returns the length of the character that s, the inside of a JSON string, begins with.
func charLength(s string) int {
	switch {
	case s[0] == '\\' && s[1] == 'u':
		if len(s) >= 12 && highSurrogate(s[2:6]) && s[6] == '\\' && s[7] == 'u' {
			return 12
		}
		return 6
	case s[0] == '\\':
		return 2
	case s[0] < 0x80:
		return 1
	}
	n := 1
	for n < len(s) && s[n]&0xc0 == 0x80 {
		n++
	}
	return n
}

// highSurrogate reports whether the hex digits are those of D800 to DBFF.
func highSurrogate(hex string) bool {
	return (hex[0] == 'd' || hex[0] == 'D') && strings.IndexByte("89abAB", hex[1]) >= 0
}
