package overview

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// DescriptionPatterns match the lines of manifests that describe a package, and DescriptionFiles the manifests.
var (
	DescriptionPatterns = []string{
		`^\s*"description":\s*"[^"]{12,}"`, `^description\s*=\s*"[^"]{12,}"`, `<Description>[^<]{12,}</Description>`,
		`\.summary\s*=\s*["'][^"']{12,}`,
	}
	DescriptionFiles = []string{"**/package.json", "**/Cargo.toml", "**/*.csproj", "**/*.nuspec", "**/*.gemspec"}
)

var description = lazyregexp.New(`^\s*"description":\s*"([^"]+)"|^description\s*=\s*"([^"]+)"|` +
	`<Description>([^<]+)</Description>|\.summary\s*=\s*["']([^"']+)`)

// Description returns the text of a line that describes a package, or "" for another line.
func Description(line string) string {
	m := description.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(cmp.Or(m[1:]...))
}

// Describes reports whether the comment at the head of a file documents its folder, by the conventions of the
// languages: any file of a Go package may, elsewhere one with a certain name or that of the folder.
func Describes(file string) bool {
	name, _, _ := strings.Cut(path.Base(file), ".")
	return path.Ext(file) == ".go" || heads[path.Base(file)] || strings.EqualFold(name, path.Base(path.Dir(file)))
}

var heads = set(`doc.go package-info.java __init__.py lib.rs mod.rs mod.ts index.ts index.js index.mjs
	main.rs main.py main.c`)

// A command builds or tests a project whose manifest says no more than its kind.
type command struct{ manifest, says string }

var commands = []command{
	{"go.mod", "`go build ./...` builds a Go module, `go test ./...` tests it"},
	{"Cargo.toml", "`cargo build` builds a Rust package, `cargo test` tests it"},
	{"pom.xml", "`mvn verify` builds and tests a Maven project"},
	{"settings.gradle.kts", "`./gradlew build` builds and tests a Gradle project"},
	{"settings.gradle", "`./gradlew build` builds and tests a Gradle project"},
	{"build.gradle.kts", "`./gradlew build` builds and tests a Gradle project"},
	{"build.gradle", "`./gradlew build` builds and tests a Gradle project"},
	{"mix.exs", "`mix deps.get` and `mix compile` build a Mix project, `mix test` tests it"},
	{"CMakeLists.txt", "`cmake -B build` and `cmake --build build` build a CMake project, " +
		"`ctest --test-dir build` tests it"},
	{"meson.build", "`meson setup build` and `meson compile -C build` build a Meson project, " +
		"`meson test -C build` tests it"},
	{"Package.swift", "`swift build` builds a Swift package, `swift test` tests it"},
	{"build.sbt", "`sbt compile` builds a Scala project, `sbt test` tests it"},
	{".csproj", "`dotnet build` builds a .NET project, `dotnet test` tests it"},
	{"configure.ac", "`./configure` and `make` build an Autotools project, `make check` tests it"},
}

// CommandsOf returns how a project with a manifest is usually built and tested, or "".
func CommandsOf(manifest string) string {
	for _, c := range commands {
		if c.manifest == path.Base(manifest) || c.manifest == path.Ext(manifest) {
			return c.says
		}
	}
	return ""
}

// testCommands say how a project is tested whose manifest has a line, the surest first: what a project says of itself
// before what is usual in its language.
var testCommands = []struct {
	manifest string
	line     *lazyregexp.Regexp
	command  string
}{
	{"package.json", lazyregexp.New(`^\s*"test":\s*"`), "npm test"},
	{"composer.json", lazyregexp.New(`^\s*"test":`), "composer test"},
	{"Makefile", lazyregexp.New(`^test\s*:`), "make test"},
	{"Makefile", lazyregexp.New(`^check\s*:`), "make check"},
	{"justfile", lazyregexp.New(`^test\b[^:=]*:`), "just test"},
	{"tox.ini", lazyregexp.New(`^\[testenv\]`), "tox"},
	{"noxfile.py", lazyregexp.New(`^def tests?\b`), "nox"},
	{"pyproject.toml", lazyregexp.New(`^\[tool\.pytest`), "pytest"},
	{"setup.cfg", lazyregexp.New(`^\[tool:pytest\]`), "pytest"},
	{"go.mod", lazyregexp.New(`^module\s`), "go test ./..."},
	{"Cargo.toml", lazyregexp.New(`^\[(?:package|workspace)\]`), "cargo test"},
	{"mix.exs", lazyregexp.New(`^defmodule\s`), "mix test"},
	{"pom.xml", lazyregexp.New(`<project\b`), "mvn test"},
	{"settings.gradle.kts", lazyregexp.New(`\S`), "./gradlew test"},
	{"settings.gradle", lazyregexp.New(`\S`), "./gradlew test"},
	{"Gemfile", lazyregexp.New(`^\s*gem ["']rspec`), "bundle exec rspec"},
	{"Package.swift", lazyregexp.New(`\btestTarget\b`), "swift test"},
	{"build.sbt", lazyregexp.New(`\S`), "sbt test"},
}

// TestCommand returns the command that tests a project, the manifest that says so, and the index of the line. It
// reports false if none of the manifests does. Lines returns those of a manifest.
func TestCommand(manifests []string, lines func(string) []string) (command, manifest string, at int, ok bool) {
	for _, c := range testCommands {
		for _, m := range manifests {
			if !strings.EqualFold(c.manifest, path.Base(m)) {
				continue
			}
			if at := slices.IndexFunc(lines(m), c.line.MatchString); at >= 0 {
				return c.command, m, at, true
			}
		}
	}
	return "", "", 0, false
}

var (
	aside = lazyregexp.New(`(?i)(?:^|/)(?:bench(?:es|marks?)?|_?examples?|demos?|dts-tests?|metrics|treeshake|scripts|` +
		`tools?/ci|\.github|locales?|i18n|migrations|priv/static|cmake|build\.rs)(?:/|$)`)
	testFolder = lazyregexp.New(`(?:^|/)(?:[\w.-]*[a-z.]Tests?|[\w.-]*[-_.]tests?|[\w.-]+-testing[\w-]*)/`)
)

// IsAside reports whether a file is beside the product: benchmarks, scripts, locales, migrations, and tests in folders
// that only some languages have.
func IsAside(file string) bool { return aside.MatchString(file) || testFolder.MatchString(file) }
