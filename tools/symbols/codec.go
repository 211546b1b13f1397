package symbols

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"strings"
)

// A key is the hash of a language and a content.
type key [16]byte

func keyOf(lang string, src []byte) (k key) {
	h := sha256.New()
	h.Write([]byte(lang))
	h.Write([]byte{0})
	h.Write(src)
	copy(k[:], h.Sum(nil))
	return k
}

// scannerVersion must be raised when the same tables yield other symbols. TestVersion notices.
const scannerVersion = 10

// version identifies what determines the symbols: the tables, the scanner and the version of Go, for its parser.
func version() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", scannerVersion, runtime.Version(), tablesHash()))
	return fmt.Sprintf("%x", sum[:8])
}

func tablesHash() string {
	var b strings.Builder
	fmt.Fprintln(&b, statements, directives, operandWords, operators, kinds)
	for i := range languages {
		l := &languages[i]
		fmt.Fprintf(&b, "%s %+v %v %s %v %v %v %s %s\n",
			l.name, l.lex, l.indent, l.closer, l.continued, l.breaks, l.branches, l.docs, l.separator)
		for _, r := range l.rules {
			re := r.re.String()
			r.re = nil
			fmt.Fprintf(&b, "%s %+v\n", re, r)
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

// encode writes a checksum, then the symbols. Names and lines are written as differences from the previous symbol.
func encode(all []Symbol) []byte {
	b := make([]byte, 4, 4+64*len(all))
	b = binary.AppendUvarint(b, uint64(len(all)))
	before := Symbol{}
	for i := range all {
		s := &all[i]
		shared := common(before.Name, s.Name)
		b = binary.AppendUvarint(b, uint64(shared))
		b = appendString(b, s.Name[shared:])
		b = append(b, byte(slices.Index(kinds, s.Kind)))
		b = binary.AppendUvarint(b, uint64(s.Start-before.Start))
		b = binary.AppendUvarint(b, uint64(s.End-s.Start))
		b = binary.AppendUvarint(b, uint64(s.Depth))
		b = appendString(b, s.Signature)
		b = appendString(b, s.Doc)
		before = *s
	}
	return seal(b)
}

// seal writes the checksum of the rest into the first four bytes.
func seal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli()))
	return b
}

// sealed reports whether b is the output of seal.
func sealed(b []byte) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b) == crc32.Checksum(b[4:], castagnoli())
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode reads the output of encode. It returns false for anything else.
func decode(b []byte) ([]Symbol, bool) {
	if len(b) < 5 || !sealed(b) {
		return nil, false
	}
	d := decoder{text: string(b[4:])}
	n := d.number()
	if n > maxSymbols {
		return nil, false
	}
	all := make([]Symbol, 0, n)
	before := Symbol{}
	for range n {
		s := Symbol{}
		shared := d.number()
		if shared > len(before.Name) {
			return nil, false
		}
		s.Name = before.Name[:shared] + d.string() // without a copy if nothing is shared
		kind := d.byte()
		s.Start = before.Start + d.number()
		s.End = s.Start + d.number()
		s.Depth = d.number()
		s.Signature, s.Doc = d.string(), d.string()
		if d.bad || kind >= len(kinds) {
			return nil, false
		}
		s.Kind = kinds[kind]
		all = append(all, s)
		before = s
	}
	return all, d.at == len(d.text)
}

// A decoder reads numbers and strings from a text. The strings share its memory.
type decoder struct {
	text string
	at   int
	bad  bool // the text ended early
}

func (d *decoder) byte() int {
	if d.at >= len(d.text) {
		d.bad = true
		return 0
	}
	d.at++
	return int(d.text[d.at-1])
}

func (d *decoder) number() int {
	n := 0
	for shift := 0; shift < 31; shift += 7 {
		c := d.byte()
		n |= c & 0x7f << shift
		if c < 0x80 {
			return n
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) string() string {
	n := d.number()
	if n > len(d.text)-d.at {
		d.bad = true
		return ""
	}
	d.at += n
	return d.text[d.at-n : d.at]
}
