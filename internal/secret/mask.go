package secret

import "bytes"

// A match is the place of a credential in a text.
type match struct {
	from, to int
	kind     string
}

// A text is what the rules look at, with the place that the masking has reached. A rule reads around a literal, but
// never beyond reach bytes, so that the whole takes linear time on any text.
type text struct {
	data []byte
	done int // everything before is already masked or shown
	table
}

// reach is how far from a literal a rule reads, in bytes.
const reach = 4 << 10

// after returns the rest of the line at i, at most reach bytes of it.
func (t *text) after(i int) []byte {
	rest := t.data[i:min(len(t.data), i+reach)]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// before returns the part of the line before i, at most most bytes of it, and nothing that is masked already.
func (t *text) before(i, most int) []byte {
	head := t.data[max(t.done, i-most):i]
	return head[bytes.LastIndexByte(head, '\n')+1:]
}

// mostPasses is how often a text is masked at most. A mark changes what is around the rest of a line, in which
// another credential may be recognised then. Only made-up text needs more than two passes.
const mostPasses = 8

// Mask replaces each credential in data with a mark that names its kind, as [redacted:github-token]. It keeps all line
// breaks. It returns data itself if it finds none.
func Mask(data []byte) []byte {
	for range mostPasses {
		masked, found := maskOnce(data)
		if !found {
			break
		}
		data = masked
	}
	return data
}

// maskOnce masks what is recognised in data as it is. It reports false, and returns data, if that is nothing.
func maskOnce(data []byte) ([]byte, bool) {
	var out []byte
	t := text{data: data, table: rules()}
	for m := range t.matches() {
		if out == nil {
			out = make([]byte, 0, len(data)+len(data)/64)
		}
		out = append(out, data[t.done:m.from]...)
		out = append(out, mark(m.kind, data[m.from:m.to])...)
		t.done = m.to
	}
	if t.done == 0 {
		return data, false
	}
	return append(out, data[t.done:]...), true
}

// opening begins the mark of a masked credential.
const opening = "[redacted:"

// inMark reports whether data ends inside a mark, whose kind is not a name of what follows.
func inMark(data []byte) bool {
	const longest = 40 // bytes of a mark
	near := data[max(0, len(data)-longest):]
	i := bytes.LastIndex(near, []byte(opening))
	return i >= 0 && bytes.IndexByte(near[i:], ']') < 0
}

// mark returns the replacement of a credential: a mark for each of its lines.
func mark(kind string, found []byte) []byte {
	one := []byte(opening + kind + "]")
	lines := bytes.Count(found, []byte("\n"))
	return append(bytes.Repeat(append(bytes.Clone(one), '\n'), lines), one...)
}

// matches yields the credentials in t from start to end. They do not overlap if the caller moves t.done past each.
func (t *text) matches() func(yield func(match) bool) {
	return func(yield func(match) bool) {
		// Found, but not yielded yet: another may begin between a literal and its credential. Each lies before the one
		// that was found earlier.
		var later []match
		for at := 0; ; {
			next, found := t.all.next(t.data, at)
			if n := len(later); n > 0 && next >= later[n-1].from {
				m := later[n-1]
				later = later[:n-1]
				if !yield(m) {
					return
				}
				at = max(at, m.to)
				continue
			}
			if found == nil {
				return
			}
			if m, ok := t.first(found, next); ok && (len(later) == 0 || m.to <= later[len(later)-1].from) {
				later = append(later, m)
			}
			at = next + 1
		}
	}
}

// first tries the rules whose literal is at a place, in their order, and returns the first credential found.
func (t *text) first(rules []*rule, at int) (match, bool) {
	for _, r := range rules {
		if !r.literalAt(t.data[at:]) {
			continue
		}
		if m, ok := r.find(t, at); ok && m.from >= t.done && m.to > m.from && !inMark(t.data[:at]) {
			return m, true
		}
	}
	return match{}, false
}

// In reports whether line holds a credential.
func In(line []byte) bool {
	t := text{data: line, table: rules()}
	for range t.matches() {
		return true
	}
	return false
}

// Spans reports whether data may hold a credential that cannot be recognised by one of its lines alone.
func Spans(data []byte) bool {
	for _, hint := range spanning {
		if bytes.Contains(data, hint) {
			return true
		}
	}
	return false
}

// spanning are what credentials of several lines contain.
var spanning = [][]byte{
	[]byte("PRIVATE KEY"), []byte("variable \""), []byte(": |"), []byte(": >"), privateLines,
	[]byte("alue:"), []byte("alue :"), []byte("alue=\""), []byte("alue\":"), []byte("alue\" :"), []byte("alue':"),
}
