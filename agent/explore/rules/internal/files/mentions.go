package files

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// Bounds of what is said of the lines that name a file or directory.
const (
	maxMentions  = 40 // files with such lines: a name in more of them is too common to say anything
	mentionsSaid = 3
	maxMention   = 110 // runes of a line
)

// commonName matches names of files and directories that many projects have, so that a line with one may mean another.
var commonName = lazyregexp.New(`(?i)^(?:index|main|mod|lib|__init__|__main__|readme|changelog|src|lib|pkg|` +
	`tests?|docs?|` +
	`examples?|internal|util(?:s|ities)?|common|core|config|makefile|license|package|setup)(?:\.\w+)?$`)

// mentionsCall looks for the lines that name a file, or a directory by what is in it.
func mentionsCall(p string, directory bool) []rulemodel.Call {
	name, after := path.Base(p), `(?:$|[^\w/.-]|\.(?:$|\s))`
	if directory {
		after = "/"
	}
	if commonName.MatchString(name) {
		if name = p; !strings.Contains(p, "/") {
			return nil
		}
	}
	names := regexp.QuoteMeta(name)
	if stem := strings.TrimSuffix(p, path.Ext(p)); !directory && strings.Contains(stem, "/") { // as it is imported
		names += "|" + regexp.QuoteMeta(path.Join(path.Base(path.Dir(p)), path.Base(stem)))
	}
	return []rulemodel.Call{rulemodel.Ask("search", map[string]any{
		"pattern": `(?:^|[^\w.-])(?:` + names + `)` + after, "context": 0, "limit": maxUsers, "max_per_file": 2},
		"what names "+p)}
}

// mentions adds where other files name a file or directory: what reads or runs it.
func (s *Search) mentions(rep *report.Report, p string, directory bool) {
	inside := func(other string) bool { return other == p || directory && strings.HasPrefix(other, p+"/") }
	var all []search.File
	for _, c := range mentionsCall(p, directory) {
		r, _ := lookup.Decode[codebase.SearchResult](s.results, c)
		all = slices.DeleteFunc(slices.Clone(r.Items), func(f search.File) bool {
			return inside(f.Path) || len(f.Matches) == 0 || picture.MatchString(f.Matches[0].Text) || listsChanges.MatchString(f.Path)
		})
	}
	if len(all) == 0 || len(all) > maxMentions {
		return
	}
	slices.SortStableFunc(all, func(a, b search.File) int { return lesser(a.Path) - lesser(b.Path) })
	st := &rep.Summary[0]
	for i, f := range all[:min(len(all), mentionsSaid)] {
		m := f.Matches[0]
		before := "; "
		if i == 0 {
			st.Text, before = strings.TrimSuffix(st.Text, "."), ". It is named in "
		}
		st.Text += fmt.Sprintf("%s%s, line %d: `%s`", before, f.Path, m.Line,
			line.Truncate(strings.ReplaceAll(strings.TrimSpace(m.Text), "`", "'"), maxMention))
		st.Citations = append(st.Citations, lookup.Cite(f.Path, m.Line, m.Line))
	}
	if n := len(all) - mentionsSaid; n > 0 {
		st.Text += "; and in " + line.Count(n, "more file")
	}
}

// picture matches a line of a document that shows a picture.
var picture = lazyregexp.New(`<img\b|!\[`)

// listsChanges matches files that name what was, and those that list all files.
var listsChanges = lazyregexp.New(`(?i)(?:^|/)(?:changes|changelog|history|news|releases?|upgrad\w*|authors|` +
	`manifest)[^/]*$|` +
	`\.lock$|(?:^|/)package-lock\.json$`)

// lesser is higher for a file whose mention of another says less: documents and hidden files.
func lesser(p string) int {
	switch {
	case strings.HasPrefix(path.Base(p), ".git"):
		return 2
	case documents.Is(p):
		return 1
	}
	return 0
}
