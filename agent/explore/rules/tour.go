package rules

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/rulemodel"
)

// manifests are globs of the names of files that say how a tree is built and run; the first come first in a report.
var manifests = []string{
	"README.md", "README.rst", "README.adoc", "README.txt", "README", "Readme.md", "readme.md", "README.markdown",
	"README.rdoc", "go.mod", "package.json",
	"pyproject.toml", "setup.py", "setup.cfg",
	"Cargo.toml", "pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts",
	"CMakeLists.txt", "Makefile", "makefile",
	"GNUmakefile", "justfile", "tox.ini", "noxfile.py", "Gemfile", "*.gemspec", "composer.json", "mix.exs", "meson.build",
	"configure.ac", "Package.swift", "build.sbt", "Dockerfile", "AUTHORS*", "MAINTAINERS*",
}

// Bounds of an overview.
const (
	maxManifests   = 8
	manifestLines  = 400 // lines read of a manifest
	maxEntries     = 4   // entry points
	maxPackages    = 6   // main directories
	maxLanguages   = 4
	maxCommands    = 4
	maxHot         = 5    // files that change often
	leastHot       = 2    // commits from which a file changes often
	recentCommits  = 200  // commits to count
	pageOfFiles    = 2000 // files of one glob
	maxPages       = 5    // globs
	packageLines   = 80   // lines read of the file that describes a directory
	nearlyTopLevel = 1    // directories between the root and a manifest
)

// entryPatterns find where programs begin.
var entryPatterns = []string{
	`^func main\(\)`, `^if __name__ == .__main__.`, `^(?:pub )?(?:async )?fn main\(`, `public static void main\(`,
	`^(?:int|void)\s+main\s*\(`, `^main\s*\(\s*(?:int|void|argc)\b`, // also below the type of its result
	`^fun main\(`, `^#!/usr/bin/env (?:node|deno|bun)`,
}

// notEntries match programs that are not the tree's main ones: tests, examples, benchmarks, dependencies.
var notEntries = []string{
	"**/{test,tests,testing,testdata,__tests__,e2e,fixtures,spec,example,examples,sample,samples,demo,bench,benches," +
		"benchmark,benchmarks,fuzz,vendor,deps,third_party,node_modules,doc,docs,site-packages}/**",
	"**/*_test.*", "**/test_*",
}

// commandPattern finds the lines of a README or a guide for contributors that build and test.
const commandPattern = "^\\s*(?:[-*] )?[`$>% ]*(?:(?:go|cargo) (?:test|build)\\b|cargo install --path|mix (?:test|compile|deps\\.get)|(?:bazel|zig) (?:build|test)\\b|(?:npm|pnpm|yarn|bun) (?:test|build|run [\\w:-]+)|" +
	"(?:python3? -m )?(?:pytest|tox|nox|unittest)(?:[\\s`]|$)|(?:sudo )?make(?: [\\w.-]+)?`?$|(?:mvn|\\./mvnw|gradle|\\./gradlew) \\S|ctest\\b|cmake \\S|\\./(?:configure|runtests?|build|test)\\b|" +
	"(?:bundle exec )?(?:rake|rspec)\\b|dotnet (?:build|test)|composer (?:install|test)|swift (?:build|test)|sbt " +
	"\\S|pip install -e)"

// A tour makes an overview of the tree: its calls and its report.
type tour struct{ *candidates }

// partsAsked returns the parts of an overview that a question asks for.
func partsAsked(q *question) []overview.Part { return append([]overview.Part{q.part}, q.also...) }

