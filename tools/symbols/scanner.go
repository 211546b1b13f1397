package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// symbols finds the definitions in src by the language's table.
func (l *language) symbols(src []byte) []Symbol {
	masked := l.lex.mask(src)
	s := &scanner{l: l, src: newText(src), code: newText(masked), work: workPerByte*len(src) + maxExtent}
	if l.indent {
		s.byIndent()
	} else {
		s.braces = matchBraces(s.code, l.branches)
		s.byBrace()
	}
	return s.out
}

// workPerByte is how often each byte of a source may be gone through to find where definitions end. Signatures that people
// write do not overlap.
const workPerByte = 8

// A scanner goes through the lines of one file and keeps the definitions that are open.
type scanner struct {
	l      *language
	src    text
	code   text // src with comments and strings blanked
	braces braces
	open   []opened
	out    []Symbol
	work   int // bytes that may still be gone through to find ends: a bound for sources that are made to take long
}

// An opened is a definition whose end has not been reached.
type opened struct {
	symbol int    // index in out, -1 for a container without a name
	name   string // qualified
	holds  bool
	indent int // of its first line, where bodies end by indentation
	brace  int // offset of its body's brace
	end    int // last line, where bodies end with a brace
}

// A found is a definition that a rule matched on a line.
type found struct {
	rule  *rule
	name  string
	tag   string // of a type that has a name of its own besides
	after int    // offset behind the name
}

// match tries the rules on line n.
func (s *scanner) match(n int, member, top bool) (found, bool) {
	line := bytes.TrimRight(s.code.line(n), " \t\r")
	if len(s.open) >= maxDepth {
		return found{}, false
	}
	for i := range s.l.rules {
		r := &s.l.rules[i]
		if (r.where == inHolder && !member) || (r.where == atTop && !member && !top) ||
			(r.tail != 0 && line[len(line)-1] != r.tail) || !bytes.Contains(line, []byte(r.hint)) {
			continue
		}
		loc := r.re.FindSubmatchIndex(line)
		if loc == nil {
			continue
		}
		f := found{rule: r, after: s.code.starts[n-1] + loc[1]}
		group := func(name string) string {
			if i := 2 * r.re.SubexpIndex(name); i > 0 && loc[i] >= 0 {
				return string(line[loc[i]:loc[i+1]])
			}
			return ""
		}
		if i := 2 * r.re.SubexpIndex("name"); loc[i] >= 0 {
			f.name = s.l.qualified(group("name"))
			f.after = s.code.starts[n-1] + loc[i+1]
		}
		f.name, f.tag = cmp.Or(f.name, r.named), group("tag")
		if owner := strings.TrimPrefix(group("owner")+".", "this."); len(owner) > 1 {
			f.name = owner + f.name
		}
		if r.owner && !s.isMember(strings.TrimSpace(group("type")), f.name) {
			continue
		}
		if (r.plain || r.where == atTop) && slices.Contains(statements, f.name) {
			continue
		}
		return f, true
	}
	return found{}, false
}

// qualified is a name with dots between its parts, without quotes around it and what it is instantiated with.
func (l *language) qualified(name string) string {
	if strings.HasPrefix(name, "`") {
		return strings.Trim(name, "`")
	}
	if l.separator == "" || !strings.Contains(name, l.separator) {
		return strings.Join(strings.Fields(name), "")
	}
	parts := strings.Split(name, l.separator)
	for i := range parts {
		if j := strings.IndexByte(parts[i], '<'); j > 0 && !strings.HasPrefix(parts[i], "operator") {
			parts[i] = parts[i][:j]
		}
	}
	return strings.Trim(strings.Join(parts, "."), ".")
}

// isMember reports whether a name with that type before it is a member of the class around it: without one it must be its
// constructor.
func (s *scanner) isMember(typ, name string) bool {
	if len(s.open) == 0 || typ != "" {
		return !slices.Contains(statements, typ) && len(s.open) > 0
	}
	owner := s.open[len(s.open)-1].name
	return owner[strings.LastIndexByte(owner, '.')+1:] == strings.TrimPrefix(name, "~")
}

