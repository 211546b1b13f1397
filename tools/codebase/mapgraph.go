package codebase

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// A graph links each file of a tree to the files that define the names it uses.
type graph struct {
	files []mapped
	names map[nameKey]*defined

	focused bool // the ranking starts at a focus
}

// A nameKey is a name in a family of languages.
type nameKey struct{ family, name string }

// families are languages that use definitions of each other. Any other language is its own family.
var families = map[string]string{"javascript": "typescript", "c": "c++", "kotlin": "java", "scala": "java"}

func familyOf(p string) string {
	l := symbols.Language(p)
	return cmp.Or(families[l], l)
}

// A mapped is a file in the graph.
type mapped struct {
	path    string
	symbols []symbols.Symbol
	uses    []used
	start   float64 // share of the ranking that starts here
	rank    float64
}

// outer returns the symbols that other files can use: not inside of functions, and not of an unmapped kind.
func outer(all []symbols.Symbol) []symbols.Symbol {
	inside := 0 // last line of the function around
	return slices.DeleteFunc(slices.Clone(all), func(s symbols.Symbol) bool {
		if s.Start <= inside {
			return true
		}
		if s.Kind == "func" || s.Kind == "method" {
			inside = s.End
		}
		return slices.Contains(unmapped, s.Kind)
	})
}

// unmapped are the kinds that mean little without the code that uses them, or continue a definition from elsewhere.
var unmapped = []string{"const", "var", "macro", "impl", "module"}

// A used is a name that a file uses, and how often.
type used struct {
	name  *defined
	times int
}

// A defined is a name and where it is defined.
type defined struct {
	name   string
	at     []int   // files, ascending
	member bool    // only methods have the name
	called bool    // not only functions have the name
	aimed  bool    // a focus names it
	rank   float64 // of the references to each of its places
}

// graph reads the tree twice: for the definitions, and for their uses.
func (t *toolbox) graph(ctx context.Context, root tree.Place, page *Page) (*graph, error) {
	g := &graph{names: map[nameKey]*defined{}}
	var err error
	g.files, err = gather(ctx, t, root, page, func(p string, c tree.Content) []mapped {
		return []mapped{{path: p, symbols: outer(t.symbols(ctx, p, c.Data))}}
	})
	if err != nil {
		return nil, err
	}
	if len(g.files) > maxMapFiles {
		page.Note("the map is of the first %d of %d files", maxMapFiles, len(g.files))
		g.files = g.files[:maxMapFiles]
	}
	index := make(map[string]int, len(g.files))
	for i, f := range g.files {
		index[f.path] = i
		g.define(i, f)
	}
	if page.TimedOut {
		return g, nil
	}
	var second Page
	_, err = gather(ctx, t, root, &second, func(p string, c tree.Content) []struct{} {
		if i, ok := index[p]; ok {
			g.files[i].uses = g.usesOf(familyOf(p), symbols.Mask(p, c.Data))
		}
		return nil
	})
	page.TimedOut = page.TimedOut || second.TimedOut
	return g, err
}

// define adds the names that file i defines.
func (g *graph) define(i int, f mapped) {
	family := familyOf(f.path)
	for _, s := range f.symbols {
		key := nameKey{family, lastPart(s.Name)}
		if len(key.name) < minName {
			continue
		}
		d := g.names[key]
		if d == nil {
			d = &defined{name: key.name, member: true}
			g.names[key] = d
		}
		d.member = d.member && s.Kind == "method"
		d.called = d.called || s.Kind != "func"
		if n := len(d.at); n == 0 || d.at[n-1] != i {
			d.at = append(d.at, i)
		}
	}
}

