package symbols

import (
	"bytes"
	"slices"
	"strings"
)

func (s *scanner) byIndent() {
	last, depth := 0, 0 // last line that is not blank; brackets open at the start of the line
	for n := 1; n <= s.code.Count(); n++ {
		line := s.code.Line(n)
		trimmed := bytes.TrimSpace(line)
		inside := depth > 0
		if s.l.closer == "" {
			depth = max(depth+brackets(trimmed), 0)
		}
		if original := bytes.TrimSpace(s.src.Line(n)); len(original) == 0 || (len(trimmed) == 0 && original[0] == '#') {
			continue
		}
		if len(trimmed) > 0 && !inside {
			indent := width(line)
			s.close(indent, last, n, trimmed)
			if len(s.out) < maxSymbols {
				s.define(n, indent)
			}
		}
		last = n
	}
	s.close(0, last, 0, nil)
}

// close ends the definitions that are indented by at least indent: before line n, which is trimmed, or with it.
func (s *scanner) close(indent, last, n int, trimmed []byte) {
	for len(s.open) > 0 && s.open[len(s.open)-1].indent >= indent {
		top := s.open[len(s.open)-1]
		if n > 0 && s.l.closer != "" && top.indent == indent {
			if slices.ContainsFunc(s.l.continued, func(w string) bool { return begins(trimmed, w) }) {
				return
			}
			if begins(trimmed, s.l.closer) {
				last = n
			}
		}
		if top.symbol >= 0 {
			s.out[top.symbol].End = max(last, s.out[top.symbol].End)
		}
		s.open = s.open[:len(s.open)-1]
	}
}

func begins(line []byte, w string) bool {
	return hasPrefix(line, w) && (!alpha(w[0]) || len(word(line)) == len(w))
}

func (s *scanner) define(n, indent int) {
	member := len(s.open) > 0 && s.open[len(s.open)-1].holds
	f, ok := s.match(n, member, len(s.open) == 0)
	if !ok {
		return
	}
	from := s.code.Start(n)
	to := from + len(s.code.Line(n))
	if f.rule.body && s.l.closer == "" {
		to = colon(s.code.Data, f.after)
	}
	end := s.code.At(to)
	doc := ""
	if s.l.closer != "" {
		doc = s.comment(n)
	} else if f.rule.body {
		doc = s.docstring(end)
	}
	sig := string(s.src.Data[from:to])
	if s.l.closer != "" {
		sig = strings.TrimSuffix(strings.TrimRight(sig, " {;\t\r"), " do")
	}
	name, i := s.add(f, n, end, sig, doc)
	goesOn := s.l.closer == "" && brackets(s.code.Line(n)) > 0 // up to the bracket that closes
	if f.rule.body || goesOn {
		s.open = append(s.open, openDefinition{symbol: i, name: name, holds: f.rule.holds, indent: indent})
	}
}

// colon is the offset of the colon that ends a signature.
func colon(code []byte, at int) int {
	const longest = 4000 // bytes of a signature
	depth := 0
	for i := at; i < min(len(code), at+longest); i++ {
		depth += bracket1(code[i])
		if code[i] == ':' && depth <= 0 {
			return i
		}
	}
	if i := bytes.IndexByte(code[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(code)
}

func brackets(line []byte) (depth int) {
	for _, c := range line {
		depth += bracket1(c)
	}
	return depth
}

// width is the indentation of a line. A tab advances to the next multiple of 8, as in Python.
func width(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n = n/8*8 + 8
		default:
			return n
		}
	}
	return n
}

// docstring is the string directly after line n, or "".
func (s *scanner) docstring(n int) string {
	for n++; n <= s.src.Count(); n++ {
		line := bytes.TrimSpace(s.src.Line(n))
		if len(line) == 0 {
			continue
		}
		line = bytes.TrimLeft(line, "rRuU")
		for _, q := range []string{`"""`, `'''`, `"`, `'`} {
			rest, ok := bytes.CutPrefix(line, []byte(q))
			if !ok {
				continue
			}
			doc, _, closed := strings.Cut(string(rest), q)
			if strings.TrimSpace(doc) == "" && !closed && n < s.src.Count() {
				doc, _, _ = strings.Cut(string(s.src.Line(n+1)), q)
			}
			return doc
		}
		return ""
	}
	return ""
}
