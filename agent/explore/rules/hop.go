package rules

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/rulemodel"
)

// A callee is a name that a block calls, with the line of its first call.
type callee struct {
	name   string
	from   *block
	line   int
	method bool // called on something
	own    bool // called on the object itself
	rank   float64
}

// Bounds of the hop.
const (
	maxCallees   = 14
	maxCallers   = 2  // blocks whose callers are searched for
	shortestName = 3  // of a function that is followed
	ownerShare   = .5 // of a word in the name of what a target belongs to
	tellingName  = 8  // letters from which a name of one part is taken to be the only one
)

var callPattern = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)

// notCalled look like calls but are keywords, built-in functions or too common to be followed.
var notCalled = set(`if for while switch catch return function func def class elif else except with print println printf len append
make new panic recover copy cap range delete close min max string int bool error float64 float str list dict tuple isinstance super
getattr setattr hasattr sorted reversed enumerate zip map filter any all open type repr require import export typeof sizeof assert
Errorf Sprintf Printf Println Fprintf Sprint Error String GoString MarshalJSON __init__ __repr__ __str__ constructor push pop slice splice join split trim indexOf forEach replace concat log
toString keys values items get set add then catch await async Some None Ok Err unwrap clone into iter collect vec format match fn
Contains HasPrefix HasSuffix Join Split TrimSpace New Lock Unlock Background defined void this self equal cast not and or in is lambda
var let const yield throw using static Len Less Swap Close Write Read Name Value Get Set Add Print Is As Unwrap Next Do Run init main setUp as_ref as_str as_bytes as_mut as_slice as_path to_string to_owned to_vec
into_iter is_empty is_some is_none is_ok is_err unwrap_or map_err and_then or_else write close read strip lower upper encode decode update copy extend remove lstrip rstrip startswith endswith replace sub findall hasOwnProperty
int32 int64 uint byte rune object Object Array String Number Boolean Promise Set Map Date`)

