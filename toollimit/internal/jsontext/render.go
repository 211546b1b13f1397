package jsontext

import (
	"math"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A Level limits what is shown of a value: the first and last elements of each array, the runes of each string, and the
// depth to which objects and arrays are opened.
type Level struct{ First, Last, Runes, Depth int }

// Levels go from gentle to harsh. Three first elements and one last show the form of an array; the gentler levels show
// more.
var Levels = []Level{
	{math.MaxInt32, 0, math.MaxInt32, math.MaxInt32}, {100, 5, 4000, 100}, {30, 3, 2000, 100}, {10, 2, 800, 100},
	{3, 1, 400, 100}, {3, 1, 160, 100}, {3, 1, 80, 32}, {3, 1, 40, 16}, {3, 1, 24, 8}, {2, 1, 24, 5}, {1, 0, 16, 4},
	{1, 0, 16, 3}, {1, 0, 12, 2}, {1, 0, 8, 1}, {1, 0, 0, 1},
}

// FewKeys are the levels to use when keys must be left out.
var FewKeys = []Level{{2, 1, 24, 3}, {1, 0, 0, 1}}

// A Renderer writes a document at a level.
type Renderer struct {
	*Document
	MaxBytes int    // it gives up on a longer text
	Note     string // a JSON string that is added to the outermost object or array, unless it is ""

	// Arrays under the quoted key Limited show at most Most elements together, and Each of one array. "" limits none.
	Limited    string
	Each, Most int

	level Level
	keys  int // members of an object that are shown; 0: all
	left  int // of Most
	long  map[int32]*borders
	out   []byte
}

// Render writes the document at a level, with at most the given number of members of each object (0: all). The text is
// valid until the next call; ok is false if it is longer than MaxBytes.
func (r *Renderer) Render(l Level, keys int) (text []byte, ok bool) {
	r.level, r.keys, r.left, r.out = l, keys, r.Most, r.out[:0]
	ok = r.value(1, 0)
	return r.out, ok
}

func (r *Renderer) value(i int32, depth int) bool {
	n := &r.nodes[i]
	switch r.Text[n.at] {
	case '{':
		return r.object(n, depth)
	case '[':
		return r.array(n, depth)
	case '"':
		r.appendShort(i)
	default:
		r.out = append(r.out, r.Text[n.at:n.end]...)
	}
	return len(r.out) <= r.MaxBytes
}

func (r *Renderer) object(n *node, depth int) bool {
	if depth >= r.level.Depth && n.kids > 0 {
		r.count(int(n.kids), "key")
		return true
	}
	r.out = append(r.out, '{')
	hidden, k := int(n.kids)-r.keys, 0
	if r.keys == 0 || hidden == 1 {
		hidden = 0 // the last one takes about as much room as its count
	}
	for i := n.first; i != 0; i = r.nodes[i].next {
		if k++; hidden > 0 && k > r.keys {
			r.comma('{')
			r.out = append(strconv.AppendInt(append(r.out, `"…":"`...), int64(hidden), 10), ` more keys"`...)
			break
		}
		key := r.Text[r.nodes[i].key:r.nodes[i].keyEnd]
		if depth == 0 && r.Note != "" && key == `"_cut"` {
			continue
		}
		r.comma('{')
		r.out = append(append(r.out, key...), ':')
		if !r.value(i, depth+1) {
			return false
		}
	}
	if depth == 0 && r.Note != "" {
		r.comma('{')
		r.out = append(append(r.out, `"_cut":`...), r.Note...)
	}
	r.out = append(r.out, '}')
	return len(r.out) <= r.MaxBytes
}

func (r *Renderer) array(n *node, depth int) bool {
	if depth >= r.level.Depth && n.kids > 0 {
		r.count(int(n.kids), "item")
		return true
	}
	r.out = append(r.out, '[')
	first, hidden := r.level.First, max(int(n.kids)-r.level.First-r.level.Last, 0)
	if hidden == 1 {
		hidden = 0 // its count would take as much room
	}
	if r.Limited != "" && r.Text[n.key:n.keyEnd] == r.Limited {
		if most := min(r.Each, r.left); int(n.kids)-hidden > most {
			first, hidden = most, int(n.kids)-most
		}
		r.left -= int(n.kids) - hidden
	}
	k := 0
	for i := n.first; i != 0; i = r.nodes[i].next {
		if k == first && hidden > 0 {
			r.comma('[')
			r.out = append(strconv.AppendInt(append(r.out, `"… `...), int64(hidden), 10), ` more"`...)
		}
		if k++; k > first && k <= first+hidden {
			continue
		}
		r.comma('[')
		if !r.value(i, depth+1) {
			return false
		}
	}
	if depth == 0 && r.Note != "" {
		r.comma('[')
		r.out = append(r.out, r.Note...)
	}
	r.out = append(r.out, ']')
	return len(r.out) <= r.MaxBytes
}

func (r *Renderer) comma(open byte) {
	if r.out[len(r.out)-1] != open {
		r.out = append(r.out, ',')
	}
}

func (r *Renderer) count(n int, noun string) {
	r.out = append(append(append(r.out, `"… `...), line.Count(n, noun)...), '"')
}

// The borders of a quoted string are where its first and last characters begin, as far as shortening needs them. An
// escape is one character, and so is a surrogate pair of two escapes.
type borders struct {
	chars int
	head  []int32 // where the first characters begin
	tail  []int32 // where the last ones begin, a ring by number
}

const (
	keptChars = 4000 // the most characters kept of a shortened string: those of the gentlest level
	minHidden = 10   // the fewest characters hidden: their marker is about as long
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

// appendShort appends the head and the tail of the string of node i, within the runes of the level.
func (r *Renderer) appendShort(i int32) {
	s, n := r.Text[r.nodes[i].at:r.nodes[i].end], r.level.Runes
	if len(s)-2 < n+minHidden || n > keptChars {
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
	if b.chars < n+minHidden {
		r.out = append(r.out, s...)
		return
	}
	tail, end := n/3, int32(len(s)-1)
	if tail > 0 {
		end = b.tail[(b.chars-tail)%len(b.tail)]
	}
	r.out = append(append(r.out, s[:b.head[n-tail]]...), "…["...)
	r.out = append(append(r.out, '+'), line.Number(b.chars-n)...)
	r.out = append(append(r.out, "]…"...), s[end:]...)
}

// charLength returns the length of the first character of s, the inside of a JSON string.
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
