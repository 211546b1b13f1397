package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// braces are the brackets of a file: which brace closes which, and what is open where a line begins.
type braces struct {
	closing map[int]int // offset of "{" → offset of its "}"
	around  []int       // by line: offset of the innermost "{", -1 for none
	inside  []bool      // by line: in parentheses, or the rest of a directive; no definition begins there
}

// A bracket is one that is open.
type bracket struct {
	at     int
	brace  bool
	around int // offset of the innermost brace: its own, or that around a parenthesis; -1 for none
}

// matchBraces pairs the braces of code. With branches, what an #if opened is closed at its #else, so that only one branch
// counts for what follows. A parenthesis that is open at a ";" which ends a line, or at the brace that closes what is around
// it, was not meant to be.
func matchBraces(code text, branches bool) braces {
	b := braces{closing: make(map[int]int, len(code.starts)/8), around: make([]int, 0, len(code.starts)), inside: make([]bool, 0, len(code.starts))}
	var open []bracket
	var saved [][]bracket // what was open at each #if around
	rest := false         // the line before belongs to a directive and ends with a backslash
	for n := 1; n <= code.count(); n++ {
		line, at := code.line(n), code.starts[n-1]
		b.around = append(b.around, innermost(open))
		b.inside = append(b.inside, rest || len(open) > 0 && !open[len(open)-1].brace)
		word := ""
		if branches {
			word = directive(line)
			open, saved = b.branch(word, at, open, saved)
		}
		if rest || word != "" {
			rest = bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte(`\`))
			continue
		}
		open = b.line(line, at, open)
	}
	return b
}

// line follows the brackets of a line that begins at the offset at.
func (b *braces) line(line []byte, at int, open []bracket) []bracket {
	for i, c := range line {
		switch c {
		case '{':
			open = append(open, bracket{at + i, true, at + i})
		case '(':
			open = append(open, bracket{at + i, false, innermost(open)})
		case '}':
			open = parentheses(open)
			if len(open) > 0 {
				b.closing[open[len(open)-1].at] = at + i
				open = open[:len(open)-1]
			}
		case ')':
			if len(open) > 0 && !open[len(open)-1].brace {
				open = open[:len(open)-1]
			}
		}
	}
	if bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte(";")) {
		open = parentheses(open)
	}
	return open
}

// parentheses drops those that are open on top.
func parentheses(open []bracket) []bracket {
	for len(open) > 0 && !open[len(open)-1].brace {
		open = open[:len(open)-1]
	}
	return open
}

// innermost is the offset of the brace that was opened last, -1 for none.
func innermost(open []bracket) int {
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1].around
}

// directive is the word behind the # of a preprocessor line.
func directive(line []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
	if !ok {
		return ""
	}
	if w := word(bytes.TrimLeft(rest, " \t")); slices.Contains(directives, w) {
		return w
	}
	return ""
}

// maxBranch is how many brackets may be open where branches are told apart, and how many branches may stand in each other.
const maxBranch = 200

func (b *braces) branch(word string, at int, open []bracket, saved [][]bracket) ([]bracket, [][]bracket) {
	switch {
	case strings.HasPrefix(word, "if") && len(saved) < maxBranch:
		return open, append(saved, slices.Clone(open[:min(len(open), maxBranch)]))
	case strings.HasPrefix(word, "el") && len(saved) > 0 && len(open) < maxBranch:
		before := saved[len(saved)-1]
		for _, o := range open {
			if o.brace && !slices.Contains(before, o) {
				b.closing[o.at] = at - 1
			}
		}
		return slices.Clone(before), saved
	case word == "endif" && len(saved) > 0:
		return open, saved[:len(saved)-1]
	}
	return open, saved
}

// byBrace is for languages whose bodies stand in braces.
func (s *scanner) byBrace() {
	for n := 1; n <= s.code.count() && len(s.out) < maxSymbols; n++ {
		for len(s.open) > 0 && s.open[len(s.open)-1].end < n {
			s.open = s.open[:len(s.open)-1]
		}
		if s.braces.inside[n-1] || s.goesOn(n) {
			continue
		}
		around := s.braces.around[n-1]
		member := len(s.open) > 0 && s.open[len(s.open)-1].holds && s.open[len(s.open)-1].brace == around
		if f, ok := s.match(n, member, around < 0); ok {
			s.defineBraced(n, f)
		}
	}
}

// goesOn reports whether line n is blank or, where a line break ends nothing, goes on with a list.
func (s *scanner) goesOn(n int) bool {
	if len(bytes.TrimSpace(s.code.line(n))) == 0 {
		return true
	}
	if !s.l.branches || s.l.breaks {
		return false
	}
	for n--; n >= 1; n-- {
		if before := bytes.TrimSpace(s.code.line(n)); len(before) > 0 {
			return before[len(before)-1] == ',' && before[0] != '#'
		}
	}
	return false
}

func (s *scanner) defineBraced(n int, f found) {
	from := s.code.starts[n-1]
	e := s.extent(f, from, true)
	if f.rule.body && e.brace < 0 {
		e = s.extent(f, from, false)
	}
	if f.rule.body && e.brace < 0 {
		return
	}
	if f.rule.after {
		f.name = word(bytes.TrimLeft(s.code.data[min(e.end+1, len(s.code.data)):], " \t\n*"))
		if f.name == "" && f.tag == "" {
			return
		}
	}
	end := s.code.lineOf(max(e.end, from))
	if n > 1 && f.rule.where == atTop && f.after == from+len(f.name) && s.isType(n-1) {
		n--
		from = s.code.starts[n-1]
	}
	sig := strings.TrimSuffix(strings.TrimSpace(string(s.src.data[from:e.signature])), `\`)
	if f.rule.after {
		sig = strings.TrimSpace(sig + " " + f.name)
	}
	if f.rule.kind == "const" {
		sig, _, _ = strings.Cut(sig, "\n") // a value may go on for long
	}
	if f.tag != "" && f.tag != f.name && f.name != "" {
		s.add(found{rule: &rule{kind: "type"}, name: f.name}, n, end, sig, "")
	}
	f.name = cmp.Or(f.tag, f.name)
	name, i := s.add(f, n, end, sig, s.comment(n))
	if e.brace >= 0 {
		s.open = append(s.open, opened{symbol: i, name: name, holds: f.rule.holds, brace: e.brace, end: end})
	}
}

// isType reports whether line n may be the result type of a function whose name stands on the next line.
func (s *scanner) isType(n int) bool {
	line := bytes.TrimSpace(s.code.line(n))
	return len(line) > 0 && alpha(line[0]) && !bytes.ContainsAny(line, ";{}():=#")
}

// An extent is where a definition goes: offsets of the end of its signature, of its body's brace (-1: none), of its end.
type extent struct{ signature, brace, end int }

// extent follows a definition from its name to the brace that opens its body, or to its end when it has none. With
// generics, what stands between < and > is passed over.
func (s *scanner) extent(f found, from int, generics bool) extent {
	code := s.code.data
	value := f.rule.kind == "const" || f.rule.kind == "type" || f.rule.kind == "macro" // its braces are no body
	depth := 0
	for i := f.after; i < min(len(code), f.after+maxExtent) && s.work > 0; i++ {
		s.work--
		switch c := code[i]; {
		case c == '{' && depth == 0 && !value:
			end, ok := s.braces.closing[i]
			if !ok {
				end = len(code) - 1
			}
			return extent{i, i, end}
		case c == ';' && depth == 0, c == '}' && depth == 0:
			return extent{i, -1, i}
		case c == '\n' && depth == 0 && s.l.branches && f.rule.where == atTop && another(code, i):
			return extent{i, -1, i}
		case c == '\n' && depth == 0 && (f.rule.kind == "macro" || s.l.breaks) && s.ends(i, f.rule):
			return extent{from + len(s.code.line(s.code.lineOf(from))), -1, i}
		case generics && !value && c == '<' && (alpha(code[i-1]) || digit(code[i-1])):
			depth++
		case generics && !value && c == '>' && depth > 0 && code[i-1] != '=' && code[i-1] != '-':
			depth--
		default:
			depth = max(depth+bracket1(c), 0)
		}
	}
	line := s.code.lineOf(f.after)
	end := s.code.starts[line-1] + len(s.code.line(line))
	return extent{end, -1, end}
}

// another reports whether behind the line break at i, which follows a closed list of parameters, another one is opened: what
// came before was the call of a macro.
func another(code []byte, i int) bool {
	before := bytes.TrimRight(code[max(i-100, 0):i], " \t\r")
	if len(before) == 0 || before[len(before)-1] != ')' {
		return false
	}
	line := bytes.TrimSpace(code[i : i+1+until(code[i+1:min(len(code), i+400)], "\n", 0)])
	return len(line) > 0 && alpha(line[0]) && bytes.IndexByte(line, '(') > 0 && !slices.Contains([]string{"noexcept", "requires", "__attribute__", "const", "override", "final", "where"}, word(line))
}

// maxExtent is how far the end of a definition without a body is looked for, in bytes.
const maxExtent = 1 << 13

// headWords go on with the head of a definition on the next line.
var headWords = []string{"extends", "implements", "where", "with"}

// window is how far a line break is looked around, in bytes.
const window = 500

// ends reports whether the line break at i ends a statement.
func (s *scanner) ends(i int, r *rule) bool {
	from := max(i-window, 0)
	before := bytes.TrimRight(s.code.data[from:i], " \t\r")
	if r.kind == "macro" {
		return !bytes.HasSuffix(before, []byte(`\`))
	}
	if n := len(before); n > 0 && !bytes.ContainsAny(s.src.data[from+n:i], "\"'`") { // else the last of the line is a string
		c := before[n-1]
		if strings.IndexByte("=|&,(?:+.<", c) >= 0 || c == '>' && (r.body || n > 1 && before[n-2] == '=') {
			return false
		}
	}
	next := bytes.TrimLeft(s.code.data[i:min(len(s.code.data), i+window)], " \t\r\n")
	if r.body && slices.Contains(headWords, word(next)) {
		return false
	}
	return len(next) == 0 || strings.IndexByte("{|&.?:=+<)", next[0]) < 0
}

// comment is the comment that ends on the line before n; attributes and annotations between are passed over.
func (s *scanner) comment(n int) string {
	at := func(n int) string { return strings.TrimSpace(string(s.src.line(n))) }
	low := n - maxComment
	for n--; n >= 1 && n > low && (strings.HasPrefix(at(n), "@") || strings.HasPrefix(at(n), "#[") || strings.HasPrefix(at(n), "template")); n-- {
	}
	if n < 1 {
		return ""
	}
	opener := cmp.Or(s.l.docs, "//")
	var lines []string
	switch {
	case strings.HasSuffix(at(n), "*/"):
		for ; n >= 1; n-- {
			lines = append(lines, strings.Trim(strings.TrimSuffix(at(n), "*/"), ornaments))
			if strings.Contains(at(n), "/*") || len(lines) > maxComment {
				break
			}
		}
	case strings.HasPrefix(at(n), opener):
		for ; n >= 1 && strings.HasPrefix(at(n), opener) && len(lines) <= maxComment; n-- {
			lines = append(lines, strings.Trim(at(n), ornaments))
		}
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// ornaments are what comments are framed with.
const ornaments = "/*!=-~# \t"

// maxComment is how many lines of a comment are gone through to find its first.
const maxComment = 200
