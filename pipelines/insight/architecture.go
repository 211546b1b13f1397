package insight

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/codebase"
)

// Thresholds and bounds of the dimension architecture.
const (
	leastHub     = 5    // packages that import a hub
	hubShare     = .4   // share of all packages that import a hub
	leastLarge   = 1000 // lines of a large file
	largeRatio   = 8    // times the median length: a large file
	longFunction = 150  // lines
	mostLarge    = 3    // files or functions that a finding names
	mostOutlined = 8    // longest files, whose functions are measured
	citedEachWay = 1    // imports that a finding of [mutual] cites in each direction
)

// An importEdge says that one package imports another, at a line.
type importEdge struct {
	from, to string
	at       hit
}

var quotedPath = lazyregexp.New(`"([^"]+)"`)

// goImports returns the imports between the packages of a Go module, except those of tests, and the package clause of
// each package. done is false while searches are pending.
func goImports(s *survey) (edges []importEdge, packages map[string]hit, done bool) {
	modules, done := s.search(query{patterns: []string{`^module \S+`}, include: []string{"go.mod"}})
	modules = slices.DeleteFunc(modules, func(h hit) bool { return h.path != "go.mod" })
	if !done || len(modules) == 0 {
		return nil, nil, done
	}
	module := strings.Fields(modules[0].text)[1]
	clauses, listed := s.search(query{patterns: []string{`^package \w+`}, include: goFiles, pages: 4})
	ownImport := `^\s*(import\s+)?([\w.]+\s+)?"` + regexp.QuoteMeta(module) + `(/[^"]*)?"`
	imports, found := s.search(query{patterns: []string{ownImport}, include: goFiles, exclude: goTests, pages: 4})
	if !listed || !found {
		return nil, nil, false
	}
	packages = make(map[string]hit)
	for _, c := range clauses {
		if _, ok := packages[path.Dir(c.path)]; !ok && !isTest(c.path) && !isForeign(c.path) {
			packages[path.Dir(c.path)] = c
		}
	}
	seen := make(map[[2]string]bool)
	for _, h := range imports {
		m := quotedPath.FindStringSubmatch(h.text)
		if m == nil || isForeign(h.path) || isTest(h.path) {
			continue
		}
		from, to := path.Dir(h.path), path.Clean("./"+strings.TrimPrefix(strings.TrimPrefix(m[1], module), "/"))
		if _, ok := packages[to]; ok && from != to && !seen[[2]string{from, to}] {
			seen[[2]string{from, to}] = true
			edges = append(edges, importEdge{from, to, h})
		}
	}
	return edges, packages, true
}

// hub finds the package that most others of a module import.
func hub(s *survey) []draft {
	edges, packages, done := goImports(s)
	if !done {
		return nil
	}
	by := make(map[string][]importEdge)
	top := ""
	for _, e := range edges {
		by[e.to] = append(by[e.to], e)
	}
	for to := range by {
		if top == "" || len(by[to]) > len(by[top]) || len(by[to]) == len(by[top]) && to < top {
			top = to
		}
	}
	n := len(by[top])
	if n < leastHub || float64(n) < hubShare*float64(len(packages)) {
		return nil
	}
	f := draft{
		importance: low,
		title:      fmt.Sprintf("%s is imported by %d of %d packages", top, n, len(packages)),
		claim:      "A change of its exported API affects all of them: keep it small and stable, and read it early.",
		evidence:   []string{packages[top].cite()},
	}
	for _, e := range by[top][:min(n, mostEvidence-1)] {
		f.evidence = append(f.evidence, e.at.cite())
	}
	return []draft{f}
}

