package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// workPerByte bounds how often each byte of a source may be scanned to find the ends of definitions. In handwritten
// code signatures do not overlap.
const workPerByte = 8

// maxExtent is how far to look for the end of a definition without a body, in bytes.
const maxExtent = 1 << 13

// A scanner walks through the lines of one file and keeps the open definitions.
type scanner struct {
	l      *language
	src    line.Text
	code   line.Text // src with comments and strings blanked
	braces braces
	open   []openDefinition
	out    []Symbol
	work   int // bytes that may still be scanned for ends, a bound for hostile sources
}

// An openDefinition is a definition whose end is still to come.
type openDefinition struct {
	symbol int    // index in out, -1 for a container without a name
	name   string // qualified
	holds  bool
	indent int // of its first line, for languages with indentation
	brace  int // offset of its body's brace
	end    int // last line, for languages with braces
}

type match struct {
	rule  *rule
	name  string
	tag   string // of a type that also has a separate name
	after int    // offset after the name
}

func (s *scanner) match(n int, member, top bool) (match, bool) {
	line := bytes.TrimRight(s.code.Line(n), " \t\r")
	if len(s.open) >= maxDepth {
		return match{}, false
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
		f := match{rule: r, after: s.code.Start(n) + loc[1]}
		group := func(name string) string {
			if i := 2 * r.re.SubexpIndex(name); i > 0 && loc[i] >= 0 {
				return string(line[loc[i]:loc[i+1]])
			}
			return ""
		}
		if i := 2 * r.re.SubexpIndex("name"); loc[i] >= 0 {
			f.name = s.l.qualified(group("name"))
			f.after = s.code.Start(n) + loc[i+1]
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
	return match{}, false
}

// qualified writes a name with dots between its parts, without quotes and type arguments.
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

// isMember reports whether a name after a type is a member of the enclosing class. Without a type it must be the
// constructor.
func (s *scanner) isMember(typ, name string) bool {
	if len(s.open) == 0 || typ != "" {
		return !slices.Contains(statements, typ) && len(s.open) > 0
	}
	owner := s.open[len(s.open)-1].name
	return owner[strings.LastIndexByte(owner, '.')+1:] == strings.TrimPrefix(name, "~")
}

// add appends a definition and returns its qualified name and its index.
func (s *scanner) add(f match, start, end int, sig, doc string) (string, int) {
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
	if kind == "" || f.name == "" { // a separator alone is no name
		return name, -1
	}
	s.out = append(s.out, Symbol{
		Name: name, Kind: kind, Start: start, End: end, Depth: depth, Signature: signature(sig), Doc: firstLine(doc),
	})
	return name, len(s.out) - 1
}

// bracket1 is 1 for an opening bracket, -1 for a closing one, otherwise 0.
func bracket1(c byte) int {
	switch c {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// comment is the comment that ends on the line before n, or "" if that is very long. It skips attributes and
// annotations.
func (s *scanner) comment(n int) string {
	at := func(n int) string { return strings.TrimSpace(string(s.src.Line(n))) }
	low := max(n-maxComment, 0)
	n--
	for first := s.attribute(n); first > low; first = s.attribute(n) {
		n = first - 1
	}
	top := 0 // lines that have the licence of the file rather than the documentation of what follows
	if s.l.apart && n > 1 && at(n) == "" && strings.HasSuffix(at(n-1), "*/") {
		n, top = n-1, maxTop
	}
	if n < 1 {
		return ""
	}
	opener := cmp.Or(s.l.docs, "//")
	if s.l.docs == "" {
		above := n
		for above > 1 && above > low && strings.HasPrefix(at(above), opener) {
			above--
		}
		if strings.HasSuffix(at(above), "*/") {
			n = above // a remark is between the documentation and what it is of
		}
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
		if n <= top {
			return ""
		}
	case strings.HasPrefix(at(n), opener):
		for ; n >= 1 && strings.HasPrefix(at(n), opener) && len(lines) <= maxComment; n-- {
			lines = append(lines, strings.Trim(at(n), ornaments))
		}
	}
	if len(lines) > maxComment {
		return "" // what it says first is out of reach
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// attribute returns the line on which the attribute or annotation that ends on a line begins, or 0.
func (s *scanner) attribute(end int) int {
	depth := 0
	for n := end; n >= 1 && n > end-maxAttribute; n-- {
		text := strings.TrimSpace(string(s.src.Line(n)))
		depth += strings.Count(text, ")") + strings.Count(text, "]") - strings.Count(text, "(") - strings.Count(text, "[")
		if attributes.MatchString(text) || s.l.brackets && inBrackets.MatchString(text) {
			return n
		}
		if depth <= 0 {
			break
		}
	}
	return 0
}

// attributes matches where an attribute, an annotation or the parameters of a template begin, and inBrackets an attribute
// in brackets, or what selects one.
var (
	attributes = lazyregexp.New(`^(?:@|#\[|template)`)
	inBrackets = lazyregexp.New(`^(?:\[|#(?:if|endif))`)
)

// maxTop is the last line on which the licence of a file begins.
const maxTop = 3

// maxAttribute is how many lines an attribute has at most.
const maxAttribute = 20

// ornaments are the characters that frame comments.
const ornaments = "/*!=-~# \t"

// maxComment is how many lines of a comment are searched for its start.
const maxComment = 1000
