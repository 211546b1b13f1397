// Package testtitles finds the tests of what a question describes in words, by their titles and their code.
//
// Start with [Asks].
package testtitles

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/units"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// asks matches a question for tests, and not for something of them: a test runner, a parser of specs.
var asks = lazyregexp.New(`(?i)^\W*(?:(?:and|so|hi|hello|please)\W+)?(?:` +
	`(?:which|what) ` + tests + `(?:\s*\?*$| ` + follows + `)|` +
	`(?:is|are) there (?:a |an |any |some |already )*` + tests + `\b|` +
	`do(?:es)? \w+ have (?:a |any |some )?` + tests + `\b|` +
	`(?:find|show|list|give)(?: me)?(?: the| all| any)* ` + tests + ` (?:for|of|on|that)\b|` +
	`where (?:are|is) the ` + tests + ` (?:for|of|on|that)\b|` +
	`(?:where |is |are ).*\btested\b|do(?:es)? (?:any|some)thing (?:test|check|cover)s?\b)|` +
	`^(?:any |existing |the )?` + tests + ` (?:for|of|on|around|about|covering|against)\b|` +
	`\b(?:which|what) ` + tests + ` (?:would|will|should|could|might|catch|guard|protect|break|notice)\b|` +
	`\bcovered by (?:any |the |our )?` + tests + `\b|` +
	`\bwelche tests?\b|哪些测试|测试用例`)

// follows matches the word after the tests that a question is for.
const follows = `(?:are|is|do|does|exist|for|on|of|that|cover|check|test|verif|exercis|make|prove|show|ensure|` +
	`assert|use|fail|look)\w*\b`

const tests = `(?:unit |integration )?(?:tests?|specs?|test cases?)`

// Asks reports whether a question asks for tests.
func Asks(question string) bool { return asks.MatchString(question) }

// A Search looks for tests.
type Search struct {
	words   []units.Word
	results lookup.Results
}

// New returns the search for words with the results so far.
func New(words []units.Word, results []rulemodel.Result) *Search {
	return &Search{words, lookup.Of(results)}
}

// Steps is how many steps a search has.
const Steps = 2

// Bounds of a search.
const (
	maxFiles  = 2000 // with a word
	maxRead   = 15   // files whose tests are ranked
	maxLines  = 2000 // of these, that begin a test or have a word
	longest   = 60   // lines of a test
	maxTitle  = 100  // runes
	maxPlaces = 8
)

// Calls returns the calls of a step, from 1: those for the files of tests with each word, then for the tests in the
// files with most of them.
func (s *Search) Calls(step int) (calls []rulemodel.Call) {
	if step == 1 {
		for _, w := range s.words {
			calls = append(calls, filesCall(w))
		}
		return calls
	}
	if files := s.files(); len(files) > 0 {
		calls = append(calls, headsCall(files), s.wordsCall(files))
	}
	return calls
}

func filesCall(w units.Word) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": w.Pattern, "include": inTests, "mode": "count",
		"limit": maxFiles}, "files of tests with a word of the question")
}

// files returns the files of tests with most of the question, by the weight and the rarity of its words.
func (s *Search) files() []string {
	shares := make(map[string]float64)
	for _, w := range s.words {
		r, _ := lookup.Decode[codebase.SearchResult](s.results, filesCall(w))
		rarity := math.Log1p(float64(r.FilesSearched) / float64(max(r.FilesMatched, 1)))
		for _, item := range r.Items {
			if documents.Is(item.Path) {
				continue
			}
			shares[item.Path] += w.Weight * rarity * bm25.Weight(float64(item.Hits), 1, 1)
		}
	}
	all := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(shares[b], shares[a]) })
	return all[:min(len(all), maxRead)]
}

// bm25 saturates with the number of lines that have a word; the length of a file is not known.
var bm25 = textsearch.BM25{K1: 1.2}

// inTests are the globs of what may hold tests. Rust has them beside the code.
var inTests = []string{"**/*[tT]est*", "**/*[tT]est*/**", "**/*[sS]pec*", "**/*[sS]pec*/**", "**/t/**", "**/*.rs"}

// Forms of the first line of a test, and of a group of tests: a call with a title, a macro, a function.
const (
	callForm = `(?:it|test|specify|scenario|example|should|bench|xit|fit|Deno\.test|` +
		`t\.test)(?:\.\w+)*\s*\(?\s*["'` + "`]"
	group    = `(?:describe|context|suite|feature|RSpec\.describe|describe_\w+)(?:\.\w+)*\s*\(?\s*["'` + "`]"
	macro    = `(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO)\s*\(`
	function = `(?:(?:pub|public|private|protected|static|async|export|suspend|internal|final)(?:\([^)]*\))?\s+)*` +
		`(?:def|func|fn|fun|function|void|Task)\s+(?:\w+|` + "`[^`]+`" + `)\s*\(`
)

func headsCall(files []string) rulemodel.Call {
	head := `^\s*(?:` + callForm + `|` + group + `|` + macro + `|` + function + `)`
	return rulemodel.Ask("search", map[string]any{"patterns": []string{head}, "include": lookup.Globs(files), "before": 2,
		"after": 0, "limit": maxLines, "max_per_file": maxLines}, "the titles of tests")
}

func (s *Search) wordsCall(files []string) rulemodel.Call {
	var all []string
	for _, w := range s.words {
		all = append(all, w.Pattern)
	}
	return rulemodel.Ask("search", map[string]any{"patterns": all, "include": lookup.Globs(files), "context": 0,
		"limit": maxLines, "max_per_file": maxLines}, "the words of the question in tests")
}

