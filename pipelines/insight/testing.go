package insight

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// testSymbol matches the name of a test as the innermost symbol around a line.
var testSymbol = regexp.MustCompile(`(^|\.)(Test|test_)\w*$`)

var literalTuple = regexp.MustCompile(`^\s*assert\s*\(`)

// testingSigns are the signs of the dimension testing.
var testingSigns = []sign{
	{
		importance: high, inTests: true,
		query: query{patterns: []string{`^\s*(it|test|describe)\.only\(`, `^\s*(fit|fdescribe)\(`}, include: jsFiles},
		one:   "One test keeps all others of its file from running",
		many:  "%d tests keep all others of their files from running",
		claim: "`only` is for the moment of writing a test: with it the runner leaves out the rest and is green.",
	},
	{
		importance: high, anywhere: true,
		query: query{patterns: []string{`^\s*assert\s*\(.*,\s*f?["'][^"']*["']\s*\)\s*$`}, include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return literalTuple.MatchString(h.text) && tupleOnly(h.text) },
		one:   "An assertion holds whatever happens",
		many:  "%d assertions hold whatever happens",
		claim: "assert (condition, \"message\") asserts a tuple of two, which is true. Without the parentheses it asserts the condition.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*t\.Skip(f|Now)?\(`}, include: goTests, before: 1},
		keep: func(h *hit) bool {
			return len(h.before) == 1 && strings.HasPrefix(h.before[0], "func Test")
		},
		one:   "A test is skipped always",
		many:  "%d tests are skipped always",
		claim: "Skip is the first statement, under no condition: what the test was to hold is held by nobody.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*@(pytest\.mark|unittest)\.skip\b`}, include: pyFiles, before: 20, after: 10},
		keep:  skipsSomething,
		one:   "A test is skipped always",
		many:  "%d tests are skipped always",
		claim: "The mark has no condition: what the tests were to hold is held by nobody.",
	},
	{
		importance: medium, inTests: true,
		query: query{patterns: []string{`^\s*(it|test|describe)\.skip\(`, `^\s*(xit|xdescribe)\(`}, include: jsFiles},
		one:   "A test is skipped always",
		many:  "%d tests are skipped always",
		claim: "Skipping has no condition: what the tests were to hold is held by nobody.",
	},
	{
		importance: medium, anywhere: true,
		query: query{patterns: []string{`^\s*#\[ignore`}, include: []string{"*.rs"}},
		one:   "A test runs only when it is asked for",
		many:  "%d tests run only when they are asked for",
		claim: "#[ignore] leaves a test out of cargo test.",
	},
	{
		importance: low, inTests: true,
		query:  query{patterns: []string{`^\s*time\.Sleep\((\d|time\.)`}, include: goTests, before: 20},
		unless: query{patterns: []string{`"testing/synctest"`}, include: goTests},
		keep: func(h *hit) bool {
			return testSymbol.MatchString(h.symbol) && !strings.Contains(join(h.before), "httptest.NewServer") && !strings.Contains(join(h.before), "http.HandlerFunc")
		},
		one:   "A test waits for time to pass",
		many:  "Tests wait for time to pass in %d places",
		claim: "A fixed pause is too short on a busy machine, where the test then fails by chance, and too long on every other.",
	},
	{
		importance: low, inTests: true,
		query: query{patterns: []string{`^\s*time\.sleep\(`}, include: pyFiles, before: 20},
		keep:  func(h *hit) bool { return testSymbol.MatchString(h.symbol) },
		one:   "A test waits for time to pass",
		many:  "Tests wait for time to pass in %d places",
		claim: "A fixed pause is too short on a busy machine, where the test then fails by chance, and too long on every other.",
	},
}

var (
	defined     = regexp.MustCompile(`^\s*((async\s+)?def|class)\s`)
	testDefined = regexp.MustCompile(`^\s*((async\s+)?def\s+test|class\s)`)
	passOnly    = regexp.MustCompile(`^\s*(pass|\.\.\.)\s*$`)
)

// skipsSomething reports whether below a mark a test is defined that does something.
func skipsSomething(h *hit) bool {
	for i, l := range h.after {
		if defined.MatchString(l) {
			return testDefined.MatchString(l) && i+1 < len(h.after) && !passOnly.MatchString(h.after[i+1])
		}
	}
	return false
}

// tupleOnly reports whether the parentheses of an assertion hold all of it: those that open first close last.
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

// The least of a package that should have tests.
const (
	leastUntested  = 100 // lines
	mostOfPackages = 6
)

// untested finds Go packages without a test file.
func untested(s *survey) []draft {
	clauses, done := s.search(query{patterns: []string{`^package \w+`}, include: goFiles, pages: 4})
	lines, counted := s.lines(goFiles)
	written, scanned := s.generated()
	if !done || !counted || !scanned {
		return nil
	}
	tested, first, size := make(map[string]bool), make(map[string]hit), make(map[string]int)
	for _, c := range clauses {
		dir := path.Dir(c.path)
		switch {
		case strings.HasSuffix(c.path, "_test.go"):
			tested[dir] = true
		case written[c.path], isTest(c.path), isAside(c.path), isForeign(c.path), strings.HasPrefix(c.text, "package main"):
		default:
			if _, ok := first[dir]; !ok {
				first[dir] = c
			}
			size[dir] += lines[c.path]
		}
	}
	if len(tested) == 0 {
		return nil // not where tests are written at all
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

// withoutTests is the finding of folders without tests, of so many lines each, while so many others have some.
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
	f.claim = fmt.Sprintf("No _test.go stands in %s, while %d packages of the tree have one. Tests elsewhere may run their code; a failure there does not say where it is.", strings.Join(named, ", "), tested)
	return f
}
