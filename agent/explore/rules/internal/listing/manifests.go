package listing

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Manifests is the search for a list in files that describe the project to package managers.
type manifests struct{ *Search }

// A section is the part of a manifest that lists something.
type section struct {
	group              group
	file               string             // its name
	begins, ends, item *lazyregexp.Regexp // what is around the list, and an item of it; nil: all of the file
}

var (
	re      = lazyregexp.New
	table   = re(`^\[`) // of TOML, which ends the one before
	tomlKey = re(`^([\w.-]+?)(?:\.workspace)?\s*=`)
	brace   = re(`\}`)
	jsonKey = re(`^\s*"([^"]+)"\s*:`)
	aName   = re(`(?:^|,)\s*["']([\w.-]+)`)
	// platform matches what is no package: the language, and what is built into it.
	platform = re(`^(?:python|php|ext-.*)$`)
)

// sections are tried in order.
var sections = []section{
	{packages, "package.json", re(`^\s*"dependencies"\s*:\s*\{`), brace, jsonKey},
	{packages, "composer.json", re(`^\s*"require"\s*:\s*\{`), brace, jsonKey},
	{packages, "Cargo.toml", re(`^\[dependencies\]`), table, tomlKey},
	{packages, "pyproject.toml", re(`^dependencies\s*=\s*\[`), re(`^\s*\]`), aName},
	{packages, "pyproject.toml", re(`^\[tool\.poetry\.dependencies\]`), table, tomlKey},
	{packages, "setup.cfg", re(`^\s*install_requires\s*=`), re(`^\S`), re(`^\s+([\w.-]+)`)},
	{packages, "setup.py", re(`(?:install_requires["']?\s*[=:]|requirements?\s*=|REQUIRES\s*=)\s*\[`), re(`\]`), aName},
	{packages, "requirements.txt", nil, nil, re(`^([A-Za-z][\w.-]*)`)},
	{packages, "go.mod", re(`^require \(`), re(`^\)`), re(`^\s+(\S+) v\S+$`)},
	{packages, "go.mod", nil, nil, re(`^require (\S+) v\S+$`)},
	{packages, "*.gemspec", nil, nil, re(`\badd_(?:runtime_)?dependency\s*\(?\s*["']([\w-]+)`)},
	{packages, "pom.xml", re(`^\s*<dependencies>`), re(`</dependencies>`), re(`<artifactId>([^<]+)`)},
	{packages, "build.gradle*", re(`^\s*(?:\w+ )?dependencies\s*\{`), re(`^\s*\}`),
		re(`^\s*(?:implementation|api|compile|compileOnly|runtimeOnly)\b\s*\(?\s*["']?([\w.:-]+)`)},
	{features, "Cargo.toml", re(`^\[features\]`), table, tomlKey},
	{features, "pyproject.toml",
		re(`^\[(?:project\.optional-dependencies|tool\.poetry\.extras|dependency-groups)\]`), table, tomlKey},
	{features, "setup.cfg", re(`^\[options\.extras_require\]`), table, tomlKey},
	{features, "setup.py", re(`\bextras_require\s*=`), re(`^\s*\}`), re(`^\s*["']([\w-]+)["']\s*:`)},
}

const maxManifests = 6 // that are read

func (s manifests) filesCall() rulemodel.Call {
	var names []string
	for _, sec := range sections {
		if sec.group == s.group && !slices.Contains(names, sec.file) {
			names = append(names, sec.file)
		}
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "**/{" + strings.Join(names, ",") + "}", "limit": maxHits},
		"manifests of the project")
}

func (s manifests) calls(step int) (all []rulemodel.Call) {
	switch step {
	case 1:
		return []rulemodel.Call{s.filesCall()}
	case 2:
		for _, p := range s.files() {
			all = append(all, readCall(p, 1, maxBody))
		}
	}
	return all
}

// files are the manifests, those in a folder that the question names first, and then the nearest to the root.
func (s manifests) files() []string {
	r, _ := lookup.Decode[codebase.GlobResult](s.results, s.filesCall())
	all := slices.DeleteFunc(slices.Clone(r.Items), func(p string) bool {
		return !exact.IsSource(p) || s.within && s.named(p) == 0
	})
	slices.SortStableFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.named(b), s.named(a)), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")),
			cmp.Compare(len(a), len(b)))
	})
	return all[:min(len(all), maxManifests)]
}

// named is 2 if the question names the folder of a manifest, and 1 if a name of it begins so.
func (s manifests) named(p string) int {
	of := strings.ToLower(path.Base(path.Dir(p)))
	most := 0
	for _, name := range s.names {
		name = strings.ToLower(name)
		most = max(most, 2*truth(name == of), truth(strings.HasPrefix(name, of+"-")))
	}
	return most
}

// Packages returns the packages that a manifest lists as required, and the lines of the list; false for a file that
// lists none or is no manifest.
func Packages(file string, lines []string) (names []string, start, end int, ok bool) {
	for _, sec := range sections {
		is, _ := path.Match(sec.file, path.Base(file))
		if l := sec.items(lines); is && sec.group == packages && len(l.names) > 0 {
			return l.names, l.start, l.end, true
		}
	}
	return nil, 0, 0, false
}

// items returns what a section of a manifest lists, and on which lines.
func (sec section) items(lines []string) (l list) {
	within := sec.begins == nil
	for n, text := range lines {
		if !within {
			at := sec.begins.FindStringIndex(text)
			if at == nil {
				continue
			}
			within, l.start, text = true, n+1, text[at[1]:]
		}
		for _, m := range sec.item.FindAllStringSubmatch(text, -1) {
			if l.end, l.start = n+1, cmp.Or(l.start, n+1); !platform.MatchString(m[1]) {
				l.names = append(l.names, m[1])
			}
		}
		if sec.ends != nil && sec.ends.MatchString(text) {
			break
		}
	}
	return l
}

// report says what the first manifest with such a section lists, nil without one.
func (s manifests) report() *report.Report {
	what := map[group]string{packages: "required package", features: "feature"}[s.group]
	for _, p := range s.files() {
		r, _ := lookup.Decode[codebase.FileResult](s.results, readCall(p, 1, maxBody))
		for _, sec := range sections {
			is, _ := path.Match(sec.file, path.Base(p))
			if !is || sec.group != s.group || len(r.Items) == 0 {
				continue
			}
			if l := sec.items(r.Items[0].Lines); len(l.names) > 0 {
				l.named, l.path, l.why, l.says = true, p, "lists them", p+" lists "+line.Count(len(l.names), what)+":"
				rep := newReport()
				l.addTo(rep)
				return rep
			}
		}
	}
	return nil
}
