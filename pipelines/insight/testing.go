package insight

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// testSymbol matches the name of a test as the innermost symbol around a line.
var testSymbol = lazyregexp.New(`(^|\.)(Test|test_)\w*$`)

var literalTuple = lazyregexp.New(`^\s*assert\s*\(`)

// testingSigns are the signs of the dimension testing.
var testingSigns = []sign{
	{
		importance: high, inTests: true,
		query: query{patterns: []string{`^\s*(it|test|describe)\.only\(`, `^\s*(fit|fdescribe)\(`}, include: jsFiles},
		one:   "One test keeps the others in its file from running",
		many:  "%d tests keep the others in their files from running",
		claim: "`only` is meant for writing a test: the runner skips all other tests and still passes.",
	},
	{
		importance: high, anywhere: true,
		query: query{patterns: []string{`^\s*assert\s*\(.*,\s*f?["'][^"']*["']\s*\)\s*$`}, include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return literalTuple.MatchString(h.text) && tupleOnly(h.text) },
		one:   "An assertion can never fail",
		many:  "%d assertions can never fail",
		claim: "assert (condition, \"message\") asserts a tuple of two, which is always true. Remove the parentheses.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*t\.Skip(f|Now)?\(`}, include: goTests, before: 1},
		keep: func(h *hit) bool {
			return len(h.before) == 1 && strings.HasPrefix(h.before[0], "func Test")
		},
		one:   "A test is always skipped",
		many:  "%d tests are always skipped",
		claim: "Skip is the first statement and unconditional: the test checks nothing.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*@(pytest\.mark|unittest)\.skip\b`}, include: pyFiles, before: 20, after: 10},
		keep:  skipsSomething,
		one:   "A test is always skipped",
		many:  "%d tests are always skipped",
		claim: "The mark is unconditional: the tests check nothing.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*(it|test|describe)\.skip\(`, `^\s*(xit|xdescribe)\(`}, include: jsFiles},
		one:   "A test is always skipped",
		many:  "%d tests are always skipped",
		claim: "The skip is unconditional: the tests check nothing.",
	},
	{
		importance: medium, anywhere: true,
		query: query{patterns: []string{`^\s*#\[ignore`}, include: []string{"*.rs"}},
		one:   "A test runs only on request",
		many:  "%d tests run only on request",
		claim: "cargo test leaves out tests with #[ignore].",
	},
	{
		importance: low, inTests: true,
		query:  query{patterns: []string{`^\s*time\.Sleep\((\d|time\.)`}, include: goTests, before: 20},
		unless: query{patterns: []string{`"testing/synctest"`}, include: goTests},
		keep: func(h *hit) bool {
			return testSymbol.MatchString(h.symbol) && !strings.Contains(join(h.before), "httptest.NewServer") &&
				!strings.Contains(join(h.before), "http.HandlerFunc")
		},
		one:   "A test sleeps",
		many:  "Tests sleep in %d places",
		claim: "A fixed pause is too short on a busy machine, where the test becomes flaky, and too long on any other.",
	},
	{
		importance: low, inTests: true,
		query: query{patterns: []string{`^\s*time\.sleep\(`}, include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return testSymbol.MatchString(h.symbol) },
		one:   "A test sleeps",
		many:  "Tests sleep in %d places",
		claim: "A fixed pause is too short on a busy machine, where the test becomes flaky, and too long on any other.",
	},
}

var (
	definition  = lazyregexp.New(`^\s*((async\s+)?def|class)\s`)
	testOrClass = lazyregexp.New(`^\s*((async\s+)?def\s+test|class\s)`)
	passOnly    = lazyregexp.New(`^\s*(pass|\.\.\.)\s*$`)
)

// skipsSomething reports whether the test below a skip mark has a body other than pass.
func skipsSomething(h *hit) bool {
	for i, l := range h.after {
		if definition.MatchString(l) {
			return testOrClass.MatchString(l) && i+1 < len(h.after) && !passOnly.MatchString(h.after[i+1])
		}
	}
	return false
}

// tupleOnly reports whether the parentheses of an assertion enclose all of it, with one comma: a tuple of two.
func tupleOnly(line string) bool {
	open, commas := 0, 0
	text := strings.TrimSpace(line)
	at := strings.IndexByte(text, '(')
	for i, r := range text[at:] {
		switch r {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		case ',':
			if open == 1 {
				commas++
			}
		}
		if open == 0 {
			return at+i == len(text)-1 && commas == 1
		}
	}
	return false
}

// Bounds of [untested].
const (
	leastUntested  = 100 // lines; smaller packages need no tests
	mostOfPackages = 6   // packages that the finding names
)

// untested finds Go packages without a test file.
func untested(s *survey) []draft {
	clauses, done := s.search(query{patterns: []string{`^package \w+`}, include: goFiles, pages: 4})
	lines, counted := s.lines(goFiles)
	generated, searched := s.generated()
	if !done || !counted || !searched {
		return nil
	}
	tested, first, size := make(map[string]bool), make(map[string]hit), make(map[string]int)
	for _, c := range clauses {
		dir := path.Dir(c.path)
		switch {
		case strings.HasSuffix(c.path, "_test.go"):
			tested[dir] = true
		case generated[c.path], isTest(c.path), isAside(c.path), isForeign(c.path), strings.HasPrefix(c.text, "package main"):
		default:
			if _, ok := first[dir]; !ok {
				first[dir] = c
			}
			size[dir] += lines[c.path]
		}
	}
	if len(tested) == 0 {
		return nil // a module without any tests needs no list
	}
	var dirs []string
	for dir := range first {
		if !tested[dir] && size[dir] >= leastUntested {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	slices.SortFunc(dirs, func(a, b string) int { return bySize(size, b, a) })
	return []draft{withoutTests(dirs, size, first, len(tested))}
}

// withoutTests makes the finding of the packages in dirs; tested is how many packages have tests.
func withoutTests(dirs []string, size map[string]int, first map[string]hit, tested int) draft {
	var named []string
	f := draft{importance: low, title: "A package has no test file of its own"}
	if len(dirs) > 1 {
		f.title = fmt.Sprintf("%d packages have no test file of their own", len(dirs))
	}
	for _, dir := range dirs[:min(len(dirs), mostOfPackages)] {
		named = append(named, fmt.Sprintf("%s (%d lines)", dir, size[dir]))
		f.evidence = append(f.evidence, first[dir].cite())
	}
	f.claim = fmt.Sprintf("No _test.go in %s. Packages of the tree with one: %d. "+
		"Tests elsewhere may run this code, but their failures do not point to it.", strings.Join(named, ", "), tested)
	return f
}
