package exact

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
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
