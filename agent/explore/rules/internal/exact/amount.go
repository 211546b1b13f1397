package exact

import (
	"cmp"
	"fmt"
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
	s := &Search{in: intent.Intent{Kind: intent.Amount, Weak: true}, measure: m, results: lookup.Of(results)}
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
	`allow(?:ed)?|keep|kept|have|configured?|say|unless|deep|high|wide|small|most|least|per|once)$`)

// amounts finds the line that gives a described setting its value.
type amounts struct{ *Search }

// Bounds of the search.
const (
	maxAmounts     = 2000 // lines with a word
	maxAmountsEach = 300  // of a file
	maxAmountWords = 6
	commentsAbove  = 4 // lines that may describe it
)

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
	for _, w := range s.words[:min(len(s.words), maxAmountWords)] {
		ask(w.Re.String(), "settings with a word of the question")
	}
	if len(calls) > 0 {
		calls = append(calls, aritiesCall())
		ask(`(?i:default|`+s.measure.Names+`)`, "settings of what is measured")
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

// An amount is a line that gives a name a value.
type amount struct {
	assignment
	name   string
	about  string   // what describes it: comments and the value
	passed bool     // it is an argument of a call
	within []string // the words of the key whose value it is a part of
}

// flagForm matches a call that declares a flag, up to its name, as [flagCall] does.
const flagForm = `\.(?:U?[Ii]nt(?:16|32|64)?|Float64|String|Duration)(?:Var)?P?\((?:&?[\w.]+,\s*)?`

// declaring matches the keywords and types before a name that is declared.
const declaring = `(?:\b(?:var|let|const|val|static|final|mut|local|my|pub|int|long|unsigned|size_t)\s+)*`

// typeForm matches the type that a name is declared with after a colon, or a part of it.
const typeForm = `[^=,;(){}"'\s|]{1,40}`

var (
	// given matches a name that is given a value, up to the value.
	given = lazyregexp.New(declaring + `([\pL_$][\w$-]*)["'\]]?(?:\s*=>\s*|` +
		`(?:\s+(?:[\w\[]|\*\w)[\w.*\[\]<>]{0,30}|\s*:\s*` + typeForm + `(?:\s*\|\s*` + typeForm + `)*)?` +
		`\s*(?::=|\|\|=|=)\s*|\s*:\s*)`)
	// called matches the same in a call that takes both, and defined in a macro.
	called  = lazyregexp.New(`(?i)(?:set|default|define|option)\w*\s*\(?\s*[:"']([\pL_][\w.-]*)["']?\s*,\s*`)
	defined = lazyregexp.New(`#\s*define\s+(\w+)\s+`)
	// flagged matches the same in the declaration of a flag, which may have a short name before the value.
	flagged = lazyregexp.New(flagForm + `"([\w.-]+)",\s*(?:"\w?",\s*)?`)
	// configured matches the same in a file that puts no sign between.
	configured = lazyregexp.New(`^\s*([a-z][\w-]*)\s+\b`)
	configFile = lazyregexp.New(`\.(?:conf|cfg|ini|properties)$`)
	// passing matches a line up to an argument of a call.
	passing = lazyregexp.New(`\w\([^()]*$`)
	remark  = lazyregexp.New(`(?://|#|/\*|--).*`)

	// numeral matches a number that is no part of a name and no index.
	numeral     = lazyregexp.New(`(?:^|[^\w.$\[])-?\d[\d_]*`)
	noAmount    = lazyregexp.New(`^(?:[:={\[>"']|0x)|\w = `)
	plainNumber = lazyregexp.New(`^["']\d[\d_]*["']$`)
	quoted      = lazyregexp.New(`^(?:"[^"\s]+"|'[^'\s]+')$`)
	endsInPort  = lazyregexp.New(`:\d{2,5}["']?$`)

	// example matches a line of a session, which sets nothing.
	example = lazyregexp.New(`^\s*(?:>>>|\.\.\. |\$ )`)
)

// found returns the files with lines that may set it.
func (s amounts) found() (all []search.File) {
	for _, call := range s.findAmounts() {
		r, _ := decoded[codebase.SearchResult](s.Search, call)
		for _, f := range r.Items {
			if (assignment{path: f.Path}).part() == source && !noSettings.MatchString(f.Path) {
				all = append(all, f)
			}
		}
	}
	return all
}

// amounts returns the lines that give a value to a name with words of the question, best first.
func (s amounts) amounts() (all []amount) {
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
				a.within = partsOf(keyAbove(m.Before, m.Text))
				all = append(all, a)
			}
		}
	}
	all = s.withoutArities(all)
	s.rate(all)
	slices.SortStableFunc(all, func(a, b amount) int { return cmp.Compare(b.score, a.score) })
	return all
}

