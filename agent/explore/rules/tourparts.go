package rules

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/listing"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/report"
)

// tourParts is what the report of an overview says, in order, by what the question asks for.
var tourParts = map[overview.Part][]func(*tour, *draft){
	overview.None:     wholeTour,
	overview.What:     wholeTour,
	overview.Licence:  {(*tour).addLicence},
	overview.Entry:    {(*tour).addEntries, manifestsOn(topicEntries)},
	overview.Packages: {(*tour).addPackages, (*tour).addIntro},
	overview.Build:    {testsFirst, manifestsOn(topicCommands), (*tour).addCommands},
	overview.Needs:    {manifestsOn(topicNeeds)},
	overview.Version:  {manifestsOn(topicVersion), addVersions},
	overview.Authors:  {manifestsOn(topicAuthors), addCopyright},
	overview.Depends:  {addPackages},
}

var wholeTour = []func(*tour, *draft){(*tour).addIntro, manifestsOn(topicWhat), (*tour).addLicence, (*tour).addPackages,
	(*tour).addEntries, manifestsOn(topicEntries), manifestsOn(topicCommands), (*tour).addCommands, (*tour).addHot}

// missingPart completes "Nothing was found that says …" for a part that the report lacks.
var missingPart = map[overview.Part]string{overview.None: "what this is", overview.What: "what this is",
	overview.Licence: "under which licence this is", overview.Entry: "where this starts",
	overview.Packages: "how this is organised", overview.Build: "how this is built",
	overview.Needs: "which versions this needs", overview.Version: "which version this is",
	overview.Authors: "who wrote this", overview.Depends: "what this requires"}

// addPackages names the packages that the manifest nearest to the root requires.
func addPackages(r *tour, rep *draft) {
	for _, p := range r.manifests() {
		in := r.e.reading(p, 1)
		if in == nil {
			continue
		}
		names, start, end, ok := listing.Packages(p, in.lines)
		if !ok {
			continue
		}
		shown := strings.Join(names[:min(len(names), mostPackages)], "`, `")
		says := fmt.Sprintf("%s lists %s: `%s`", p, line.Count(len(names), "required package"), shown)
		if more := len(names) - mostPackages; more > 0 {
			says += fmt.Sprintf(" and %d more", more)
		}
		rep.add(topicDepends, says, report.Place{Path: p, Start: start, End: end, Why: "lists what it requires"})
		return
	}
}

const mostPackages = 10 // that are named

func manifestsOn(topic string) func(*tour, *draft) {
	return func(r *tour, rep *draft) { r.addManifests(rep, topic) }
}

// intro returns the sentence that describes the project, from the README nearest to the root.
func (r *tour) intro() (*reading, documents.Quote, bool) {
	for _, p := range r.manifests() {
		if in := r.e.reading(p, 1); in != nil && strings.HasPrefix(strings.ToLower(path.Base(p)), "readme") {
			if q, ok := documents.Intro(in.lines); ok {
				return in, q, true
			}
		}
	}
	return nil, documents.Quote{}, false
}