// lookAround lists the tree and finds manifests, entry points, commands and files that change often.
func (r *tour) lookAround() []rulemodel.Call {
	names := "{" + strings.Join(manifests, ",") + "}"
	entries := content(entryPatterns, 200, 2, "entry points")
	entries.Args["exclude"] = notEntries
	commands := content([]string{commandPattern}, 60, 12, "build and test commands")
	commands.Args["include"] = []string{"README*", "readme*", "CONTRIBUTING*", "DEVELOP*", "HACKING*", "INSTALL*",
		"BUILDING*"}
	if slices.Contains(partsAsked(r.q), overview.Version) {
		commands = content([]string{versionPattern}, 60, 3, "lines that give the version")
		commands.Args["include"] = versionFiles
	}
	return []rulemodel.Call{
		rulemodel.Ask("glob", map[string]any{"pattern": names}, "manifests"),
		rulemodel.Ask("glob", map[string]any{"pattern": "*/" + names}, "manifests one level below"),
		r.sources(0),
		entries, commands,
		rulemodel.Ask("git_log", map[string]any{"limit": recentCommits}, "which files change often"),
		rulemodel.Ask("glob", map[string]any{"pattern": licenceGlob, "limit": 20}, "licences"),
		rulemodel.Ask("glob", map[string]any{"pattern": "{*,*/*}/{README,Readme,readme}*", "limit": 200},
			"what directories say of themselves"),
	}
}

// licenceGlob matches files that hold a licence.
const licenceGlob = "{LICENSE,LICENCE,License,Licence,license,licence,COPYING,COPYRIGHT,UNLICENSE,MIT-LICENSE}*"

// conventions lists the files where projects begin, by the conventions of their languages, and finds what manifests say
// of packages.
func (r *tour) conventions() []rulemodel.Call {
	descriptions := content(overview.DescriptionPatterns, 200, 1, "descriptions of packages")
	descriptions.Args["include"], descriptions.Args["exclude"] = overview.DescriptionFiles, notEntries
	calls := []rulemodel.Call{descriptions}
	for _, g := range overview.EntryGlobs {
		calls = append(calls, rulemodel.Ask("glob", map[string]any{"pattern": g, "limit": 60}, "entry points by convention"))
	}
	return calls
}

// sources lists a page of the code files, from an offset.
func (r *tour) sources(from int) rulemodel.Call {
	var exts []string
	for _, e := range slices.Sorted(maps.Keys(codeExtension)) {
		exts = append(exts, strings.TrimPrefix(e, "."))
	}
	return rulemodel.Ask("glob", map[string]any{"pattern": "**/*.{" + strings.Join(exts, ",") + "}", "limit": pageOfFiles,
		"offset": from}, "languages and directories")
}

// readManifests reads the manifests nearest to the root, and lists the other pages of code files.
func (r *tour) readManifests() []rulemodel.Call {
	var calls []rulemodel.Call
	all := r.manifests()
	all = slices.Insert(all, min(len(all), 1), r.licences()...)
	for _, p := range all {
		calls = append(calls, rulemodel.Ask("read_file", map[string]any{"path": p, "limit": manifestLines},
			"a README, manifest or licence near the root"))
	}
	for page := 1; page < maxPages && page*pageOfFiles < r.e.codeFiles; page++ {
		calls = append(calls, r.sources(page*pageOfFiles))
	}
	return calls
}

// readPackages reads the beginning of a file of each of the main directories.
func (r *tour) readPackages() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, p := range r.packages() {
		calls = append(calls, rulemodel.Ask("read_file", map[string]any{"path": p.head, "limit": packageLines},
			"what "+p.dir+" is for"))
		if readme := r.readmeOf(p.dir); readme != "" && !overview.Describes(p.head) {
			calls = append(calls, rulemodel.Ask("read_file", map[string]any{"path": readme, "limit": packageLines},
				"what "+p.dir+" is for"))
		}
	}
	return calls
}

// readmeOf returns the README of a directory, or of the next one above it, but not that of the root.
func (r *tour) readmeOf(dir string) string {
	for ; strings.Trim(dir, "./") != ""; dir = path.Dir(dir) {
		for _, p := range r.e.globbed {
			if path.Dir(p) == dir && isReadme(p) {
				return p
			}
		}
	}
	return ""
}

