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
