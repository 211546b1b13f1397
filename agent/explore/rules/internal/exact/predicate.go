package exact

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of the functions that a condition calls.
const (
	maxPredicates = 3  // functions of one condition
	maxPredicate  = 30 // lines of one
	shortBody     = 6  // lines of a function whose last line is its value
)

// A call is the name of a function that a condition calls.
type call struct {
	name    string
	negated bool // the condition holds if it returns false
}

var (
	// calling matches the call of a function, and a name of Ruby or Elixir for one that answers a question.
	calling = lazyregexp.New(`([A-Za-z_]\w*[?!]?)\s*\(|\b([a-z_]\w*\?)`)
	// negates matches what precedes a call whose result is negated.
	negates = lazyregexp.New(`(?:!|\bnot\s+|\bunless\s+)\(?[\w.>:@$-]*$`)
)

// predicates returns what the condition of the message calls.
func (r reason) predicates() (all []call) {
	for _, m := range calling.FindAllStringSubmatchIndex(r.guard.text, maxPredicates) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		if m[2] >= 0 && compared.MatchString(afterCall(r.guard.text[m[1]:])) {
			continue
		}
		all = append(all, call{r.guard.text[from:to], negates.MatchString(r.guard.text[:from])})
	}
	return all
}

// compared matches what follows a call whose result is only a part of a condition.
var compared = lazyregexp.New(`^\s*(?:[=!]=|[<>.+*/%-]|(?:is|in|instanceof)\b)`)

// afterCall returns what follows the arguments of a call.
func afterCall(text string) string {
	open := 1
	for i, c := range text {
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text[i+1:]
			}
		}
	}
	return ""
}

// predicate returns the only short function of the source that the condition calls, and what decides in it.
func (r reason) predicate() (d codebase.Symbol, negated, ok bool) {
	for _, p := range r.predicates() {
		found, _ := decoded[codebase.SymbolResult](r.Search, symbolCall(p.name))
		var all []codebase.Symbol
		for _, d := range found.Items {
			if leafOf(d.Name) == p.name && sideOf(d.Path) == source && isFunction([]codebase.Symbol{d}) {
				all = append(all, d)
			}
		}
		if len(all) == 1 && all[0].End-all[0].Start <= maxPredicate {
			return all[0], p.negated, true
		}
	}
	return d, false, false
}

// addPredicate adds what decides in the body of a function that the condition calls.
func (r reason) addPredicate(st *report.Statement, d codebase.Symbol, negated bool) {
	f, ok := decoded[codebase.FileResult](r.Search, readCall(d.Path, d.Start, d.End))
	if !ok || len(f.Items) == 0 {
		return
	}
	at, text := deciding(f.Items[0], !negated)
	if at == 0 {
		return
	}
	st.Text += fmt.Sprintf("; in `%s` (%s), line %d decides: `%s`", d.Name, d.Path, at,
		line.Truncate(text, maxLineText))
	st.Citations = append(st.Citations, lookup.Cite(d.Path, at, at))
}

var (
	returned = lazyregexp.New(`\breturn\b[\s(]*([^;]*?)[\s)]*;?\s*\}?$`)
	no       = lazyregexp.New(`^(?i:0|false|nil|null|none|nullptr)$`)
	yes      = lazyregexp.New(`^(?i:1|true)$`)
)

// deciding returns the line of a function that decides whether its value is as wanted: the guard of such a value, or an
// expression that it returns.
func deciding(f codebase.FileText, wanted bool) (at int, text string) {
	best := 0
	note := func(worth, n int, says string) {
		if worth > best {
			best, at, text = worth, n, strings.TrimSpace(says)
		}
	}
	for i := len(f.Lines) - 1; i > 0; i-- {
		here := f.Lines[i]
		m := returned.FindStringSubmatch(here)
		if m == nil {
			continue
		}
		literal := yes.MatchString(m[1]) || no.MatchString(m[1])
		g, guarded := guardOf(f, f.StartLine+i)
		if decides(here) {
			g, guarded = guard{at: f.StartLine + i, text: here}, true
		}
		switch {
		case !literal:
			note(2, f.StartLine+i, joinedLine(f.Lines, i))
		case guarded && yes.MatchString(m[1]) == wanted:
			note(3, g.at, g.text)
		case guarded:
			note(1, g.at, g.text)
		}
	}
	for i := len(f.Lines) - 1; best == 0 && len(f.Lines) <= shortBody && i >= 0; i-- {
		if !closing.MatchString(f.Lines[i]) && (i > 0 || len(f.Lines) == 1) {
			note(1, f.StartLine+i, f.Lines[i])
		}
	}
	return at, text
}
