package planner

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A callee is a name that a block calls, with the line of its first call.
type callee struct {
	name string
	from *block
	line int
	rank float64
}

// Bounds of the hop.
const (
	maxCallees   = 14
	maxCallers   = 3 // blocks whose callers are searched for
	shortestName = 3 // of a function that is followed
)

var callPattern = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)

// notCalled look like calls but are keywords, built-in functions or too common to be followed.
var notCalled = set(`if for while switch catch return function func def class elif else except with print println printf len append
make new panic recover copy cap range delete close min max string int bool error float64 float str list dict tuple isinstance super
getattr setattr hasattr sorted reversed enumerate zip map filter any all open type repr require import export typeof sizeof assert
Errorf Sprintf Printf Println Fprintf Sprint Error String push pop slice splice join split trim indexOf forEach replace concat log
toString keys values items get set add then catch await async Some None Ok Err unwrap clone into iter collect vec format match fn
Contains HasPrefix HasSuffix Join Split TrimSpace New Lock Unlock Background defined void this self equal cast not and or in is lambda
var let const yield throw using static int32 int64 uint byte rune object Object Array String Number Boolean Promise Set Map Date`)

// callees are what the blocks that were read call, most promising first.
func (r *run) callees() []callee {
	var all []callee
	seen := make(map[string]bool)
	for i, b := range r.chosen(readBlocks) {
		seen[lastPart(b.name)] = true
		for n := b.start; n <= b.end; n++ {
			text, ok := r.e.line(b.path, n)
			if !ok || isComment(text) || n == b.start {
				continue
			}
			for _, m := range callPattern.FindAllStringSubmatch(text, -1) {
				if name := m[1]; len(name) >= shortestName && !notCalled[name] {
					all = append(all, callee{name, b, n, 1/float64(i+1) + r.nameWorth(name)})
				}
			}
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

func (r *run) nameWorth(name string) (worth float64) {
	for i, w := range r.q.words {
		if w.re.MatchString(name) {
			worth += r.e.worth(r.q, i)
		}
	}
	return worth
}

var commentStart = regexp.MustCompile(`^\s*(?://|#|/?\*|--|"""|''')`)

func isComment(line string) bool { return commentStart.MatchString(line) }

// follow searches for the definitions of callees, the callers of the best blocks, and names near those that are missing.
func (r *run) follow() []call {
	var calls []call
	var patterns []string
	for _, c := range r.callees() {
		n := regexp.QuoteMeta(c.name)
		patterns = append(patterns, keywords+`.*\b`+n+`\b|^\s+(?:[\w<>\[\],.*&?:]+\s+)*`+n+`\s*\(.*\{\s*$`)
	}
	if len(patterns) > 0 {
		calls = append(calls, content(patterns, 600, 10))
	}
	if names := r.called(); len(names) > 0 {
		var used []string
		for _, n := range names {
			used = append(used, `\b`+regexp.QuoteMeta(n)+`\b`)
		}
		calls = append(calls, content(used, 600, 6))
	}
	for _, id := range r.q.idents {
		if !r.stands(id) {
			calls = append(calls, call{"search", map[string]any{"pattern": id.last, "literal": true, "word": true, "limit": 20}})
		}
	}
	return calls
}

// called are the names of the best blocks whose callers are worth a search.
func (r *run) called() []string {
	var names []string
	for _, b := range r.chosen(readBlocks) {
		n := lastPart(b.name)
		if len(n) > shortestName && !notCalled[n] && !slices.Contains(names, n) && len(names) < maxCallers {
			names = append(names, n)
		}
	}
	return names
}

// hop reads the definitions of the best callees.
func (r *run) hop() []call {
	var calls []call
	for _, c := range r.callees() {
		s, ok := r.resolve(c)
		if ok && r.e.reading(s.path, s.start) == nil && len(calls) < hopBlocks {
			calls = append(calls, r.readBlock(s))
		}
	}
	return calls
}

// resolve finds the definition that a call means: in the same file, else in the same directory, else the only one there
// is. More than one of these is no answer.
func (r *run) resolve(c callee) (symbol, bool) {
	defs := r.defs(c.name)
	for _, near := range []func(symbol) bool{
		func(s symbol) bool { return s.path == c.from.path },
		func(s symbol) bool { return sameDir(s.path, c.from.path) && !testPath.MatchString(s.path) },
		func(s symbol) bool { return !testPath.MatchString(s.path) && !vendoredPath.MatchString(s.path) },
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

// defs are the definitions of that name, by path and line.
func (r *run) defs(name string) []symbol {
	var all []symbol
	for _, f := range r.e.sorted() {
		for _, s := range f.symbols {
			if lastPart(s.name) == name {
				all = append(all, s)
			}
		}
		for _, h := range f.lines() {
			if _, outlined := f.enclosing(h.line); !outlined && lastPart(h.symbol) == name && h.defines() {
				all = append(all, symbol{path: f.path, name: h.symbol, start: h.line, end: h.line, signature: strings.TrimSpace(h.text)})
			}
		}
	}
	return all
}

// stands reports whether an identifier of the question stands anywhere.
func (r *run) stands(id ident) bool {
	for _, f := range r.e.files {
		for _, s := range f.symbols {
			if id.names(s.name) {
				return true
			}
		}
		for _, h := range f.hits {
			if id.re.MatchString(h.text) {
				return true
			}
		}
	}
	return false
}
