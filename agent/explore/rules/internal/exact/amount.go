package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// NewAmount returns the search for a setting that a question describes in words, and for its value.
func NewAmount(m intent.Measure, words []Word, results []rulemodel.Result) *Search {
	s := &Search{in: intent.Intent{Kind: intent.Amount, Weak: true}, measure: m, results: lookup.Of(results),
		measured: regexp.MustCompile(`(?i)` + m.Names)}
	words = withoutTries(words)
	counts := slices.ContainsFunc(words, func(w Word) bool { return w.Counted && !measuring.MatchString(w.Text) })
	for _, w := range words {
		if measuring.MatchString(w.Text) {
			continue
		}
		if counts && !w.Counted {
			w.Weight *= happensWeight
		}
		s.words = append(s.words, w)
	}
	return s
}

// withoutTries drops "attempts" from words that say of what: a setting for retries need not have both.
func withoutTries(words []Word) []Word {
	tried := func(w Word) bool { return strings.HasPrefix(w.Text, "attempt") || w.Text == "tries" }
	rest := slices.DeleteFunc(slices.Clone(words), func(w Word) bool { return tried(w) })
	if !slices.ContainsFunc(rest, func(w Word) bool { return strings.HasPrefix(w.Text, "retr") }) {
		return words
	}
	return rest
}

// measuring matches words that ask how much, and describe no setting.
var measuring = lazyregexp.New(`^(?:default|many|much|long|often|large|big|number|amount|count|times?|` +
	`allow(?:ed)?|keep|kept|have|configured?|say|unless|limit|max(?:imum)?|min(?:imum)?|` +
	`deep|high|wide|small|most|least|per|once)$`)

// giving returns a pattern of lines that give a number to a name with a word: an assignment, a key, a call with the
// name and the value, a macro, a line of a configuration file.
func giving(word string) string {
	name := `[\w$-]*(?:` + word + `)[\w$-]*`
	return name + `["'\]]?(?:\s+[\w*\[][\w.*\[\]<>]{0,30}|\s*:\s*[^=,;(){}"']{1,60})?\s*(?:=>|[:=])\s*[^=\s>:].*` +
		`|(?i:set|default|define|option)\w*\s*\(?\s*[:"'](?:` + name + `)["']?\s*,.*` +
		`|` + flagForm + `"(?:` + name + `)",.*` +
		`|(?:^|#\s*define)\s*` + name + `\s+\(?\d.*`
}

// findAmounts searches for settings with each word of the question, and for those that only say what is measured.
func (s amounts) findAmounts() (calls []rulemodel.Call) {
	ask := func(word, why string) {
		calls = append(calls, rulemodel.Ask("search", map[string]any{"pattern": giving(word), "before": commentsAbove,
			"after": 0, "limit": maxAmounts, "max_per_file": maxAmountsEach}, why))
	}
	if len(s.words) == 0 {
		return nil
	}
	calls = append(calls, aritiesCall(), entriesCall())
	ask(`(?i:default|`+s.measure.Names+`)`, "settings of what is measured")
	words := slices.Clone(s.words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, w := range words[:min(len(words), maxAmountWords)] {
		ask(w.Re.String(), "settings with a word of the question")
	}
	return calls
}

// aritiesCall searches for the lists of functions that give a number to each.
func aritiesCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": aritiesPattern, "include": []string{"*.ex", "*.exs"},
		"before": 0, "after": maxArities, "limit": maxAmounts}, "numbers of parameters")
}

const maxArities = 30 // lines of a list

// withoutArities returns the lines that are in no list of functions.
func (s amounts) withoutArities(all []amount) []amount {
	r, _ := decoded[codebase.SearchResult](s.Search, aritiesCall())
	for _, f := range r.Items {
		for _, m := range f.Matches {
			if depthOf(m.Text) <= 0 {
				continue // a line of its own; see [assignment.empty]
			}
			last := m.Line + declared(m.Text, m.After)
			all = slices.DeleteFunc(all, func(a amount) bool { return a.path == f.Path && m.Line <= a.line && a.line <= last })
		}
	}
	return all
}

// found returns the files with lines that may set it.
func (s amounts) found() (all []search.File) {
	other := []string{aritiesCall().Key(), entriesCall().Key()}
	for _, call := range s.findAmounts() {
		if slices.Contains(other, call.Key()) {
			continue
		}
		r, _ := decoded[codebase.SearchResult](s.Search, call)
		for _, f := range r.Items {
			if (assignment{path: f.Path}).part() == source && !noSettings.MatchString(f.Path) {
				all = append(all, f)
			}
		}
	}
	return all
}

