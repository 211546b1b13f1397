package insight

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	pyFrom   = lazyregexp.New(`^from\s+(\.*)([\w.]*)\s+import\s+(.+)$`)
	pyImport = lazyregexp.New(`^import\s+([\w.]+)`)
	jsFrom   = lazyregexp.New(`from\s+["'](\.[^"']*)["']`)
	jsSuffix = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", "/index.ts", "/index.js", ""}
)

// cycles finds pairs of Python, JavaScript or TypeScript modules that import each other at load time.
func cycles(s *survey) []draft {
	var all []draft
	for _, l := range []struct {
		query   query
		resolve func(h hit, files map[string]int) []string
		what    string
	}{
		{query{patterns: []string{`^from\s+[\w.]+\s+import\s`, `^import\s+[\w.]+`}, include: pyFiles, pages: 5}, pyTargets,
			"Python runs the second one before the first is complete: which names exist depends on the import order."},
		{query{patterns: []string{`^(import|export)\s.*from\s+["']\.`, `^\}\s*from\s+["']\.`}, include: jsFiles, before: 1,
			pages: 4}, jsTargets, "While one is evaluated, the exports of the other do not exist yet: " +
			"depending on the import order, code at the top level of either sees undefined."},
	} {
		imports, done := s.search(l.query)
		if !done || len(imports) == 0 {
			continue
		}
		files, counted := s.lines(l.query.include)
		if !counted {
			continue
		}
		all = append(all, pairsOf(imports, files, l.resolve, l.what)...)
	}
	return all
}

// pairsOf returns one finding for all pairs of files that import each other; what is the last sentence of its claim.
func pairsOf(imports []hit, files map[string]int, resolve func(hit, map[string]int) []string, what string) []draft {
	edges := make(map[[2]string]hit)
	for _, h := range imports {
		if isTest(h.path) || isForeign(h.path) || isAside(h.path) {
			continue
		}
		for _, to := range resolve(h, files) {
			if _, have := edges[[2]string{h.path, to}]; !have && to != h.path {
				edges[[2]string{h.path, to}] = h
			}
		}
	}
	var pairs [][2]string
	for p := range edges {
		if _, back := edges[[2]string{p[1], p[0]}]; back && p[0] < p[1] {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	if len(pairs) == 0 {
		return nil
	}
	f := draft{importance: medium, title: fmt.Sprintf("%s and %s import each other", pairs[0][0], pairs[0][1])}
	if len(pairs) > 1 {
		f.title = fmt.Sprintf("%d pairs of modules import each other", len(pairs))
	}
	var named []string
	for _, p := range pairs[:min(len(pairs), mostOfCycles)] {
		there, back := edges[p], edges[[2]string{p[1], p[0]}]
		named = append(named, p[0]+" and "+p[1])
		f.evidence = append(f.evidence, there.cite(), back.cite())
	}
	f.claim = strings.Join(named, "; ") + ", at the top of both files. " + what
	return []draft{f}
}

// pyTargets returns the modules of the tree that a Python import line loads. It leaves out packages, because an
// __init__.py imports the modules of its package on purpose.
func pyTargets(h hit, files map[string]int) []string {
	var modules []string
	if m := pyFrom.FindStringSubmatch(h.text); m != nil {
		base := m[2]
		if dots := len(m[1]); dots > 0 {
			dir := path.Dir(h.path)
			for range dots - 1 {
				dir = path.Dir(dir)
			}
			base = strings.Trim(strings.ReplaceAll(dir, "/", ".")+"."+m[2], ".")
		}
		modules = append(modules, base)
		for _, name := range strings.Split(strings.Trim(m[3], "() \\"), ",") {
			if name = strings.TrimSpace(name); name != "" {
				modules = append(modules, base+"."+strings.Fields(name)[0])
			}
		}
	} else if m := pyImport.FindStringSubmatch(h.text); m != nil {
		modules = append(modules, m[1])
	}
	var all []string
	for _, m := range modules {
		for _, root := range []string{"", "src/", "lib/"} {
			if file := root + strings.ReplaceAll(m, ".", "/") + ".py"; files[file] > 0 {
				all = append(all, file)
			}
		}
	}
	return all
}

// jsTargets returns the file that a JavaScript or TypeScript import line loads. An import of types loads nothing at run
// time.
func jsTargets(h hit, files map[string]int) []string {
	m := jsFrom.FindStringSubmatch(h.text)
	if m == nil || strings.HasPrefix(h.text, "import type") || strings.HasPrefix(h.text, "export type") ||
		strings.HasPrefix(h.text, "}") {
		return nil
	}
	base := path.Join(path.Dir(h.path), m[1])
	for _, b := range []string{base, strings.TrimSuffix(base, path.Ext(base))} {
		for _, suffix := range jsSuffix {
			if files[b+suffix] > 0 {
				return []string{b + suffix}
			}
		}
	}
	return nil
}

const mostOfCycles = 3 // pairs that a finding names
