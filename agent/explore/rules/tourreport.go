package rules

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/agent/explore/rules/internal/trust"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/report"
)

// report makes the report of an overview.
func (r *tour) report() *draft {
	rep := &draft{report.Report{Question: line.Truncate(r.q.asked, 500)}}
	var missing []string
	for _, part := range partsAsked(r.q) {
		had := len(rep.Summary)
		for _, add := range tourParts[part] {
			add(r, rep)
		}
		if len(rep.Summary) == had {
			missing = append(missing, "nothing was found that says "+missingPart[part])
		}
	}
	rep.Found = len(rep.Summary) > 0
	if !rep.Found {
		rep.Summary = []report.Statement{{Text: fmt.Sprintf("Nothing was found that says %s, in %s and %s.",
			missingPart[r.q.part], line.Count(r.e.codeFiles, "code file"), line.Count(len(r.manifests()), "manifest"))}}
	}
	rep.Summary = rep.Summary[:min(len(rep.Summary), mostStatements)]
	if rep.Found {
		rep.NotCovered = missing
	}
	rep.NotCovered = append(append(rep.NotCovered,
		"this overview lists counts, manifests, entry points and commits; it judges nothing"), r.e.gaps()...)
	if n := len(r.e.codePaths); n < r.e.codeFiles {
		rep.NotCovered = append(rep.NotCovered,
			fmt.Sprintf("counts cover the first %s of %s", line.Number(n), line.Count(r.e.codeFiles, "code file")))
	}
	if r.q.part != overview.None {
		trust.Rate("overview", rep.Places)
	}
	if len(rep.Places) > 0 {
		rep.NextQuestion = "How does " + r.fileToAskAbout(rep) + " work?"
	}
	return rep
}

// fileToAskAbout returns the file of the next question: the code file that changes most, else the first place.
func (r *tour) fileToAskAbout(rep *draft) string {
	best := rep.Places[0].Path
	for _, p := range rep.Places {
		if isCode(p.Path) && (!isCode(best) || r.e.hot[p.Path] > r.e.hot[best]) {
			best = p.Path
		}
	}
	return best
}

// mostStatements is how many statements a report may have.
const mostStatements = 20

// add adds a statement that quotes a line, and its place if that has a reason to look there. lines are the lines to
// cite; default: those of the place.
func (rep *draft) add(topic, text string, at report.Place, lines ...int) {
	s := report.Statement{Topic: topic, Text: text, Quote: quotable(at.Quote)}
	if len(lines) == 0 {
		s.Citations = []string{cite(at.Path, at.Start, at.End)}
	}
	for _, n := range lines {
		s.Citations = append(s.Citations, cite(at.Path, n, n))
	}
	rep.Summary = append(rep.Summary, s)
	at.Quote = ""
	if at.Why != "" && !slices.ContainsFunc(rep.Places,
		func(p report.Place) bool { return p.Path == at.Path && p.Start == at.Start }) {
		rep.Places = append(rep.Places, at)
	}
}

// addManifests quotes the lines of the manifests that belong to a topic.
func (r *tour) addManifests(rep *draft, topic string) {
	for _, p := range r.manifests() {
		in := r.e.reading(p, 1)
		if in == nil {
			continue
		}
		for _, f := range facts {
			name := path.Base(in.path)
			isMakefile := strings.EqualFold(strings.TrimPrefix(name, "GNU"), "makefile")
			if f.topic == topic && (matches(f.file, name) || f.file == "Makefile" && isMakefile) {
				rep.addFact(f, in)
			}
		}
	}
}

func (rep *draft) addFact(f fact, in *reading) {
	var quotes []string
	var lines []int
	for i, text := range in.lines {
		if len(lines) < f.most && f.re.MatchString(text) {
			quotes = append(quotes, "`"+line.Truncate(strings.TrimSpace(text), 100)+"`")
			lines = append(lines, in.start+i)
		}
	}
	if len(lines) > 0 {
		first := lines[0]
		rep.add(f.topic, fmt.Sprintf("%s, %s: %s", in.path, f.says, strings.Join(quotes, ", ")),
			report.Place{Path: in.path, Start: first, End: first, Why: f.says, Quote: in.lines[first-in.start]}, lines...)
	}
}

