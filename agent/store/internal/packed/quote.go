package packed

import (
	"strings"
	"unicode/utf8"
)

// escapes are the bytes of a string that JSON cannot hold as they are, or that encoding/json escapes for HTML.
var escapes = func() (table [utf8.RuneSelf]string) {
	const hex = "0123456789abcdef"
	for c := range byte(len(table)) {
		if c < ' ' || strings.IndexByte(`<>&`, c) >= 0 {
			table[c] = `\u00` + string(hex[c>>4]) + string(hex[c&15])
		}
	}
	table['"'], table['\\'] = `\"`, `\\`
	table['\b'], table['\f'], table['\n'], table['\r'], table['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	return table
}()

// appendQuoted appends a text as a JSON string, as [json.Marshal] of Go 1.26 writes it. It is a copy because what it
// writes is part of the format of the store: another Go version must not change it.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if escapes[c] != "" {
				dst = append(append(dst, text[start:i]...), escapes[c]...)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		escape := ""
		switch {
		case r == utf8.RuneError && size == 1:
			escape = `\ufffd`
		case r == '\u2028':
			escape = `\u2028`
		case r == '\u2029':
			escape = `\u2029`
		}
		if escape != "" {
			dst = append(append(dst, text[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	return append(append(dst, text[start:]...), '"')
}
