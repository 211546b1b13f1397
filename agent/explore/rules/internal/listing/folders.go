package listing

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// Folders is the search for a folder that is called what is listed, and holds a file or a folder for each.
type folders struct{ *Search }

const leastFiles = 4 // of such a folder

// calls lists the files below folders of such a name.
func (s folders) calls(step int) []rulemodel.Call {
	if step > 1 || s.head() == "" {
		return nil
	}
	return []rulemodel.Call{s.call()}
}

func (s folders) call() rulemodel.Call {
	head := s.head()
	forms := []string{head, head + "s"}
	if base, ok := strings.CutSuffix(head, "y"); ok {
		forms = append(forms, base+"ies")
	}
	first, n := utf8.DecodeRuneInString(head)
	for _, form := range forms {
		forms = append(forms, string(unicode.ToUpper(first))+form[n:])
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "**/{" + strings.Join(forms, ",") + "}/**", "limit": maxLines},
		"folders of what is listed")
}

// report says what the folder holds that has most; nil without one.
func (s folders) report() *report.Report {
	if s.head() == "" {
		return nil
	}
	r, _ := lookup.Decode[codebase.GlobResult](s.results, s.call())
	var all []*list
	folders := make(map[*list][]string)
	others := make(map[string]bool) // folders with files that are not listed
	for _, p := range r.Items {
		dir, rest := s.within(p)
		if dir == "" || !exact.IsSource(p) || symbols.Language(p) == "" || !s.isAbout(p) {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		name = strings.TrimSuffix(name, path.Ext(name))
		at := slices.IndexFunc(all, func(l *list) bool { return l.path == dir })
		if at < 0 {
			at, all = len(all), append(all, &list{path: dir})
		}
		shared := general[strings.Trim(strings.ToLower(name), "_")]
		if !shared && slices.ContainsFunc(partsOf(name), s.isHead) {
			others[dir], shared = true, true
		}
		if !shared {
			all[at].why = cmp.Or(all[at].why, p)
			if all[at].add(name); deeper && !slices.Contains(folders[all[at]], name) {
				folders[all[at]] = append(folders[all[at]], name)
			}
		}
	}
	for _, l := range all {
		if len(folders[l]) >= leastFiles { // beside what they share
			l.names = folders[l]
		}
	}
	all = slices.DeleteFunc(all, func(l *list) bool { return len(l.names) < leastFiles })
	if len(all) == 0 {
		return nil
	}
	best := slices.MinFunc(all, func(a, b *list) int {
		return cmp.Or(cmp.Compare(len(b.names), len(a.names)), cmp.Compare(len(a.path), len(b.path)))
	})
	first := best.why
	best.says = fmt.Sprintf("The folder %s holds %s:", best.path, line.Count(len(best.names), "part"))
	if others[best.path] {
		best.says = strings.Replace(best.says, " holds ", " holds, among others, ", 1)
	}
	rep := newReport()
	rep.Summary = []report.Statement{{Text: best.text(), Citations: []string{lookup.Cite(first, 1, 1)}}}
	rep.Places = []report.Place{{Path: first, Start: 1, End: 1, Why: "in the folder of " + s.noun, Confidence: byWords}}
	return rep
}

// within returns the folder of a path that is called what is listed, and what follows it; "" without one.
func (s folders) within(p string) (dir, rest string) {
	parts := strings.Split(p, "/")
	for i, part := range parts[:len(parts)-1] {
		if singular(strings.ToLower(part)) == s.head() {
			return strings.Join(parts[:i+1], "/"), strings.Join(parts[i+1:], "/")
		}
	}
	return "", ""
}

// general are names of files and folders for what the others share.
var general = set(`init base common util utils helper helpers index mod main doc types interface errors all internal
	test tests`)