// addIntro quotes the README on what the project is, or else the manifest of its main package, or else what any
// document near the root says first.
func (r *tour) addIntro(rep *draft) {
	in, q, ok := r.intro()
	main, pointer := r.mainPackage(), !ok
	for _, p := range r.manifests() {
		if !ok && isReadme(p) && !r.described() {
			if in = r.e.reading(p, 1); in != nil {
				q, ok = documents.Sentence(in.lines)
				ok = ok && !installs.MatchString(q.Text)
			}
		}
	}
	switch {
	case ok && main != nil && pointer: // the first sentence only says where to read more
		h := main.lines[0]
		rep.add(topicWhat, fmt.Sprintf("%s says: “%s”", main.path, overview.Description(h.Text)),
			report.Place{Path: main.path, Start: h.Line, End: h.Line, Quote: h.Text})
		last := &rep.Summary[len(rep.Summary)-1]
		last.Text += fmt.Sprintf(" %s begins: “%s”", in.path, line.Truncate(q.Text, 2*maxQuoteRunes))
		last.Citations = append(last.Citations, cite(in.path, in.start+q.Start, in.start+q.End))
		rep.Places = append(rep.Places,
			report.Place{Path: in.path, Start: in.start + q.Start, End: in.start + q.End, Why: "what it is"},
			report.Place{Path: main.path, Start: h.Line, End: h.Line, Why: "describes the main package"})
	case ok:
		rep.add(topicWhat, fmt.Sprintf("%s says: “%s”", in.path, line.Truncate(q.Text, 2*maxQuoteRunes)),
			report.Place{Path: in.path, Start: in.start + q.Start, End: in.start + q.End, Why: "what it is",
				Quote: in.lines[q.Start]})
	case main != nil && !r.described():
		h := main.lines[0]
		rep.add(topicWhat, fmt.Sprintf("%s says: “%s”", main.path, overview.Description(h.Text)),
			report.Place{Path: main.path, Start: h.Line, End: h.Line, Why: "what it is", Quote: h.Text})
	default:
		r.addPackageIntro(rep)
	}
}

// addPackageIntro quotes the README of the largest directory that has one, if nothing describes the whole.
func (r *tour) addPackageIntro(rep *draft) {
	for _, f := range r.packages() {
		in := r.e.reading(r.readmeOf(f.dir), 1)
		if in == nil || r.described() {
			continue
		}
		if q, ok := documents.Intro(in.lines); ok {
			rep.add(topicWhat, fmt.Sprintf("%s says: “%s”", in.path, line.Truncate(q.Text, 2*maxQuoteRunes)),
				report.Place{Path: in.path, Start: in.start + q.Start, End: in.start + q.End, Why: "what it is",
					Quote: in.lines[q.Start]})
			return
		}
	}
}

// mainPackage returns the manifest with a description of the package that is named like the project, or else of the one
// with the shortest path. It returns nil without one below the root.
func (r *tour) mainPackage() *file {
	var best *file
	named := func(f *file) bool {
		stem := strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))
		return overview.NamedLike(path.Base(path.Dir(f.path)), r.names()) || overview.NamedLike(stem, r.names())
	}
	for _, f := range r.e.sorted {
		if len(f.lines) == 0 || overview.Description(f.lines[0].Text) == "" || overview.IsAside(f.path) ||
			testfile.Is(f.path) || examplePath.MatchString(f.path) {
			continue
		}
		if best == nil || named(f) && !named(best) || named(f) == named(best) && len(f.path) < len(best.path) {
			best = f
		}
	}
	return best
}

// installs matches installation instructions.
var installs = lazyregexp.New(`(?i)\b(?:install|go get|npm i|pip)\b`)

// described reports whether a manifest has a description.
func (r *tour) described() bool {
	var rep draft
	r.addManifests(&rep, topicWhat)
	return slices.ContainsFunc(rep.Summary, func(s report.Statement) bool { return strings.Contains(s.Text, ", description: ") })
}

