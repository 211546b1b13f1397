package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

func (s *scanner) byBrace() {
	for n := 1; n <= s.code.Count() && len(s.out) < maxSymbols; n++ {
		for len(s.open) > 0 && s.open[len(s.open)-1].end < n {
			s.open = s.open[:len(s.open)-1]
		}
		if s.braces.inside[n-1] || s.continues(n) {
			continue
		}
		around := s.braces.around[n-1]
		member := len(s.open) > 0 && s.open[len(s.open)-1].holds && s.open[len(s.open)-1].brace == around
		if f, ok := s.match(n, member, around < 0); ok {
			s.defineBraced(n, f)
		}
	}
}

// continues reports whether line n is blank or, in languages where a line break ends nothing, continues a list.
func (s *scanner) continues(n int) bool {
	if len(bytes.TrimSpace(s.code.Line(n))) == 0 {
		return true
	}
	if !s.l.branches || s.l.breaks {
		return false
	}
	for n--; n >= 1; n-- {
		if before := bytes.TrimSpace(s.code.Line(n)); len(before) > 0 {
			return before[len(before)-1] == ',' && before[0] != '#'
		}
	}
	return false
}

func (s *scanner) defineBraced(n int, f match) {
	if s.l.branches && f.rule.body && f.rule.where == anywhere && s.isResult(n) {
		return
	}
	from := s.code.Start(n)
	e := s.extent(f, from, true)
	if f.rule.body && e.brace < 0 {
		e = s.extent(f, from, false)
	}
	if f.rule.body && e.brace < 0 {
		return
	}
	if f.rule.after {
		f.name = word(bytes.TrimLeft(s.code.Data[min(e.end+1, len(s.code.Data)):], " \t\n*"))
		if f.name == "" && f.tag == "" {
			return
		}
	}
	end := s.code.At(max(e.end, from))
	if n > 1 && f.rule.where == atTop && f.after == from+len(f.name) && s.isType(n-1) {
		n--
		from = s.code.Start(n)
	}
	sig := strings.TrimSuffix(strings.TrimSpace(string(s.src.Data[from:e.signature])), `\`)
	if f.rule.after {
		sig = strings.TrimSpace(sig + " " + f.name)
	}
	if f.rule.kind == "const" {
		sig, _, _ = strings.Cut(sig, "\n") // a value may be long
	}
	if f.tag != "" && f.tag != f.name && f.name != "" {
		s.add(match{rule: &rule{kind: "type"}, name: f.name}, n, end, sig, "")
	}
	f.name = cmp.Or(f.tag, f.name)
	name, i := s.add(f, n, end, sig, s.comment(n))
	if e.brace >= 0 {
		s.open = append(s.open, openDefinition{symbol: i, name: name, holds: f.rule.holds, brace: e.brace, end: end})
	}
}

// headed matches the start of a line that names a function, below the type of its result. Capitals are a macro.
var headed = re(`^[\s*&]*(?:\w+::)*~?(?P<name>\w*[a-z]\w*)\s*\(`)

// isResult reports whether the enum, struct or class on line n is not defined there, but is the type of the result of
// the function that the next line names.
func (s *scanner) isResult(n int) bool {
	if n >= s.code.Count() || bytes.IndexByte(s.code.Line(n), '{') >= 0 {
		return false
	}
	m := headed.FindSubmatch(s.code.Line(n + 1))
	return m != nil && !slices.Contains(statements, string(m[1]))
}

// isType reports whether line n may be the result type of a function that is named on the next line.
func (s *scanner) isType(n int) bool {
	line := bytes.TrimSpace(s.code.Line(n))
	return len(line) > 0 && alpha(line[0]) && !bytes.ContainsAny(line, ";{}():=#")
}
