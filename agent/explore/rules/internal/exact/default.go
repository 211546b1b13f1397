package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

const (
	maxDefaults = 5   // lines to show
	decisive    = 1.2 // a line that scores so much higher than the next one is the one that is meant
)

// nameOfConstant matches a value that is the name of a constant: DEFAULT_LIMIT, http.DefaultPort, kLimit.
var nameOfConstant = lazyregexp.New(`^(?:\w+(?:\.|::))*((?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[Dd]efault[A-Z]\w+|k[A-Z]\w+))$`)

// shownValues returns the lines to answer with, best first.
func (s values) shownValues() []assignment {
	all := s.outsideTexts(s.assignments())
	if s.in.Weak {
		all = slices.DeleteFunc(all, func(a assignment) bool { return !a.tells() || !fixed(a.value) && !a.parameter() })
	}
	return byName(replaced(all))
}

// byName returns the lines with the value of what is called the default first, if the first has none: an adapter is nil
// at first, and default_adapter is :net_http.
func byName(all []assignment) []assignment {
	if len(all) == 0 || !nothing.MatchString(all[0].value) {
		return all
	}
	i := slices.IndexFunc(all, func(a assignment) bool {
		before, _, _ := strings.Cut(a.text, a.value)
		return a.part() == source && isDefault.MatchString(before) && plain.MatchString(a.value) &&
			!missing.MatchString(a.value)
	})
	if i < 0 {
		return all
	}
	first := all[i]
	first.declared, first.score = true, all[0].score+decisive
	return append([]assignment{first}, slices.Delete(slices.Clone(all), i, i+1)...)
}

// replaced returns the lines with what fills a missing value in place of it: in HikariCP, maxPoolSize is -1 at first,
// and then DEFAULT_POOL_SIZE.
func replaced(all []assignment) []assignment {
	if len(all) == 0 || !missing.MatchString(all[0].value) {
		return all
	}
	i := slices.IndexFunc(all, func(a assignment) bool {
		return a.fills && a.path == all[0].path && !missing.MatchString(a.value) && normal(a.value) != normal(all[0].value)
	})
	if i < 0 {
		return all
	}
	first := all[i]
	first.declared, first.score = true, all[0].score
	rest := slices.DeleteFunc(all, func(a assignment) bool {
		return a.path == first.path && missing.MatchString(a.value) ||
			a.line == first.line && a.path == first.path
	})
	return append([]assignment{first}, rest...)
}

// constantOf returns the name of the constant that is the value of the best line, or "".
func (s values) constantOf() string {
	all := s.shownValues()
	if len(all) == 0 {
		return ""
	}
	if m := nameOfConstant.FindStringSubmatch(all[0].value); m != nil {
		return m[1]
	}
	if composed.MatchString(all[0].value) || all[0].declared && variable.MatchString(all[0].value) {
		return leafOf(all[0].value)
	}
	return ""
}

// composed matches a name of several words that something else gives its value: maxValueThreshold.
var composed = lazyregexp.New(`^[a-z]+(?:[A-Z][a-z0-9]+)+$|^[a-z]+(?:_[a-z0-9]+)+$`)

// variable matches a value that is set elsewhere: config.AttributePrefix.
var variable = lazyregexp.New(`^(?:\w+\.)+\w{6,}$`)

// findConstant searches for the value of the constant that the best line names, and for what may put the best lines
// into a text.
func (s values) findConstant() (calls []rulemodel.Call) {
	if name := s.constantOf(); name != "" {
		calls = append(calls, s.assignCall(name))
	}
	if call, ok := textCall(s.assignments()); ok {
		calls = append(calls, call)
	}
	return calls
}

// textFiles matches files of languages whose texts of several lines, documentation among them, have three quotes.
var textFiles = lazyregexp.New(`\.(?:py|pyi|exs?|kts?|swift|scala|jl)$`)

const (
	maxTextFiles = 12
	maxQuotes    = 2000 // lines
)

// textCall searches the files of the best lines for the quotes of texts. It reports false if none can have any.
func textCall(all []assignment) (call rulemodel.Call, ok bool) {
	var paths []string
	for _, a := range all {
		if textFiles.MatchString(a.path) && !slices.Contains(paths, a.path) && len(paths) < maxTextFiles {
			paths = append(paths, a.path)
		}
	}
	slices.Sort(paths)
	return rulemodel.Ask("search", map[string]any{"pattern": `"""|'''`, "include": paths, "context": 0,
		"limit": maxQuotes, "max_per_file": maxQuotes}, "texts of several lines"), len(paths) > 0
}

