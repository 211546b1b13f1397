package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// values finds the value of a constant or the default of a parameter.
type values struct{ *Search }

const (
	maxParameters = 60  // lines of a function that may declare its parameters
	maxFields     = 400 // the same of a type
	maxAssigned   = 600

	passingCost = 1.5 // of a line that only sets a variable on its way
)

func (s values) assignCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": assigning(name), "case": "insensitive", "before": 1,
		"after": 0, "limit": maxAssigned, "max_per_file": 40}, "lines that give it a value")
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
	calls = append(calls, s.findKey()...)
	return append(calls, s.assignCall(s.in.Name), s.optionCall(s.in.Name), configuredCall(s.in.Name),
		declarationCall(s.in.Name), s.settersCall(), occursCall(s.in.Name))
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
	named := anyForm(name)
	for _, item := range r.Items {
		if noSettings.MatchString(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			a.value, a.form = givings.valueIn(m.Text)
			if otherwise := orElse.FindStringSubmatch(a.value); otherwise != nil && nameOfConstant.MatchString(otherwise[1]) {
				a.value = otherwise[1]
			}
			a.fills = fills(named, append(m.Before, m.Text))
			if a.value != "" && comments(m.Text) == 0 && !setter.MatchString(m.Text) && !a.empty(name) {
				a.score = s.plausible(a, name)
				all = append(all, a)
			}
		}
	}
	all = append(append(withoutKeys(all), s.options(name)...), s.configured(name)...)
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(b.score, a.score) })
	return onceEach(all)
}

// orElse matches what a value is if nothing else gives it.
var orElse = lazyregexp.New(`(?:\|\||\?\?|\?:|\bor)\s*(\S+)$`)

// fills reports whether a value is given in the last of some lines if the name has none yet.
func fills(named *regexp.Regexp, lines []string) bool {
	return slices.ContainsFunc(lines, func(text string) bool {
		return condition.MatchString(text) && unfilled.MatchString(text) && named.MatchString(text)
	})
}

func anyForm(name string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + nameForms(name)) }

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
	givings, named := givingsOf(s.in.Name), anyForm(s.in.Name)
	for i, text := range r.Items[0].Lines {
		if v, _ := givings.valueIn(text); v != "" && comments(text) == 0 {
			a := assignment{path: d.Path, symbol: d.Name, line: r.Items[0].StartLine + i, text: text, value: v}
			a.fills = fills(named, r.Items[0].Lines[max(i-1, 0):i+1])
			if a.empty(s.in.Name) || a.passing() && !fixed(v) && !made.MatchString(v) {
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

// plausible returns how likely a line holds the default: a constant in source with a plain value is likeliest.
func (s values) plausible(a assignment, name string) float64 {
	score := -2 * float64(min(a.part(), 2))
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
	if a.passing() {
		score -= passingCost
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

const (
	ofConfiguration = 2.5 // what a line of a file of settings is worth, as in plausible
	commentedCost   = .5  // of such a line in a comment, which shows the default or an example
	maxConfigured   = 40  // lines
)

var (
	// settingsGlobs are files that may hold the settings of the product, with and without an ending that says that
	// they are to be copied.
	settingsGlobs = []string{"*.{conf,cnf,cfg,ini,properties,toml,yml,yaml}",
		"*.{conf,cnf,cfg,ini,properties,toml,yml,yaml}.{example,sample,default,dist,in}"}
	hiddenFolder = lazyregexp.New(`(?:^|/)\.[^/]`)
)

// settingPattern matches a line of a file of settings, in a comment or not. Its groups are the mark of the comment and
// the value.
func settingPattern(name string) string {
	return `^\s*([#;]?)\s?["']?` + strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?") +
		`["']?(?:\s*[:=]\s*|\s+)(["']?[\w/.*:-][^\s=]*)\s*$`
}

func configuredCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": settingPattern(name), "include": settingsGlobs,
		"case": "insensitive", "context": 0, "limit": maxConfigured}, "files of settings that give it a value")
}

// configured returns the lines of files of settings that give the name a value.
func (s values) configured(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, configuredCall(name))
	re := regexp.MustCompile(`(?i)` + settingPattern(name))
	for _, item := range r.Items {
		if hiddenFolder.MatchString(item.Path) || !settingsFile.MatchString(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			found := re.FindStringSubmatch(m.Text)
			a := assignment{path: item.Path, line: m.Line, text: m.Text, declared: true}
			if found == nil || a.part() != source {
				continue
			}
			a.value = strings.Trim(firstValue(found[2]), `"'`)
			if a.value == "" || a.empty(name) {
				continue
			}
			a.score = s.plausible(a, name) + ofConfiguration
			if found[1] != "" {
				a.score -= commentedCost
			}
			all = append(all, a)
		}
	}
	return all
}

// findKey looks for the name as a text, if it may be a key.
func (s *Search) findKey() []rulemodel.Call {
	if !intent.IsKey(s.in.Name) {
		return nil
	}
	return []rulemodel.Call{rulemodel.Ask("search", map[string]any{"patterns": []string{s.keyPattern()}, "context": 0,
		"limit": maxAssigned}, "the key of a setting")}
}

func (s *Search) keyPattern() string { return "[\"'`]" + regexp.QuoteMeta(s.in.Name) + "[\"'`]" }

// keyReport says which lines of the source give a key its value, or else use it. It returns nil without one, and if the
// name is that of a definition.
func (s *Search) keyReport() *report.Report {
	calls := s.findKey()
	if len(calls) == 0 || slices.ContainsFunc(s.named(s.in.Name), s.owned) {
		return nil
	}
	r, _ := decoded[codebase.SearchResult](s, calls[0])
	gives := regexp.MustCompile(s.keyPattern() + `\s*(?:=>|[:=][^=])`)
	var set, named []assignment
	for _, item := range r.Items {
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			switch {
			case sideOf(item.Path) != source || comments(m.Text) > 0:
			case gives.MatchString(m.Text):
				set = append(set, a)
			default:
				named = append(named, a)
			}
		}
	}
	byDefault := func(a assignment) int { return truth(!isDefault.MatchString(a.path + a.symbol)) }
	slices.SortStableFunc(set, func(a, b assignment) int { return cmp.Compare(byDefault(a), byDefault(b)) })
	verb, all := "given a value", set
	if len(set) == 0 {
		verb, all = "used as a key", named
	}
	if len(all) == 0 {
		return nil
	}
	said := fmt.Sprintf("`%s` is %s in %s", s.in.Name, verb, all[0].where())
	if len(all) > 1 {
		said = fmt.Sprintf("`%s` is %s in %s; first in %s", s.in.Name, verb, line.Count(len(all), "place"), all[0].where())
	}
	rep := &report.Report{Found: true, NotCovered: []string{},
		Summary: []report.Statement{quoting(said, all[0].path, all[0].line, all[0].text)}}
	for i, a := range all[:min(len(all), maxSays)] {
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line, Symbol: a.symbol,
			Why: verb + " here", Confidence: keyTrust / float64(1+3*min(i, 1))})
	}
	return rep
}

const keyTrust = .6
