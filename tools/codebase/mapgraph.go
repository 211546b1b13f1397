package codebase

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// A graph links each file of a tree to the files that define the names it uses.
type graph struct {
	files []graphFile
	names map[nameKey]*definedName

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

// A graphFile is a file in the graph.
type graphFile struct {
	path    string
	symbols []symbols.Symbol
	uses    []use
	start   float64 // share of the ranking that starts here
	rank    float64
}

// outer returns the symbols that other files can use: outside of functions, and of no unmapped kind.
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

// unmapped are the kinds that a map leaves out: they mean little without the code that uses them, or only extend a
// definition elsewhere.
var unmapped = []string{"const", "var", "macro", "impl", "module"}

// A use is a name that a file uses, and how often.
type use struct {
	name  *definedName
	times int
}

// A definedName is a name and the files that define it.
type definedName struct {
	name   string
	at     []int   // files, ascending
	member bool    // all its definitions are methods
	called bool    // not all its definitions are functions, so a dot may follow a use
	aimed  bool    // a focus names it
	rank   float64 // passed on by references, for each file that defines it
}

// graph reads the tree twice: for the definitions, and for their uses.
func (t *toolbox) graph(ctx context.Context, root tree.Place, page *Page) (*graph, error) {
	g := &graph{names: map[nameKey]*definedName{}}
	var err error
	g.files, err = gather(ctx, t, root, page, func(p string, c tree.Content) []graphFile {
		return []graphFile{{path: p, symbols: outer(t.symbols(ctx, p, c.Data))}}
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
func (g *graph) define(i int, f graphFile) {
	family := familyOf(f.path)
	for _, s := range f.symbols {
		key := nameKey{family, lastPart(s.Name)}
		if len(key.name) < minName {
			continue
		}
		d := g.names[key]
		if d == nil {
			d = &definedName{name: key.name, member: true}
			g.names[key] = d
		}
		d.member = d.member && s.Kind == "method"
		d.called = d.called || s.Kind != "func"
		if n := len(d.at); n == 0 || d.at[n-1] != i {
			d.at = append(d.at, i)
		}
	}
}

// usesOf counts the defined names in code, in the order of their first use. The name of a method counts only after a
// dot, and the name of a function only without a dot after it.
func (g *graph) usesOf(family string, code []byte) []use {
	var uses []use
	seen := map[*definedName]int{}
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
				uses = append(uses, use{d, 1})
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
		case testfile.Is(f.path):
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

// weight returns the share of file i's rank that the use u receives, relative to the file's other uses.
func (g *graph) weight(i int, u use) float64 {
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

// rank runs PageRank over the files, and sets the rank of each name from the references to it.
func (g *graph) rank() {
	now := make([]float64, len(g.files))
	for i, f := range g.files {
		now[i] = f.start
	}
	for i := range iterations {
		next := make([]float64, len(g.files))
		unpassed := 0.0 // rank of files without uses: it goes back to where the ranking starts
		for from := range g.files {
			unpassed += g.passOn(from, now[from], next, i == iterations-1)
		}
		for i, f := range g.files {
			next[i] = damping*(next[i]+unpassed*f.start) + (1-damping)*f.start
		}
		now = next
	}
	for i := range g.files {
		g.files[i].rank = now[i]
	}
}

// passOn divides the rank of file i among the files that it uses and, in the last iteration, also among the names. It
// returns the rank that it could not pass on: all of it for a file without uses.
func (g *graph) passOn(i int, rank float64, next []float64, last bool) (unpassed float64) {
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