// textQuotes matches the quotes of texts, and texts in one line that hold such quotes.
var textQuotes = lazyregexp.New(`'"{3}'|"'{3}"|"{3}|'{3}`)

// outsideTexts returns the lines that are in no text of several lines, where examples are.
func (s values) outsideTexts(all []assignment) []assignment {
	return slices.DeleteFunc(all, s.inTexts(all))
}

// inTexts returns a function that reports whether one of some lines is in a text of several lines.
func (s *Search) inTexts(all []assignment) func(assignment) bool {
	call, some := textCall(all)
	r, ok := decoded[codebase.SearchResult](s, call)
	if !some || !ok {
		return func(assignment) bool { return false }
	}
	quotes := make(map[string][]int) // lines where a text begins or ends
	for _, item := range r.Items {
		open := ""
		for _, m := range item.Matches {
			for _, quote := range textQuotes.FindAllString(m.Text, -1) {
				if len(quote) == 3 && (open == "" || open == quote) { // and not a text that holds quotes
					quotes[item.Path] = append(quotes[item.Path], m.Line)
					open = strings.TrimPrefix(quote, open)
				}
			}
		}
	}
	return func(a assignment) bool {
		before, _ := slices.BinarySearch(quotes[a.path], a.line)
		return before%2 > 0
	}
}

// constantValue returns the line that gives the constant its value. It reports false if several differ.
func (s values) constantValue() (best assignment, ok bool) {
	name := s.constantOf()
	if name == "" {
		return best, false
	}
	r, _ := decoded[codebase.SearchResult](s.Search, s.assignCall(name))
	givings, home := givingsOf(name), s.shownValues()[0].path
	for _, item := range r.Items {
		for _, m := range item.Matches {
			if item.Path != home && slices.ContainsFunc(r.Items, func(f search.File) bool { return f.Path == home }) {
				continue // beside the default, if it has a value there
			}
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			a.value, _ = givings.valueIn(m.Text)
			if a.value == "" || comments(m.Text) > 0 || a.empty(name) || !wordIn(m.Text, name) ||
				sideOf(a.path) != source {
				continue
			}
			if ok && a.value != best.value {
				return best, false
			}
			if !ok {
				best, ok = a, true
			}
		}
	}
	return best, ok
}

func wordIn(text, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// rivals counts the lines that may be meant as well as the best one, and reports whether they differ. A line that names
// the constant of another one agrees with it, and only declared defaults differ from a declared one.
func (s values) rivals(all []assignment) (n int, differ bool) {
	for _, a := range all {
		if a.score <= all[0].score-decisive || a.part() != all[0].part() {
			break
		}
		if all[0].declared && !a.declared || all[0].tells() && !a.tells() {
			continue
		}
		m := nameOfConstant.FindStringSubmatch(a.value)
		of := func(o assignment) bool { return o != a && wordIn(o.text, m[1]) && o.value != a.value }
		if m != nil && slices.ContainsFunc(all, of) {
			continue
		}
		n++
		differ = differ || !sameValue(a.value, all[0].value)
	}
	return n, differ
}

// valueReport says what the value is, or that several places set it.
func (s values) valueReport() *report.Report {
	all := s.shownValues()
	_, differ := s.rivals(all)
	differ = differ && !s.owned(all[0])
	if len(all) == 0 || differ || !s.claims(all[0]) {
		if said := s.documented(s.in.Name); len(said) > 0 {
			return s.documentedReport(said[0], all)
		}
	}
	if len(all) == 0 {
		if s.in.Weak || s.in.Of != "" {
			return nil
		}
		return s.absent("called")
	}
	if !s.claims(all[0]) && bare.MatchString(all[0].value) {
		return nil // it is only passed on
	}
	if nothing.MatchString(all[0].value) && s.in.Of != "" && len(s.owners()) == 0 {
		return nil // the question describes a setting
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, a := range all[:min(len(all), maxDefaults)] {
		if i == 0 {
			rep.Summary = append(rep.Summary, s.firstValue(all))
		} else if i < maxSays-1 && differ && s.claims(a) && !sameValue(a.value, all[0].value) {
			said := fmt.Sprintf("Also `%s` in %s", a.value, a.where())
			rep.Summary = append(rep.Summary, quoting(said, a.path, a.line, a.text))
		}
		trust := .8 / float64(1+3*min(i, 1))
		switch {
		case differ, !s.claims(all[0]):
			trust = .4
		case plainWord.MatchString(s.in.Name): // many things have a size
			trust = min(trust, .6)
		}
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line, Symbol: a.symbol,
			Why: "gives it the value", Confidence: trust})
	}
	if !differ {
		s.changing(rep)
	}
	rep.Excerpts = []report.Excerpt{{Path: all[0].path, Start: all[0].line, End: all[0].line}}
	if n := len(all) - maxDefaults; n > 0 {
		rep.NotCovered = append(rep.NotCovered, line.Count(n, "further line")+" that may set it")
	}
	return rep
}