// givenIn returns the names that a line gives a number, or a text if one may be asked for.
func (s amounts) givenIn(text string, forms []*lazyregexp.Regexp) (all []amount) {
	for _, re := range forms {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			v := firstValue(text[at[1]:])
			own := strings.EqualFold(strings.Trim(v, `"'`), text[at[2]:at[3]]) // a constant with its own name
			if own || inText(text, at[2], at[3]) || !s.measures(v) {
				continue
			}
			about := v + " " + remark.FindString(text[at[1]+strings.Index(text[at[1]:], v)+len(v):])
			if endsInPort.MatchString(v) {
				about += " port address"
			}
			all = append(all, amount{assignment: assignment{value: v, text: text, declared: re == flagged},
				name: text[at[2]:at[3]], about: about,
				passed: re != flagged && passing.MatchString(text[:at[2]]) && !parameter.MatchString(text)})
		}
	}
	return all
}

// measures reports whether a value may answer the question.
func (s amounts) measures(value string) bool {
	if quoted.MatchString(value) {
		return s.measure.Text && !versions.MatchString(value) || plainNumber.MatchString(value)
	}
	return numeral.MatchString(value) && !noAmount.MatchString(value)
}

// inText reports whether a name is inside of a quoted text, and not all of it.
func inText(text string, from, to int) bool {
	quote := byte(0)
	for i := range from {
		switch c := text[i]; {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote && text[max(i-1, 0)] != '\\':
			quote = 0
		}
	}
	return quote != 0 && (to == len(text) || text[to] != quote)
}

// commentAbove returns the comment that ends before a line.
func commentAbove(before []string) string {
	at := len(before)
	for at > 0 && comments(before[at-1]) > 0 {
		at--
	}
	return strings.Join(before[at:], " ")
}

// opens matches the line before the parts of a value. Its group is the key.
var opens = lazyregexp.New(`^\s*["']?([\pL_$][\w$-]*)["']?\s*(?:=>|:)\s*[\w&*.<>:]*[{(\[]?\s*$`)

// keyAbove returns the key whose value has a line as a part: server of port, in server: {port: 80}. It is "" if none of
// the lines before it is that key.
func keyAbove(before []string, text string) string {
	for _, above := range slices.Backward(before) {
		if strings.TrimSpace(above) == "" || indent(above) >= indent(text) {
			continue
		}
		if m := opens.FindStringSubmatch(above); m != nil {
			return m[1]
		}
		break
	}
	return ""
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
			said := fmt.Sprintf("`%s` is `%s` in %s", a.name, a.value, a.where())
			if i > 0 {
				said = "Also " + said
			}
			rep.Summary = append(rep.Summary, quoting(said, a.path, a.line, a.text))
		}
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line,
			Symbol: cmp.Or(a.symbol, a.name), Why: "gives it the value", Confidence: .8 / float64(1+3*min(i, 1))})
	}
	rep.Excerpts = []report.Excerpt{{Path: all[0].path, Start: all[0].line, End: all[0].line}}
	return rep
}
