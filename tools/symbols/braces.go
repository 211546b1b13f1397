package symbols

import (
	"bytes"
	"slices"
	"strings"
)

// braces are the curly braces of a file: which closes which, and which is the innermost open one where a line begins.
type braces struct {
	closing map[int]int // offset of "{" → offset of its "}"
	around  []int       // by line: offset of the "{", -1 for none
}

// matchBraces pairs the braces of code. With branches, what an #if opened is closed at its #else, so that only one branch
// counts for what follows.
func matchBraces(code text, branches bool) braces {
	b := braces{closing: map[int]int{}}
	var open []int
	var saved [][]int // what was open at each #if around
	for n := 1; n <= code.count(); n++ {
		b.around = append(b.around, last(open))
		line, at := code.line(n), code.starts[n-1]
		if branches {
			open, saved = b.branch(directive(line), at, open, saved)
		}
		for i, c := range line {
			switch {
			case c == '{':
				open = append(open, at+i)
			case c == '}' && len(open) > 0:
				b.closing[last(open)] = at + i
				open = open[:len(open)-1]
			}
		}
	}
	return b
}

// directive is the word behind the # of a preprocessor line.
func directive(line []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
	if !ok {
		return ""
	}
	return word(rest)
}

func (b *braces) branch(word string, at int, open []int, saved [][]int) ([]int, [][]int) {
	switch {
	case strings.HasPrefix(word, "if"):
		return open, append(saved, slices.Clone(open))
	case strings.HasPrefix(word, "el") && len(saved) > 0:
		before := saved[len(saved)-1]
		for _, brace := range open {
			if !slices.Contains(before, brace) {
				b.closing[brace] = at - 1
			}
		}
		return slices.Clone(before), saved
	case word == "endif" && len(saved) > 0:
		return open, saved[:len(saved)-1]
	}
	return open, saved
}

func last(open []int) int {
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// byBrace is for languages whose bodies stand in braces.
func (s *scanner) byBrace() {
	for n := 1; n <= s.code.count() && len(s.out) < maxSymbols; n++ {
		for len(s.open) > 0 && s.open[len(s.open)-1].end < n {
			s.open = s.open[:len(s.open)-1]
		}
		if len(bytes.TrimSpace(s.code.line(n))) == 0 {
			continue
		}
		around := s.braces.around[n-1]
		member := len(s.open) > 0 && s.open[len(s.open)-1].holds && s.open[len(s.open)-1].brace == around
		if f, ok := s.match(n, member, around < 0); ok {
			s.defineBraced(n, f)
		}
	}
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
		f.name = word(s.code.data[min(e.end+1, len(s.code.data)):])
		if f.name == "" {
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
		sig += " " + f.name
	}
	if f.rule.kind == "const" {
		sig, _, _ = strings.Cut(sig, "\n") // a value may go on for long
	}
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

// word is the identifier that code begins with, after blanks and stars.
func word(code []byte) string {
	code = bytes.TrimLeft(code, " \t\n*")
	i := bytes.IndexFunc(code, func(r rune) bool { return r != '_' && (r > 'z' || !alpha(byte(r)) && !digit(byte(r))) })
	if i < 0 {
		i = len(code)
	}
	return string(code[:i])
}

// An extent is where a definition goes: offsets of the end of its signature, of its body's brace (-1: none), of its end.
type extent struct{ signature, brace, end int }

// extent follows a definition from its name to the brace that opens its body, or to its end when it has none. With
// generics, what stands between < and > is passed over.
func (s *scanner) extent(f found, from int, generics bool) extent {
	code := s.code.data
	value := f.rule.kind == "const" || f.rule.kind == "type" || f.rule.kind == "macro" // its braces are no body
	depth := 0
	for i := f.after; i < min(len(code), f.after+maxExtent); i++ {
		switch c := code[i]; {
		case c == '{' && depth == 0 && !value:
			end, ok := s.braces.closing[i]
			if !ok {
				end = len(code) - 1
			}
			return extent{i, i, end}
		case c == ';' && depth == 0, c == '}' && depth == 0:
			return extent{i, -1, i}
		case c == '\n' && depth == 0 && (f.rule.kind == "macro" || s.l.breaks) && ends(code, i, f.rule.kind):
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

// maxExtent is how far the end of a definition without a body is looked for, in bytes.
const maxExtent = 1 << 15

// ends reports whether the line break at i ends a statement.
func ends(code []byte, i int, kind string) bool {
	before := bytes.TrimRight(code[:i], " \t")
	if kind == "macro" {
		return !bytes.HasSuffix(before, []byte(`\`))
	}
	next := bytes.TrimLeft(code[i:], " \t\n")
	if len(before) > 0 && strings.IndexByte("=|&,(?:+.<>", before[len(before)-1]) >= 0 {
		return false
	}
	return len(next) == 0 || strings.IndexByte("{|&.?:=+<)", next[0]) < 0
}

// comment is the comment that ends on the line before n; attributes and annotations between are passed over.
func (s *scanner) comment(n int) string {
	at := func(n int) string { return strings.TrimSpace(string(s.src.line(n))) }
	for n--; n >= 1 && (strings.HasPrefix(at(n), "@") || strings.HasPrefix(at(n), "#[") || strings.HasPrefix(at(n), "template")); n-- {
	}
	if n < 1 {
		return ""
	}
	var lines []string
	switch {
	case strings.HasSuffix(at(n), "*/"):
		for ; n >= 1; n-- {
			lines = append(lines, strings.Trim(strings.TrimSuffix(at(n), "*/"), ornaments))
			if strings.Contains(at(n), "/*") || len(lines) > maxComment {
				break
			}
		}
	case strings.HasPrefix(at(n), "//"):
		for ; n >= 1 && strings.HasPrefix(at(n), "//") && len(lines) <= maxComment; n-- {
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