// addLicence names the licences by their texts, and quotes what the manifests say.
func (r *tour) addLicence(rep *draft) {
	var names, citations []string
	for _, p := range r.licences() {
		in := r.e.reading(p, 1)
		if in == nil {
			continue
		}
		name, at := overview.LicenceOf(in.lines)
		for name == "" && at < len(in.lines)-1 && strings.TrimSpace(in.lines[at]) == "" {
			at++
		}
		text := strings.TrimSpace(in.lines[at])
		says := fmt.Sprintf("The licence is %s: %s says “%s”.", name, p, line.Truncate(text, 120))
		if name == "" {
			says = fmt.Sprintf("%s holds a licence with an unknown text: “%s”.", p, line.Truncate(text, 120))
		} else {
			names = append(names, fmt.Sprintf("%s (%s)", name, p))
			citations = append(citations, cite(p, in.start+at, in.start+at))
		}
		rep.Summary = append(rep.Summary, report.Statement{Topic: topicLicence, Text: says, Quote: quotable(in.lines[at]),
			Citations: []string{cite(p, in.start+at, in.start+at)}})
		rep.Places = append(rep.Places, report.Place{Path: p, Start: in.start, End: in.end(), Why: "the licence"})
	}
	if n := len(names); n > 1 { // one sentence in place of one for each
		rep.Summary = slices.DeleteFunc(rep.Summary, func(s report.Statement) bool {
			return s.Topic == topicLicence && strings.HasPrefix(s.Text, "The licence is ")
		})
		first := citations[0]
		quote, _ := r.e.line(splitCitation(first))
		rep.Summary = append(rep.Summary, report.Statement{Topic: topicLicence, Quote: quotable(quote), Citations: citations,
			Text: "The licences are " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + "."})
	}
	r.addManifests(rep, topicLicence)
}

// addCopyright quotes whose copyright a licence has, if no manifest names an author.
func addCopyright(r *tour, rep *draft) {
	if slices.ContainsFunc(rep.Summary, func(s report.Statement) bool { return s.Topic == topicAuthors }) {
		return
	}
	for _, p := range r.licences() {
		in := r.e.reading(p, 1)
		if in == nil {
			continue
		}
		if i := slices.IndexFunc(in.lines, copyright.MatchString); i >= 0 {
			rep.add(topicAuthors, fmt.Sprintf("%s says “%s”.", p, line.Truncate(strings.TrimSpace(in.lines[i]), 120)),
				report.Place{Path: p, Start: in.start + i, End: in.start + i, Why: "the copyright", Quote: in.lines[i]})
			return
		}
	}
}

// copyright matches a line that says whose copyright something is, but not that of a template.
var copyright = lazyregexp.New(`(?i)^\W*(?:portions )?copyright\b[^\[]*(?:\d{4}|\(c\)|©)[^\[]*\pL{2}[^\[]*$`)

// names returns what the README and the manifests call the project.
func (r *tour) names() (all []string) {
	for _, p := range r.manifests() {
		if in := r.e.reading(p, 1); in != nil {
			all = append(all, overview.NamesIn(p, in.lines)...)
		}
	}
	return all
}

// addEntries adds the entry points: first those by convention, then programs, those named like one and changed often
// first.
func (r *tour) addEntries(rep *draft) {
	listed := 0
	for _, e := range overview.Entries(slices.Concat(r.e.globbed, r.e.codePaths), r.names()) {
		if listed == maxEntries {
			return
		}
		if r.q.factor(e.Path) < 1 || overview.IsAside(e.Path) {
			continue
		}
		at := report.Place{Path: e.Path, Start: 1, End: 1, Why: "entry point: " + e.Says}
		text := fmt.Sprintf("%s is %s.", e.Path, e.Says)
		if f := r.e.files[e.Path]; f != nil && len(f.lines) > 0 {
			h := f.lines[0]
			at.Start, at.End, at.Symbol, at.Quote = h.Line, h.Line, h.Symbol, h.Text
			text = fmt.Sprintf("%s is %s: `%s`", e.Path, e.Says, line.Truncate(strings.TrimSpace(h.Text), 120))
		}
		rep.add(topicEntries, text, at)
		listed++
	}
	var files []*file
	for _, f := range r.e.sorted {
		if isCode(f.path) && len(f.lines) > 0 && f.factor == 1 && !overview.IsAside(f.path) && !rep.names(f.path) {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(mainRank(b.path), mainRank(a.path)), cmp.Compare(r.e.hot[b.path], r.e.hot[a.path]),
			cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")))
	})
	if len(files) > 0 && mainRank(files[0].path) == 1 { // others may have a main for a test of themselves
		files = slices.DeleteFunc(files, func(f *file) bool { return mainRank(f.path) == 0 })
	}
	for _, f := range files[:min(len(files), max(maxEntries-listed, 0))] {
		h := f.lines[0]
		rep.add(topicEntries,
			fmt.Sprintf("%s starts a program: `%s`", f.path, line.Truncate(strings.TrimSpace(h.Text), 120)),
			report.Place{Path: f.path, Start: h.Line, End: h.Line, Symbol: h.Symbol, Why: "entry point", Quote: h.Text})
	}
}