var (
	isGroup    = lazyregexp.New(`^\s*` + group)
	isFunction = lazyregexp.New(`^\s*` + function)
	// testName matches the name of a function that is a test by its name, and testMark a line before one that says so.
	testName = lazyregexp.New(`(?:def|func|fn|fun|function|void|Task)\s+(?:[tT]est|\w+Test\w*\s*\(|\w+_test\w*\s*\()`)
	testMark = lazyregexp.New(`@(?:\w*Test|test)\b|#\[(?:\w+::)*test|\[(?:Fact|Theory|Test\w*)\b`)
)

// shares are how much a word counts that is not in the title of a test.
var shares = units.Shares{Above: .8, Body: .6, Path: .5}

// tests returns the tests, those with most of the question first.
func (s *Search) tests() (all []*units.Unit) {
	files := s.files()
	heads, _ := lookup.Decode[codebase.SearchResult](s.results, headsCall(files))
	words, _ := lookup.Decode[codebase.SearchResult](s.results, s.wordsCall(files))
	for _, item := range heads.Items {
		above := ""
		for i, m := range item.Matches {
			if isGroup.MatchString(m.Text) {
				above = m.Text
				continue
			}
			if isFunction.MatchString(m.Text) && !testName.MatchString(m.Text) &&
				!testMark.MatchString(strings.Join(m.Before, "\n")) {
				continue
			}
			u := &units.Unit{Path: item.Path, Title: m.Text, Above: above, Start: m.Line, End: m.Line + longest}
			if i+1 < len(item.Matches) {
				u.End = min(u.End, item.Matches[i+1].Line-1)
			} else {
				u.End = lastHit(words, u)
			}
			all = append(all, u)
		}
	}
	units.Rank(all, s.words, words, shares)
	return all
}

// lastHit returns the last line of a test that has a word of the question: where the last test of a file ends is not
// known.
func lastHit(words codebase.SearchResult, u *units.Unit) int {
	last := u.Start
	for _, item := range words.Items {
		for _, m := range item.Matches {
			if item.Path == u.Path && m.Line > last && m.Line <= u.End {
				last = m.Line
			}
		}
	}
	return last
}

var (
	// quoted matches the title of a test that is a call, and called the name of one that is a function.
	quoted = lazyregexp.New("[\"'`](.+?)[\"'`]\\s*(?:[,)]|do\\b|=>|$)")
	called = lazyregexp.New("(?:def|func|fn|fun|function|void|Task)\\s+`?([^`(]+)")
)

// titleOf returns the title of a test, or its first line.
func titleOf(head string) string {
	if m := called.FindStringSubmatch(head); m != nil && isFunction.MatchString(head) {
		return "`" + line.Truncate(m[1], maxTitle) + "`"
	}
	if m := quoted.FindStringSubmatch(head); m != nil {
		return "“" + line.Truncate(m[1], maxTitle) + "”"
	}
	return "`" + line.Truncate(strings.TrimRight(strings.TrimSpace(head), "{ :"), maxTitle) + "`"
}

// Least shares of the question, by the weight and the rarity of its words, and least words, of a test that is named at
// all, that is where to look first, and that fits best. The first was set on tests_other.jsonl of package answers, the
// others by reading the answers to 18 questions to as many projects.
const (
	leastShare = .2
	lookShare  = .45
	sureShare  = .75
	leastWords = 2
)

// best returns the tests that have most of the question, best first.
func (s *Search) best() []*units.Unit {
	return slices.DeleteFunc(s.tests(), func(u *units.Unit) bool {
		return u.Share < leastShare || u.Found < min(leastWords, len(s.words))
	})
}

// alike is the least share of that of the first test with which another one says as much.
const alike = .9

// Report returns the report on the results so far, or nil if no test has enough of the question.
func (s *Search) Report() *report.Report {
	all := s.best()
	if len(all) == 0 {
		return nil
	}
	first := all[0]
	says := "comes closest, but may not be the one"
	switch {
	case first.Share >= sureShare && first.Named >= min(leastWords, len(s.words)):
		says = "fits best"
	case first.Share >= lookShare && first.Named > 0:
		says = "is where to look first"
	}
	st := report.Statement{Text: fmt.Sprintf("The test %s in %s, line %d %s", titleOf(first.Title), first.Path,
		first.Start, says)}
	rep := &report.Report{Found: true, NotCovered: []string{"tests that say it in other words"}}
	more := 0
	for i, t := range all {
		if i >= maxPlaces {
			if t.Share >= alike*first.Share {
				more++
			}
			continue
		}
		rep.Places = append(rep.Places, report.Place{Path: t.Path, Start: t.Start, End: t.End,
			Why: "test with words of the question", Confidence: t.Share})
		st.Citations = append(st.Citations, lookup.Cite(t.Path, t.Start, t.Start))
		if i == 1 {
			st.Text += ". Then"
		} else if i > 1 {
			st.Text += ","
		}
		if i > 0 {
			st.Text += fmt.Sprintf(" %s (%s, line %d)", titleOf(t.Title), t.Path, t.Start)
		}
	}
	if more > 0 {
		st.Text += fmt.Sprintf(" and %s with as much of the question", line.Count(more, "more test"))
	}
	rep.Summary = []report.Statement{st}
	rep.Tests = slices.Clone(rep.Places)
	rep.Excerpts = []report.Excerpt{{Path: first.Path, Start: first.Start, End: min(first.End, first.Start+20)}}
	return rep
}
