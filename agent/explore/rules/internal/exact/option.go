package exact

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/providers/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
)

// Bounds of the declaration of an option.
const (
	optionLines = 8 // lines after the name in which its default may follow
	maxOptions  = 60
)

// optionPattern matches a text that names an option of the command line: "max-depth", "-d, --max-depth N".
func optionPattern(name string) string {
	words := strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?")
	return `["'](?:-\w, *)?-{0,2}` + words + `(?:[ =][<\[A-Z][^"']*)?["']`
}

// entryPattern matches the title of what a document says about a setting.
func entryPattern(name string) string {
	words := strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?")
	return `^\s*(?:#{1,6}|\.\.|[-*]|\|)\s(?:.*[^\pL\pN_-])?-{0,2}` + words + `(?:$|[^\pL\pN_])|^-{0,2}` + words + `$`
}

func (s values) optionCall(name string) rulemodel.Call {
	patterns := []string{optionPattern(name), entryPattern(name)}
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "case": "insensitive", "before": 0,
		"after": optionLines, "limit": maxOptions}, "options of the command line with this name")
}

var (
	// flagCall matches a call that declares an option, as of Go's flag and pflag: the pointer and the short name are
	// arguments before the default.
	flagCall = regexp.MustCompile(`\.(?:Bool|U?[Ii]nt(?:16|32|64)?|Float64|String(?:Slice|Array)?|Duration|Count)` +
		`(Var)?(P)?\(`)
	// defaultForm matches what gives the default in other calls: default=5, default: 5, .default(5).
	defaultForm = regexp.MustCompile(`\b(?:default|default_value|default_value_t|defaultValue)\s*(?:=>|[=:(])\s*`)
	// optionCallForm matches .option('-p, --port <n>', 'what it is', 3000).
	optionCallForm = regexp.MustCompile(`\.option\(`)
)

// options returns the defaults of options of the command line.
func (s values) options(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, s.optionCall(name))
	re := regexp.MustCompile(`(?i)` + optionPattern(name))
	for _, item := range r.Items {
		if sideOf(item.Path) == documents {
			continue
		}
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			if at := re.FindStringIndex(m.Text); at != nil && comments(m.Text) == 0 {
				a.value = declaredDefault(m.Text, at[0])
			}
			for i, next := range m.After {
				if opened := strings.Count(m.Text, "("); a.value != "" || opened > 0 && opened <= strings.Count(m.Text, ")") {
					break
				}
				if at := defaultForm.FindStringIndex(next); at != nil {
					a.value, a.line, a.text = firstValue(next[at[1]:]), m.Line+1+i, next
				}
				if strings.HasPrefix(strings.TrimSpace(next), ")") {
					break
				}
			}
			if a.value != "" && !a.empty(name) {
				a.score = s.plausible(a, name) + 1.5
				all = append(all, a)
			}
		}
	}
	return all
}

// saysDefault matches what a document calls a default. Its group is the value.
var saysDefault = regexp.MustCompile(`(?i)\bdefaults?(?:\s+value)?(?:\*\*|__)?(?:\s+is|\s+to|\s*[:=])(?:\*\*|__)?:?` +
	`\s+(.{1,80}?)(?:\.\s|\.?$|[;|])`)

// documented returns what documents say that the default is.
func (s values) documented(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, s.optionCall(name))
	re := regexp.MustCompile(`(?i)` + entryPattern(name))
	for _, item := range r.Items {
		if sideOf(item.Path) != documents {
			continue
		}
		for _, m := range item.Matches {
			for i, text := range append([]string{m.Text}, m.After...) {
				if found := saysDefault.FindStringSubmatch(text); found != nil && re.MatchString(m.Text) {
					value := strings.Trim(found[1], "` '\"*")
					all = append(all, assignment{path: item.Path, line: m.Line + i, text: text, value: value})
					break
				}
			}
		}
	}
	return all
}

// declaredDefault returns the default that a line declares for the option whose name begins at at, or "".
func declaredDefault(text string, at int) string {
	if d := defaultForm.FindStringIndex(text[at:]); d != nil {
		return firstValue(text[at+d[1]:])
	}
	skip := 0
	if m := flagCall.FindStringSubmatchIndex(text[:at]); m != nil {
		skip = 1
		if m[4] >= 0 {
			skip++
		}
	} else if optionCallForm.MatchString(text[:at]) {
		skip = 2
	} else {
		return ""
	}
	args := arguments(text[at:])
	if skip >= len(args) {
		return ""
	}
	return args[skip]
}

// arguments splits a list of arguments at its commas, up to the closing bracket.
func arguments(text string) (all []string) {
	for text != "" {
		n := valueEnd(text)
		all = append(all, strings.TrimSpace(text[:n]))
		if n == len(text) || text[n] != ',' {
			break
		}
		text = text[n+1:]
	}
	return all
}
