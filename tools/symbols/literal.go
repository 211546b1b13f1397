package symbols

import (
	"bytes"
	"slices"
	"strings"
)

// maxDocs bounds the texts that one line may open.
const maxDocs = 8

// maxMisses bounds how often a word is looked for that ends nothing.
const maxMisses = 32

// opensHeredoc notes the word that ends the text which begins on the next line: <<EOF, <<-EOF, <<~'EOF', <<"EOF". What
// looks like that, but has no line with the word behind it, is an operator.
func (m *masker) opensHeredoc(rest []byte) bool {
	text := rest
	rest = bytes.TrimLeft(rest[:min(len(rest), 80)], "-~")
	if m.l.word {
		rest = bytes.TrimLeft(rest, " ")
	}
	if len(rest) > 0 && strings.IndexByte("'\"\\", rest[0]) >= 0 {
		rest = rest[1:]
	}
	w := word(rest)
	if w == "" || digit(w[0]) || len(m.docs) == maxDocs || m.misses == maxMisses {
		return false
	}
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			m.misses++
			return false
		}
		at += n + 1
		if hasPrefix(bytes.TrimLeft(text[at:min(len(text), at+200)], " \t"), w) {
			m.docs = append(m.docs, w)
			return true
		}
	}
}

// heredocs passes over the texts that the line which ends here has opened.
func (m *masker) heredocs() bool {
	if len(m.docs) == 0 {
		return false
	}
	for _, word := range m.docs {
		for m.at < len(m.src) {
			from := m.at + 1
			line := m.src[min(from, len(m.src)):]
			line = line[:until(line, "\n", len(line))]
			m.blank(min(1+len(line), len(m.src)-m.at))
			if trimmed := strings.TrimSpace(string(line)); trimmed == word || strings.TrimRight(trimmed, ";,)") == word {
				break
			}
		}
	}
	m.docs = m.docs[:0]
	m.code = '\n'
	return true
}

// operators are the bytes behind which a slash opens a regular expression, and operandWords the words.
const operators = "(,=:[!&|?{};+~<>\n"

var operandWords = []string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "else", "await", "yield", "if", "unless", "when", "and", "or", "not"}

// operand reports whether an operand may begin at m.at.
func (m *masker) operand() bool {
	if strings.IndexByte(operators, m.code) >= 0 {
		return true
	}
	if !alpha(m.code) {
		return false
	}
	before := bytes.TrimRight(m.src[max(m.at-16, 0):m.at], " \t")
	i := bytes.LastIndexFunc(before, func(r rune) bool { return r > 'z' || !alpha(byte(r)) })
	return slices.Contains(operandWords, string(before[i+1:]))
}

// charLength is the length of the character literal that src begins with, 1 for a lone apostrophe.
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

// maxRegex is the longest regular expression that is seen as one, in bytes.
const maxRegex = 1000

// regexLength is the length of the regular expression that src begins with, 0 when it does not end on its line.
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
