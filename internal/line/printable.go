package line

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
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

// invisible are the characters without a width of their own that can hide text. Combining marks and variation selectors
// are not among them.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x180e, Hi: 0x180e, Stride: 1}, // Mongolian vowel separator
		{Lo: 0x200b, Hi: 0x200d, Stride: 1}, // zero-width space and joiners
		{Lo: 0x2028, Hi: 0x2029, Stride: 1}, // line and paragraph separators
		{Lo: 0x2060, Hi: 0x2065, Stride: 1}, // word joiner and invisible operators
		{Lo: 0x206a, Hi: 0x206f, Stride: 1}, // deprecated formats
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1}, // interlinear annotations
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}}, // tags
}

const nonJoiner, joiner, emojiVariant = '\u200c', '\u200d', '\ufe0f'

// joining are the scripts whose spelling needs joiners and non-joiners between letters.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Khmer,
	unicode.Malayalam, unicode.Mongolian, unicode.Myanmar, unicode.Oriya, unicode.Sinhala, unicode.Syriac, unicode.Tamil,
	unicode.Telugu,
	{R16: []unicode.Range16{{Lo: 0x064b, Hi: 0x0655, Stride: 1}, {Lo: 0x0670, Hi: 0x0670, Stride: 1}}}, // Arabic vowel marks
}

// steers reports whether r is a control character or reorders text.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(steering, r) }

// joins reports whether a joiner or non-joiner between two characters is part of their spelling: in an emoji sequence,
// or in a script that needs it, where a virama may also be the last letter.
func joins(before, r, after rune) bool {
	if before == utf8.RuneError || after == utf8.RuneError {
		after = 0 // it is a symbol, too
	}
	if r == joiner && (before == emojiVariant || unicode.In(before, unicode.So, unicode.Sk)) {
		return unicode.In(after, unicode.So, unicode.Sm)
	}
	return unicode.In(before, joining...) && (unicode.In(after, joining...) || unicode.Is(unicode.Mn, before))
}

// hides reports whether the first character of s, after another one, steers or is invisible. Newlines and tabs are not.
func hides(before, r rune, s string) bool {
	switch {
	case ' ' <= r && r < 0x7f || r == '\n' || r == '\t':
		return false
	case r == nonJoiner || r == joiner:
		after, _ := utf8.DecodeRuneInString(s[utf8.RuneLen(r):]) // U+FFFD at the end
		return !joins(before, r, after)
	}
	return steers(r) || unicode.Is(invisible, r)
}

// rewrite passes each character of valid UTF-8 that steers or is invisible to with, which appends something else.
// Before is the character before s.
func rewrite(s string, before rune, with func(out []byte, r rune) []byte) string {
	var out []byte
	done := 0
	for i, r := range s {
		if hides(before, r, s[i:]) {
			out = with(append(out, s[done:i]...), r)
			done = i + utf8.RuneLen(r)
		}
		before = r
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

func replaced(out []byte, _ rune) []byte { return utf8.AppendRune(out, utf8.RuneError) }

// Printable replaces the control characters in s, those that reorder text and those that are invisible with U+FFFD, so
// that text from a tree, a model or a server can neither steer a terminal nor hide in it. Newlines and tabs stay, and
// so do joiners that belong to an emoji or to the spelling of a script.
func Printable(s string) string { return rewrite(strings.ToValidUTF8(s, "\uFFFD"), 0, replaced) }

// Pieces makes a text that comes in pieces [Printable]: what a joiner at the end of one belongs to is in the next.
type Pieces struct {
	before  rune
	joiners string // at the end of the last piece
}

// Add returns what to print for the next piece.
func (p *Pieces) Add(s string) string {
	s = p.joiners + strings.ToValidUTF8(s, "\uFFFD")
	now, before := strings.TrimRight(s, string([]rune{nonJoiner, joiner})), p.before
	if joins(lastOf(now, before), joiner, 0) { // whatever follows
		now = s
	}
	p.before, p.joiners = lastOf(now, before), s[len(now):]
	return rewrite(now, before, replaced)
}

// lastOf returns the last character of s, or other if s is empty.
func lastOf(s string, other rune) rune {
	if s == "" {
		return other
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	return last
}

// ForModel replaces only the control characters in s and those that reorder text: a model reads the invisible ones, and
// must name them to edit a file that has them.
func ForModel(s string) string {
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
	bad := func(r rune) bool { return r >= 0x7f && (steers(r) || unicode.Is(invisible, r)) }
	if bytes.IndexFunc(text, bad) < 0 {
		return text
	}
	return []byte(rewrite(strings.ToValidUTF8(string(text), "\uFFFD"), 0, func(out []byte, r rune) []byte {
		switch {
		case r < 0x7f: // JSON has none of these inside its strings
			return append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	}))
}

// JSON writes v as JSON without a newline at the end and, unlike [json.Marshal], without escapes of HTML: texts and raw
// JSON in v keep their bytes.
func JSON(v any) ([]byte, error) {
	raw, err := encoded(v, "")
	return bytes.TrimSuffix(raw, []byte("\n")), err
}

// WriteJSON writes v as JSON with a final newline: indented, unless indent is empty, without escapes of HTML, and with
// [EscapeJSON].
func WriteJSON(w io.Writer, v any, indent string) error {
	raw, err := encoded(v, indent)
	if err != nil {
		return err
	}
	_, err = w.Write(EscapeJSON(raw))
	return err
}

func encoded(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}