// callees are what the blocks that were read call, most promising first.
func (r *run) callees() []callee {
	var all []callee
	seen := make(map[string]bool)
	for i, b := range r.chosen(readBlocks) {
		seen[lastPart(b.name)] = true
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

// callsIn are the calls in the code of a block, in its order.
func (r *run) callsIn(b *block) []callee {
	var all []callee
	for _, l := range r.code(b) {
		for _, m := range callPattern.FindAllStringSubmatchIndex(l.text, -1) {
			name := l.text[m[2]:m[3]]
			if len(name) >= shortestName && !notCalled[name] && isCall(l.text[:m[2]]) {
				all = append(all, callee{name: name, from: b, line: l.line, method: m[2] > 0 && l.text[m[2]-1] == '.', own: ownCall.MatchString(l.text[:m[2]])})
			}
		}
	}
	return all
}

// code is the lines of a block behind its first that were read and are neither comment nor docstring.
func (r *run) code(b *block) []hit {
	var all []hit
	inside := false
	for n := b.start; n <= b.end; n++ {
		text, ok := r.e.line(b.path, n)
		quotes := strings.Count(text, `"""`) + strings.Count(text, "'''")
		if was := inside; quotes%2 == 1 {
			inside = !was
		} else if quotes == 0 && !was && ok && n > b.start && !isComment(text) {
			all = append(all, hit{line: n, text: text})
		}
	}
	return all
}

// ownCall is what stands before the name of a method of the same object.
var ownCall = regexp.MustCompile(`\b(?:self|this|cls|super\(\)|super|@)(?:\.|->)$`)

// beforeCall are the words that may stand directly before a call. Behind any other, a name with brackets is a definition or
// stands in prose.
var beforeCall = set(`return await yield in is if elif unless while until and or not else go defer new throw raise case when assert from do
then co_await co_return co_yield try match lambda del delete typeof void with as print echo export default`)

var lastWord = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s+$`)

// isCall reports whether a name with brackets behind this part of a line is a call.
func isCall(before string) bool {
	m := lastWord.FindStringSubmatch(before)
	return m == nil || beforeCall[m[1]]
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
func (r *run) follow() []rulemodel.Call {
	var calls []rulemodel.Call
	var patterns []string
	for _, c := range r.callees() {
		if len(r.defs(c.name)) > 0 {
			continue // outlined
		}
		n := regexp.QuoteMeta(c.name)
		patterns = append(patterns, keywords+`.*\b`+n+`\b|^\s+(?:[\w<>\[\],.*&?:]+\s+)*`+n+`\s*\(.*\{\s*$`)
	}
	if len(patterns) > 0 {
		calls = append(calls, content(patterns, 600, 10, "definitions of what was read calls"))
	}
	calls = append(calls, r.log()...)
	calls = append(calls, r.lookUses()...)
	for _, id := range r.q.idents {
		if !r.stands(id) {
			calls = append(calls, rulemodel.Ask("search", map[string]any{"pattern": id.last, "literal": true, "word": true, "limit": 20}, "names near one that was not found"))
		}
	}
	return calls
}

// called are the best blocks whose callers are worth a search.
func (r *run) called() []*block {
	var all []*block
	var names []string
	for _, b := range r.chosen(readBlocks) {
		n := lastPart(b.name)
		if len(n) > shortestName && !notCalled[n] && !slices.Contains(names, n) && len(all) < maxCallers && b.factor == 1 {
			names = append(names, n)
			all = append(all, b)
		}
	}
	return all
}

func quoteName(name string) string { return regexp.QuoteMeta(name) }

// A target is the definition that a call of a chosen block means.
type target struct {
	callee
	symbol
}

// targets are the definitions that the chosen blocks call, most promising first.
func (r *run) targets() []target {
	var all []target
	for _, c := range r.callees() {
		if s, ok := r.resolve(c); ok && c.from.factor == 1 {
			c.rank += ownerShare * r.nameWorth(ownerOf(s.name))
			all = append(all, target{c, s})
		}
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(b.rank, a.rank) })
	return all
}

// hop reads the best targets.
func (r *run) hop() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, t := range r.targets() {
		if r.e.reading(t.path, t.start) == nil && len(calls) < hopBlocks {
			calls = append(calls, r.readBlock(t.symbol, "called by "+t.from.name))
		}
	}
	return calls
}

// resolve finds the definition that a call means: in the same file, else in the same directory, else the only one there
// is. More than one of these is no answer.
func (r *run) resolve(c callee) (symbol, bool) {
	defs := r.defs(c.name)
	if c.method && !c.own && len(defs) > 1 {
		defs = slices.DeleteFunc(slices.Clone(defs), func(s symbol) bool { return s.path != c.from.path || ownerOf(s.name) != ownerOf(c.from.name) })
	}
	telling := len(c.name) >= tellingName || len(identParts(c.name)) > 1
	for _, near := range []func(symbol) bool{
		func(s symbol) bool {
			return s.path == c.from.path && (telling || !c.method || ownerOf(s.name) == ownerOf(c.from.name))
		},
		func(s symbol) bool {
			return (telling || !c.method || len(c.name) > shortestName) && sameDir(s.path, c.from.path) && !testPath.MatchString(s.path)
		},
		func(s symbol) bool {
			return telling && !testPath.MatchString(s.path) && !vendoredPath.MatchString(s.path)
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

// defs are the definitions of that name, by path and line.
func (r *run) defs(name string) []symbol {
	if r.byName == nil {
		r.byName = make(map[string][]symbol)
		for _, f := range r.e.sorted {
			f.define(r.byName)
		}
	}
	return r.byName[name]
}

// define adds the definitions of f, those of its outline and those that a search found outside of it.
func (f *file) define(byName map[string][]symbol) {
	for _, s := range f.symbols {
		byName[lastPart(s.name)] = append(byName[lastPart(s.name)], s)
	}
	for _, h := range f.lines {
		if _, outlined := f.enclosing(h.line); !outlined && h.defines() {
			name := lastPart(h.symbol)
			byName[name] = append(byName[name], symbol{path: f.path, name: h.symbol, start: h.line, end: h.line, signature: strings.TrimSpace(h.text)})
		}
	}
}

// stands reports whether an identifier of the question stands anywhere.
func (r *run) stands(id ident) bool {
	if i := slices.IndexFunc(r.q.idents, func(o ident) bool { return o.text == id.text }); i >= 0 && r.e.stands[i] > 0 {
		return true
	}
	for _, f := range r.e.files {
		if slices.ContainsFunc(f.symbols, func(s symbol) bool { return id.names(s.name) }) {
			return true
		}
		for _, h := range f.hits {
			if id.re.MatchString(h.text) {
				return true
			}
		}
	}
	return false
}
