package rules

import (
	"path"
	"slices"
	"strings"
)

// edges are the calls that were found from the chosen blocks to definitions that are known, and from others to them.
func (r *run) edges() []edge {
	var all []edge
	nodes := make(map[string]bool)
	add := func(e edge) {
		fresh := 0
		for _, n := range []string{e.From, e.To} {
			if !nodes[n] {
				fresh++
			}
		}
		known := slices.ContainsFunc(all, func(o edge) bool { return o.From == e.From && o.To == e.To })
		if e.From == "" || e.From == e.To || known || len(nodes)+fresh > maxEdgeNodes {
			return
		}
		nodes[e.From], nodes[e.To] = true, true
		all = append(all, e)
	}
	for _, e := range r.between() {
		if p, _ := splitCitation(e.Citation); r.factor(p) == 1 {
			add(e)
		}
	}
	for _, t := range r.targets() {
		if t.from.factor == 1 {
			add(edge{t.from.name, t.symbol.name, "calls", cite(t.from.path, t.line, t.line)})
		}
	}
	for _, e := range r.callers() {
		add(e)
	}
	return all
}

// between are the calls from one chosen block to another.
func (r *run) between() []edge {
	var all []edge
	chosen := r.chosen(maxPlaces)
	for _, from := range chosen {
		for _, c := range r.callsIn(from) {
			for _, to := range chosen {
				s, ok := r.resolve(c)
				if ok && to != from && s.path == to.path && s.start == to.start {
					all = append(all, edge{from.name, to.name, "calls", cite(from.path, c.line, c.line)})
				}
			}
		}
	}
	return all
}

// callers are the calls of the best blocks from code that is no test.
func (r *run) callers() []edge {
	var all []edge
	for _, b := range r.called() {
		name := lastPart(b.name)
		if len(r.defs(name)) > 1 || r.e.defined[name] > 1 {
			continue // another of the name may be meant
		}
		for _, u := range r.usesOf(name) {
			if u.kind == "call" && u.in != "" && lastPart(u.in) != name && r.factor(u.path) == 1 && calls(u.text, name) {
				all = append(all, edge{u.in, b.name, "calls", cite(u.path, u.line, u.line)})
			}
		}
	}
	return all
}

// calls reports whether a line of code calls a name.
func calls(text, name string) bool {
	at := strings.Index(text, name+"(")
	return at >= 0 && (at == 0 || !isNameByte(text[at-1])) && !isComment(text) && isCall(text[:at])
}

// testsOf are lines of tests that name one of the best blocks, first those of a test of its file.
func (r *run) testsOf(chosen []*block) []place {
	var all []place
	for _, own := range []bool{true, false} {
		for _, b := range chosen {
			if r.namedInTests(b) {
				all = r.addTests(all, b, own)
			}
		}
	}
	return all
}

// namedInTests reports whether the name of b is telling enough to be looked for in tests.
func (r *run) namedInTests(b *block) bool {
	name := lastPart(b.name)
	return len(name) > shortestName && !notCalled[name] && !goodTestPath.MatchString(b.path) && (b.kind == "func" || b.kind == "method" || len(identParts(name)) > 1)
}

func (r *run) addTests(all []place, b *block, own bool) []place {
	name := lastPart(b.name)
	of := make(map[string]int)
	for _, u := range r.usesOf(name) {
		if !goodTestPath.MatchString(u.path) || isTestOf(u.path, b.path) != own || !own && len(identParts(name)) < 2 || u.kind == "import" {
			continue
		}
		known := slices.ContainsFunc(all, func(p place) bool {
			return p.Path == u.path && (p.Start == u.line || p.Symbol != "" && p.Symbol == u.in)
		})
		if !known && of[u.path] < fewTests && len(all) < maxTests {
			of[u.path]++
			all = append(all, place{Path: u.path, Start: u.line, End: u.line, Symbol: u.in, Why: "names " + name})
		}
	}
	return all
}

// isTestOf reports whether a test's file is named after the file it tests, as b_test.go, test_b.py or b.test.ts.
func isTestOf(test, tested string) bool {
	name, _, _ := strings.Cut(path.Base(tested), ".")
	return strings.Contains(strings.ToLower(path.Base(test)), strings.ToLower(name))
}

func wholeWord(text, name string) bool {
	i := strings.Index(text, name)
	if i < 0 {
		return false
	}
	end := i + len(name)
	return (i == 0 || !isNameByte(text[i-1])) && (end == len(text) || !isNameByte(text[end]))
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
