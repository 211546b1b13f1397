package planner

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// manifests say how a tree is built and run; the first come first in a report.
var manifests = []string{
	"README.md", "README.rst", "README.txt", "README", "readme.md", "go.mod", "package.json", "pyproject.toml", "setup.py", "setup.cfg",
	"Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "justfile",
	"tox.ini", "noxfile.py", "Gemfile", "composer.json", "mix.exs", "meson.build", "configure.ac", "Dockerfile",
}

// Bounds of an overview.
const (
	maxManifests   = 8
	manifestLines  = 400
	maxEntries     = 6
	maxPackages    = 6
	maxLanguages   = 4
	nearlyTopLevel = 1 // directories above a manifest that is read
)

// entryPatterns find where programs begin.
var entryPatterns = []string{
	`^func main\(\)`, `^if __name__ == .__main__.`, `^\s*(?:pub )?(?:async )?fn main\(`, `public static void main\(`, `^(?:int|void)\s+main\s*\(`,
}

// lookAround lists the tree and finds manifests and entry points.
func (r *run) lookAround() []call {
	return []call{
		{"list_dir", map[string]any{"path": ".", "depth": listDepth, "limit": listLimit}, "languages and directories"},
		{"glob", map[string]any{"pattern": "{" + strings.Join(manifests, ",") + "}"}, "manifests"},
		{"glob", map[string]any{"pattern": "*/{" + strings.Join(manifests, ",") + "}"}, "manifests"},
		content(entryPatterns, 100, 2, "where programs begin"),
	}
}

// readManifests reads the manifests nearest to the root.
func (r *run) readManifests() []call {
	var calls []call
	for _, p := range r.manifests() {
		calls = append(calls, call{"read_file", map[string]any{"path": p, "limit": manifestLines}, "a README or manifest near the root"})
	}
	return calls
}

// manifests are those at the root, then, where the root has none but a README, those one level below.
func (r *run) manifests() []string {
	all := slices.Clone(r.e.globbed)
	for _, f := range r.e.sorted {
		all = append(all, f.path)
	}
	rank := func(p string) int { return slices.Index(manifests, path.Base(p)) }
	all = slices.DeleteFunc(all, func(p string) bool { return rank(p) < 0 || strings.Count(p, "/") > nearlyTopLevel })
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	all = slices.Compact(all)
	roots := 0
	for _, p := range all {
		if !strings.Contains(p, "/") && !strings.HasPrefix(strings.ToLower(p), "readme") {
			roots++
		}
	}
	if roots > 0 {
		all = slices.DeleteFunc(all, func(p string) bool { return strings.Contains(p, "/") })
	}
	return all[:min(len(all), maxManifests)]
}

// A fact is a kind of line in a manifest that is worth telling.
type fact struct {
	file string // base name
	re   *regexp.Regexp
	says string // what the line is; "" for a line that is told as it is
	most int
}

// facts are read top to bottom.
var facts = []fact{
	{"go.mod", regexp.MustCompile(`^module\s+\S+`), "Go module", 1},
	{"package.json", regexp.MustCompile(`^\s*"name":\s*"`), "npm package", 1},
	{"package.json", regexp.MustCompile(`^\s*"(?:main|bin|module|exports|types)":\s*`), "entry point", 2},
	{"package.json", regexp.MustCompile(`^\s*"(?:build|compile|dev|start|test|test:\w+|lint)":\s*"`), "script", 5},
	{"pyproject.toml", regexp.MustCompile(`^name\s*=\s*"`), "Python project", 1},
	{"pyproject.toml", regexp.MustCompile(`^(?:build-backend|requires-python|testpaths|addopts)\s*=`), "setting", 3},
	{"setup.py", regexp.MustCompile(`^\s*name\s*=\s*['"]`), "Python package", 1},
	{"setup.py", regexp.MustCompile(`^\s*(?:entry_points|test_suite|python_requires)\s*=`), "setting", 2},
	{"setup.cfg", regexp.MustCompile(`^name\s*=`), "Python package", 1},
	{"Cargo.toml", regexp.MustCompile(`^(?:name\s*=|members\s*=|\[workspace\]|\[\[bin\]\])`), "Cargo", 3},
	{"pom.xml", regexp.MustCompile(`<(?:artifactId|packaging|modules?)>`), "Maven", 2},
	{"build.gradle", regexp.MustCompile(`^\s*(?:id|apply plugin)`), "Gradle", 2},
	{"CMakeLists.txt", regexp.MustCompile(`(?i)^\s*(?:project|add_executable|add_library|enable_testing)\s*\(`), "CMake", 3},
	{"Makefile", regexp.MustCompile(`^(?:all|build|test|check|lint|run|install|help|bench|dev)\b[^:=]*:(?:[^=]|$)`), "make target", 6},
	{"justfile", regexp.MustCompile(`^[a-z][\w-]*.*:`), "recipe", 5},
	{"tox.ini", regexp.MustCompile(`^(?:envlist|env_list|commands)\s*=`), "tox", 2},
	{"Dockerfile", regexp.MustCompile(`^(?:CMD|ENTRYPOINT)\s`), "container", 2},
}

