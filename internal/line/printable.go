package line

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// steering are the characters that reorder the text around them, so that a reader sees something other than what is
// there.
var steering = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
	{Lo: 0x200e, Hi: 0x200f, Stride: 1}, // left-to-right and right-to-left marks
	{Lo: 0x202a, Hi: 0x202e, Stride: 1}, // embeddings and overrides
	{Lo: 0x2066, Hi: 0x2069, Stride: 1}, // isolates
}}

// steers reports whether r is a control character or reorders text.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(steering, r) }

// Printable replaces the control characters in s and those that reorder text with U+FFFD, so that text from a tree, a
// model or a server cannot steer a terminal. Newlines and tabs stay.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) && r != '\n' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// EscapeJSON writes the characters that [Printable] replaces as \uXXXX in a JSON text. The value stays the same, and so
// do newlines and tabs between its parts.
func EscapeJSON(text []byte) []byte {
	bad := func(r rune) bool { return r >= 0x7f && steers(r) } // JSON has no others inside its strings
	i := bytes.IndexFunc(text, bad)
	if i < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)+16), text[:i]...)
	for _, r := range string(text[i:]) {
		if bad(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// WriteJSON writes v as JSON with a final newline: indented, unless indent is empty, without escapes of HTML, and with
// [EscapeJSON].
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(EscapeJSON(b.Bytes()))
	return err
}
