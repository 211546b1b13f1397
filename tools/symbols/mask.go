package symbols

import (
	"bytes"
	"strings"
)

// A lexicon says what in a language is comment or string, so that braces and keywords there do not count.
type lexicon struct {
	line    []string // opens a comment to the end of the line
	word    bool     // a comment of the line opens only where a word begins
	escapes bool     // a backslash takes the special sense of the next byte
	block   []block
	quotes  []quote // longest opener first
	chars   bool    // 'x' is a character; an apostrophe otherwise is none (lifetimes, symbols)
	asks    bool    // ?x is a character
	regex   bool    // /x/ after an operator is a regular expression
	heredoc string  // opens lines that go up to a word: "<<" or "<<<"
	island  string  // code begins only here, behind other text: "<?"
}

// A block is a comment of several lines.
type block struct {
	open, close string
	nested      bool // may hold others
	start       bool // opens only at the start of a line
}

// A quote opens and closes a string.
type quote struct {
	open, close string
	raw         bool   // a backslash escapes nothing
	lines       bool   // may cross lines
	hole        string // opens code in the string, up to the brace that closes it: "${"
	doubled     bool   // written twice, the closer is a part of the string
	delimited   bool   // its closer names what stands between opener and "(", as in C++
}

// maxHoles bounds the strings with code that stand in each other.
const maxHoles = 64

// Mask returns src, the content of the file called name, with comments and strings blanked; code inside of strings
// ("${code}") stays. The length and the line breaks are those of src, so that offsets and lines hold. Of a language that
// is not known, src is returned as it is.
func Mask(name string, src []byte) []byte {
	if l := languageOf(name); l != nil {
		return l.lex.mask(src)
	}
	if Language(name) == goName {
		return goLexicon.mask(src)
	}
	return src
}

// A masker goes through a file once.
type masker struct {
	l      *lexicon
	src    []byte
	out    []byte
	at     int
	code   byte     // the last byte of code that is no blank
	holes  []hole   // code in strings around, the innermost last
	docs   []string // words that end the texts that begin on the next line
	misses int      // words that end no text
	first  [256]bool
}

// A hole is code in a string of the quote; depth counts the braces and parentheses that are open in it.
type hole struct {
	quote *quote
	depth int
}

// mask returns src with comments and strings blanked. Newlines and the length stay, so that offsets hold.
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

// openers notes with which bytes something begins that is not code.
func (m *masker) openers() {
	var all []string
	all = append(all, m.l.line...)
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
	if m.l.escapes {
		all = append(all, `\`)
	}
	if m.l.chars {
		all = append(all, "'")
	}
	if m.l.asks {
		all = append(all, "?")
	}
	if m.l.regex {
		all = append(all, "/")
	}
	for _, s := range all {
		m.first[s[0]] = true
	}
}

// skip passes over the comment or string at m.at, which begins with c, and reports whether there is one.
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
			m.quoted(q)
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
	case m.l.asks && c == '?' && len(rest) > 1 && m.at > 0 && strings.IndexByte(" \t([,", m.src[m.at-1]) >= 0 && strings.IndexByte("'\"`#/", rest[1]) >= 0:
		n = 2
	case m.l.regex && c == '/' && m.operand():
		n = regexLength(rest)
	case m.l.heredoc != "" && hasPrefix(rest, m.l.heredoc) && m.opensHeredoc(rest[len(m.l.heredoc):]):
		n = len(m.l.heredoc)
	}
	m.blank(n)
	return n > 0
}

// comments reports whether open, at m.at, opens a comment.
func (m *masker) comments(open string) bool {
	if m.l.island != "" && hasPrefix(m.src[m.at:], "#[") {
		return false // an attribute
	}
	return !m.l.word || open != "#" || m.at == 0 || strings.IndexByte(" \t\r\n;(){}", m.src[m.at-1]) >= 0
}

// blank passes over n bytes that are no code.
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

// bracket keeps count of the brackets in a hole; the one that closes it leads back into the string.
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
	m.quoted(q)
	return true
}

// quoted passes over the string of quote q, from behind its opener to its end, or into a hole.
func (m *masker) quoted(q *quote) {
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

// delimiter is what closes a raw string of C++, which begins with what stands before its "(".
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
		return len(b.open) + closing(src[len(b.open):], b.close)
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

// until is where s stands in src, or most.
func until(src []byte, s string, most int) int {
	if i := bytes.Index(src, []byte(s)); i >= 0 {
		return i
	}
	return most
}

// closing is the length of src up to and with s.
func closing(src []byte, s string) int {
	if i := bytes.Index(src, []byte(s)); i >= 0 {
		return i + len(s)
	}
	return len(src)
}
