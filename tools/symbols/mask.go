package symbols

import (
	"bytes"
	"slices"
	"strings"
)

// maxHoles bounds the nesting of strings that contain code.
const maxHoles = 64

type masker struct {
	l      *lexicon
	src    []byte
	out    []byte
	at     int
	code   byte     // the last byte of code that is not white space
	holes  []hole   // code in strings, innermost last
	docs   []string // words that end the here-documents that start on the next line
	misses int      // candidates that end no here-document
	first  [256]bool
}

// A hole is code in a string. It counts the open braces and parentheses in the code.
type hole struct {
	quote *quote
	depth int
}

// mask returns src with comments and strings blanked. It keeps line breaks and the length, so that offsets stay
// valid.
func (l *lexicon) mask(src []byte) []byte {
	m := masker{l: l, src: src, out: bytes.Clone(src), code: '\n'}
	m.openers()
	if l.island != "" {
		m.blank(until(src, l.island, len(src)))
	}
	for m.at < len(src) {
		c := src[m.at]
		if !m.first[c] || !m.skip(c) {
			if c != ' ' && c != '\t' && c != '\r' {
				m.code = c
			}
			m.at++
		}
	}
	return m.out
}

// openers records the bytes with which comments and strings can begin.
func (m *masker) openers() {
	all := slices.Clone(m.l.line)
	for _, b := range m.l.block {
		all = append(all, b.open)
	}
	for _, q := range m.l.quotes {
		all = append(all, q.open)
		if q.hole != "" {
			all = append(all, "(", ")", "{", "}")
		}
	}
	if m.l.heredoc != "" {
		all = append(all, m.l.heredoc, "\n")
	}
	for c, has := range map[string]bool{`\`: m.l.escapes, "'": m.l.chars, "?": m.l.asks, "/": m.l.regex} {
		if has {
			all = append(all, c)
		}
	}
	for _, s := range all {
		m.first[s[0]] = true
	}
}

// skip passes the comment or string at m.at, which begins with c, and reports whether there was one.
func (m *masker) skip(c byte) bool {
	rest := m.src[m.at:]
	switch {
	case c == '\n':
		return m.heredocs()
	case len(m.holes) > 0 && strings.IndexByte("(){}", c) >= 0:
		return m.bracket(c)
	case m.l.escapes && c == '\\':
		m.at = min(m.at+2, len(m.src))
		return true
	}
	for i := range m.l.block {
		if b := &m.l.block[i]; hasPrefix(rest, b.open) && (!b.start || m.at == 0 || m.src[m.at-1] == '\n') {
			m.blank(b.length(rest))
			return true
		}
	}
	for _, open := range m.l.line {
		if hasPrefix(rest, open) && m.comments(open) {
			m.blank(until(rest, "\n", len(rest)))
			return true
		}
	}
	for i := range m.l.quotes {
		if q := &m.l.quotes[i]; hasPrefix(rest, q.open) {
			m.blank(len(q.open))
			m.stringLiteral(q)
			return true
		}
	}
	return m.rare(c, rest)
}

func (m *masker) rare(c byte, rest []byte) bool {
	n := 0
	switch {
	case m.l.chars && c == '\'':
		n = charLength(rest)
	case m.l.asks && c == '?' && len(rest) > 1 && m.at > 0 && strings.IndexByte(" \t([,", m.src[m.at-1]) >= 0 &&
		strings.IndexByte("'\"`#/", rest[1]) >= 0:
		n = 2
	case m.l.regex && c == '/' && m.operand():
		n = regexLength(rest)
	case m.l.heredoc != "" && hasPrefix(rest, m.l.heredoc) && m.opensHeredoc(rest[len(m.l.heredoc):]):
		n = len(m.l.heredoc)
	}
	m.blank(n)
	return n > 0
}

func (m *masker) comments(open string) bool {
	if m.l.island != "" && hasPrefix(m.src[m.at:], "#[") {
		return false // an attribute
	}
	return !m.l.word || open != "#" || m.at == 0 || strings.IndexByte(" \t\r\n;(){}", m.src[m.at-1]) >= 0
}

func (m *masker) blank(n int) {
	part := m.out[m.at : m.at+n]
	for i, c := range part {
		if c != '\n' {
			part[i] = ' '
		}
	}
	if m.at += n; n > 0 && m.src[m.at-1] != '\n' && m.l.regex {
		m.code = '"'
	}
}

// bracket counts the brackets of a hole. The closing one leads back into the string.
func (m *masker) bracket(c byte) bool {
	top := &m.holes[len(m.holes)-1]
	switch c {
	case '(', '{':
		top.depth++
	default:
		top.depth--
	}
	if top.depth > 0 {
		return false
	}
	q := top.quote
	m.holes = m.holes[:len(m.holes)-1]
	m.blank(1)
	m.stringLiteral(q)
	return true
}

// stringLiteral blanks a string, from after its opener to its end or to a hole.
func (m *masker) stringLiteral(q *quote) {
	src, end := m.src, q.close
	if q.delimited {
		end = delimiter(src[m.at:])
	}
	for i := m.at; i < len(src); i++ {
		switch c := src[i]; {
		case q.hole != "" && c == q.hole[0] && hasPrefix(src[i:], q.hole):
			if q.hole == "{" && hasPrefix(src[i:], "{{") {
				i++
				continue
			}
			m.blank(i + len(q.hole) - m.at)
			if len(m.holes) < maxHoles {
				m.holes = append(m.holes, hole{q, 1})
			}
			return
		case c == '\\' && !q.raw:
			i++
		case c == '\n' && !q.lines:
			m.blank(i - m.at)
			return
		case q.doubled && c == end[0] && hasPrefix(src[i+1:], end):
			i++
		case c == end[0] && hasPrefix(src[i:], end):
			m.blank(i + len(end) - m.at)
			return
		}
	}
	m.blank(len(src) - m.at)
}

// maxDocs bounds the here-documents that one line may open.
const maxDocs = 8

// maxMisses bounds the searches for the end of a here-document that fail.
const maxMisses = 32

// opensHeredoc records the word that ends a here-document: <<EOF, <<-EOF, <<~'EOF', <<"EOF". If no later line has the
// word, it is an operator.
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

// heredocs blanks the here-documents that the current line has opened.
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

// operators are the bytes after which a slash opens a regular expression, operandWords the words.
const operators = "(,=:[!&|?{};+~<>\n"

var operandWords = []string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "else", "await",
	"yield", "if", "unless", "when", "and", "or", "not"}

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
