package exact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/codebase"
)

// Bounds of the calls.
const (
	maxSymbols  = 500  // definitions of one spelling, as many as find_symbol returns
	maxUses     = 2000 // uses of a name, as many as references returns
	maxWeighed  = 4    // files whose definition is weighed by its uses
	maxQuoted   = 4    // definitions whose first lines are read
	quotedLines = 14   // lines read of each
	maxBody     = 300  // lines of a definition that is read whole
)

// typeKinds are the kinds of definitions that others implement or extend.
var typeKinds = []string{"interface", "trait", "class", "struct", "type", "module", "enum", "impl"}

// decoded returns the result of a call, if it was made and succeeded.
func decoded[T any](s *Search, c rulemodel.Call) (T, bool) { return lookup.Decode[T](s.results, c) }

func symbolCall(name string) rulemodel.Call {
	return rulemodel.Ask("find_symbol", map[string]any{"name": name, "limit": maxSymbols}, "the question names it")
}

// occursCall looks for the name as a word anywhere, code or not.
func occursCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": []string{wordPattern(name)}, "mode": "files",
		"case": "insensitive", "limit": 5}, "whether the name occurs at all")
}

// wordPattern matches a name as a word, whatever joins its parts.
func wordPattern(name string) string {
	var parts []string
	for p := range strings.FieldsFuncSeq(name, func(c rune) bool { return strings.ContainsRune(" _-", c) }) {
		parts = append(parts, regexp.QuoteMeta(p))
	}
	return `(?:^|[^\pL\pN_])[_$@k-]*` + strings.Join(parts, `[\s_-]?`) + `s?(?:$|[^\pL\pN_])`
}

func usesCall(name, path string, limit int) rulemodel.Call {
	args := map[string]any{"name": name, "limit": limit}
	if path != "" {
		args["path"] = path
	}
	return rulemodel.Ask("references", args, "who uses it")
}

func readCall(path string, from, to int) rulemodel.Call {
	return rulemodel.Ask("read_file", map[string]any{"path": path, "start_line": max(1, from), "end_line": to},
		"the lines to quote")
}

// wholeCall reads a definition.
func wholeCall(d codebase.Symbol) rulemodel.Call {
	return readCall(d.Path, d.Start, min(d.End, d.Start+maxBody))
}

// lookUp looks up the name in its spellings.
func (s *Search) lookUp() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, v := range variants(s.in.Name) {
		calls = append(calls, symbolCall(v))
	}
	return append(append(calls, s.findKey()...), occursCall(s.in.Name))
}

// lookAgain looks up the near name that is meant, if nothing has the name, or else for one with a unit more.
func (s *Search) lookAgain() []rulemodel.Call {
	switch near := s.meant(); {
	case near != "":
		return []rulemodel.Call{symbolCall(near)}
	case !s.occurs():
		return []rulemodel.Call{withUnitCall(s.in.Name)}
	}
	return nil
}

// withUnitCall looks for the name with a unit at its end.
func withUnitCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": withUnit(name), "case": "insensitive", "context": 0,
		"limit": 1}, "whether it occurs with a unit")
}

func withUnit(name string) string {
	return `\b` + regexp.QuoteMeta(leafOf(name)) +
		`_?(?:[mnu]s|millis|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|days?|bytes?|[km]b)\b`
}

// occurs reports whether the name occurs anywhere in the tree.
func (s *Search) occurs() bool {
	r, ok := decoded[codebase.SearchResult](s, occursCall(s.in.Name))
	return !ok || r.FilesMatched > 0 || r.TimedOut
}

// searched is how many files were searched for the name.
func (s *Search) searched() int {
	r, _ := decoded[codebase.SearchResult](s, occursCall(s.in.Name))
	return r.FilesSearched
}

var suggestion = lazyregexp.New(`name = ([^"\n\]]+)`)

// suggested returns the names that find_symbol suggests, the closest first.
func (s *Search) suggested() []string {
	var all []string
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	add(s.longer())
	for _, v := range variants(s.in.Name) {
		x, ok := s.results[symbolCall(v).Key()]
		if m := suggestion.FindStringSubmatch(x.Text); ok && x.Failed && m != nil {
			for name := range strings.SplitSeq(m[1], ",") {
				add(name)
			}
		} else if r, ok := decoded[codebase.SymbolResult](s, symbolCall(v)); ok {
			for _, d := range r.Items {
				add(leafOf(d.Name))
			}
		}
	}
	return all
}

// meant returns the name that is a typo away from one without a definition, or that has a unit more, or "".
func (s *Search) meant() string {
	if len(s.named(s.in.Name)) > 0 || s.occurs() {
		return ""
	}
	asked := normal(leafOf(s.in.Name))
	most := typos(len(asked))
	for _, name := range s.suggested() {
		if d := line.Distance(asked, normal(name)); d > 0 && d <= most {
			return name
		}
	}
	return s.longer()
}

// longer returns the name with a unit at its end, or "".
func (s *Search) longer() string {
	r, _ := decoded[codebase.SearchResult](s, withUnitCall(s.in.Name))
	for _, f := range r.Items {
		return regexp.MustCompile(`(?i)` + withUnit(s.in.Name)).FindString(f.Matches[0].Text)
	}
	return ""
}

// typos is how many letters of a name of a length may be wrong.
func typos(length int) int {
	switch {
	case length >= 10:
		return 2
	case length >= 5:
		return 1
	}
	return 0
}