// usesOf counts the defined names in code, by their first use. Methods count after a dot, functions not before one.
func (g *graph) usesOf(family string, code []byte) []used {
	var uses []used
	seen := map[*defined]int{}
	for at := 0; at < len(code); {
		if !inWord(code[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(code) && inWord(code[end]) {
			end++
		}
		d := g.names[nameKey{family, string(code[at:end])}]
		afterDot := at > 0 && (code[at-1] == '.' || code[at-1] == ':' || code[at-1] == '>')
		beforeDot := end < len(code) && code[end] == '.'
		if d != nil && (afterDot || !d.member) && (!beforeDot || d.called) {
			if i, ok := seen[d]; ok {
				uses[i].times++
			} else if len(uses) < maxUses {
				seen[d] = len(uses)
				uses = append(uses, used{d, 1})
			}
		}
		at = end
	}
	return uses
}

// minName is the least length of a name that counts, in bytes: i and fn are used everywhere.
const minName = 3

// Parameters of PageRank.
const (
	damping    = 0.85 // as its authors chose
	iterations = 30
	testStart  = 0.2 // how much of the ranking starts in a test; 1 in any other file
)

// Factors of the weight of a use, and the bounds that choose them.
const (
	focusFactor     = 20  // the name is in the focus
	specificFactor  = 5   // a long name of several words means one thing
	vagueFactor     = 0.2 // a short word may mean anything; so may a name that only methods have
	ambiguousFactor = 0.1 // a name with many definitions, with a leading underscore, or defined in the same file
	longName        = 8   // bytes
	manyDefinitions = 5   // files that define the name
)

// aim sets where the ranking starts: at the focus, or everywhere. It returns the parts of the focus that match nothing.
func (g *graph) aim(focus []string) (unknown []string) {
	hit := make([]bool, len(g.files))
	for _, f := range focus {
		if !g.aimAt(strings.TrimSuffix(strings.TrimPrefix(f, "./"), "/"), hit) {
			unknown = append(unknown, line.Truncate(f, 80))
		}
	}
	some := slices.Contains(hit, true)
	g.focused = some
	total := 0.0
	for i := range g.files {
		f := &g.files[i]
		switch {
		case some && hit[i]:
			f.start = 1
		case some:
			f.start = 0.01 / float64(len(g.files))
		case isTestPath(f.path):
			f.start = testStart
		default:
			f.start = 1
		}
		total += f.start
	}
	for i := range g.files {
		g.files[i].start /= total
	}
	return unknown
}

func (g *graph) aimAt(focus string, hit []bool) bool {
	found := false
	for i, f := range g.files {
		if f.path == focus || strings.HasPrefix(f.path, focus+"/") {
			hit[i], found = true, true
		}
	}
	name := parseName(focus)
	if found || len(name) == 0 {
		return found
	}
	for key, d := range g.names {
		if key.name != name.leaf() {
			continue
		}
		d.aimed, found = true, true
		for _, i := range d.at {
			hit[i] = true
		}
	}
	return found
}

// isTestPath reports whether a path looks like a test.
func isTestPath(p string) bool {
	base := strings.ToLower(path.Base(p))
	part := func(s string) bool { return strings.Contains(base, s) }
	return strings.Contains("/"+strings.ToLower(path.Dir(p))+"/", "/test") || strings.HasPrefix(base, "test_") ||
		part("_test.") || part(".test.") || part(".spec.")
}

// weight returns how much of the rank of file i the use u receives, relative to its other uses.
func (g *graph) weight(i int, u used) float64 {
	d := u.name
	w := math.Sqrt(float64(u.times))
	if d.aimed {
		w *= focusFactor
	}
	switch {
	case len(d.name) >= longName && compound(d.name):
		w *= specificFactor
	case len(d.name) < longName && strings.ToLower(d.name) == d.name:
		w *= vagueFactor
	}
	if d.member {
		w *= vagueFactor
	}
	if d.name[0] == '_' || len(d.at) > manyDefinitions {
		w *= ambiguousFactor
	}
	if _, own := slices.BinarySearch(d.at, i); own {
		w *= ambiguousFactor
	}
	return w
}

// compound reports whether a name consists of several words.
func compound(name string) bool {
	inner := strings.Trim(name, "_$")
	rest := inner[min(1, len(inner)):]
	return strings.ContainsRune(inner, '_') || strings.ToLower(rest) != rest && strings.ToUpper(inner) != inner
}

// rank runs PageRank over the files, and gives each name the rank of its references.
func (g *graph) rank() {
	now := make([]float64, len(g.files))
	for i, f := range g.files {
		now[i] = f.start
	}
	for i := range iterations {
		next := make([]float64, len(g.files))
		lost := 0.0 // of files without uses
		for from := range g.files {
			lost += g.spread(from, now[from], next, i == iterations-1)
		}
		for i, f := range g.files {
			next[i] = damping*(next[i]+lost*f.start) + (1-damping)*f.start
		}
		now = next
	}
	for i := range g.files {
		g.files[i].rank = now[i]
	}
}

// spread passes the rank of file i to the files it uses, in the last iteration to the names too, or returns it if it
// uses none.
func (g *graph) spread(i int, rank float64, next []float64, last bool) (lost float64) {
	f := &g.files[i]
	total := 0.0
	for _, u := range f.uses {
		total += g.weight(i, u)
	}
	if total == 0 {
		return rank
	}
	for _, u := range f.uses {
		share := rank * g.weight(i, u) / total / float64(len(u.name.at))
		for _, to := range u.name.at {
			next[to] += share
		}
		if last {
			u.name.rank += share
		}
	}
	return 0
}
