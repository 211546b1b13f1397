package locate

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/textsearch"
)

func TestStem(t *testing.T) {
	for _, group := range [][]string{
		{"serialize", "serializer", "serializers", "serialized", "serializing", "serialization"},
		{"validate", "validator", "validates", "validation"},
		{"cache", "caches", "cached", "caching"},
		{"query", "queries"},
		{"class", "classes"},
		{"stop", "stopped", "stopping"},
	} {
		want := string(textsearch.Root([]byte(group[0])))
		for _, w := range group {
			if got := string(textsearch.Root([]byte(w))); got != want || len(got) < 3 {
				t.Errorf("%s is %s, %s is %s", group[0], want, w, got)
			}
		}
	}
	for _, w := range []string{"a", "is", "bus", "this", "pass", "int", "set", "run", "äpfel"} {
		if got := string(textsearch.Root([]byte(w))); len(got) < min(len(w), 3) {
			t.Errorf("%s is %s", w, got)
		}
	}
}

func TestTerms(t *testing.T) {
	var s splitter
	for id, want := range map[string]string{
		"get_query_set": "get query set get_query_set", "HTTPSServer2Go": "https server2 go httpsserver2go", "Cart": "cart",
		"__init__": "init", "x": "", "_": "", "a1b": "a1b", "v2": "v2", "parseJSON": "parse json parsejson", "größe": "größe",
	} {
		var wanted []term
		words := strings.Fields(want)
		for i, w := range words {
			h := hash(textsearch.Root([]byte(w)))
			if len(words) > 1 && i == len(words)-1 {
				h = hash([]byte(strings.ReplaceAll(w, "_", ""))) ^ whole
			}
			wanted = append(wanted, h)
		}
		var got []term
		s.terms([]byte(id), func(t term) { got = append(got, t) })
		if !slices.Equal(wanted, got) {
			t.Errorf("%s has %d terms, want %q", id, len(got), words)
		}
	}
}

// A bag and its parts have the terms that a plain count has.
func TestBag(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(n, of int) (all []term) {
		for range n {
			all = append(all, term(r.IntN(of))*0x9e3779b1) // equal ones, over the whole range
		}
		return all
	}
	for _, n := range []int{0, 1, 2, 50, 2_000, 200_000} {
		text := append(some(n, max(n/3, 1)), 0, 1<<32-1)
		within := slices.Clone(text[len(text)/3 : len(text)/2+1])
		counts := func(list []term) map[term]int {
			m := map[term]int{}
			for _, x := range list {
				m[x] = min(m[x]+1, 1<<16-1)
			}
			return m
		}
		ofText, ofPart := counts(text), counts(within)
		asked := append(some(20, max(n, 1)), text[0], within[0], 0)
		slices.Sort(asked)
		asked = slices.Compact(asked)
		l := newLookup(asked)
		whole := slices.Clone(text)
		b := newBag(whole)
		p := newPart(slices.Clone(within), slices.Compact(whole))
		if b.length() != len(text) || p.length() != len(within) {
			t.Errorf("%d terms: lengths %d and %d, want %d and %d", n, b.length(), p.length(), len(text), len(within))
		}
		want, got := map[term]int{}, map[term]int{}
		wantPart, gotPart := map[term]int{}, map[term]int{}
		for _, x := range asked {
			if ofText[x] > 0 {
				want[x] = ofText[x]
			}
			if ofPart[x] > 0 {
				wantPart[x] = ofPart[x]
			}
		}
		hits := b.hits(l)
		for _, h := range hits {
			got[asked[h.at]] += int(h.n)
		}
		p.each(hits, func(at int, n uint16) { gotPart[asked[at]] += int(n) })
		if diff := cmp.Diff(want, got) + cmp.Diff(wantPart, gotPart); diff != "" {
			t.Errorf("%d terms: %s", n, diff)
		}
	}
	if b := newBag(make([]term, 70_000)); b.length() != 70_000 || b.hits(newLookup([]term{0}))[0].n != 1<<16-1 {
		t.Errorf("a count is not bounded: %d terms", b.length())
	}
}