// A Search is the answer to one question in the making.
type Search struct {
	in       intent.Intent
	results  lookup.Results
	measure  intent.Measure // of an amount
	measured *regexp.Regexp // matches its names
	less     bool           // the option keeps the program from something
	words    []Word         // of the question, that describe an amount, say
}

// A Word is what a question is about.
type Word struct {
	Text    string // as written
	Re      *regexp.Regexp
	Weight  float64
	Counted bool // it is what is counted, not what happens with it
}

// variants returns the spellings of a name to look up. Find_symbol ignores case, and how words are joined, only if
// nothing has the exact name: few names in code have hyphens, so words are found in all ways to join them.
func variants(name string) []string {
	words := strings.Fields(name)
	switch {
	case len(words) == 0:
		return nil
	case len(words) > 1:
		return []string{strings.ToLower(strings.Join(words, "-"))}
	case strings.HasSuffix(name, "!"): // of a method of Ruby, or the call of a macro
		return []string{name, strings.TrimSuffix(name, "!")}
	case name != strings.ToLower(name):
		return []string{strings.Trim(name, "-@")}
	}
	all := []string{strings.Trim(name, "-@"), title(strings.TrimLeft(name, "_-@"))}
	return slices.DeleteFunc(slices.Compact(all), func(v string) bool { return v == "" })
}

// camel returns a name in one word.
func camel(name string) string {
	words := strings.Fields(strings.Trim(name, "-@"))
	for i := 1; i < len(words); i++ {
		words[i] = title(words[i])
	}
	return strings.Join(words, "")
}

// title returns a word with a capital first letter.
func title(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(c)) + s[n:]
}

// leafOf returns the last part of a qualified name.
func leafOf(name string) string {
	name = strings.TrimRight(name, ".:#")
	return name[strings.LastIndexAny(name, ".:#>")+1:]
}

// normal returns a name in lower case without what joins its words.
func normal(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("_- $@!", c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// sameName reports whether a definition has the name, in any case and however its words are joined. Words may lack the
// letter that marks a constant or a member.
func sameName(asked, defined string) bool {
	a, d := normal(leafOf(asked)), normal(leafOf(defined))
	return a == d || strings.Contains(asked, " ") && (d == "k"+a || d == "m"+a)
}

// A side is a part of a tree that is not the source of the product; the larger, the later it is shown.
type side int

const (
	source side = iota
	vendored
	examples
	documents
	tests
)

var sides = []struct {
	side side
	re   *lazyregexp.Regexp
}{
	{tests, lazyregexp.New(`(?i:(?:^|/)(?:tests?|testing|fixture|mock|unittests?|` +
		`test[_-]?(?:utils?|helpers?|support)|[\w.-]*[_.-]tests?)/|_spec\.\w+$|\.cy\.\w+$)|` +
		`(?:^|/)spec_[^/]*\.(?:rb|c|cc|cpp)$|[a-z]TestCase\.(?:java|php|kt|cs|scala|swift)$`)},
	{documents, lazyregexp.New(`(?i)(?:^|/)(?:docs?|docs_src|website|site)/|\.(?:md|mdx|rst|txt|adoc)$`)},
	{examples, lazyregexp.New(`(?i)(?:^|/)(?:_?examples?|samples?|demos?|benchmarks?|bench|fuzz|playground|` +
		`contrib)/|(?:^|[/._-])(?:example|sample)s?\.\w+$|\.(?:example|sample)$|` +
		`(?:^|/)[\w.-]*completions?(?:[/.]|$)|(?:^|/)_\w+$`)}, // completions for shells repeat the program
	{vendored, lazyregexp.New(`(?:^|/)(?:vendor|vendored|_vendor|bundled|third_party|node_modules|deps|externals?|` +
		`dist|build|generated)/|\.min\.\w+$|\.pb\.go$|_pb2\.py$|\.d\.ts$`)},
}

// sideOf returns the part of the tree that a file belongs to.
func sideOf(path string) side {
	if testfile.Is(path) {
		return tests
	}
	for _, s := range sides {
		if s.re.MatchString(path) {
			return s.side
		}
	}
	return source
}

// IsSource reports whether a file is source of the product: no test, document, example or copy of something else.
func IsSource(path string) bool { return sideOf(path) == source }

// IsCode reports whether a file is neither a test nor a document.
func IsCode(path string) bool { return sideOf(path) != tests && sideOf(path) != documents }

// changes matches files that say what was new once: an option in it may be gone.
var changes = lazyregexp.New(`(?i)(?:^|/)(?:[^/]*(?:changelog|changes|release[-_]?notes|history|news)[^/]*\.|` +
	`(?:changelogs?|history)/[^/]*\.)(?:md|rst|txt|adoc|rdoc)$|(?:^|/)(?:changelog|changes|news)$`)

// ofTests matches the name of what is around a line in a module of tests.
var ofTests = lazyregexp.New(`(?i)^(?:mod )?tests?\b`)

// suitesOf returns the names of the classes that test something of this name by convention.
func suitesOf(name string) []string {
	name = leafOf(name)
	return []string{"Test" + name, name + "Test", name + "Tests"}
}

// testSymbol matches the qualified names of tests that are beside the source.
var testSymbol = lazyregexp.New(`(?:^|\.)(?:tests?|Tests?[A-Z_]\w*|test_\w+)(?:\.|$)`)
