package wire

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// ShortestSecret is the length in bytes below which a value is not treated as a secret: it might be a common word.
const ShortestSecret = 6

// Redacted replaces a secret in texts.
const Redacted = "[secret]"

// shortestCore is the length in bytes below which a part of a base64 text might be a common word.
const shortestCore = 8

// A Mask removes secrets from texts, in each form in which a server may send them back: as they are; with the escapes
// of JSON, Go and C, percent-encoding or the character references of HTML, also nested; in hexadecimal, as a list of
// bytes, and in base64, alone or inside a longer text such as a header "Authorization: Basic". Secrets are ASCII. A
// Mask is immutable and safe for concurrent use; the zero value removes nothing.
type Mask struct {
	words  []string  // the secrets and their encodings
	starts [256]bool // the bytes with which a form of a word may begin
}

// NewMask returns the mask of some secrets. It ignores those shorter than six bytes.
func NewMask(secrets ...string) Mask {
	var m Mask
	for _, secret := range secrets {
		if len(secret) < ShortestSecret {
			continue
		}
		m.words = append(m.words, secret)
		for _, encode := range encodings {
			m.words = append(m.words, encode([]byte(secret)))
		}
		for before := range 3 {
			m.words = append(m.words, core(base64.StdEncoding, secret, before), core(base64.URLEncoding, secret, before))
		}
	}
	slices.Sort(m.words)
	m.words = slices.DeleteFunc(slices.Compact(m.words), func(word string) bool { return word == "" })
	for _, word := range m.words {
		m.starts[word[0]], m.starts['\\'], m.starts['%'], m.starts['&'] = true, true, true, true
	}
	return m
}

// encodings write all bytes of a secret in another form.
var encodings = []func(secret []byte) string{
	hex.EncodeToString,
	func(secret []byte) string { return fmt.Sprintf("%X", secret) },
	func(secret []byte) string { return fmt.Sprintf("% x", secret) },
	func(secret []byte) string { return strings.Trim(fmt.Sprint(secret), "[]") },
	func(secret []byte) string {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(secret), "[]"), " ", ",")
	},
}

// core returns the part of a secret's base64 form that does not depend on the text beside it. Before is how many bytes
// precede the secret, beyond a multiple of three. It is "" if the part is so short that it may be a word.
func core(encoding *base64.Encoding, secret string, before int) string {
	const bits = 6 // of a character
	text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
	first, last := (before*8+bits-1)/bits, (before+len(secret))*8/bits
	if last-first < shortestCore {
		return ""
	}
	return text[first:last]
}

// Clean returns text with each secret replaced by [Redacted].
func (m *Mask) Clean(text string) string {
	clean, _ := m.split(text, true)
	return clean
}

// CleanPart does as [Mask.Clean], and also replaces the beginning of a secret, of at least six bytes, at the end of a
// text that may be cut.
func (m *Mask) CleanPart(text string) string {
	clean, rest := m.split(text, false)
	if rest != "" && m.match(rest).begun >= ShortestSecret {
		return clean + Redacted
	}
	return clean + m.Clean(rest)
}

// Split returns text with each secret replaced by [Redacted], up to where a secret may begin that text does not end,
// and the rest from there.
func (m *Mask) Split(text string) (clean, rest string) { return m.split(text, false) }

// split is Split, or Clean if text is whole.
func (m *Mask) split(text string, whole bool) (clean, rest string) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if !m.starts[text[i]] {
			continue
		}
		found := m.match(text[i:])
		switch {
		case found.more && !whole:
			b.WriteString(text[done:i])
			return b.String(), text[i:]
		case found.length > 0:
			b.WriteString(text[done:i])
			b.WriteString(Redacted)
			done = i + found.length
			i = done - 1
		}
	}
	if done == 0 {
		return text, ""
	}
	b.WriteString(text[done:])
	return b.String(), ""
}

// A match says how the start of a text matches the secrets.
type match struct {
	length int  // of the longest secret in the text, in bytes; 0: none
	begun  int  // bytes of a secret that the whole text spells, if it ends inside one
	more   bool // the text ends before it is certain whether a longer secret begins there
}

func (m *Mask) match(text string) (found match) {
	for _, word := range m.words {
		rest, i, open := text, 0, false
		for i < len(word) && rest != "" {
			length, short := form(rest, word[i])
			open = open || short
			if length == 0 {
				break
			}
			rest, i = rest[length:], i+1
		}
		if i == len(word) {
			found.length = max(found.length, len(text)-len(rest))
		}
		if open || rest == "" && i < len(word) {
			found.more, found.begun = true, max(found.begun, i)
		}
	}
	return found
}

// form returns the length of the character c at the start of text, in any of its forms, 0 if something else is there.
// Short means that text ends before that is certain.
func form(text string, c byte) (length int, short bool) {
	switch text[0] {
	case '\\':
		length, short = escaped(text, c)
	case '%':
		length, short = percent(text, c)
	case '&':
		length, short = reference(text, c)
	}
	if length == 0 && text[0] == c {
		length = 1
	}
	return length, short
}

// escaped is form for \u0073, \x73, \/ and the like, with any number of backslashes.
func escaped(text string, c byte) (length int, short bool) {
	tail := strings.TrimLeft(text, `\`)
	slashes := len(text) - len(tail)
	switch {
	case tail == "":
		return 0, true
	case tail[0] == 'u':
		length, short = digits(tail[1:], 4, 16, c)
	case tail[0] == 'x':
		length, short = digits(tail[1:], 2, 16, c)
	case tail[0] >= '0' && tail[0] <= '7':
		if length, short = digits(tail, 3, 8, c); length > 0 {
			return slashes + length, false
		}
	}
	switch {
	case length > 0:
		return slashes + 1 + length, false
	case tail[0] == c && !short:
		return slashes + 1, false
	case c == '\\':
		return slashes, short
	}
	return 0, short
}

// percent is form for %73, also as %2573.
func percent(text string, c byte) (length int, short bool) {
	i := 1
	for strings.HasPrefix(text[i:], "25") {
		i += len("25")
	}
	if strings.HasPrefix("25", text[i:]) {
		short = true
	} else if length, short = digits(text[i:], 2, 16, c); length > 0 {
		return i + length, false
	}
	if c == '%' && i > 1 {
		return i, short
	}
	return 0, short
}

// digits reports whether text begins with the number of c in that many digits.
func digits(text string, count, base int, c byte) (length int, short bool) {
	cut := min(count, len(text))
	n, err := strconv.ParseUint("0"+text[:cut], base, 32)
	switch {
	case err != nil:
		return 0, false
	case cut < count:
		return 0, true
	case byte(n) == c && n < 0x80:
		return count, false
	}
	return 0, false
}

// longestReference is the length of a character reference with a few zeros: &#x0000073;
const longestReference = 12

// reference is form for &#115;, &#x73; and &amp;
func reference(text string, c byte) (length int, short bool) {
	end := strings.IndexByte(text[:min(len(text), longestReference)], ';')
	if end < 0 {
		return 0, len(text) < longestReference && !strings.ContainsAny(text, " \t\n")
	}
	if html.UnescapeString(text[:end+1]) == string(rune(c)) {
		return end + 1, false
	}
	return 0, false
}
