package rules

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/rulemodel"
	"github.com/forayhq/foray/tools/report"
)

// tourParts is what the report of an overview says, in order, by what the question asks for.
var tourParts = map[overview.Part][]func(*tour, *draft){
	overview.None:     wholeTour,
	overview.What:     wholeTour,
	overview.Licence:  {(*tour).addLicence},
	overview.Entry:    {(*tour).addEntries, manifestsOn(topicEntries)},
	overview.Packages: {(*tour).addPackages, (*tour).addIntro},
	overview.Build:    {manifestsOn(topicCommands), (*tour).addCommands},
}

var wholeTour = []func(*tour, *draft){(*tour).addIntro, manifestsOn(topicWhat), (*tour).addLicence, (*tour).addPackages,
	(*tour).addEntries, manifestsOn(topicEntries), manifestsOn(topicCommands), (*tour).addCommands, (*tour).addHot}

// missingPart says what the tree does not say.
var missingPart = map[overview.Part]string{overview.None: "what this is", overview.What: "what this is",
	overview.Licence: "under which licence this is", overview.Entry: "where this starts",
	overview.Packages: "how this is organised", overview.Build: "how this is built"}

func manifestsOn(topic string) func(*tour, *draft) {
	return func(r *tour, rep *draft) { r.addManifests(rep, topic) }
}

// intro returns the sentence of the README nearest to the root that says what the project is.
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

// addIntro quotes the README on what the project is, or else what any document near the root says first.
func (r *tour) addIntro(rep *draft) {
	in, q, ok := r.intro()
	for _, p := range r.manifests() {
		if !ok && strings.HasPrefix(strings.ToLower(path.Base(p)), "readme") && !r.described() {
			if in = r.e.reading(p, 1); in != nil {
				q, ok = documents.Sentence(in.lines)
				ok = ok && !installs.MatchString(q.Text)
			}
		}
	}
	if !ok {
		return
	}
	rep.add(topicWhat, fmt.Sprintf("%s says: “%s”", in.path, line.Truncate(q.Text, 2*maxQuoteRunes)),
		report.Place{Path: in.path, Start: in.start + q.Start, End: in.start + q.End, Why: "what it is",
			Quote: in.lines[q.Start]})
}

// installs matches a sentence that says how to install something rather than what it is.
var installs = regexp.MustCompile(`(?i)\b(?:install|go get|npm i|pip)\b`)

// described reports whether a manifest has a description.
func (r *tour) described() bool {
	var rep draft
	r.addManifests(&rep, topicWhat)
	return slices.ContainsFunc(rep.Summary, func(s report.Statement) bool { return strings.Contains(s.Text, ", description: ") })
}

// addLicence names the licences by their texts, and quotes what the manifests say.
func (r *tour) addLicence(rep *draft) {
	for i, p := range r.licences() {
		in := r.e.reading(p, 1)
		if in == nil {
			continue
		}
		name, at := overview.LicenceOf(in.lines)
		text := fmt.Sprintf("The licence is %s: %s says “%s”.", name, p, line.Truncate(strings.TrimSpace(in.lines[at]), 120))
		switch {
		case name == "":
			for at < len(in.lines)-1 && strings.TrimSpace(in.lines[at]) == "" {
				at++
			}
			text = fmt.Sprintf("%s holds a licence with an unknown text: “%s”.", p,
				line.Truncate(strings.TrimSpace(in.lines[at]), 120))
		case i > 0 && len(rep.Summary) > 0:
			text = fmt.Sprintf("Another licence file, %s, is %s.", p, name)
		}
		rep.Summary = append(rep.Summary, report.Statement{Topic: topicLicence, Text: text, Quote: quotable(in.lines[at]),
			Citations: []string{cite(p, in.start+at, in.start+at)}})
		rep.Places = append(rep.Places, report.Place{Path: p, Start: in.start, End: in.end(), Why: "the licence"})
	}
	r.addManifests(rep, topicLicence)
}

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
		if r.q.factor(e.Path) < 1 || asideDirectory.MatchString(e.Path) {
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
		if isCode(f.path) && len(f.lines) > 0 && f.factor == 1 && !asideDirectory.MatchString(f.path) && !rep.names(f.path) {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(mainRank(b.path), mainRank(a.path)), cmp.Compare(r.e.hot[b.path], r.e.hot[a.path]),
			cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")))
	})
	for _, f := range files[:min(len(files), max(maxEntries-listed, 0))] {
		h := f.lines[0]
		rep.add(topicEntries,
			fmt.Sprintf("%s starts a program: `%s`", f.path, line.Truncate(strings.TrimSpace(h.Text), 120)),
			report.Place{Path: f.path, Start: h.Line, End: h.Line, Symbol: h.Symbol, Why: "entry point", Quote: h.Text})
	}
}

// A projectName is the lookup for "what is X?", which it answers if X is the project.
type projectName struct {
	*tour
	name string
}