// findTexts searches for what may put likely lines into a text, where examples are.
func (s amounts) findTexts() []rulemodel.Call {
	var calls []rulemodel.Call
	some := likely(s.scored())
	if len(some) == 0 {
		calls = append(calls, blocksCall())
		some = s.possible()
	}
	if call, ok := textCall(some); ok {
		calls = append(calls, call)
	}
	return calls
}

// likely returns the lines of code that may answer the question.
func likely(all []amount) (some []assignment) {
	for _, a := range all {
		if a.score >= leastAmount && !a.documented {
			some = append(some, a.assignment)
		}
	}
	return some
}

// amounts returns the lines that give a value to a name with words of the question, best first, but for examples.
func (s amounts) amounts() []amount {
	all := s.scored()
	within := s.inTexts(likely(all))
	return slices.DeleteFunc(all, func(a amount) bool { return !a.documented && within(a.assignment) })
}

// scored is the same with examples.
func (s amounts) scored() (all []amount) {
	seen := make(map[string]bool)
	for _, f := range s.found() {
		forms := []*lazyregexp.Regexp{given, called, defined, flagged}
		if configFile.MatchString(f.Path) {
			forms = append(forms, configured)
		}
		for _, m := range f.Matches {
			key := fmt.Sprint(f.Path, m.Line)
			if seen[key] || comments(m.Text) > 0 || example.MatchString(m.Text) || ofTests.MatchString(m.Symbol) {
				continue
			}
			seen[key] = true
			for _, a := range s.givenIn(m.Text, forms) {
				if a.path, a.symbol, a.line = f.Path, m.Symbol, m.Line; a.empty(a.name) {
					continue
				}
				a.about += " " + commentAbove(m.Before)
				a.within, a.numbered = partsOf(keyAbove(m.Before, m.Text)), follows(m.Before, a.value)
				all = append(all, a)
			}
		}
	}
	all = withHelp(s.withoutArities(all), s.entries())
	s.rate(all)
	slices.SortStableFunc(all, func(a, b amount) int { return cmp.Compare(b.score, a.score) })
	return all
}

// amountReport says what the value is, or returns nil if no line is likely enough.
func (s amounts) amountReport() *report.Report {
	all := s.amounts()
	if len(all) == 0 || all[0].score < leastAmount {
		return nil
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, a := range all[:min(len(all), maxDefaults)] {
		if a.score < rivalShare*all[0].score {
			break
		}
		if leafOf(a.symbol) == a.name {
			a.symbol = "" // it would be said twice
		}
		if i < maxSays-1 && (i == 0 || a.name != all[0].name || a.value != all[0].value) {
			said := s.says(a, i == 0)
			if i > 0 {
				said = "Also " + said
			}
			rep.Summary = append(rep.Summary, quoting(title(said), a.path, a.line, a.text))
		}
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line,
			Symbol: cmp.Or(a.symbol, a.name), Why: "gives it the value", Confidence: .8 / float64(1+3*min(i, 1))})
	}
	if may, _ := s.guessed(&all[0]); may {
		rep.Places[0].Confidence = .4
	}
	rep.Excerpts = []report.Excerpt{{Path: all[0].path, Start: all[0].line, End: all[0].line}}
	return rep
}

// says is the sentence about a line. The first one admits that it is a guess.
func (s amounts) says(a amount, first bool) string {
	value, where := "`"+a.value+"`", a.where()
	if unit := a.unit(); s.measure.Needs != nil && unit != "" {
		value += " (" + unit + ")"
	}
	may, _ := s.guessed(&a)
	switch {
	case may && first:
		return fmt.Sprintf("`%s` comes closest, but may not answer this: it is %s in %s", a.name, value, where)
	case a.documented:
		return fmt.Sprintf("by the documentation, the default of `%s` is “%s” (%s)", a.name, a.value, where)
	}
	return fmt.Sprintf("`%s` is %s in %s", a.name, value, where)
}

var (
	bareNumber = lazyregexp.New(`^["'(]*[\d_.]+["')]*$`)
	// inUnits matches the unit of a bare number in a comment, unitName the same in a name.
	inUnits  = lazyregexp.New(`(?i)(?:\bin|\bnumber of|\() ?` + unitForm)
	unitName = lazyregexp.New(`(?i)` + unitForm + `$`)
)

const unitForm = `\b(ms|msecs?|secs?|(?:milli|micro|nano)?(?:seconds?|secs?)|minutes?|hours?|days?)\b`

// unit returns the unit of a bare number that the name or a comment says, or "".
func (a *amount) unit() string {
	if !bareNumber.MatchString(a.value) {
		return ""
	}
	m := unitName.FindStringSubmatch(strings.Join(partsOf(a.name), " "))
	if m == nil {
		m = inUnits.FindStringSubmatch(a.about + " " + a.help)
	}
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1])
}