// add appends the definition f from line start to line end and returns its qualified name.
func (s *scanner) add(f found, start, end int, sig, doc string) (string, int) {
	kind, name, depth := f.rule.kind, f.name, 1
	for _, o := range s.open {
		if o.symbol >= 0 {
			depth++
		}
	}
	if len(s.open) > 0 {
		top := s.open[len(s.open)-1]
		name = strings.Trim(top.name+"."+name, ".")
		if top.holds && top.name != "" && (top.symbol < 0 || s.out[top.symbol].Kind != "module") {
			kind = cmp.Or(f.rule.members, kind)
		}
	}
	if kind == "" {
		return name, -1
	}
	s.out = append(s.out, Symbol{Name: name, Kind: kind, Start: start, End: end, Depth: depth, Signature: signature(sig), Doc: firstLine(doc)})
	return name, len(s.out) - 1
}

// byIndent is for languages whose bodies end with their indentation.
func (s *scanner) byIndent() {
	last, depth := 0, 0 // last line with something on it, brackets open at the line's beginning
	for n := 1; n <= s.code.count(); n++ {
		line := s.code.line(n)
		trimmed := bytes.TrimSpace(line)
		inside := depth > 0
		if s.l.closer == "" {
			depth = max(depth+brackets(trimmed), 0)
		}
		if original := bytes.TrimSpace(s.src.line(n)); len(original) == 0 || (len(trimmed) == 0 && original[0] == '#') {
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

// close ends the definitions that are indented as deep as indent or deeper: before line n, which is trimmed, or with it.
func (s *scanner) close(indent, last, n int, trimmed []byte) {
	for len(s.open) > 0 && s.open[len(s.open)-1].indent >= indent {
		top := s.open[len(s.open)-1]
		if n > 0 && s.l.closer != "" && top.indent == indent {
			if slices.ContainsFunc(s.l.goesOn, func(w string) bool { return begins(trimmed, w) }) {
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

// begins reports whether a line begins with the word or bracket w.
func begins(line []byte, w string) bool {
	return hasPrefix(line, w) && (!alpha(w[0]) || len(word(line)) == len(w))
}

func (s *scanner) define(n, indent int) {
	member := len(s.open) > 0 && s.open[len(s.open)-1].holds
	f, ok := s.match(n, member, len(s.open) == 0)
	if !ok {
		return
	}
	from := s.code.starts[n-1]
	to := from + len(s.code.line(n))
	if f.rule.body && s.l.closer == "" {
		to = colon(s.code.data, f.after)
	}
	end := s.code.lineOf(to)
	doc := ""
	if s.l.closer != "" {
		doc = s.comment(n)
	} else if f.rule.body {
		doc = s.docstring(end)
	}
	sig := string(s.src.data[from:to])
	if s.l.closer != "" {
		sig = strings.TrimSuffix(strings.TrimRight(sig, " {;\t\r"), " do")
	}
	name, i := s.add(f, n, end, sig, doc)
	if f.rule.body {
		s.open = append(s.open, opened{symbol: i, name: name, holds: f.rule.holds, indent: indent})
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

func bracket1(c byte) int {
	switch c {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	default:
		return 0
	}
}

// width is the indentation of a line; a tab counts to the next multiple of 8, as in Python.
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

// docstring is the string that stands directly behind line n.
func (s *scanner) docstring(n int) string {
	for n++; n <= s.src.count(); n++ {
		line := bytes.TrimSpace(s.src.line(n))
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
			if strings.TrimSpace(doc) == "" && !closed && n < s.src.count() {
				doc, _, _ = strings.Cut(string(s.src.line(n+1)), q)
			}
			return doc
		}
		return ""
	}
	return ""
}
