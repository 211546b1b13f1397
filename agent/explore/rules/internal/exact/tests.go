package exact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of the tests that are read.
const (
	maxTestReads = 8
	linesAround  = 80   // lines read before and after a use in a test
	maxFile      = 1500 // lines of a file that is read whole
	longTest     = 150  // lines; a longer definition around a use is no test but holds them
)

// testUses returns the uses in tests, in the order of their files; those first whose name holds the name.
func (s usages) testUses() []use {
	var all, rest []use
	name := normal(s.spellings()[0])
	for _, u := range s.testMentions() {
		if sideOf(u.path) != tests && !testSymbol.MatchString(u.symbol) || u.rank >= rankOwn {
			continue
		}
		if u = s.testAround(u); u.suite && u.start == u.line && len(all)+len(rest) > 0 {
			continue // of a suite, and the lines around it were not read
		}
		switch {
		case slices.ContainsFunc(append(all, rest...), func(o use) bool { return o.path == u.path && o.start == u.start }):
		case strings.Contains(normal(u.symbol), name):
			all = append(all, u)
		default:
			rest = append(rest, u)
		}
	}
	all = ofMeant(append(all, rest...))
	own := slices.DeleteFunc(slices.Clone(all), func(u use) bool { return u.symbol == "" || helper.MatchString(u.symbol) })
	if len(own) == 0 {
		return all
	}
	return own
}

// testMentions returns the uses, also those in tests that hand a function on, and the tests of suites on the name.
func (s usages) testMentions() []use {
	all := s.uses()
	handed := regexp.MustCompile(`[(,&]\s*(?:\w+\.)?` + regexp.QuoteMeta(leafOf(s.spellings()[0])) + `\s*[,)]`)
	for _, u := range s.everyUse() {
		known := slices.ContainsFunc(all, func(o use) bool { return o.path == u.path && o.line == u.line })
		if sideOf(u.path) == tests && !known && handed.MatchString(u.text) {
			all = append(all, u)
		}
	}
	for _, u := range slices.Clone(all) {
		if sideOf(u.path) == tests && u.symbol == "" && suiteHead.MatchString(u.text) {
			all = append(all, s.testsBelow(u)...)
		}
	}
	return all
}

// suiteHead matches the first line of a suite.
var suiteHead = lazyregexp.New(`^\s*(?:RSpec\.|export )?(?:describe|context|suite)\b`)

// testsBelow returns the tests of the suite that begins with a use, as far as its lines were read.
func (s usages) testsBelow(suite use) (all []use) {
	r, ok := decoded[codebase.FileResult](s.Search, aroundCall(suite))
	if !ok || len(r.Items) == 0 {
		return nil
	}
	lines, from := r.Items[0].Lines, r.Items[0].StartLine
	first := suite.line - from
	for i := first + 1; i < len(lines); i++ {
		switch text := strings.TrimSpace(lines[i]); {
		case text == "":
		case indent(lines[i]) <= indent(lines[first]):
			return all
		case testHead.MatchString(lines[i]):
			all = append(all, use{path: suite.path, line: from + i, start: from + i, end: from + blockEnd(lines, i, i),
				symbol: line.Truncate(strings.TrimRight(text, "{ "), maxHead), text: text, rank: suite.rank})
		}
	}
	return all
}

// helper matches the names of methods that run before and after each test of a class.
var helper = lazyregexp.New(`(?i)test\w*\.(?:set_?up|tear_?down|before|after)(?:_?(?:each|all|class|test|module|method))?$`)

// readTests reads the files with uses that no function holds: tests are calls in some languages.
func (s usages) readTests() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, u := range s.uses() {
		call := aroundCall(u)
		known := slices.ContainsFunc(calls, func(c rulemodel.Call) bool { return c.Key() == call.Key() })
		if sideOf(u.path) == tests && inSuite(u) && !known && len(calls) < maxTestReads {
			calls = append(calls, call)
		}
	}
	if len(calls) == 0 {
		return s.readDefinitions()
	}
	return calls
}

// inSuite reports whether the test around a use is still to be found: no definition encloses the use, or one so long
// that it is a suite.
func inSuite(u use) bool {
	inCall := calledTests.MatchString(u.path) && !testish.MatchString(u.symbol) // maybe a helper in a test
	return u.symbol == "" || u.start == u.end || u.end-u.start > longTest || inCall
}

// calledTests matches files in which tests are calls.
var calledTests = lazyregexp.New(`\.[cm]?[jt]sx?$`)

// aroundCall reads the file of a use, or the lines around it in a long one.
func aroundCall(u use) rulemodel.Call {
	if u.line < maxFile {
		return readCall(u.path, 1, maxFile)
	}
	return readCall(u.path, u.line-linesAround, u.line+linesAround)
}

// testHead matches the first line of a test that is a call or a macro.
var testHead = lazyregexp.New(`^\s*(?:(?:it|test|specify|scenario|example|should|bench|xit|fit|Deno\.test|t\.test)` +
	`(?:\.\w+)*\s*[("'` + "`" + `]|(?:TEST|TEST_F|TEST_P|TYPED_TEST|BENCHMARK|TEST_CASE)\s*\(|` +
	`(?:pub |public |private |protected |static |async |export )*(?:def|func|fn|function|void)\s+\w*[tT]est\w*)`)

