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

// OneFlag is the search for the lines that declare the flags of a question, and what their help says.
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
		`\.(?:bool|u?int|string|duration|count|float64|var)\w*\(|\bo\.on\b|\b(?:name_)?long\s*[=(]|[=!]=|` +
		`\b(?:case|when)\b`)
)

// call looks for the flag in quotes, with dashes or as libraries without them declare it.
func (s oneFlag) call(flag string) rulemodel.Call {
	name := regexp.QuoteMeta(strings.TrimLeft(flag, "-"))
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

func (s oneFlag) calls(step int) (all []rulemodel.Call) {
	for _, flag := range s.names {
		if step == 1 {
			all = append(all, s.call(flag))
		}
	}
	return all
}

// A declaration is a line with a flag, and its help.
type declaration struct {
	list
	text, help string
	worth      int
}

// found returns the lines of the source that declare a flag, or that may, if none surely does.
func (s oneFlag) found(flag string) (all []declaration) {
	r, _ := lookup.Decode[codebase.SearchResult](s.results, s.call(flag))
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
			d.help = helpIn(append([]string{m.Text}, m.After...), strings.TrimLeft(flag, "-"))
			near := strings.Join(append(slices.Clone(m.Before), m.Text), " ")
			d.worth = 2*truth(declares.MatchString(near)) + truth(d.help != "")
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b declaration) int {
		own := func(d declaration) int { return truth(ofCommandLine.MatchString(d.path)) }
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(own(b), own(a)))
	})
	return slices.DeleteFunc(all, func(d declaration) bool { return d.worth < max(all[0].worth, surely) })
}

// ofCommandLine matches the files that read the command line of most programs.
var ofCommandLine = lazyregexp.New(`(?i)(?:^|[/_-])(?:cli|cmd|main|args|flags|options|command[_-]?line)\.\w+$`)

const surely = 2 // worth of a line that declares a flag

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

// report says where each flag is declared, and what its help says; nil if no line declares one of them.
func (s oneFlag) report() *report.Report {
	rep := newReport()
	for _, flag := range s.names {
		all := s.found(flag)
		if len(all) == 0 {
			return nil
		}
		if len(s.names) > 1 {
			all = all[:1] // the other flag is next
		}
		for i, d := range all[:min(len(all), maxFlags)] {
			says := "Also in"
			if i == 0 {
				says = fmt.Sprintf("`%s` is declared in", flag)
			}
			d.addTo(rep)
			rep.Summary[len(rep.Summary)-1] = d.statement(says)
		}
	}
	if len(s.names) > 1 {
		rep.Summary = together(rep.Summary)
	}
	return rep
}

// statement quotes a declaration and its help.
func (d *declaration) statement(says string) report.Statement {
	st := report.Statement{Quote: lookup.Quotable(d.text, maxText),
		Citations: []string{lookup.Cite(d.path, d.start, d.end)},
		Text:      fmt.Sprintf("%s %s, line %d: `%s`", says, d.path, d.start, line.Truncate(d.text, maxText))}
	if d.help != "" && !strings.Contains(d.text, d.help) {
		st.Text += ". Its help: “" + d.help + "”"
	}
	return st
}

// together makes one statement of several.
func together(all []report.Statement) []report.Statement {
	var one report.Statement
	var texts []string
	for _, st := range all {
		texts = append(texts, st.Text)
		one.Citations = append(one.Citations, st.Citations...)
	}
	one.Text = strings.Join(texts, ". ")
	return []report.Statement{one}
}