// buildOverview makes the report of a tree that nothing was asked about.
func (r *run) buildOverview() *report {
	rep := &report{Question: clip(r.q.text, 500)}
	for i := range r.e.readings {
		reading := &r.e.readings[i]
		if strings.HasPrefix(strings.ToLower(path.Base(reading.path)), "readme") {
			r.tellReadme(rep, reading)
		} else {
			r.tellManifest(rep, reading)
		}
	}
	if langs := r.languages(); langs != "" && len(rep.Summary) > 0 {
		rep.Summary[0].Text += " (files of code: " + langs + ")"
	}
	r.tellEntries(rep)
	r.tellPackages(rep)
	rep.Found = len(rep.Summary) > 0
	if !rep.Found {
		rep.Summary = []statement{{Text: fmt.Sprintf("Of %d entries none is a README or a manifest that these rules know.", r.e.total)}}
	} else {
		rep.Summary = rep.Summary[:min(len(rep.Summary), 3*maxStatements)]
	}
	rep.NotCovered = append([]string{"an overview by rules: counts, manifests, entry points; nothing was judged"}, r.e.gaps()...)
	if n := r.e.total; n > listLimit {
		rep.NotCovered = append(rep.NotCovered, fmt.Sprintf("counts are of the first %d of %d entries", listLimit, n))
	}
	return rep
}

// languages counts files by extension of code.
func (r *run) languages() string {
	counts := make(map[string]int)
	for p := range r.e.files {
		if isCode(p) && !vendoredPath.MatchString(p) {
			counts[strings.ToLower(path.Ext(p))]++
		}
	}
	exts := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, e := range exts[:min(len(exts), maxLanguages)] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[e], e))
	}
	return strings.Join(parts, ", ")
}

var badge = regexp.MustCompile(`^\s*(?:$|[<>\[!=~*|#:.-]|https?:|.*<\w+[ />])`)

// tellReadme quotes the first lines of prose of a README.
func (r *run) tellReadme(rep *report, in *reading) {
	fenced := false
	for i, line := range in.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced || badge.MatchString(line) || len(strings.Fields(line)) < 4 {
			continue
		}
		n := in.start + i
		end := n
		for end < in.end() && end < n+3 && !badge.MatchString(in.lines[end+1-in.start]) {
			end++
		}
		text := strings.Join(in.lines[n-in.start:end+1-in.start], " ")
		rep.Summary = append([]statement{{
			Text: fmt.Sprintf("%s says: “%s”", in.path, clip(strings.TrimSpace(text), 2*maxQuoteRunes)), Citations: []string{cite(in.path, n, end)}, Quote: quotable(line),
		}}, rep.Summary...)
		rep.Places = append(rep.Places, place{Path: in.path, Start: n, End: end, Why: "what it is", Confidence: .8})
		return
	}
}

// tellManifest quotes the lines of a manifest that say how to build, run and test.
func (r *run) tellManifest(rep *report, in *reading) {
	for _, f := range facts {
		if f.file != path.Base(in.path) && !(f.file == "Makefile" && strings.EqualFold(path.Base(in.path), "makefile")) {
			continue
		}
		var lines []string
		var cites []string
		first, last := "", 0
		for i, line := range in.lines {
			if len(lines) < f.most && f.re.MatchString(line) {
				lines = append(lines, "`"+clip(strings.TrimSpace(line), 120)+"`")
				cites = append(cites, cite(in.path, in.start+i, in.start+i))
				if first == "" {
					first, last = line, in.start+i
				}
			}
		}
		if len(lines) > 0 {
			rep.Summary = append(rep.Summary, statement{
				Text: fmt.Sprintf("%s, %s: %s", in.path, f.says, strings.Join(lines, ", ")), Citations: cites, Quote: quotable(first),
			})
			rep.Places = append(rep.Places, place{Path: in.path, Start: last, End: last, Why: f.says, Confidence: .8})
		}
	}
}

// tellEntries lists where programs begin.
func (r *run) tellEntries(rep *report) {
	n := 0
	for _, f := range r.e.sorted {
		for _, h := range f.lines {
			if n < maxEntries && f.factor == 1 {
				n++
				rep.Summary = append(rep.Summary, statement{
					Text: fmt.Sprintf("A program begins in %s: `%s`", f.path, clip(strings.TrimSpace(h.text), 120)), Citations: []string{cite(f.path, h.line, h.line)}, Quote: quotable(h.text),
				})
				rep.Places = append(rep.Places, place{Path: f.path, Start: h.line, End: h.line, Symbol: h.symbol, Why: "entry point", Confidence: .5})
			}
		}
	}
}

// tellPackages lists the directories with most code, by the largest file of each.
func (r *run) tellPackages(rep *report) {
	files, largest := make(map[string]int), make(map[string]*file)
	for _, f := range r.e.sorted {
		if !isCode(f.path) || f.factor < 1 {
			continue
		}
		dir := path.Dir(f.path)
		files[dir]++
		if l := largest[dir]; l == nil || f.size > l.size {
			largest[dir] = f
		}
	}
	dirs := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return cmp.Or(cmp.Compare(files[b], files[a]), cmp.Compare(a, b)) })
	for _, d := range dirs[:min(len(dirs), maxPackages)] {
		rep.Places = append(rep.Places, place{
			Path: largest[d].path, Start: 1, End: 1, Why: fmt.Sprintf("largest of %d files of code in %s", files[d], d), Confidence: .3,
		})
	}
}