func TestMeasure(t *testing.T) {
	const text = "import os\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        alpha()\n\n        def g():\n            beta()\n\n        gamma()\n\n\ndelta()\n"
	s, err := Measure("a.py", func() ([]byte, error) { return []byte(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	where := map[string]string{}
	for _, c := range s.chunks {
		for _, w := range []string{"alpha", "beta", "gamma", "delta"} {
			l := newLookup([]term{hash(textsearch.Root([]byte(w)))})
			c.bag.each(s.bag.hits(l), func(int, uint16) { where[w] = c.name })
		}
	}
	if diff := cmp.Diff(map[string]string{"alpha": "A.f", "beta": "A.f.g", "gamma": "A.f", "delta": ""}, where); diff != "" {
		t.Error(diff)
	}
	if s.lines != 16 || len(s.imports) != 1 {
		t.Errorf("%d lines, imports %v", s.lines, s.imports)
	}
}

func TestImports(t *testing.T) {
	paths := []string{
		"src/shop/__init__.py", "src/shop/cart.py", "src/shop/price/__init__.py", "src/shop/price/round.py", "web/a.ts", "web/b/index.ts",
		"pkg/stock/stock.go", "pkg/stock/shelf.go", "rust/src/lib.rs", "rust/src/store.rs", "java/src/main/java/com/own/Cart.java", "c/cart.h",
	}
	var files []indexedFile
	for _, p := range paths {
		files = append(files, indexedFile{Path: p, kind: kindOf(p)})
	}
	m := newModules(files)
	for _, c := range []struct{ from, text, want string }{
		{"src/shop/cart.py", "from shop.price import round, other\n", "src/shop/price/__init__.py src/shop/price/round.py"},
		{"src/shop/cart.py", "    from .price import (\n        round as r,\n        x)\n", "src/shop/price/__init__.py src/shop/price/round.py"},
		{"src/shop/price/round.py", "from .. import cart\n", "src/shop/__init__.py src/shop/cart.py"},
		{"src/shop/price/round.py", "import shop.cart, os\n", "src/shop/cart.py"},
		{"src/shop/price/round.py", "# from shop import cart\nx = 'import shop.cart'\n", ""},
		{"web/a.ts", "import { x } from \"./b\";\nconst y = require('../none');\n", "web/b/index.ts"},
		{"web/b/index.ts", "export * from '../a'\n", "web/a.ts"},
		{"main.go", "import (\n\t\"fmt\"\n\ts \"example.com/own/pkg/stock\"\n)\n", "pkg/stock/stock.go pkg/stock/shelf.go"},
		{"c/main.c", "#include \"cart.h\"\n#include <stdio.h>\n", "c/cart.h"},
		{"x/Main.java", "import com.own.Cart;\n", "java/src/main/java/com/own/Cart.java"},
	} {
		var got []string
		for _, module := range importsOf(c.from, []byte(c.text)) {
			for _, f := range m.resolve(c.from, module) {
				got = append(got, paths[f])
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(distinct(got), " ")); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestKinds(t *testing.T) {
	for p, want := range map[string]kind{
		"a.py": source, "tools/a.go": source, "a_test.go": test, "tests/a.py": test, "src/a.spec.ts": test, "conftest.py": test,
		"django/test/client.py": test, "testing/a.py": source, "FooTest.java": test, "README.md": document, "a.toml": config,
	} {
		if got := kindOf(p); got != want {
			t.Errorf("%s is %d, want %d", p, got, want)
		}
	}
}

func TestAsides(t *testing.T) {
	for p, want := range map[string]bool{
		"examples/a.py": true, "a/docs/b.py": true, "shop/migrations/0001_initial.py": true, "db/migrate/20190512_add.rb": true,
		"migrations/20200101/migration.sql": true,
		"django/db/migrations/writer.py":    false, "shop/migrations/__init__.py": false, "tools/a.go": false,
	} {
		if got := isAside(p); got != want {
			t.Errorf("%s is aside: %v", p, got)
		}
	}
}

func TestPackages(t *testing.T) {
	for p, want := range map[string]string{
		"a/b/__init__.py": "a/b", "a/b/index.ts": "a/b", "a/b/mod.rs": "a/b", "a/b/mod.py": "a/b/mod", "a/b/index.py": "a/b/index", "a/b/c.go": "a/b/c",
		"__init__.py": "__init__",
	} {
		if got := moduleOf(p); got != want || isPackage(p) != (path.Base(want) == "b") {
			t.Errorf("%s is the module %s, and a package: %v", p, got, isPackage(p))
		}
	}
}

func TestGenerated(t *testing.T) {
	for text, want := range map[string]bool{
		"// Code generated by stringer; DO NOT EDIT.\npackage a\n": true, "# -*- coding: utf-8 -*-\n# Generated by Django 3.2\n": true,
		"/*\n * @generated\n */": true, "r\"\"\"Generated by swig\n": true,
		"<?php // Generated by x": true, "#define HEAD \"Generated by\"": false, "HEAD = \"# Generated by Django\"\n": false, "package a\n": false, "": false,
	} {
		if got := isGenerated([]byte(text)); got != want {
			t.Errorf("%q is generated: %v", text, got)
		}
	}
}

// A folder of tests without a test is source where the language names its tests, and a test where it does not.
func TestHelpers(t *testing.T) {
	want := map[string]kind{
		"kit/test/client.py": source, "kit/test/runner/base.py": source, "kit/tests/helper.py": test, "kit/tests/deep/test_client.py": test,
		"web/test/app.js": test, "kit/client.py": source, "kit/test/__init__.py": source, "lint/testdata/bad.py": test, "spec/run.py": test,
		"lib/test/helper.py": test,
	}
	tree := fstest.MapFS{}
	for p := range want {
		tree[p] = &fstest.MapFile{Data: []byte("x = 1\n")}
	}
	for _, f := range NewIndex(measured(t, tree), nil).files {
		if f.kind != want[f.Path] {
			t.Errorf("%s is %d, want %d", f.Path, f.kind, want[f.Path])
		}
	}
}

func TestShortNames(t *testing.T) {
	q := parse("A pickle fails with Q, please import A\n\n    from own.models import Q, of, F as G\n>>> from x import (\n        S,\n        T)\n    Q(a=1)", Issue)
	if got := strings.Join(q.names, " "); got != "Q F S T" {
		t.Errorf("names are %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "Title\n\n```python\nfrom a.b import C\n```", "File \"a/b.py\", line 3, in f\n  raise X", "a\\b.py:3 <!-- x", "`a.b::c`", "\xff\x00\xfe",
		strings.Repeat("a_b.c ", 500), "def own(): pass\nown()", strings.Repeat("<!--", 100), "你好 世界.py",
	} {
		f.Add(s)
	}
	f.Fuzz(checkParse)
}

// TestParseLong reads a query of more bytes than parse looks at: too long to be a seed of a fuzz test.
func TestParseLong(t *testing.T) { checkParse(t, strings.Repeat("a_b.c ", 20_000)) }

func checkParse(t *testing.T, text string) {
	q, again := parse(text, Issue), parse(text, Issue)
	if !slices.Equal(q.all.terms, again.all.terms) || !slices.Equal(q.names, again.names) || !slices.Equal(q.paths, again.paths) {
		t.Fatal("two queries of one text")
	}
	if !slices.IsSorted(q.all.terms) || len(q.all.terms) != len(q.all.weight) || len(q.paths) > maxFound || len(q.names) > 2*maxQuery {
		t.Fatalf("%d terms, %d weights, %d names, %d paths", len(q.all.terms), len(q.all.weight), len(q.names), len(q.paths))
	}
	importsOf("query.py", []byte(text))
	importsOf("query.ts", []byte(text))
	if !utf8.ValidString(text) || len(text) >= maxQuery {
		return
	}
	for name, part := range map[string]words{"title": q.title, "lead": q.lead} {
		missing := map[string]bool{}
		for _, term := range part.terms {
			if _, found := slices.BinarySearch(q.all.terms, term); !found {
				missing[part.text[term]] = true
			}
		}
		if most := map[string]int{"lead": 1}[name]; len(missing) > most { // the lead may end within a word
			t.Fatalf("%q of the %s are not in the whole", slices.Collect(maps.Keys(missing)), name)
		}
	}
}