var whatIs = regexp.MustCompile(`(?i)^\s*(?:(?:what|wat|waht|wht)(?:'?s| is)|was ist|什么是)\s+(?:the )?([\w.-]+?)\s*[?？!.]*\s*$|^\s*([\w.-]+)\s*是什么\s*[?？]*\s*$`)

func (p projectName) Calls(step int) []rulemodel.Call {
	if step == 1 {
		return p.lookAround()[:1]
	}
	return p.readManifests()
}

func (p projectName) Report() *report.Report {
	_, q, ok := p.intro()
	first := strings.Fields(q.Text + " .")[0]
	if !ok || !strings.EqualFold(strings.Trim(first, ",:`\"'"), p.name) && !slices.Contains(p.names(), p.name) {
		return nil
	}
	return &p.tour.report().Report
}

// names reports whether the places name a file.
func (rep *draft) names(p string) bool {
	return slices.ContainsFunc(rep.Places, func(o report.Place) bool { return o.Path == p })
}

// mainFile matches files that are usually the start of a program, not a library with a main for a self-test.
var mainFile = regexp.MustCompile(`(?i)(?:^|[/_-])(?:main|__main__|server|cli|cmd|app|application|daemon|manage)\.\w+$|(?:^|/)cmd/`)

// mainRank is 1 for a file named like the start of a program, else 0.
func mainRank(p string) int {
	if mainFile.MatchString(p) {
		return 1
	}
	return 0
}

// headOf quotes the documentation of a directory at the start of the file that describes it: a comment before all code
// that is neither a licence nor the documentation of a definition. Without one it lists files of the directory.
func (r *tour) headOf(in *reading, dir folder) (at int, quote, shown string) {
	if !strings.Contains(strings.ToLower(strings.Join(in.lines[:min(len(in.lines), 20)], "\n")), "do not edit") {
		for i := 0; i < len(in.lines) && (isComment(in.lines[i]) || !definition.MatchString(in.lines[i])); i++ {
			if !isComment(in.lines[i]) || braced[path.Ext(in.path)] && strings.HasPrefix(in.lines[i], "#") {
				continue
			}
			end := commentEndOf(in.lines, i)
			if n, prose := proseOf(in.lines[i : end+1]); prose != "" && !definesNext(in.lines, end) {
				return in.start + i + n, strings.TrimSpace(in.lines[i+n]), "“" + line.Truncate(prose, maxQuoteRunes) + "”"
			}
			i = end
		}
	}
	var names []string
	for _, p := range r.e.codePaths {
		if path.Dir(p) == dir.dir && len(names) < maxFolderFiles && r.q.factor(p) == 1 {
			names = append(names, path.Base(p))
		}
	}
	shown = "among them " + strings.Join(names, ", ")
	for i, l := range in.lines {
		if strings.TrimSpace(l) != "" {
			return in.start + i, strings.TrimSpace(l), shown
		}
	}
	return in.start, "", shown
}

const maxFolderFiles = 5

// braced are the languages in which # begins no comment.
var braced = set(".c .h .cc .cpp .hpp .cxx .m .mm .rs .cs")

// commentEndOf returns the index of the last line of the comment that begins in line i.
func commentEndOf(lines []string, i int) int {
	open := strings.Count(lines[i], `"""`) == 1 || strings.HasPrefix(strings.TrimSpace(lines[i]), "/*") && !strings.Contains(lines[i], "*/")
	end := i
	for end+1 < len(lines) && (open || isComment(lines[end+1])) {
		end++
		if open && (strings.Contains(lines[end], `"""`) || strings.Contains(lines[end], "*/")) {
			break
		}
	}
	return end
}

// proseOf returns the first line of prose in a comment that is no licence, and its index.
func proseOf(comment []string) (int, string) {
	if licence.MatchString(strings.Join(comment, "\n")) {
		return 0, ""
	}
	for n, l := range comment {
		prose := strings.TrimSpace(commentMark.ReplaceAllString(l, ""))
		prose = strings.TrimSpace(commentEnd.ReplaceAllString(prose, ""))
		if len(strings.Fields(prose)) >= 3 && prosePattern.MatchString(prose) &&
			!ruler.MatchString(prose) {
			return n, prose
		}
	}
	return 0, ""
}

var ruler = regexp.MustCompile(`[-=*#~]{4,}`)

var packageLine = regexp.MustCompile(`^\s*(?:package|module|mod|namespace|import|use|from|require|#include|<\?php|["']use strict)\b`)

// definesNext reports whether the comment that ends in line i documents the definition below it.
func definesNext(lines []string, i int) bool {
	return i+1 < len(lines) && definition.MatchString(lines[i+1]) && !packageLine.MatchString(lines[i+1]) &&
		!strings.Contains(lines[i], `"""`)
}

var (
	commentEnd   = regexp.MustCompile(`(?:"""|\'\'\'|\*/)\s*$`)
	licence      = regexp.MustCompile(`(?i)copyright|licen[cs]e|spdx|all rights reserved|eslint|@ts-|@flow|noqa|generated by`)
	prosePattern = regexp.MustCompile(`^["“'(]?[A-Z\pL][\pL\pN'’-]*,? .*[\pL]{2}`)
)
