package overview

import "testing"

func TestDescription(t *testing.T) {
	for text, want := range map[string]string{
		`  "description": "Parses logs of all kinds.",`: "Parses logs of all kinds.",
		`description = "Parses logs"`:                   "Parses logs",
		`    <Description>Logs for .NET</Description>`:  "Logs for .NET",
		`  s.summary     = "Simple logs"`:               "Simple logs",
		`  "name": "zap",`:                              "",
		`// the description of a thing`:                 "",
	} {
		if got := Description(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Only some files speak for their folder; a random one does not.
func TestDescribes(t *testing.T) {
	for file, want := range map[string]bool{"lib/multi.c": false, "lib/vtls/vtls.c": true, "detect/files.go": true,
		"src/lib.rs": true, "core/package-info.java": true, "zap/__init__.py": true, "lib/tasks/run.ex": false, "mix.exs": false} {
		if got := Describes(file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

func TestIsAside(t *testing.T) {
	for file, want := range map[string]bool{
		"Src/Zap.Tests/Objects/A.cs": true, "zap/src/jvmTest/kotlin/A.kt": true, "zap-testing-support/src/A.kt": true,
		"bench/a.go": true, "priv/static/a.js": true, "CMake/Tests.c": true, "build.rs": true,
		"Src/Zap/A.cs": false, "src/latest/a.go": false, "contest/a.py": false, "src/build.go": false,
	} {
		if got := IsAside(file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

func TestCommandsOf(t *testing.T) {
	if CommandsOf("pom.xml") == "" || CommandsOf("src/zap.csproj") == "" || CommandsOf("README.md") != "" {
		t.Error(CommandsOf("pom.xml"), CommandsOf("src/zap.csproj"), CommandsOf("README.md"))
	}
}

// TestTestCommand: a target of the project comes before what is usual in its language.
func TestTestCommand(t *testing.T) {
	files := map[string][]string{
		"go.mod": {"module a"}, "sub/Makefile": {"build:", "test: build"}, "package.json": {`{"scripts": {"lint": "x"}}`},
	}
	lines := func(manifest string) []string { return files[manifest] }
	for _, c := range []struct {
		manifests         []string
		command, manifest string
		at                int
	}{
		{[]string{"go.mod", "sub/Makefile"}, "make test", "sub/Makefile", 1},
		{[]string{"package.json", "go.mod"}, "go test ./...", "go.mod", 0},
		{[]string{"package.json", "README.md"}, "", "", 0},
	} {
		command, manifest, at, ok := TestCommand(c.manifests, lines)
		if command != c.command || manifest != c.manifest || at != c.at || ok != (c.command != "") {
			t.Errorf("%v: %q, %q, %d, %v", c.manifests, command, manifest, at, ok)
		}
	}
}
