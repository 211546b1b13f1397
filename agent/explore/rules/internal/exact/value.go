package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/providers/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// values finds the value of a constant or the default of a parameter.
type values struct{ *Search }

// An assignment is a line that gives the name a value.
type assignment struct {
	path, symbol string
	line         int
	text, value  string
	score        float64
}

const (
	maxParameters = 60  // lines of a function that may declare its parameters
	maxFields     = 400 // the same of a type
	maxAssigned   = 600
	maxValue      = 120 // bytes
)

// humps matches where a name in camel case begins a word.
var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// nameForms returns a pattern for the name, however its words are joined, with and without "default" before it.
func nameForms(name string) string {
	var parts []string
	name = humps.ReplaceAllString(leafOf(name), "${1}_$2")
	for _, w := range strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" _-", c) }) {
		part := regexp.QuoteMeta(w)
		if low := strings.ToLower(w); low == "maximum" || low == "minimum" {
			part = low[:3] + "(?:imum)?"
		}
		parts = append(parts, part)
	}
	if len(parts) > 1 && strings.EqualFold(parts[0], "default") {
		parts[0] = "(?:default[_-]?)?"
		return parts[0] + strings.Join(parts[1:], "[_-]?")
	}
	return "(?:default[_-]?)?" + strings.Join(parts, "[_-]?")
}

// assigning returns patterns of lines that give the name a value: constants and assignments, macros, keys.
func assigning(name string) []string {
	n := `(?:^|[^\pL\pN_])[_$@]*(?:k|m_?)?` + nameForms(name) + `_?`
	return []string{
		n + `["'\]]?\s*(?::\s*[^=,;(){}]{1,60}?)?\s*(?::=|\?=|\|\|=|=)\s*[^=\s>]`,
		n + `\s+[\w*\[][\w.*\[\]<>:]{0,40}\s+=\s*[^=\s]`,
		`#\s*define\s+` + nameForms(name) + `\s+\S`,
		n + `["']?\s*(?::|=>)\s*[^\s:=]`,
		`\b(?:define|DEFINE_\w+)\(\s*\w*["']?,?\s*` + nameForms(name) + `["']?\s*,`,
		n + `\s*\{[^{}]+\}\s*;`,
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
	return append(calls, s.assignCall(s.in.Name), occursCall(s.in.Name))
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
	for _, item := range r.Items {
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text, value: valueOf(m.Text, name)}
			if a.value != "" && comments(m.Text) == 0 && !setter.MatchString(m.Text) {
				a.score = s.plausible(a, name)
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(b.score, a.score) })
	return all
}

