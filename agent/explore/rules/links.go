package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// edges returns the calls that the report shows: between picked blocks, from them to other definitions, and from other
// code to the best of them. A name means the same definition in all of them.
func (r *links) edges() []report.Edge {
	var all []report.Edge
	nodes := make(map[string]string) // by name, the file of its definition
	add := func(c edge) {
		fresh, other := 0, false
		for _, s := range []symbol{c.from, c.to} {
			at, known := nodes[s.Name]
			other = other || known && at != s.Path
			if !known {
				fresh++
			}
		}
		e := report.Edge{From: c.from.Name, To: c.to.Name, Kind: "calls", Citation: cite(c.from.Path, c.line, c.line)}
		listed := slices.ContainsFunc(all, func(o report.Edge) bool { return o.From == e.From && o.To == e.To })
		if e.From == "" || e.From == e.To || listed || other || len(nodes)+fresh > maxEdgeNodes {
			return
		}
		nodes[e.From], nodes[e.To] = c.from.Path, c.to.Path
		all = append(all, e)
	}
	for _, c := range slices.Concat(r.between(), r.targetEdges(), r.callers()) {
		if r.factor(c.from.Path) == 1 {
			add(c)
		}
	}
	return all
}

// An edge is the call of a definition in a line of another.
type edge struct {
	from, to symbol
	line     int
}

func (r *links) targetEdges() (all []edge) {
	for _, t := range r.targets() {
		all = append(all, edge{t.from.symbol, t.symbol, t.line})
	}
	return all
}

// between returns the calls from one picked block to another.
func (r *links) between() []edge {
	var all []edge
	picked := r.pick(maxPlaces)
	for _, from := range picked {
		made := r.callsIn(from)
		slices.SortStableFunc(made, func(a, b callee) int { return cmp.Compare(r.nameWorth(b.name), r.nameWorth(a.name)) })
		for _, c := range made {
			for _, to := range picked {
				s, ok := r.resolve(c)
				if ok && to != from && s.Path == to.Path && s.Start == to.Start {
					all = append(all, edge{from.symbol, to.symbol, c.line})
				}
			}
		}
	}
	return all
}

// callers returns the calls of the best blocks from code other than tests.
func (r *links) callers() []edge {
	var all []edge
	for _, b := range r.traceable() {
		name := lastPart(b.Name)
		if len(r.defs(name)) > 1 || r.e.defined[name] > 1 || !callable(b.symbol) {
			continue // the call may mean another definition of the name
		}
		for _, u := range r.usesOf(name) {
			before, called := calls(u.text, name)
			from := &block{symbol: newSymbol(u.path, u.in, "", u.line, u.line)}
			if called && u.kind == "call" && u.in != "" && lastPart(u.in) != name && r.factor(u.path) == 1 &&
				!ofNamesake(from.symbol, b.symbol) &&
				!examplePath.MatchString(u.path) && !r.declares(u) && from.callee(name, u.line, before).within(b.symbol) {
				all = append(all, edge{from.symbol, b.symbol, u.line})
			}
		}
	}
	return all
}

// ofNamesake reports whether a method is one of a type in another directory that is called like the caller's own: the
// caller most likely means a method of its own type.
func ofNamesake(caller, method symbol) bool {
	return ownerOf(method.Name) != "" && ownerOf(caller.Name) == ownerOf(method.Name) && !sameDir(caller.Path, method.Path)
}

// interfaceKind is the kind of a definition whose lines declare methods, and call none.
const interfaceKind = "interface"

// declares reports whether a line only declares a method: it is one of an interface.
func (r *links) declares(u use) bool {
	f := r.e.files[u.path]
	if f == nil {
		return false
	}
	in, ok := f.enclosing(u.line)
	return ok && in.Kind == interfaceKind
}

// callable reports whether parentheses after a name call it: with a type of Go they convert a value, and a constant is
// not what a method of its name is.
func callable(s symbol) bool {
	return symbols.Language(s.Path) != "go" || !slices.Contains([]string{"type", "struct", interfaceKind, "const"}, s.Kind)
}

// A callee is a name that a block calls.
type callee struct {
	name   string
	from   *block  // the caller
	line   int     // of the call
	method bool    // called on a value or package, as x.name()
	own    bool    // called on the same object, as self.name()
	in     string  // the type or module that it names, as in::name(), or the value, as in.name() or in().name(); or ""
	rank   float64 // how promising it is to follow
}

// callee returns a name that b calls in a line, after what precedes it there.
func (b *block) callee(name string, line int, before string) callee {
	c := callee{name: name, from: b, line: line, method: strings.HasSuffix(before, "."), own: ownCall.MatchString(before)}
	if q := qualified.FindStringSubmatch(before); q != nil {
		c.in = q[1]
	}
	return c
}