// testAround returns the test around a use, by the indentation of the lines that were read.
func (s usages) testAround(u use) use {
	r, ok := decoded[codebase.FileResult](s.Search, aroundCall(u))
	if !inSuite(u) || !ok || len(r.Items) == 0 {
		return u
	}
	lines, from := r.Items[0].Lines, r.Items[0].StartLine
	at := u.line - from
	if at < 0 || at >= len(lines) {
		return u
	}
	for i, depth := at, indent(lines[at])+1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" || indent(lines[i]) >= depth {
			continue
		}
		depth = indent(lines[i])
		if testHead.MatchString(lines[i]) {
			u.start, u.end = from+i, from+blockEnd(lines, i, at)
			u.symbol = line.Truncate(strings.TrimRight(strings.TrimSpace(lines[i]), "{ "), maxHead)
			return u
		}
	}
	return u
}

const maxHead = 80 // runes of the first line of a test, as its name

// blockEnd returns the last line of the block that begins at i and holds at.
func blockEnd(lines []string, i, at int) int {
	for n := max(i+1, at); n < len(lines); n++ {
		if strings.TrimSpace(lines[n]) == "" || indent(lines[n]) > indent(lines[i]) || n == i {
			continue
		}
		if text := strings.TrimSpace(lines[n]); strings.HasPrefix(text, "}") || strings.HasPrefix(text, ")") ||
			strings.HasPrefix(text, "end") || strings.HasPrefix(text, "]") {
			return n
		}
		return max(n-1, at)
	}
	return max(at, len(lines)-1)
}

// indent counts the blanks before a line; a tab counts as four.
func indent(text string) int {
	n := 0
	for _, c := range text {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// testish matches the name or the first line of a test.
var testish = lazyregexp.New(`(?i)test|spec|bench|example|should|(?:^|\W)(?:it|scenario|describe|context|check\w*)\b`)

// isTest matches the name of a function that is a test.
var isTest = lazyregexp.New(`^(?:[tT]est|[bB]enchmark|Example|Fuzz|TEST)|_test$`)

// suiteOf returns the class of tests that is named after the name, if none of the uses is in it.
func (s usages) suiteOf(all []use) (codebase.Symbol, bool) {
	for _, name := range suitesOf(s.spellings()[0]) {
		r, _ := decoded[codebase.SymbolResult](s.Search, symbolCall(name))
		for _, d := range r.Items {
			inIt := func(u use) bool {
				return u.path == d.Path && d.Start <= u.line && u.line <= d.End && !helper.MatchString(u.symbol)
			}
			suite := sideOf(d.Path) == tests && !isFunction([]codebase.Symbol{d})
			if suite && leafOf(d.Name) == name && !slices.ContainsFunc(all, inIt) {
				return d, true
			}
		}
	}
	return codebase.Symbol{}, false
}

// withSuite puts the class of tests in front of a report.
func (s usages) withSuite(rep *report.Report, d codebase.Symbol) *report.Report {
	said := fmt.Sprintf("`%s` in %s, line %d, is named after it", d.Name, d.Path, d.Start)
	says := quoting(said, d.Path, d.Start, d.Signature)
	says.Quote = "" // a signature need not be the line
	rep.Summary = append([]report.Statement{says}, rep.Summary...)
	rep.Places = append([]report.Place{placeOf(d, "named after it", .85)}, rep.Places...)
	rep.Excerpts = append([]report.Excerpt{excerptOf(d)}, rep.Excerpts...)
	return rep
}

// testsReport says which tests use the name.
func (s usages) testsReport() *report.Report {
	defs, meant := s.definitions()
	if len(defs) == 0 && !s.occurs() {
		return s.absent("called")
	}
	all := s.testUses()
	suite, named := s.suiteOf(all)
	if named && len(all) == 0 {
		return s.withSuite(&report.Report{Found: true, NotCovered: []string{}}, suite)
	}
	if len(all) == 0 {
		if len(defs) == 0 || strings.Contains(s.in.Name, " ") && !s.in.Quoted { // words that need not be a name
			return nil
		}
		return s.unused(defs, "in the tests uses", meant)
	}
	number := line.Count(len(all), "test")
	switch {
	case slices.ContainsFunc(all, func(u use) bool { return u.symbol == "" }):
		number = line.Count(len(all), "place") + " of the tests"
	case slices.ContainsFunc(all, func(u use) bool {
		return !isTest.MatchString(leafOf(u.symbol)) && !strings.ContainsAny(u.symbol, "\"'`")
	}): // it may help several
		number = line.Count(len(all), "function") + " of the tests"
	}
	if slices.ContainsFunc(s.uses(), func(u use) bool { return u.suite && s.testAround(u).start == u.line }) {
		number = "at least " + number // not all suites were read
	}
	opening := fmt.Sprintf("`%s` is used in %s", s.spellings()[0], number)
	rep := s.usesReport(all, opening, "tested", meant)
	if named {
		rep = s.withSuite(rep, suite)
	}
	rep.Tests = slices.Clone(rep.Places[:min(len(rep.Places), 5)])
	return rep
}
