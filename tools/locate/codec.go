package locate

import (
	varint "encoding/binary"
	"slices"
)

// statsKind is the kind of the statistics of a file in the cache of its definitions, followed by the name of the file.
// Its number must be raised when the same text yields other statistics; TestStatsVersion notices.
const statsKind = "locate/2/"

// sumKind is the kind of the hash of a file's text, by which its statistics are found, for its identity.
const sumKind = statsKind + "/sum"

func encodeStats(s *Stats) []byte {
	e := encoder{}
	e.number(s.lines)
	e.flag(s.generated)
	e.number(len(s.imports))
	for _, m := range s.imports {
		e.string(m)
	}
	e.string(string(s.bag))
	e.string(string(s.names))
	e.number(len(s.chunks))
	for i := range s.chunks {
		c := &s.chunks[i]
		e.string(c.name)
		e.string(c.kind)
		e.number(c.start)
		e.number(c.end)
		e.flag(c.number)
		e.string(string(c.bag))
		e.string(string(c.doc))
	}
	return e.bytes()
}

// historyKind is the kind of a history in the cache. No file has such a name.
const historyKind = statsKind + "/history"

// encodeHistory writes each path once, and then its number.
func encodeHistory(all []Commit) []byte {
	e := encoder{}
	e.number(len(all))
	paths := make(map[string]int)
	for i := range all {
		c := &all[i]
		e.string(c.hash)
		e.string(string(c.words))
		e.number(len(c.numbers))
		for _, n := range c.numbers {
			e.string(n)
		}
		e.number(len(c.files))
		for _, p := range c.files {
			at, known := paths[p]
			if !known {
				at = len(paths)
				paths[p] = at
			}
			e.number(at)
			if !known {
				e.string(p)
			}
		}
	}
	return e.bytes()
}

type encoder struct {
	numbers, text []byte
}

// bytes returns first all strings, so that reading allocates once for them.
func (e *encoder) bytes() []byte {
	return slices.Concat(varint.AppendUvarint(nil, uint64(len(e.text))), e.text, e.numbers)
}

func (e *encoder) number(n int) { e.numbers = varint.AppendUvarint(e.numbers, uint64(n)) }

func (e *encoder) flag(set bool) {
	n := 0
	if set {
		n = 1
	}
	e.number(n)
}

func (e *encoder) string(s string) {
	e.number(len(s))
	e.text = append(e.text, s...)
}

// decodeStats reads the output of encodeStats. It reports false for anything else.
func decodeStats(b []byte) (*Stats, bool) {
	d := newDecoder(b)
	s := &Stats{lines: d.number(), generated: d.number() == 1}
	for range d.size() {
		s.imports = append(s.imports, d.string())
	}
	s.bag, s.names = bag(d.string()), bag(d.string())
	n := d.size()
	s.chunks = make([]chunk, 0, n)
	for range n {
		s.chunks = append(s.chunks, chunk{
			name: d.string(), kind: d.string(), start: d.number(), end: d.number(), number: d.number() == 1,
			bag: part(d.string()), doc: part(d.string()),
		})
	}
	return s, d.done()
}

// decodeHistory reads the output of encodeHistory. It reports false for anything else.
func decodeHistory(b []byte) ([]Commit, bool) {
	d := newDecoder(b)
	all := make([]Commit, d.size())
	var paths []string
	for i := range all {
		c := &all[i]
		c.hash, c.words = d.string(), bag(d.string())
		for range d.size() {
			c.numbers = append(c.numbers, d.string())
		}
		for range d.size() {
			at := d.number()
			if at >= len(paths) {
				at = len(paths)
				paths = append(paths, d.string())
			}
			c.files = append(c.files, paths[at])
		}
		if d.bad {
			return nil, false
		}
	}
	return all, d.done()
}

// A decoder reads numbers and strings, which share the memory of text.
type decoder struct {
	numbers []byte
	text    string
	bad     bool // the input ended early, or holds what encodeStats does not write
}

func newDecoder(b []byte) *decoder {
	d := &decoder{numbers: b}
	text := d.number()
	if text > len(d.numbers) {
		return &decoder{bad: true}
	}
	d.text, d.numbers = string(d.numbers[:text]), d.numbers[text:]
	return d
}

// done reports whether the input was read to its end and was well formed.
func (d *decoder) done() bool { return !d.bad && len(d.numbers) == 0 }

func (d *decoder) number() int {
	n, size := varint.Uvarint(d.numbers)
	if size <= 0 || n > 1<<32 {
		d.bad = true
		return 0
	}
	d.numbers = d.numbers[size:]
	return int(n)
}

// size reads the number of items that follow. A number larger than the rest of the input cannot be right, since each
// item takes at least one byte.
func (d *decoder) size() int {
	n := d.number()
	if n > len(d.numbers) {
		d.bad = true
		return 0
	}
	return n
}

func (d *decoder) string() string {
	n := d.number()
	if n > len(d.text) {
		d.bad = true
		return ""
	}
	s := d.text[:n]
	d.text = d.text[n:]
	return s
}
