package packed

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// An escape is what a JSON string has in place of an ASCII character: size bytes, the first in the lowest bits.
type escape struct {
	bytes uint64
	size  int
}

// escapes are of all ASCII characters. Most are written as they are, except those that JSON does not allow in a string
// or that encoding/json escapes for HTML.
var escapes = func() (table [utf8.RuneSelf]escape) {
	const hex = "0123456789abcdef"
	short := map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	for c := range byte(len(table)) {
		text := string(rune(c))
		switch {
		case short[c] != "":
			text = short[c]
		case c < ' ' || strings.IndexByte(`<>&`, c) >= 0:
			text = `\u00` + string(hex[c>>4]) + string(hex[c&15])
		}
		var word [8]byte
		copy(word[:], text)
		table[c] = escape{binary.LittleEndian.Uint64(word[:]), len(text)}
	}
	return table
}()

// A quotedPart is a buffer for the next part of a text, as it is between the quotes of a JSON string.
type quotedPart [2048]byte

// quote fills the part with the beginning of a text, and returns its length and what is left of the text. It writes
// what [json.Marshal] of Go 1.26 writes, and is a copy because that is part of the format of the store: another Go
// version must not change it. Each character is written as a word, whose end the next one overwrites: code has so many
// escapes that a branch for each would take most of the time.
func (p *quotedPart) quote(text string) (n int, left string) {
	at := 0
	for at < len(text) && n+8 <= len(p) {
		if c := text[at]; c < utf8.RuneSelf {
			e := &escapes[c]
			binary.LittleEndian.PutUint64(p[n:], e.bytes)
			n += e.size
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			n += copy(p[n:], `\ufffd`)
		case r == '\u2028':
			n += copy(p[n:], `\u2028`)
		case r == '\u2029':
			n += copy(p[n:], `\u2029`)
		default:
			n += copy(p[n:], text[at:at+size])
		}
		at += size
	}
	return n, text[at:]
}

// appendQuoted appends a text as a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	var part quotedPart
	dst = append(dst, '"')
	for n := 0; len(text) > 0; {
		n, text = part.quote(text)
		dst = append(dst, part[:n]...)
	}
	return append(dst, '"')
}

// isQuoted reports whether a JSON string is what [appendQuoted] writes of a text.
func isQuoted(raw []byte, text string) bool {
	if len(raw) < len(text)+2 || raw[0] != '"' {
		return false
	}
	var part quotedPart
	rest, is := raw[1:], true
	for n := 0; len(text) > 0; {
		n, text = part.quote(text)
		if rest, is = bytes.CutPrefix(rest, part[:n]); !is {
			return false
		}
	}
	return string(rest) == `"`
}

// stringLen returns the length of the JSON string that raw begins with.
func stringLen(raw []byte) int {
	for n := 1; n < len(raw); n++ {
		i := bytes.IndexByte(raw[n:], '"')
		if i < 0 {
			break
		}
		n += i
		inside := raw[1:n]
		if escaping := len(inside) - len(bytes.TrimRight(inside, `\`)); escaping%2 == 0 {
			return n + 1
		}
	}
	return len(raw)
}