// manifests returns the manifests at the root, or if it has only a README, also those one level below.
func (r *tour) manifests() []string {
	all := slices.Clone(r.e.globbed)
	rank := func(p string) int {
		return slices.IndexFunc(manifests, func(glob string) bool { return matches(glob, path.Base(p)) })
	}
	all = slices.DeleteFunc(all, func(p string) bool { return rank(p) < 0 || strings.Count(p, "/") > nearlyTopLevel })
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a, b))
	})
	all = slices.Compact(all)
	roots := 0
	for _, p := range all {
		if !strings.Contains(p, "/") && !isReadme(p) {
			roots++
		}
	}
	if roots > 0 {
		nested := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !strings.Contains(p, "/") || !isReadme(p) })
		all = slices.DeleteFunc(all, func(p string) bool { return strings.Contains(p, "/") })
		if !slices.ContainsFunc(all, isReadme) && len(nested) > 0 { // that of the main package: axum, not axum-core
			shortest := slices.MinFunc(nested, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			all = slices.Insert(all, 0, shortest)
		}
	}
	return all[:min(len(all), maxManifests)]
}

func matches(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

func isReadme(p string) bool { return strings.HasPrefix(strings.ToLower(path.Base(p)), "readme") }

const maxLicences = 3 // files

// licences returns the files that hold a licence.
func (r *tour) licences() (all []string) {
	for _, p := range r.e.globbed {
		name := strings.ToLower(path.Base(p))
		if slices.ContainsFunc(licenceNames, func(n string) bool { return strings.Contains(name, n) }) && !isCode(p) &&
			!strings.Contains(p, "/") && !slices.Contains(all, p) && len(all) < maxLicences {
			all = append(all, p)
		}
	}
	return all
}

var licenceNames = []string{"license", "licence", "copying", "copyright"}

// A folder is a directory of code, with the file that describes it.
type folder struct {
	dir, head string  // head: path of the file that describes dir
	files     int     // number of code files
	weight    float64 // by files and changes
}

// packages returns the main directories of code, those with most files and changes first.
func (r *tour) packages() []folder {
	at := make(map[string]*folder)
	for _, p := range r.e.codePaths {
		if r.q.factor(p) < 1 || overview.IsAside(p) {
			continue
		}
		dir := path.Dir(p)
		f := at[dir]
		if f == nil {
			f = &folder{dir: dir}
			at[dir] = f
		}
		f.files++
		f.weight += directoryFile + float64(min(r.e.hot[p], hottest))
		if f.head == "" || r.describesBefore(p, f.head) {
			f.head = p
		}
	}
	all := make([]folder, 0, len(at))
	for _, dir := range slices.Sorted(maps.Keys(at)) {
		all = append(all, *at[dir])
	}
	slices.SortStableFunc(all, func(a, b folder) int { return cmp.Compare(b.weight, a.weight) })
	return all[:min(len(all), maxPackages)]
}

// Weights of a directory of code.
const (
	directoryFile = .2 // weight of a file, against 1 for a commit that touched it
	hottest       = 10 // commits of one file that count
)

// heads are the names of files that usually say what their directory is for, best first.
var heads = []string{"doc.go", "package-info.java", "__init__.py", "lib.rs", "mod.rs", "index.ts", "index.js",
	"main.go", "main.rs", "main.py"}

// describesBefore reports whether a rather than b describes the directory of both.
func (r *tour) describesBefore(a, b string) bool {
	rank := func(p string) int {
		if i := slices.Index(heads, path.Base(p)); i >= 0 {
			return i
		}
		name, _, _ := strings.Cut(path.Base(p), ".")
		if name == path.Base(path.Dir(p)) {
			return len(heads)
		}
		return len(heads) + 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(r.e.hot[b], r.e.hot[a]), cmp.Compare(a, b)) < 0
}