// bare matches a value that is a variable.
var bare = lazyregexp.New(`^\$?[a-z_]\w*$`)

// plainWord matches a name that is a word of everyday language.
var plainWord = lazyregexp.New(`^[a-z]+$`)

// documentedReport quotes the default that a document names, and the lines of code that may set it.
func (s values) documentedReport(a assignment, all []assignment) *report.Report {
	said := fmt.Sprintf("By the documentation, the default of `%s` is “%s” (%s)", s.in.Name, a.value, a.where())
	rep := &report.Report{Found: true, NotCovered: []string{}}
	rep.Summary = []report.Statement{quoting(said, a.path, a.line, a.text)}
	rep.Places = []report.Place{{Path: a.path, Start: a.line, End: a.line, Why: "documents it", Confidence: .6}}
	all = slices.DeleteFunc(all, func(a assignment) bool { return a.part() >= documents })
	for _, a := range all[:min(len(all), maxDefaults-1)] {
		if len(rep.Summary) < maxSays-1 {
			said := fmt.Sprintf("Code sets it to `%s` in %s", a.value, a.where())
			rep.Summary = append(rep.Summary, quoting(said, a.path, a.line, a.text))
		}
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line, Symbol: a.symbol,
			Why: "gives it a value", Confidence: .2})
	}
	return rep
}

// owned reports whether a line is in the function that the question names.
func (s values) owned(a assignment) bool {
	return slices.ContainsFunc(s.owners(), func(d codebase.Symbol) bool {
		return d.Path == a.path && d.Start <= a.line && a.line <= d.End
	})
}

// elsewhere reports whether a line has nothing to do with what the question names.
func (s values) elsewhere(a assignment) bool {
	return len(s.owners()) > 0 && !s.owned(a) && !strings.Contains(normal(a.path+a.symbol), normal(leafOf(s.in.Of)))
}

// claims reports whether a line says what the default is by itself.
func (s values) claims(a assignment) bool {
	return s.owned(a) || a.tells() && !s.elsewhere(a) &&
		(a.declared || fixed(a.value) || made.MatchString(a.value) || a.parameter())
}

// firstValue is the sentence about the best line. It calls the value a default only if nothing contradicts it.
func (s values) firstValue(all []assignment) report.Statement {
	a, name := all[0], cmp.Or(s.nearValue(), s.in.Name)
	n, differ := s.rivals(all)
	c, resolved := s.constantValue()
	value := "`" + a.value + "`"
	owned := s.owned(a)
	said := ""
	switch {
	case settingsFile.MatchString(a.path) && a.declared:
		said = fmt.Sprintf("In the settings of %s, line %d, `%s` is %s", a.path, a.line, name, value)
	case owned:
		said = fmt.Sprintf("The default of `%s` in `%s` is %s (%s, line %d)", name, cmp.Or(a.symbol, s.in.Of), value,
			a.path, a.line)
	case a.part() >= examples:
		said = fmt.Sprintf("No default of `%s` was found in the source; %s sets it to %s", name, a.where(), value)
	case differ:
		said = fmt.Sprintf("`%s` has no single default: %s set it differently. It is %s in %s", name,
			line.Count(n, "place"), value, a.where())
	case !s.claims(a) && !(resolved && a.tells()):
		said = fmt.Sprintf("`%s` is set to %s in %s", name, value, a.where())
	case n > 1:
		said = fmt.Sprintf("The default of `%s` is %s in all %d places that set it; first in %s", name, value, n,
			a.where())
	case constant.MatchString(a.text) && !strings.Contains(strings.ToLower(a.text+a.symbol), "default"):
		said = fmt.Sprintf("`%s` is %s, in %s, line %d", name, value, a.path, a.line)
	default:
		said = fmt.Sprintf("The default of `%s` is %s, in %s", name, value, a.where())
	}
	if s.elsewhere(a) {
		said = fmt.Sprintf("No line of `%s` gives `%s` a fixed value. ", s.in.Of, name) + said
	}
	st := quoting(said, a.path, a.line, a.text)
	if resolved {
		st.Text += fmt.Sprintf("; `%s` is `%s` (%s, line %d)", leafOf(a.value), c.value, c.path, c.line)
		st.Citations = append(st.Citations, lookup.Cite(c.path, c.line, c.line))
	}
	return st
}
