package files

import (
	"fmt"
	"path"
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

// A user is a line that imports a file, or uses what it defines.
type user struct {
	path, symbol string
	line         int
}

// byName matches files whose definitions others use without importing the file.
var byName = lazyregexp.New(`\.(?:go|rb|exs?|erl|swift|cs|java|kt|scala)$`)

// ofModule are the names of files that are imported by the name of their directory.
var ofModule = set("index __init__ mod lib main")

const (
	maxUsers = 500 // lines
	maxCited = 3   // users among the places
)

// importsCall looks for lines that import a file by its name.
func importsCall(file string) rulemodel.Call {
	stem, _, _ := strings.Cut(path.Base(file), ".")
	if ofModule[stem] && strings.Contains(file, "/") {
		stem = path.Base(path.Dir(file))
	}
	return rulemodel.Ask("search", map[string]any{"patterns": []string{
		`^\s*#?\s*(?:from|import|export|include|require(?:_\w+)?|autoload|use|pub|mod|using|const|let|var|local|load)` +
			`\b.*(?:^|[^\pL\pN_-])` + regexp.QuoteMeta(stem) + `(?:\.\w+)?(?:$|[^\pL\pN_-])`},
		"context": 0, "limit": maxUsers}, "what imports "+file)
}

// usesOf looks up the uses of the main definition of a file that nothing imports by its name.
func (s *Search) usesOf(file string) []rulemodel.Call {
	d, ok := mainOf(s.definitions(s.outlined(file), file), file)
	if !s.subject.Users || !ok || len(s.importers(file)) > 0 {
		return nil
	}
	return []rulemodel.Call{usesCall(d)}
}

// mainOf returns the definition that a file is named after, or else the first.
func mainOf(named []codebase.Symbol, file string) (d codebase.Symbol, ok bool) {
	if len(named) == 0 {
		return d, false
	}
	i := slices.IndexFunc(named, func(d codebase.Symbol) bool { return isNamesake(d, file) })
	return named[max(i, 0)], true
}

func usesCall(d codebase.Symbol) rulemodel.Call {
	return rulemodel.Ask("references", map[string]any{"name": d.Name[strings.LastIndex(d.Name, ".")+1:], "path": d.Path,
		"limit": maxUsers}, "what uses it")
}

func (s *Search) outlined(file string) []codebase.Symbol {
	r, _ := lookup.Decode[codebase.OutlineResult](s.results, outlineCall(file, maxDepth))
	return r.Items
}

// An assignment of a script imports something only if it says so.
var (
	assigns = lazyregexp.New(`^\s*(?:const|let|var|local|pub)\b`)
	imports = lazyregexp.New(`\b(?:require|import|from|use|mod)\b`)
)

// importers returns the first line of each file that imports a file, those of the source first.
func (s *Search) importers(file string) (all []user) {
	if byName.MatchString(file) {
		return nil
	}
	r, _ := lookup.Decode[codebase.SearchResult](s.results, importsCall(file))
	for _, item := range r.Items {
		i := slices.IndexFunc(item.Matches, func(m search.Match) bool {
			return !assigns.MatchString(m.Text) || imports.MatchString(m.Text)
		})
		if i >= 0 && item.Path != file && path.Ext(item.Path) != ".md" {
			all = append(all, user{item.Path, "", item.Matches[i].Line})
		}
	}
	return sourceFirst(all)
}

func sourceFirst(all []user) []user {
	slices.SortStableFunc(all, func(a, b user) int { return aside(a.path) - aside(b.path) })
	return all
}

// withUsers adds what imports a file, or else what uses its main definition, to a report on it.
func (s *Search) withUsers(rep *report.Report, file string, named []codebase.Symbol) {
	all, says := s.importers(file), "imports it"
	said := ". It is imported in "
	if d, ok := mainOf(named, file); ok && len(all) == 0 {
		r, _ := lookup.Decode[codebase.ReferenceResult](s.results, usesCall(d))
		for _, g := range r.Items {
			if g.Path != file && len(g.References) > 0 {
				all = append(all, user{g.Path, g.Symbol, g.References[0].Line})
			}
		}
		all, says = sourceFirst(all), "uses "+d.Name
		said = fmt.Sprintf(". `%s` is used in ", d.Name)
	}
	st := &rep.Summary[0]
	st.Text = strings.TrimSuffix(st.Text, ".")
	if len(all) == 0 {
		st.Text += ". No other file uses it by its name."
		return
	}
	var names []string
	for i, u := range all {
		if i < maxNamed {
			where := fmt.Sprintf("%s (line %d)", u.path, u.line)
			if u.symbol != "" {
				where = fmt.Sprintf("`%s` (%s, line %d)", u.symbol, u.path, u.line)
			}
			names = append(names, where)
		}
		if i < maxCited {
			st.Citations = append(st.Citations, lookup.Cite(u.path, u.line, u.line))
			p := report.Place{Path: u.path, Start: u.line, End: u.line, Symbol: u.symbol, Why: says}
			rep.Places = slices.Insert(rep.Places, min(1+i, len(rep.Places)), p)
		}
	}
	st.Text += fmt.Sprintf("%s%s: %s", said, line.Count(len(all), "place"), strings.Join(names, ", "))
	if n := len(all) - len(names); n > 0 {
		st.Text += fmt.Sprintf(" and %d more", n)
	}
	rep.Places = rep.Places[:min(len(rep.Places), maxPlaces)]
}
