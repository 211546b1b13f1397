package exact

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/providers/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
)

// values finds the value of a constant or the default of a parameter.
type values struct{ *Search }

// An assignment is a line that gives the name a value.
type assignment struct {
	path, symbol string
	line         int
	text, value  string
	form         int  // of assigning
	declared     bool // by an option, as its default
	score        float64
}

const (
	maxParameters = 60  // lines of a function that may declare its parameters
	maxFields     = 400 // the same of a type
	maxAssigned   = 600
	maxValue      = 120 // bytes
)

// humps matches where a name in camel case begins a word.
var humps = lazyregexp.New(`([a-z0-9])([A-Z])`)

// endings are what a word may end in when it is written as one of several: "connection" for connect_timeout.
var endings = lazyregexp.New(`^(\pL{4,}?)(?:ions?|ing|ed|es|s)$`)

// nameForms returns a pattern for the name, however its words are joined, with and without "default" before it.
func nameForms(name string) string {
	var parts []string
	spoken := strings.Contains(name, " ")
	name = humps.ReplaceAllString(leafOf(name), "${1}_$2")
	for _, w := range strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" _-", c) }) {
		part := regexp.QuoteMeta(w)
		low := strings.ToLower(w)
		if low == "maximum" || low == "minimum" {
			part = low[:3] + "(?:imum)?"
		} else if m := endings.FindStringSubmatch(low); m != nil && spoken {
			part = regexp.QuoteMeta(m[1]) + "(?:ions?|ing|ed|es|s|e)?"
		}
		parts = append(parts, part)
	}
	if len(parts) > 1 && strings.EqualFold(parts[0], "default") {
		parts[0] = "(?:default[_-]?)?"
		return parts[0] + strings.Join(parts[1:], "[_-]?")
	}
	return "(?:default[_-]?)?" + strings.Join(parts, "[_-]?")
}

// The patterns of [assigning] that need a word about their value.
const (
	asKey = iota + 3
	asDefine
	asBraces
	asFallback
	asDeclared
)

// assigning returns patterns of lines that give the name a value: constants and assignments, macros, keys, what a
// getter returns without a value, and a declaration with a default.
func assigning(name string) []string {
	forms := nameForms(name)
	n := `(?:^|[^\pL\pN_])[_$@]*(?:k|m_?)?` + forms + `_?`
	return []string{
		n + `["'\]]?\s*(?::\s*[^=,;(){}]{1,60}?|\{[^{}]*\})?\s*(?::=|\?=|\|\|=|=)\s*[^=\s>]`,
		n + `\s+[\w*\[][\w.*\[\]<>:]{0,40}\s+=\s*[^=\s]`,
		`#\s*define\s+` + forms + `\s+\S`,
		asKey:    n + `["']?\s*(?::|=>)(?:\s*[^\s:=]|\s+:)`,
		asDefine: `\b(?:define|DEFINE_\w+)\(\s*\w*["']?,?\s*` + forms + `["']?\s*,`,
		asBraces: n + `\s*\{[^{}]+\}\s*;`,
		asFallback: `(?:(?:\b|_)(?:get|pop|fetch|env)\w*|(?-i:\w+(?:Get|Fetch|Env)\w*))` +
			`\(\s*(?:[\w.]+,\s*)?[:"']?(?:\w+[._])*` + forms + `["']?,\s*[^\s,]`,
		asDeclared: `[:"']` + forms + `["']?\s*,.*\bdefault\w*["']?\s*(?:=>|[=:])\s*[^\s,]`,
	}
}

func (s values) assignCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": assigning(name), "case": "insensitive", "context": 0,
		"limit": maxAssigned, "max_per_file": 40}, "lines that give it a value")
}

// findValue looks up the name, the function of the parameter, and the lines that assign it.
func (s values) findValue() []rulemodel.Call {
	var calls []rulemodel.Call
	if s.in.Of != "" {
		for _, v := range variants(s.in.Of) {
			calls = append(calls, symbolCall(v))
		}
	}
	for _, v := range variants(s.in.Name)[:1] {
		calls = append(calls, symbolCall(v))
	}
	return append(calls, s.assignCall(s.in.Name), s.optionCall(s.in.Name), occursCall(s.in.Name))
}

// owners returns the definitions of the slot OF, best first.
func (s values) owners() []codebase.Symbol {
	if s.in.Of == "" {
		return nil
	}
	all := s.named(s.in.Of)
	return all[:min(len(all), maxQuoted)]
}

// readOwners reads the parameters of the function, or searches again for the name that is meant.
func (s values) readOwners() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, d := range s.owners() {
		calls = append(calls, ownerCall(d))
	}
	if near := s.nearValue(); len(calls) == 0 && near != "" {
		calls = append(calls, s.assignCall(near))
	}
	return calls
}

