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
	"github.com/forayhq/foray/internal/testfile"
)

// A Search is the answer to one question in the making.
type Search struct {
	in       intent.Intent
	results  lookup.Results
	measure  intent.Measure // of an amount
	measured *regexp.Regexp // matches its names
	less     bool           // the option keeps the program from something
	words    []Word         // that describe an amount or an option
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
		if strings.ContainsRune("_- $@", c) {
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