// versionPattern matches a line of code that gives the version.
const versionPattern = `(?i)^\s*(?:[\w. =]+\s)?_*version(?:_info)?_*(?:\s*:?=|:)\s*(?:["']v?\d+\.\d+|\(\d+, *\d+)`

// versionFiles are where such lines are.
var versionFiles = []string{"**/{version,_version,__init__,__about__,__version__,constants,consts,const,main,info}.*",
	"**/version/*"}

// addVersions quotes the first line of code that gives the version.
func addVersions(r *tour, rep *draft) {
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			if isCode(f.path) && f.factor == 1 && saysVersion.MatchString(h.Text) {
				rep.add(topicVersion, fmt.Sprintf("%s: `%s`", f.path, line.Truncate(strings.TrimSpace(h.Text), 120)),
					report.Place{Path: f.path, Start: h.Line, End: h.Line, Quote: h.Text, Why: "gives the version"})
				return
			}
		}
	}
}

var saysVersion = lazyregexp.New(versionPattern)

// isNamed reports whether the README or a manifest gives the project this name.
func isNamed(r *tour, name string) bool {
	_, q, _ := r.intro()
	first := strings.Fields(q.Text + " .")[0]
	return slices.ContainsFunc(append(r.names(), strings.Trim(first, ",:`\"'")), func(n string) bool {
		short := len(name) >= leastShort && len(n)-len(name) <= mostCut // hikari for HikariCP
		return strings.EqualFold(n, name) || short && strings.HasPrefix(strings.ToLower(n), strings.ToLower(name))
	})
}

// A short name of the project has so many letters at least, and lacks so many of its name at most.
const (
	leastShort = 5
	mostCut    = 3
)

// readNames finds and reads the manifests, to see whether a word of the question is the name of the project.
var readNames = []stage{
	{"look up", "whether the question is about the project itself",
		func(r *run) []rulemodel.Call { return r.tour.lookAround()[:1] }},
	{"look up", "the name of the project", func(r *run) []rulemodel.Call { return r.tour.readManifests() }},
}

// names reports whether the places name a file.
func (rep *draft) names(p string) bool {
	return slices.ContainsFunc(rep.Places, func(o report.Place) bool { return o.Path == p })
}

// mainFile matches files that are usually the start of a program, not a library with a main for a self-test.
var mainFile = lazyregexp.New(`(?i)(?:^|[/_-])(?:main|__main__|server|cli|cmd|app|application|daemon|manage)\.\w+$|(?:^|/)cmd/`)

// mainRank is 1 for a file named like the start of a program, else 0.
func mainRank(p string) int {
	if mainFile.MatchString(p) {
		return 1
	}
	return 0
}

// headOf quotes the documentation of a directory at the start of the file that describes it: a comment before all code
// that is neither a licence nor the documentation of a definition. Without one it lists files of the directory, and
// quotes nothing.
func (r *tour) headOf(in *reading, dir folder) (at int, quote, shown string) {
	if overview.Describes(in.path) || dir.files == 1 {
		if n, sentence := comments.Head(in.path, in.lines); sentence != "" {
			return in.start + n, strings.TrimSpace(in.lines[n]), "“" + line.Truncate(sentence, maxQuoteRunes) + "”"
		}
	}
	var names []string
	for _, p := range r.e.codePaths {
		if path.Dir(p) == dir.dir && len(names) < maxFolderFiles && r.q.factor(p) == 1 {
			names = append(names, path.Base(p))
		}
	}
	return in.start, "", "among them " + strings.Join(names, ", ")
}

const maxFolderFiles = 5
