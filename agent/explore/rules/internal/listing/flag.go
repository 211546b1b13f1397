package listing

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// OneFlag is the search for the line that declares a flag, and what its help says.
type oneFlag struct{ *Search }

const (
	helpLines = 6 // after the name of a flag in which its help is
	leastHelp = 3 // words of it
	maxHelp   = 200
	maxText   = 160 // runes of a quoted line
	maxFlags  = 3   // of one name, that are named
)

var (
	aString = lazyregexp.New("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`")
	ofTest  = lazyregexp.New(`(?i)(?:^|\.)test`)
	// declares matches a line that declares a flag, as libraries for the command line have it.
	declares = lazyregexp.New(`(?i)\b(?:add_?(?:argument|option|flag)|(?:new )?\w*option|\w*opts?|flags?|accepts|` +
		`arg(?:::new)?|isoption|str\w*cmp|streq)\s*(?:\(|\.\w+\()|flags\(\)\.\w+\(|` +
		`\.(?:bool|u?int|string|duration|count|float64)\w*\(|\bo\.on\b|\b(?:name_)?long\s*[=(]|[=!]=|` +
		`\b(?:case|when)\b`)
)

// call looks for the flag in quotes, with dashes or as libraries without them declare it.
func (s oneFlag) call() rulemodel.Call {
	name := regexp.QuoteMeta(strings.TrimLeft(s.names[0], "-"))
	patterns := []string{
		`["'](?:-\w(?:, ?|\||/| ))?--?(?:\[?no-\]?)?` + name + `(?:[ =<\[,][^"']*)?["']`,
		`(?i)(?:opt|flag|arg|bool|int|float64|string|duration|count|var|accepts)\w*(?:::new)?\(.*["']` + name + `["']\s*,`,
		`\blong\s*=\s*"` + name + `"|^\s*"` + name + `"$`,
	}
	if len(name) == 1 {
		patterns = []string{`["']-` + name + `(?:[, |/][^"']*)?["']`, `P\(.*"[\w-]+",\s*"` + name + `",`,
			`\bshort\s*=\s*'` + name + `'`}
	}
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "before": 1, "after": helpLines, "limit": maxHits},
		"lines that declare the flag")
}

func (s oneFlag) calls(step int) []rulemodel.Call {
	if step > 1 {
		return nil
	}
	return []rulemodel.Call{s.call()}
}

// A declaration is a line with a flag, and its help.
type declaration struct {
	list
	text, help string
	worth      int
}

// found returns the lines of the source with the flag, those that declare it first.
func (s oneFlag) found() (all []declaration) {
	r, _ := lookup.Decode[codebase.SearchResult](s.results, s.call())
	for _, item := range r.Items {
		if !exact.IsSource(item.Path) || symbols.Language(item.Path) == "" {
			continue
		}
		for _, m := range item.Matches {
			if ofTest.MatchString(m.Symbol) {
				continue
			}
			d := declaration{text: strings.TrimSpace(m.Text)}
			d.list = list{path: item.Path, start: m.Line, end: m.Line, symbol: m.Symbol, why: "declares it", named: true}
			d.help = helpIn(append([]string{m.Text}, m.After...), strings.TrimLeft(s.names[0], "-"))
			near := strings.Join(append(slices.Clone(m.Before), m.Text), " ")
			d.worth = 2*truth(declares.MatchString(near)) + truth(d.help != "")
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b declaration) int { return cmp.Compare(b.worth, a.worth) })
	return all
}

// helpIn returns the first text of several words in the lines from a flag on, up to the end of its declaration.
func helpIn(lines []string, name string) string {
	depth := 0
	for i, l := range lines {
		if i > 0 && depth <= 0 && !strings.HasPrefix(strings.TrimSpace(l), ".") {
			break
		}
		for _, m := range aString.FindAllStringSubmatch(l, -1) {
			text := strings.TrimSpace(m[1] + m[2] + m[3])
			if len(strings.Fields(text)) >= leastHelp && !strings.HasPrefix(strings.TrimLeft(text, "-"), name) {
				return line.Truncate(text, maxHelp)
			}
		}
		depth += strings.Count(l, "(") + strings.Count(l, "[") + strings.Count(l, "{") -
			strings.Count(l, ")") - strings.Count(l, "]") - strings.Count(l, "}")
		if strings.HasSuffix(strings.TrimSpace(l), ",") { // an argument of what began above
			depth = max(depth, 1)
		}
	}
	return ""
}

// report says where the flag is declared, and what its help says; nil if no line declares it.
func (s oneFlag) report() *report.Report {
	all := s.found()
	if len(all) == 0 || all[0].worth < 2 {
		return nil
	}
	all = slices.DeleteFunc(all, func(d declaration) bool { return d.worth < all[0].worth })
	rep := newReport()
	for i, d := range all[:min(len(all), maxFlags)] {
		says := "Also in"
		if i == 0 {
			says = fmt.Sprintf("`%s` is declared in", s.names[0])
		}
		d.addTo(rep)
		st := &rep.Summary[i]
		st.Text = fmt.Sprintf("%s %s, line %d: `%s`", says, d.path, d.start, line.Truncate(d.text, maxText))
		st.Quote = lookup.Quotable(d.text, maxText)
		if d.help != "" && !strings.Contains(d.text, d.help) {
			st.Text += ". Its help: “" + d.help + "”"
		}
	}
	return rep
}