// mutual finds folders at the top of a Go module that import each other's packages.
func mutual(s *survey) []draft {
	edges, _, done := goImports(s)
	if !done {
		return nil
	}
	between := make(map[[2]string][]importEdge)
	for _, e := range edges {
		from, to := firstFolder(e.from), firstFolder(e.to)
		if from != to && from != "." && to != "." {
			between[[2]string{from, to}] = append(between[[2]string{from, to}], e)
		}
	}
	var pairs [][2]string
	for p := range between {
		if p[0] < p[1] && len(between[[2]string{p[1], p[0]}]) > 0 {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var all []draft
	for _, p := range pairs[:min(len(pairs), mostOfCycles)] {
		there, back := between[p], between[[2]string{p[1], p[0]}]
		f := draft{
			importance: medium,
			title:      fmt.Sprintf("The folders %s and %s depend on each other", p[0], p[1]),
			claim: fmt.Sprintf("%s imports %s, and %s imports %s: "+
				"neither is a layer below the other, and neither can be removed or tested alone.",
				there[0].from, there[0].to, back[0].from, back[0].to),
		}
		for _, edges := range [][]importEdge{there, back} {
			for _, e := range edges[:min(len(edges), citedEachWay)] {
				f.evidence = append(f.evidence, e.at.cite())
			}
		}
		all = append(all, f)
	}
	return all
}

func firstFolder(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

// large finds files that are much longer than the median file, and the longest functions in the longest files.
func large(s *survey) []draft {
	lines, done := s.lines(sourceFiles)
	generated, searched := s.generated()
	if !done || !searched {
		return nil
	}
	var files []string
	var sizes []int
	for f, n := range lines {
		if !isTest(f) && !isForeign(f) && !isAside(f) && !generated[f] && !generatedName.MatchString(f) && n > 0 {
			files = append(files, f)
			sizes = append(sizes, n)
		}
	}
	if len(files) < 10 {
		return nil
	}
	slices.Sort(sizes)
	slices.SortFunc(files, func(a, b string) int { return bySize(lines, b, a) })
	median := sizes[len(sizes)/2]
	var all []draft
	var over []string
	for _, f := range files[:mostLarge] {
		if lines[f] >= leastLarge && lines[f] >= largeRatio*median {
			over = append(over, f)
		}
	}
	if len(over) > 0 {
		f := draft{importance: low, title: fmt.Sprintf("%s has %d lines, %d times the median", over[0], lines[over[0]],
			lines[over[0]]/max(median, 1))}
		for _, o := range over {
			f.evidence = append(f.evidence, fmt.Sprintf("%s:1-%d", o, min(lines[o], 30)))
		}
		f.claim = fmt.Sprintf("Half of the %d source files have %d lines or fewer.", len(files), median)
		for _, o := range over[1:] {
			f.claim += fmt.Sprintf(" %s has %d.", o, lines[o])
		}
		all = append(all, f)
	}
	return append(all, longest(s, files)...)
}

// longest finds the longest functions in the first of files.
func longest(s *survey, files []string) []draft {
	var longs []codebase.Symbol
	for _, f := range files[:min(len(files), mostOutlined)] {
		r, done := ask[codebase.OutlineResult](s, "outline",
			map[string]any{"path": f, "depth": 3, "kinds": []string{"func", "method"}, "limit": 2000})
		if !done {
			continue
		}
		for _, o := range r.Items {
			if o.End-o.Start >= longFunction {
				longs = append(longs, o)
			}
		}
	}
	if len(s.wants) > 0 || len(longs) == 0 {
		return nil
	}
	slices.SortStableFunc(longs, func(a, b codebase.Symbol) int { return (b.End - b.Start) - (a.End - a.Start) })
	var named []string
	f := draft{importance: low, title: fmt.Sprintf("%s in %s is %d lines long", longs[0].Name, path.Base(longs[0].Path),
		longs[0].End-longs[0].Start+1)}
	for _, l := range longs[:min(len(longs), mostLarge)] {
		named = append(named, fmt.Sprintf("%s (%d lines)", l.Name, l.End-l.Start+1))
		f.evidence = append(f.evidence, fmt.Sprintf("%s:%d-%d", l.Path, l.Start, l.Start+min(l.End-l.Start, 40)))
	}
	f.claim = "The longest functions in the longest files: " + strings.Join(named, ", ") +
		". They are too long to read at once, and have more paths than tests are likely to cover."
	return []draft{f}
}
