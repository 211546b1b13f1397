package toollimit

import (
	"strconv"
	"strings"
)

// A renderer writes a document at a level; it gives up when the text grows beyond most bytes.
type renderer struct {
	*document
	level
	keys int // members of an object that are shown; 0: all
	most int
	note string // a quoted string, or ""
	long map[int32]*borders
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
		r.appendShort(i)
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
	hidden, k := int(n.kids)-r.keys, 0
	if r.keys == 0 || hidden == 1 {
		hidden = 0 // one more takes about as much room as its count
	}
	for i := n.first; i != 0; i = r.nodes[i].next {
		if k++; hidden > 0 && k > r.keys {
			r.comma('{')
			r.out = append(strconv.AppendInt(append(r.out, `"…":"`...), int64(hidden), 10), ` more keys"`...)
			break
		}
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

// A quoted string's borders of characters, as far as a cut needs them: of the first and the last ones. An escape is one
// character, and so is a surrogate pair of two escapes.
type borders struct {
	chars int
	head  []int32 // where the first characters begin
	tail  []int32 // where the last ones begin, a ring by number
}

// keptChars is the largest number of characters of a string that a cut keeps: that of the gentlest level. leastHidden is
// the smallest that it hides: what stands for them is about as long.
const (
	keptChars   = 4000
	leastHidden = 10
)

func bordersOf(s string) *borders {
	b := &borders{head: make([]int32, 0, min(len(s), keptChars+1)), tail: make([]int32, min(len(s), keptChars/2))}
	for at := 1; at < len(s)-1; at += charLength(s[at:]) {
		if len(b.head) < cap(b.head) {
			b.head = append(b.head, int32(at))
		}
		b.tail[b.chars%len(b.tail)] = int32(at)
		b.chars++
	}
	return b
}

// appendShort appends the string of node i with at most so many of its characters, from its head and tail.
func (r *renderer) appendShort(i int32) {
	s, n := r.text[r.nodes[i].at:r.nodes[i].end], r.runes
	if len(s)-2 < n+leastHidden || n > keptChars {
		r.out = append(r.out, s...)
		return
	}
	b := r.long[i]
	if b == nil {
		b = bordersOf(s)
		if r.long == nil {
			r.long = make(map[int32]*borders)
		}
		r.long[i] = b
	}
	if b.chars < n+leastHidden {
		r.out = append(r.out, s...)
		return
	}
	tail, end := n/3, int32(len(s)-1)
	if tail > 0 {
		end = b.tail[(b.chars-tail)%len(b.tail)]
	}
	r.out = append(append(r.out, s[:b.head[n-tail]]...), "…["...)
	r.out = append(append(r.out, '+'), thousands(b.chars-n)...)
	r.out = append(append(r.out, "]…"...), s[end:]...)
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