// links finds the definitions that the candidates call, and who uses them.
type links struct {
	*candidates
	offered map[string]bool     // names of the tools that the run offers
	byName  map[string][]symbol // definitions by the last part of their names; filled on first use
}

// callees returns the names that the picked blocks call, each once, most promising first.
func (r *links) callees() []callee {
	var all []callee
	seen := make(map[string]bool)
	for i, b := range r.pick(readBlocks) {
		seen[lastPart(b.Name)] = true
		for _, c := range r.callsIn(b) {
			c.rank = 1/float64(i+1) + r.nameWorth(c.name)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b callee) int { return cmp.Compare(b.rank, a.rank) })
	var out []callee
	for _, c := range all {
		if !seen[c.name] && len(out) < maxCallees {
			seen[c.name] = true
			out = append(out, c)
		}
	}
	return out
}

// callsIn returns the calls in the code of a block, in order.
func (r *links) callsIn(b *block) []callee {
	if b.Kind == interfaceKind {
		return nil
	}
	var all []callee
	masked := r.masked(b)
	for _, l := range r.code(b) {
		text := masked[l.Line-b.Start]
		for _, m := range callPattern.FindAllStringSubmatchIndex(text, -1) {
			name := text[m[2]:m[3]]
			if len(name) >= shortestName && !plainNames[name] && isCall(text[:m[2]]) && !r.heads(b.Path, l.Line, name) {
				all = append(all, b.callee(name, l.Line, text[:m[2]]))
			}
		}
	}
	return all
}

// masked returns the lines of a block with comments and strings blanked: a name in a string is no call. Lines that were
// not read are empty.
func (r *links) masked(b *block) []string {
	var lines []string
	for n := b.Start; n <= b.End; n++ {
		text, _ := r.e.line(b.Path, n)
		lines = append(lines, text)
	}
	text, opening := strings.Join(lines, "\n"), ""
	if symbols.Language(b.Path) == "php" && !strings.Contains(text, "<?") {
		opening = "<?php " // else it is text
	}
	masked := string(symbols.Mask(b.Path, []byte(opening+text)))
	return strings.Split(masked[min(len(opening), len(masked)):], "\n")
}

// heads reports whether a line is the one that names a definition of the name.
func (r *links) heads(path string, at int, name string) bool {
	return slices.ContainsFunc(r.defs(name), func(s symbol) bool {
		if s.Path != path || s.Start > at || s.End < at {
			return false
		}
		for n := s.Start; n < at; n++ { // the type of a result, or annotations
			if text, _ := r.e.line(path, n); wholeWord(text, name) {
				return false
			}
		}
		return true
	})
}

// code returns the lines of a block that were read, except its first line, comments and docstrings.
func (r *links) code(b *block) []hit {
	var all []hit
	inside := false
	for n := b.Start; n <= b.End; n++ {
		text, ok := r.e.line(b.Path, n)
		quotes := strings.Count(text, `"""`) + strings.Count(text, "'''")
		if was := inside; quotes%2 == 1 {
			inside = !was
		} else if quotes == 0 && !was && ok && n > b.Start && !comments.Is(text) {
			all = append(all, hit{Line: n, Text: text})
		}
	}
	return all
}

func (r *links) nameWorth(name string) (worth float64) {
	for i, w := range r.q.words {
		if w.in(name) {
			worth += r.worth(i)
		}
	}
	return worth
}

// traceable returns the best blocks whose names are distinct enough to search for their callers.
func (r *links) traceable() []*block {
	var all []*block
	var names []string
	for _, b := range r.pick(readBlocks) {
		n := lastPart(b.Name)
		if len(n) > shortestName && !plainNames[n] && !slices.Contains(names, n) && len(all) < maxCallers && b.factor == 1 {
			names = append(names, n)
			all = append(all, b)
		}
	}
	return all
}

// A target is a call of a picked block, with the definition that it means.
type target struct {
	callee
	symbol
}

// targets returns the definitions that the picked blocks call, most promising first.
func (r *links) targets() []target {
	var all []target
	for _, c := range r.callees() {
		if s, ok := r.resolve(c); ok && c.from.factor == 1 {
			c.rank += ownerShare * r.nameWorth(ownerOf(s.Name))
			all = append(all, target{c, s})
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(b.rank, a.rank) })
	return all
}

