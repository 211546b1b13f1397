package exact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
)

// Bounds of the calls.
const (
	maxSymbols  = 500  // definitions of one spelling, as many as find_symbol returns
	maxUses     = 2000 // uses of a name, as many as references returns
	maxWeighed  = 4    // files whose definition is weighed by its uses
	maxQuoted   = 4    // definitions whose first lines are read
	quotedLines = 14   // lines read of each
)

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

// lookUp looks up the name in its spellings.
func (s *Search) lookUp() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, v := range variants(s.in.Name) {
		calls = append(calls, symbolCall(v))
	}
	return append(append(calls, s.findKey()...), occursCall(s.in.Name))
}

// lookAgain looks up the near name that is meant, if nothing has the name.
func (s *Search) lookAgain() []rulemodel.Call {
	if near := s.meant(); near != "" {
		return []rulemodel.Call{symbolCall(near)}
	}
	return nil
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

// meant returns the only name that is a typo away from one without a definition, or "".
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