// addPackages adds the languages, and what the main directories say they are for.
func (r *tour) addPackages(rep *draft) {
	languages, cited := r.languages(), make(map[string]bool)
	for _, p := range r.packages() {
		name := "`" + p.dir + "`"
		if p.dir == "." {
			name = "The top directory"
		}
		at, shown, ok := r.saysOf(p, cited)
		if !ok {
			continue
		}
		cited[at.Path] = true
		text := fmt.Sprintf("%s (%s): %s", name, line.Count(p.files, "file"), shown)
		if languages != "" {
			text, languages = r.counted()+": "+languages+". "+text, ""
		}
		at.Why = "describes " + p.dir
		if hot := r.e.hot[p.head]; hot >= leastHot {
			at.Why += fmt.Sprintf(", changed in %d of the last %d commits", hot, r.e.commits)
		}
		inside := at
		if path.Dir(at.Path) != p.dir { // say what the package says, but show the directory
			inside = report.Place{Path: p.head, Start: 1, End: 1, Why: at.Why}
			at.Why = ""
		}
		rep.add(topicParts, text, at)
		if inside.Path != at.Path {
			last := &rep.Summary[len(rep.Summary)-1]
			last.Citations = append(last.Citations, cite(p.head, 1, 1))
			rep.Places = append(rep.Places, inside)
		}
	}
}

// saysOf returns what a directory says it is for: at the head of the file that describes it, in the README or the
// manifest of its package, unless that is cited for another directory. Else it lists files.
func (r *tour) saysOf(p folder, cited map[string]bool) (at report.Place, shown string, ok bool) {
	in := r.e.reading(p.head, 1)
	if in == nil {
		return at, "", false
	}
	n, quote, shown := r.headOf(in, p)
	at = report.Place{Path: p.head, Start: n, End: n, Quote: quote}
	if quote != "" {
		return at, shown, true
	}
	for i, l := range in.lines {
		if strings.TrimSpace(l) != "" {
			at.Start, at.End, at.Quote = in.start+i, in.start+i, l
			break
		}
	}
	if readme := r.readmeOf(p.dir); readme != "" && !cited[readme] && !r.isPart(p, path.Dir(readme)) {
		if in := r.e.reading(readme, 1); in != nil {
			q, ok := documents.Intro(in.lines)
			ok = ok && !slices.ContainsFunc(in.lines[:q.Start], func(l string) bool { return strings.HasPrefix(l, "##") })
			if ok { // what comes below a second heading is about a detail
				return report.Place{Path: readme, Start: in.start + q.Start, End: in.start + q.End, Quote: in.lines[q.Start]},
					fmt.Sprintf("“%s” (%s)", line.Truncate(q.Text, maxQuoteRunes), readme), true
			}
		}
	}
	for dir := p.dir; strings.Trim(dir, "./") != ""; dir = path.Dir(dir) {
		for _, f := range r.e.sorted {
			if path.Dir(f.path) == dir && len(f.lines) > 0 && !cited[f.path] &&
				!r.isPart(p, dir) && len(strings.Fields(overview.Description(f.lines[0].Text))) >= leastDescription {
				h := f.lines[0]
				return report.Place{Path: f.path, Start: h.Line, End: h.Line, Quote: h.Text},
					fmt.Sprintf("“%s” (%s)", line.Truncate(overview.Description(h.Text), maxQuoteRunes), f.path), true
			}
		}
	}
	return at, shown, true
}

// isPart reports whether another main directory of the package in root holds a directory: what the package says of
// itself is about that one.
func (r *tour) isPart(p folder, root string) bool {
	return slices.ContainsFunc(r.packages(), func(o folder) bool {
		return strings.HasPrefix(p.dir, o.dir+"/") && strings.HasPrefix(o.dir+"/", root+"/")
	})
}

// leastDescription is how many words a description of a package has at least: more than its name.
const leastDescription = 3

// languages counts code files by extension.
func (r *tour) languages() string {
	counts := make(map[string]int)
	for _, p := range r.e.codePaths {
		if !vendoredPath.MatchString(p) {
			counts[strings.ToLower(path.Ext(p))]++
		}
	}
	exts := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, e := range exts[:min(len(exts), maxLanguages)] {
		parts = append(parts, line.Number(counts[e])+" "+e)
	}
	return strings.Join(parts, ", ")
}