// resolve finds the definition that a call means: in the same file, else in the same directory, else anywhere. It
// reports false if it finds none, or several equally near.
func (r *links) resolve(c callee) (symbol, bool) {
	defs := slices.DeleteFunc(slices.Clone(r.defs(c.name)), func(s symbol) bool { return !callable(s) || !c.within(s) })
	if c.method && !c.own && len(defs) > 1 {
		other := func(s symbol) bool { return s.Path != c.from.Path || ownerOf(s.Name) != ownerOf(c.from.Name) }
		if slices.ContainsFunc(defs, c.named) {
			other = func(s symbol) bool { return !c.named(s) }
		}
		defs = slices.DeleteFunc(defs, other)
	}
	distinct := len(c.name) >= distinctName || len(identParts(c.name)) > 1
	for _, near := range []func(symbol) bool{
		func(s symbol) bool {
			return s.Path == c.from.Path && (distinct || !c.method || ownerOf(s.Name) == ownerOf(c.from.Name))
		},
		func(s symbol) bool {
			return (distinct || !c.method || len(c.name) > shortestName) && sameDir(s.Path, c.from.Path) &&
				!testfile.Is(s.Path)
		},
		func(s symbol) bool {
			return distinct && !testfile.Is(s.Path) && !vendoredPath.MatchString(s.Path) && !ofNamesake(c.from.symbol, s)
		},
	} {
		var fit []symbol
		for _, s := range defs {
			if near(s) {
				fit = append(fit, s)
			}
		}
		if len(fit) > 0 {
			return fit[0], len(fit) == 1
		}
	}
	return symbol{}, false
}

// named reports whether the value of a call has the name of the type that a definition is in.
func (c callee) named(s symbol) bool {
	owner := lastPart(ownerOf(s.Name))
	return owner != "" && strings.EqualFold(strings.ReplaceAll(c.in, "_", ""), owner)
}

// within reports whether a definition may be in the type or module that the call names. In a method of its type, except
// in Go, a call on a value means it only if the value is self or its name is part of that of the type. In languages
// whose methods have no keyword, the name of the value must be part of that of the type or of the file of a method in
// another file, because other methods of that name may not have been found.
func (c callee) within(s symbol) bool {
	owner := lastPart(ownerOf(s.Name))
	switch {
	case c.method && ofClass.MatchString(c.in) && !anyOwner[c.in]:
		inPath := func(part string) bool { return strings.EqualFold(strings.ReplaceAll(part, "_", ""), c.in) }
		return c.named(s) || slices.ContainsFunc(strings.Split(strings.ReplaceAll(s.Path, ".", "/"), "/"), inPath)
	case c.method && !c.own && owner != "" && ownerOf(s.Name) == ownerOf(c.from.Name):
		return symbols.Language(s.Path) == "go" || strings.Contains(strings.ToLower(owner), strings.ToLower(c.in))
	case c.method && !c.own && s.Path != c.from.Path && bareMethods[symbols.Language(s.Path)]:
		in, file := strings.ToLower(strings.Trim(c.in, "_")), path.Base(s.Path)
		return len(in) >= shortestName &&
			strings.Contains(strings.ToLower(owner+" "+strings.TrimSuffix(file, path.Ext(file))), in)
	case c.in == "" || c.method || anyOwner[c.in]:
		return true
	}
	return slices.Contains(append(strings.Split(strings.ReplaceAll(s.Path, ".", "/"), "/"), owner), c.in)
}

// bareMethods are the languages whose methods are defined without a keyword.
var bareMethods = set("java csharp javascript typescript")

// defs returns the definitions of a name, by path and line.
func (r *links) defs(name string) []symbol {
	if r.byName == nil {
		r.byName = make(map[string][]symbol)
		for _, f := range r.e.sorted {
			f.define(r.byName)
		}
	}
	return r.byName[name]
}

// occurs reports whether any result shows an identifier of the question.
func (r *links) occurs(id ident) bool {
	if i := slices.IndexFunc(r.q.idents, func(o ident) bool { return o.text == id.text }); i >= 0 &&
		r.e.identFiles[i] > 0 {
		return true
	}
	for _, f := range r.e.files {
		if slices.ContainsFunc(f.symbols, func(s symbol) bool { return id.names(s.Name) }) {
			return true
		}
		for _, h := range f.hits {
			if id.re.MatchString(h.Text) {
				return true
			}
		}
	}
	return false
}

// usesOf returns the lines that use a name, found by references or, if that is not offered, by searches.
func (r *links) usesOf(name string) []use {
	var all []use
	for _, u := range r.e.uses {
		if u.name == name {
			all = append(all, u)
		}
	}
	if len(all) > 0 || r.offered["references"] {
		return all
	}
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			if !wholeWord(h.Text, name) || defines(h) && lastPart(h.Symbol) == name {
				continue
			}
			u := use{name: name, path: f.path, in: h.Symbol, line: h.Line, text: h.Text}
			if _, ok := calls(h.Text, name); ok {
				u.kind = "call"
			}
			all = append(all, u)
		}
	}
	return all
}
