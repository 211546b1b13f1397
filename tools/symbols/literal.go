package symbols

import "bytes"

// delimiter is the closer of a C++ raw string. It depends on the text before its "(".
func delimiter(src []byte) string {
	const longest = 16 // bytes, by the language
	n := bytes.IndexByte(src[:min(len(src), longest+1)], '(')
	if n < 0 {
		return `"`
	}
	return ")" + string(src[:n]) + `"`
}

func (b *block) length(src []byte) int {
	if !b.nested {
		end := len(b.open) + until(src[len(b.open):], b.close, len(src))
		return min(end+len(b.close), len(src))
	}
	depth := 0
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == b.open[0] && hasPrefix(src[i:], b.open):
			depth++
			i += len(b.open) - 1
		case src[i] == b.close[0] && hasPrefix(src[i:], b.close):
			i += len(b.close) - 1
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(src)
}

func hasPrefix(src []byte, s string) bool {
	return len(src) >= len(s) && src[0] == s[0] && string(src[:len(s)]) == s
}

// until is the position of s in src, or most.
func until(src []byte, s string, most int) int {
	if i := bytes.Index(src, []byte(s)); i >= 0 {
		return i
	}
	return most
}

// charLength is the length of the character literal at the start of src, 1 for a lone apostrophe.
func charLength(src []byte) int {
	const longest = 12 // '\u{10FFFF}'
	if len(src) > 2 && src[1] != '\\' {
		if n := bytes.IndexByte(src[1:min(len(src), 6)], '\''); n == 1 || (n > 1 && src[1] >= 0x80) {
			return n + 2
		}
		return 1
	}
	if len(src) > 3 {
		if n := bytes.IndexByte(src[3:min(len(src), longest)], '\''); n >= 0 {
			return n + 4
		}
	}
	return 1
}

// maxRegex is the length of the longest regular expression that is recognised, in bytes.
const maxRegex = 1000

// regexLength is the length of the regular expression at the start of src, 0 if it does not end on its line.
func regexLength(src []byte) int {
	class := false
	for i := 1; i < min(len(src), maxRegex) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 0
}

func alpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

// word is the identifier at the start of code.
func word(code []byte) string {
	i := 0
	for i < len(code) && (code[i] == '_' || alpha(code[i]) || digit(code[i])) {
		i++
	}
	return string(code[:i])
}