// counted says which files the languages were counted in.
func (r *tour) counted() string {
	if n := len(r.e.codePaths); n < r.e.codeFiles {
		return fmt.Sprintf("Code files (the first %s of %s)", line.Number(n), line.Number(r.e.codeFiles))
	}
	return "Code files"
}

// addCommands quotes the build and test commands of documents: first those at the root, and of these, tests.
func (r *tour) addCommands(rep *draft) {
	type command struct {
		file *file
		hit  hit
	}
	var all []command
	var listed []string
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			text := strings.TrimSpace(h.Text)
			document := !isCode(f.path) && !testfile.Is(f.path) && !examplePath.MatchString(f.path)
			if document && !slices.Contains(listed, text) && commandForm.MatchString(h.Text) {
				listed = append(listed, text)
				all = append(all, command{f, h})
			}
		}
	}
	order := func(c command) int {
		if strings.Contains(c.file.path, "/") {
			return 2
		}
		if strings.Contains(c.hit.Text, "test") || strings.Contains(c.hit.Text, "tox") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b command) int { return cmp.Compare(order(a), order(b)) })
	hasCommands := func(s report.Statement) bool { return s.Topic == topicCommands }
	known := slices.ContainsFunc(rep.Summary, hasCommands)
	for _, c := range all[:min(len(all), maxCommands)] {
		if order(c) == 2 && known {
			break
		}
		known = true
		text := line.Truncate(commandStart.ReplaceAllString(strings.TrimSpace(c.hit.Text), ""), 120)
		if inner := inBackticks.FindStringSubmatch(c.hit.Text); inner != nil {
			text = inner[1]
		}
		rep.add(topicCommands, fmt.Sprintf("%s: `%s`", c.file.path, text),
			report.Place{Path: c.file.path, Start: c.hit.Line, End: c.hit.Line, Quote: c.hit.Text})
	}
	if tested := func(c command) bool { return strings.Contains(c.hit.Text, "test") }; r.q.part == overview.Build &&
		!r.q.tests && !slices.ContainsFunc(all, tested) {
		addTestCommand(r, rep)
	}
	for _, m := range r.builds() {
		if !slices.ContainsFunc(rep.Summary, hasCommands) {
			m.Why = "how it is built"
			rep.add(topicCommands, fmt.Sprintf("No document near the root says how. By convention, %s (%s).",
				overview.CommandsOf(m.Path), m.Path), m)
		}
	}
}

// testsFirst adds the command that tests the project to the answer to a question for it.
func testsFirst(r *tour, rep *draft) {
	if r.q.tests {
		addTestCommand(r, rep)
	}
}

// addTestCommand adds the command that tests the project, if its manifests say it.
func addTestCommand(r *tour, rep *draft) {
	lines := func(manifest string) []string {
		if in := r.e.reading(manifest, 1); in != nil {
			return in.lines
		}
		return nil
	}
	command, p, at, ok := overview.TestCommand(r.manifests(), lines)
	if !ok {
		return
	}
	text := lines(p)[at]
	rep.add(topicCommands, fmt.Sprintf("`%s` runs the tests: %s has `%s`", command, p,
		line.Truncate(strings.TrimSpace(text), 120)),
		report.Place{Path: p, Start: at + 1, End: at + 1, Quote: text, Why: "how it is tested"})
}

// builds returns lines of the manifests by which a project is built by convention.
func (r *tour) builds() (all []report.Place) {
	for _, p := range r.manifests() {
		if in := r.e.reading(p, 1); in != nil && overview.CommandsOf(p) != "" {
			all = append(all, report.Place{Path: p, Start: in.start, End: in.start, Quote: in.lines[0]})
		}
	}
	if main := r.mainPackage(); main != nil && overview.CommandsOf(main.path) != "" {
		h := main.lines[0]
		all = append(all, report.Place{Path: main.path, Start: h.Line, End: h.Line, Quote: h.Text})
	}
	return all
}

