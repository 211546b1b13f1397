package symbols

import (
	"bytes"
	"slices"
	"strings"
)

// An extent says where the parts of a definition are, as offsets: the end of its signature, the opening brace of its
// body (-1: none), and its end.
type extent struct{ signature, brace, end int }

// extent scans a definition from its name to the opening brace of its body, or to its end if it has no body. With
// generics, it skips text between < and >.
func (s *scanner) extent(f match, from int, generics bool) extent {
	code := s.code.Data
	value := f.rule.kind == "const" || f.rule.kind == "type" || f.rule.kind == "macro" // its braces are not a body
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
			return extent{from + len(s.code.Line(s.code.At(from))), -1, i}
		case generics && !value && c == '<' && (alpha(code[i-1]) || digit(code[i-1])):
			depth++
		case generics && !value && c == '>' && depth > 0 && code[i-1] != '=' && code[i-1] != '-':
			depth--
		default:
			depth = max(depth+bracket1(c), 0)
		}
	}
	line := s.code.At(f.after)
	end := s.code.Start(line) + len(s.code.Line(line))
	return extent{end, -1, end}
}

// another reports whether the line before the line break at i ends a parameter list and the next line has another. Then
// the first was the call of a macro.
func another(code []byte, i int) bool {
	before := bytes.TrimRight(code[max(i-100, 0):i], " \t\r")
	if len(before) == 0 || before[len(before)-1] != ')' {
		return false
	}
	line := bytes.TrimSpace(code[i : i+1+until(code[i+1:min(len(code), i+400)], "\n", 0)])
	return len(line) > 0 && alpha(line[0]) && bytes.IndexByte(line, '(') > 0 && !slices.Contains(suffixes, word(line))
}

// suffixes are words that may follow a parameter list.
var suffixes = []string{"noexcept", "requires", "__attribute__", "const", "override", "final", "where"}

// headWords continue the head of a definition on the next line.
var headWords = []string{"extends", "implements", "where", "with"}

// window is how far around a line break the scanner looks, in bytes.
const window = 500

// ends reports whether the line break at i ends a definition. A macro continues after a backslash. Any other definition
// continues if its last character needs a right operand, or if the next line begins with an operator, a brace or, for
// a definition with a body, one of the headWords.
func (s *scanner) ends(i int, r *rule) bool {
	from := max(i-window, 0)
	before := bytes.TrimRight(s.code.Data[from:i], " \t\r")
	if r.kind == "macro" {
		return !bytes.HasSuffix(before, []byte(`\`))
	}
	// Code has blanks in place of strings, so before may stop at a string that ends the line: then skip this check.
	if n := len(before); n > 0 && !bytes.ContainsAny(s.src.Data[from+n:i], "\"'`") {
		last := before[n-1]
		arrow := last == '>' && n > 1 && before[n-2] == '='
		if strings.IndexByte("=|&,(?:+.<", last) >= 0 || arrow || last == '>' && r.body {
			return false
		}
	}
	next := bytes.TrimLeft(s.code.Data[i:min(len(s.code.Data), i+window)], " \t\r\n")
	if r.body && slices.Contains(headWords, word(next)) {
		return false
	}
	return len(next) == 0 || strings.IndexByte("{|&.?:=+<)", next[0]) < 0
}