// parameters returns the lines of a definition that give the name a value.
func (s values) parameters(d codebase.Symbol) (all []assignment) {
	r, ok := decoded[codebase.FileResult](s.Search, ownerCall(d))
	if !ok || len(r.Items) == 0 {
		return nil
	}
	for i, text := range r.Items[0].Lines {
		if v := valueOf(text, s.in.Name); v != "" && comments(text) == 0 {
			a := assignment{path: d.Path, symbol: d.Name, line: r.Items[0].StartLine + i, text: text, value: v}
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
	constant = regexp.MustCompile(`\b(?:const|constexpr|static|final|readonly|define|DEFINE_\w+|val|Final)\b|` +
		`^\s*[A-Z][A-Z0-9_]+\s*[:=]`)
	plain = regexp.MustCompile(`^(?:[-+]?[\d.][\w.]*(?:\s*[-+*/<]+\s*\(?[\d.][\w.]*\)?)*|` +
		"[\"'`:][^\"']*[\"'`]?|" + `(?i:true|false|none|nil|null|undefined)|\(?[-+]?\d[\w\s*+<-]*\)?)$`)
	named = regexp.MustCompile(`^[A-Za-z_][\w.:]*$`)
	// setter matches a method that assigns, whose parameter is no value.
	setter = regexp.MustCompile(`^\s*def\s+[\w.]+=`)
	// equals matches a value after an equals sign, as of a parameter, and not only after a colon.
	equals = regexp.MustCompile(`[^=!<>]=[^=>]`)
	// parameter matches the default of a parameter in the line that declares a function.
	parameter = regexp.MustCompile(`^\s*(?:\w+ )*(?:def|func|function|fn|fun)\b.*\(.*=`)
)

// plausible returns how likely a line holds the default: a constant in source with a plain value is likeliest.
func (s values) plausible(a assignment, name string) float64 {
	score := -2 * float64(min(sideOf(a.path), 2))
	if constant.MatchString(a.text) {
		score += 1.5
	}
	switch {
	case plain.MatchString(a.value):
		score++
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
	if indent(a.text) == 0 {
		score += .7
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

// fixed reports whether a value says the same wherever it is read: a literal, a constant, or arithmetic with them.
func fixed(value string) bool {
	return plain.MatchString(value) || constantValue.MatchString(value)
}

var constantValue = regexp.MustCompile(`^[-+(]*(?:[\w.:]*(?:[A-Z]\w*|\d)|[\[{][^()]*[\]}])(?:\s*(?:<<|[-+*/|])\s*[\w.:]+)*\)*$`)

// valueOf returns the value that a line gives the name, or "".
func valueOf(text, name string) string {
	for i, p := range assigning(name) {
		re := regexp.MustCompile(`(?i)` + p)
		at := re.FindStringIndex(text)
		if at == nil {
			continue
		}
		rest := text[at[1]-1:]
		switch i {
		case 4:
			rest = text[at[1]:]
		case 5:
			rest = text[strings.LastIndexByte(text[:at[1]], '{')+1 : at[1]]
		}
		if v := firstValue(rest); v != "" {
			return v
		}
	}
	return ""
}

// firstValue returns the text up to the end of a value: a comma, semicolon or comment outside of brackets and quotes.
func firstValue(text string) string {
	depth, quote := 0, byte(0)
	end := len(text)
scan:
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				end = i
				break scan
			}
		case depth == 0 && (c == ',' || c == ';'), strings.HasPrefix(text[i:], " //"), strings.HasPrefix(text[i:], " #"),
			strings.HasPrefix(text[i:], "/*"):
			end = i
			break scan
		}
	}
	v := strings.TrimSpace(text[:end])
	if len(v) > maxValue || len(v) == 1 && !unicode.IsLetter(rune(v[0])) && !unicode.IsDigit(rune(v[0])) {
		return ""
	}
	return v
}

// valueReport says what the value is.
func (s values) valueReport() *report.Report {
	all := s.assignments()
	if s.in.Weak {
		all = slices.DeleteFunc(all, func(a assignment) bool { return !fixed(a.value) || sideOf(a.path) >= documents })
	}
	if len(all) == 0 {
		if s.in.Weak || s.in.Of != "" {
			return nil
		}
		return s.absent("called")
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, a := range all[:min(len(all), 5)] {
		name := s.in.Name
		said := fmt.Sprintf("The default of `%s` is `%s`, in %s, line %d", name, a.value, a.path, a.line)
		if !fixed(a.value) && s.in.Of == "" {
			said = fmt.Sprintf("`%s` is set to `%s` in %s, line %d", name, a.value, a.path, a.line)
		}
		if i > 0 {
			said = fmt.Sprintf("Also `%s` in %s, line %d", a.value, a.path, a.line)
		} else if s.in.Of != "" && a.symbol != "" {
			said = fmt.Sprintf("The default of `%s` in `%s` is `%s` (%s, line %d)", name, a.symbol, a.value, a.path, a.line)
		}
		if i < maxSays-1 {
			rep.Summary = append(rep.Summary, quoting(said, a.path, a.line, a.text))
		}
		rep.Places = append(rep.Places, report.Place{Path: a.path, Start: a.line, End: a.line, Symbol: a.symbol,
			Why: "gives it the value", Confidence: .8 / float64(1+3*min(i, 1))})
	}
	rep.Excerpts = []report.Excerpt{{Path: all[0].path, Start: all[0].line, End: all[0].line}}
	return rep
}