var (
	commandStart = lazyregexp.New("^(?:[-*$>%] +)+")
	inBackticks  = lazyregexp.New("`([^`]+)`")
)

var examplePath = lazyregexp.New(`(?i)(?:^|/)_?(?:examples?|samples?|demos?)/`)

// addHot adds the files that change often to the places.
func (r *tour) addHot(rep *draft) {
	files := slices.SortedFunc(maps.Keys(r.e.hot), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.e.hot[b], r.e.hot[a]), cmp.Compare(a, b))
	})
	files = slices.DeleteFunc(files, func(p string) bool {
		return r.e.hot[p] < leastHot || !isCode(p) || r.q.factor(p) < 1 || !slices.Contains(r.e.codePaths, p)
	})
	for _, p := range files[:min(len(files), maxHot)] {
		if !slices.ContainsFunc(rep.Places, func(o report.Place) bool { return o.Path == p }) {
			rep.Places = append(rep.Places,
				report.Place{Path: p, Start: 1, End: 1,
					Why: fmt.Sprintf("changed in %d of the last %d commits", r.e.hot[p], r.e.commits)})
		}
	}
}

// Topics of an overview, in their order.
const (
	topicWhat     = "What it is"
	topicLicence  = "Licence"
	topicParts    = "Languages and main directories"
	topicEntries  = "Entry points"
	topicCommands = "Build and test"
	topicNeeds    = "Needed versions"
	topicVersion  = "Version"
	topicAuthors  = "Authors"
	topicDepends  = "Required packages"
)

// A fact matches lines in a manifest that are worth a sentence.
type fact struct {
	file, topic string // file: glob of the base name of the manifest
	re          *lazyregexp.Regexp
	says        string // what the line shows
	most        int    // lines to quote
}