// nearValue returns the name that is a typo away, if nothing assigns the one of the question.
func (s values) nearValue() string {
	if r, ok := decoded[codebase.SearchResult](s.Search, s.assignCall(s.in.Name)); !ok || r.Hits > 0 {
		return ""
	}
	return s.meant()
}

func ownerCall(d codebase.Symbol) rulemodel.Call {
	last := d.Start + maxParameters
	if d.Kind == "class" || d.Kind == "struct" {
		last = d.Start + maxFields
	}
	return readCall(d.Path, d.Start, min(d.End, last))
}

// assignments returns the lines that give the name a value, best first.
func (s values) assignments() []assignment {
	for _, d := range s.owners() {
		if all := s.parameters(d); len(all) > 0 {
			return all
		}
	}
	name := cmp.Or(s.nearValue(), s.in.Name)
	r, _ := decoded[codebase.SearchResult](s.Search, s.assignCall(name))
	var all []assignment
	givings := givingsOf(name)
	for _, item := range r.Items {
		if noSettings.MatchString(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			a.value, a.form = givings.valueIn(m.Text)
			if a.value != "" && comments(m.Text) == 0 && !setter.MatchString(m.Text) && !a.empty(name) {
				a.score = s.plausible(a, name)
				all = append(all, a)
			}
		}
	}
	all = append(withoutKeys(all), s.options(name)...)
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(b.score, a.score) })
	return all
}

// keyText matches a text that may be the key of a setting.
var keyText = lazyregexp.New(`^["'][\w.-]*[A-Za-z][\w.-]*["']$`)

// withoutKeys returns the lines without constants that hold the key of a setting, if a getter says what it is without a
// value.
func withoutKeys(all []assignment) []assignment {
	fallback := func(a assignment) bool { return a.form == asFallback && sideOf(a.path) == source }
	if !slices.ContainsFunc(all, fallback) {
		return all
	}
	return slices.DeleteFunc(all, func(a assignment) bool {
		return constant.MatchString(a.text) && keyText.MatchString(a.value)
	})
}

// parameters returns the lines of a definition that give the name a value.
func (s values) parameters(d codebase.Symbol) (all []assignment) {
	r, ok := decoded[codebase.FileResult](s.Search, ownerCall(d))
	if !ok || len(r.Items) == 0 {
		return nil
	}
	givings := givingsOf(s.in.Name)
	for i, text := range r.Items[0].Lines {
		if v, _ := givings.valueIn(text); v != "" && comments(text) == 0 {
			a := assignment{path: d.Path, symbol: d.Name, line: r.Items[0].StartLine + i, text: text, value: v}
			if a.empty(s.in.Name) {
				continue
			}
			if plain.MatchString(v) {
				a.score++
			}
			if equals.MatchString(text) {
				a.score += 2
			}
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(b.score, a.score) })
	return all
}

var (
	constant = lazyregexp.New(`\b(?:const|constexpr|static|final|readonly|define|DEFINE_\w+|val|Final)\b|` +
		`^\s*[A-Z][A-Z0-9_]+\s*[:=]`)
	plain = lazyregexp.New(`^(?:[-+]?[\d.][\w.]*(?:\s*[-+*/<]+\s*\(?[\d.][\w.]*\)?)*|` +
		"[\"'`:][^\"']*[\"'`]?|" + `(?i:true|false|none|nil|null|undefined)|\(?[-+]?\d[\w\s*+<-]*\)?)$`)
	// nothing matches a value that leaves the choice to others.
	nothing = lazyregexp.New(`^(?i:none|nil|null|undefined)$`)
	named   = lazyregexp.New(`^[A-Za-z_][\w.:]*$`)
	// doctest matches an example of a session in a comment.
	doctest = lazyregexp.New(`^\s*(?:>>>|\.\.\.|iex(?:\(\d+\))?>|irb>)\s`)
	// setter matches a method that assigns, whose parameter is no value.
	setter = lazyregexp.New(`^\s*def\s+[\w.]+=`)
	// equals matches a value after an equals sign, as of a parameter, and not only after a colon.
	equals = lazyregexp.New(`[^=!<>]=[^=>]`)
	// parameter matches the default of a parameter in the line that declares a function.
	parameter = lazyregexp.New(`^\s*(?:\w+ )*(?:def|func|function|fn|fun)\b.*\(.*=`)
	// condition matches a line that asks for a value and sets none.
	condition = lazyregexp.New(`^\s*(?:\} else |el)?(?:if|while|unless)\b`)
	// local matches the assignment of a variable in a function, which need not be the default of anything.
	local = lazyregexp.New(`^\s+(?:(?:let|var|auto|my|local)\s|` +
		`(?:int|size_t|long|bool|boolean|float|double|String)\s+\w+\s*=|[\w, ]+:=)`)
	// typed matches what a colon gives a name in code that declares its type.
	typed = lazyregexp.New(`^(?:pub |mut |final )?(?:&(?:'\w+ )?)?(?:` +
		`(?:number|string|boolean|any|unknown|void|never|object|` +
		`[ui](?:8|16|32|64|128|size)|f32|f64|bool|str|char|int|long|float|double)(?:\[\]|\?)?(?:\s*\|.*)?|` +
		`(?:\w+(?:::|\.))*[A-Z]\w*[a-z]\w*(?:[<\[].*|\?|\s*\|.*)?|(?:\w+::)*[A-Z]\w*<.*|\([^)]*\)\s*=>.*)$`)
	// typeName matches the name of a type as a text, in a table of types; typeCall a type of Elixir and Erlang.
	typeName = lazyregexp.New(`^["':](?:number|string|bool|boolean|int|integer|float|double|object|array|any|null|` +
		`atom|map|(?:pos|non_neg)_integer)["']?$`)
	typeAlias = lazyregexp.New(`^\s*(?:export\s+|pub\s+)?type\s`)
	typeCall  = lazyregexp.New(`^(?:[\w.]+\(\)|nil|:\w+)(?:\s*\|.*)?$`)
	ofTypes   = lazyregexp.New(`\.(?:rs|tsx?|kts?|swift|scala|php)$`)
	versions  = lazyregexp.New(`^["'](?:[\^~]|[<>]=?)\s*\d`) // of what a manifest requires
	// noSettings matches files whose values are versions or the numbers of fields.
	noSettings = lazyregexp.New(`(?:^|[/.-])lock(?:\.\w+)?$|\.proto$`)
)

// empty reports whether a line only declares a type for the name, passes on a value of the same name, requires a
// version of what has the name, or is an example.
func (a assignment) empty(name string) bool {
	if doctest.MatchString(a.text) || typeAlias.MatchString(a.text) || typeName.MatchString(a.value) ||
		versions.MatchString(a.value) ||
		passedOn(a.value) == normal(leafOf(name)) ||
		hole.MatchString(a.value) && a.value[0] == '{' {
		return true
	}
	at := strings.LastIndex(a.text, a.value)
	before := strings.TrimRight(a.text[:max(at, 0)], " ")
	if !strings.HasSuffix(before, ":") || strings.HasSuffix(strings.TrimRight(before, ": "), `"`) {
		return false
	}
	switch path.Ext(a.path) {
	case ".ex", ".exs", ".erl", ".hrl":
		return strings.Contains(a.value, "()") && typeCall.MatchString(a.value)
	case ".py", ".pyi":
		return !strings.HasSuffix(strings.TrimRight(before, ": "), "'")
	default:
		return ofTypes.MatchString(a.path) && typed.MatchString(a.value) && !plain.MatchString(a.value)
	}
}

var getter = lazyregexp.New(`^(?:[gG]et([A-Z]\w*)|get_(\w+))\(\)$`)

// passedOn returns what a value passes on if it is a name or what a getter of that name returns.
func passedOn(value string) string {
	leaf := leafOf(value)
	if m := getter.FindStringSubmatch(leaf); m != nil {
		leaf = m[1] + m[2]
	}
	return normal(leaf)
}

// plausible returns how likely a line holds the default: a constant in source with a plain value is likeliest.
func (s values) plausible(a assignment, name string) float64 {
	score := -2 * float64(min(sideOf(a.path), 2))
	if constant.MatchString(a.text) {
		score += 1.5
	}
	switch {
	case nothing.MatchString(a.value):
		score -= .5
	case plain.MatchString(a.value):
		score++
	case made.MatchString(a.value):
	case named.MatchString(a.value):
		score -= .3
	case !fixed(a.value):
		score -= 1.5
	}
	if strings.Contains(strings.ToLower(a.symbol), "default") {
		score += 1.2
	}
	if parameter.MatchString(a.text) {
		score -= .6
	}
	if strings.Contains(a.text, leafOf(name)) {
		score++
	}
	if of := normal(leafOf(s.in.Of)); of != "" && strings.Contains(normal(a.path+a.symbol), of) {
		score += 1.5
	}
	if indent(a.text) == 0 {
		score += .7
	}
	if local.MatchString(a.text) || condition.MatchString(a.text) {
		score -= .8
	}
	if defaultName(name).MatchString(a.text) {
		score++
	} else if strings.Contains(strings.ToLower(a.text), "default") {
		score += .3
	}
	if regexp.MustCompile(`\.(?:json|ya?ml|lock|css|svg|html)$`).MatchString(a.path) {
		score--
	}
	return score
}

// defaultName matches the name with "default" before it.
func defaultName(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)default[_-]?` + strings.Replace(nameForms(name), "(?:default[_-]?)?", "", 1))
}