// facts is the table of facts, in the order of the report.
var facts = []fact{
	{"go.mod", topicWhat, lazyregexp.New(`^module\s+\S+`), "Go module", 1},
	{"package.json", topicWhat, lazyregexp.New(`^\s*"name":\s*"`), "npm package", 1},
	{"pyproject.toml", topicWhat, lazyregexp.New(`^name\s*=\s*"`), "Python project", 1},
	{"setup.py", topicWhat, lazyregexp.New(`^\s*name\s*=\s*['"]`), "Python package", 1},
	{"setup.cfg", topicWhat, lazyregexp.New(`^name\s*=`), "Python package", 1},
	{"Cargo.toml", topicWhat, lazyregexp.New(`^name\s*=`), "Rust package", 1},
	{"pom.xml", topicWhat, lazyregexp.New(`^(?:  |\t)<(?:artifactId|packaging)>`), "Maven project", 2},
	{"settings.gradle", topicWhat, lazyregexp.New(`rootProject\.name|^include`), "Gradle project", 3},
	{"settings.gradle.kts", topicWhat, lazyregexp.New(`rootProject\.name|^include`), "Gradle project", 3},
	{"CMakeLists.txt", topicWhat, lazyregexp.New(`(?i)^\s*project\s*\(`), "CMake project", 1},
	{"Package.swift", topicWhat, lazyregexp.New(`name:\s*"`), "Swift package", 1},
	{"composer.json", topicWhat, lazyregexp.New(`^\s*"name":\s*"`), "Composer package", 1},
	{"package.json", topicWhat, lazyregexp.New(`^\s*"description":\s*"`), "description", 1},
	{"pyproject.toml", topicWhat, lazyregexp.New(`^description\s*=\s*["'][^"']`), "description", 1},
	{"setup.cfg", topicWhat, lazyregexp.New(`^description\s*=`), "description", 1},
	{"setup.py", topicWhat, lazyregexp.New(`^\s*description\s*=\s*['"]`), "description", 1},
	{"Cargo.toml", topicWhat, lazyregexp.New(`^description\s*=\s*"[^"]`), "description", 1},
	{"mix.exs", topicWhat, lazyregexp.New(`^\s*description:\s*"`), "description", 1},
	{"composer.json", topicWhat, lazyregexp.New(`^\s*"description":\s*"`), "description", 1},
	{"package.json", topicLicence, lazyregexp.New(`^\s*"license":\s*"`), "licence", 1},
	{"pyproject.toml", topicLicence, lazyregexp.New(`^license\s*=`), "licence", 1},
	{"setup.cfg", topicLicence, lazyregexp.New(`^license\s*=`), "licence", 1},
	{"setup.py", topicLicence, lazyregexp.New(`^\s*license\s*=`), "licence", 1},
	{"Cargo.toml", topicLicence, lazyregexp.New(`^license(?:-file)?\s*=`), "licence", 1},
	{"composer.json", topicLicence, lazyregexp.New(`^\s*"license":\s*["\[]`), "licence", 1},
	{"pom.xml", topicLicence, lazyregexp.New(`<name>.*(?i:licen[cs]e|apache|mit|bsd).*</name>`), "licence", 1},
	{"package.json", topicEntries, lazyregexp.New(`^\s*"(?:main|bin|module|exports)":\s*`), "entry point", 2},
	{"pyproject.toml", topicEntries, lazyregexp.New(`^[\w."-]+\s*=\s*"[\w.]+:[\w.]+"`), "script", 3},
	{"setup.cfg", topicEntries, lazyregexp.New(`^\s+[\w-]+\s*=\s*[\w.]+:[\w.]+\s*$`), "script", 3},
	{"setup.py", topicEntries, lazyregexp.New(`^\s*['"][\w-]+\s*=\s*[\w.]+:[\w.]+['"]`), "script", 3},
	{"Cargo.toml", topicEntries, lazyregexp.New(`^path\s*=\s*"|^members\s*=`), "target", 3},
	{"Dockerfile", topicEntries, lazyregexp.New(`^(?:CMD|ENTRYPOINT)\s`), "container", 2},
	{"pom.xml", topicEntries, lazyregexp.New(`<module>`), "Maven modules", 6},
	{"package.json", topicCommands, lazyregexp.New(`^\s*"(?:build|compile|test|test:\w+|unit|lint)":\s*"`), "scripts", 4},
	{"pyproject.toml", topicCommands, lazyregexp.New(`^(?:build-backend|testpaths|addopts)\s*=`), "settings", 3},
	{"setup.py", topicCommands, lazyregexp.New(`^\s*test_suite\s*=`), "setting", 1},
	{"CMakeLists.txt", topicCommands, lazyregexp.New(`(?i)^\s*(?:add_executable|add_library|enable_testing)\s*\(`),
		"CMake", 3},
	{"Makefile", topicCommands, lazyregexp.New(`^(?:all|build|test|check|lint|run|install)\b[^:=]*:(?:[^=]|$)`),
		"targets", 5},
	{"justfile", topicCommands, lazyregexp.New(`^[a-z][\w-]*.*:`), "recipes", 4},
	{"tox.ini", topicCommands, lazyregexp.New(`^(?:envlist|env_list|commands)\s*=|^\s+(?:pytest|python)\b`), "tox", 3},
	{"pyproject.toml", topicNeeds, lazyregexp.New(`^(?:requires-python|python)\s*=`), "Python", 1},
	{"setup.cfg", topicNeeds, lazyregexp.New(`^\s*python_requires\s*=`), "Python", 1},
	{"setup.py", topicNeeds, lazyregexp.New(`^\s*python_requires\s*=`), "Python", 1},
	{"package.json", topicNeeds, lazyregexp.New(`^\s*"(?:node|npm|bun|deno)":\s*"[^a-z]`), "Node.js", 2},
	{"go.mod", topicNeeds, lazyregexp.New(`^(?:go|toolchain)\s+\S`), "Go", 2},
	{"Cargo.toml", topicNeeds, lazyregexp.New(`^(?:rust-version|edition)\s*=`), "Rust", 2},
	{"mix.exs", topicNeeds, lazyregexp.New(`^\s*elixir:\s`), "Elixir", 1},
	{"composer.json", topicNeeds, lazyregexp.New(`^\s*"php":\s*"`), "PHP", 1},
	{"pom.xml", topicNeeds, lazyregexp.New(`<(?:maven\.compiler\.\w+|(?:java|jdk)\.version|release)>|` +
		`<(?:source|target)>1?\.?\d+</`), "Java", 2},
	{"CMakeLists.txt", topicNeeds, lazyregexp.New(`(?i)^\s*cmake_minimum_required|C(?:XX)?_STANDARD\s+\d`),
		"CMake", 3},
	{"Package.swift", topicNeeds, lazyregexp.New(`swift-tools-version|^\s*\.(?:macOS|iOS)\(`), "Swift", 3},
	{"build.sbt", topicNeeds, lazyregexp.New(`[sS]calaVersions?\s*:=`), "Scala", 2},
	{"Gemfile", topicNeeds, lazyregexp.New(`^ruby\s`), "Ruby", 1},
	{"*.gemspec", topicNeeds, lazyregexp.New(`required_ruby_version`), "Ruby", 1},
	{"*.gemspec", topicVersion, lazyregexp.New(`\.version\s*=`), "version", 1},
	{"*.gemspec", topicAuthors, lazyregexp.New(`\.authors?\s*=`), "author", 1},
	{"package.json", topicVersion, lazyregexp.New(`^\s*"version":\s*"`), "version", 1},
	{"pyproject.toml", topicVersion, lazyregexp.New(`^version\s*=\s*["']v?\d`), "version", 1},
	{"pyproject.toml", topicVersion, lazyregexp.New(`^path\s*=\s*"[^"]+\.py"`), "the file with the version", 1},
	{"setup.cfg", topicVersion, lazyregexp.New(`^version\s*=`), "version", 1},
	{"setup.py", topicVersion, lazyregexp.New(`(?i)^\s*version\s*=`), "version", 1},
	{"Cargo.toml", topicVersion, lazyregexp.New(`^version\s*=`), "version", 1},
	{"mix.exs", topicVersion, lazyregexp.New(`^\s*(?:@version\s+"|version:\s*")`), "version", 1},
	{"composer.json", topicVersion, lazyregexp.New(`^\s*"version":\s*"`), "version", 1},
	{"pom.xml", topicVersion, lazyregexp.New(`^(?: {2,3}|\t)<version>`), "version", 1},
	{"CMakeLists.txt", topicVersion, lazyregexp.New(`(?i)^\s*(?:project\s*\(.*VERSION|VERSION\s+\d)`), "version", 1},
	{"configure.ac", topicVersion, lazyregexp.New(`^AC_INIT\([^)]*\d`), "version", 1},
	{"meson.build", topicVersion, lazyregexp.New(`^\s*version\s*:`), "version", 1},
	{"build.gradle", topicVersion, lazyregexp.New(`^\s*version\s*=?\s*["']`), "version", 1},
	{"build.gradle.kts", topicVersion, lazyregexp.New(`^\s*version\s*=\s*"`), "version", 1},
	{"build.sbt", topicVersion, lazyregexp.New(`\bversion\s*:=`), "version", 1},
	{"package.json", topicAuthors, lazyregexp.New(`^\s*"author":\s*"`), "author", 1},
	{"pyproject.toml", topicAuthors, lazyregexp.New(`^(?:authors|maintainers)\s*=\s*\[?\s*[^\s\[]|^\s*\{\s*name\s*=`),
		"author", 4},
	{"setup.cfg", topicAuthors, lazyregexp.New(`^(?:author|maintainer)\s*=`), "author", 2},
	{"setup.py", topicAuthors, lazyregexp.New(`^\s*(?:author|maintainer)\s*=`), "author", 2},
	{"Cargo.toml", topicAuthors, lazyregexp.New(`^authors\s*=`), "author", 1},
	{"composer.json", topicAuthors, lazyregexp.New(`^\s*"name":\s*"[^/"]+"`), "author", 3},
	{"mix.exs", topicAuthors, lazyregexp.New(`^\s*maintainers:\s`), "author", 1},
	{"pom.xml", topicAuthors, lazyregexp.New(`^\s*<(?:developer|contributor)>.*<name>|` +
		`^\s*<email>[^<]+</email>`), "developer", 3},
	{"AUTHORS*", topicAuthors, lazyregexp.New(`^[^#=\s].*\pL`), "authors", 4},
	{"MAINTAINERS*", topicAuthors, lazyregexp.New(`^[^#=\s].*\pL`), "maintainers", 4},
}

var commandForm = lazyregexp.New(commandPattern)
