package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// whole is a module that compiles everywhere, with a file for each kind of system.
var whole = map[string]string{
	"go.mod":          "module example.com/p\ngo 1.26\n",
	"p.go":            "package p\nfunc P() { lock() }\n",
	"lock_windows.go": "package p\nimport \"syscall\"\nfunc lock() { _ = syscall.Handle(0) }\n",
	"lock_other.go":   "//go:build !windows\npackage p\nimport \"syscall\"\nfunc lock() { _ = syscall.Flock }\n",
	"p_test.go":       "package p\nvar Inner = 1\n",
	"x_test.go":       "package p_test\nimport \"example.com/p\"\nvar _ = p.Inner\n",
}

// broken are files in place of those of whole.
var broken = map[string]string{
	"p.go":            "package p\nimport (\n\"os\"\n\"syscall\"\n)\nfunc P() { lock(); _ = syscall.Kill(1, 9) }\n",
	"lock_windows.go": "package p\nfunc lock() { syscal.Open() }\n",
	"lock_other.go":   "//go:build !windows\npackage p\nfunc lock() int { return \"\" }\n",
	"p_test.go":       "package p\nimport \"syscall\"\nvar Inner = syscall.Rlimit{}\n",
	"x_test.go":       "package p_test\nimport \"example.com/p\"\nvar _ = p.Gone\n",
}

// TestCheck finds what does not compile or pass vet on a system in files for it, in files for all and in tests, and only that.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    map[string]string
		platform string
		want     []string
	}{
		{"whole", nil, "windows/amd64", nil},
		{"whole", nil, "darwin/arm64", nil},
		{"broken", broken, "windows/amd64", []string{"lock_windows.go:2:15: undefined: syscal", "undefined: syscall.Kill",
			"p_test.go:3:21: undefined: syscall.Rlimit", "undefined: p.Gone", `"os" imported and not used`}},
		{"broken", broken, "darwin/arm64", []string{"lock_other.go:3:26: cannot use", "undefined: p.Gone", `"os" imported and not used`}},
		{"no file", map[string]string{"lock_windows.go": "package p\n"}, "windows/amd64", []string{"p.go:2:12: undefined: lock"}},
		{"no package", map[string]string{"p.go": "package p\nimport _ \"example.com/p/none\"\n"}, "windows/amd64", []string{"none"}},
		{"not vetted", map[string]string{"lock_windows.go": "package p\nimport \"fmt\"\nfunc lock() { fmt.Printf(\"%d\") }\n"},
			"windows/amd64", []string{"lock_windows.go:3:27: fmt.Printf format %d reads arg #1"}},
		{"no platform", nil, "windows", []string{"OS/ARCHITECTURE"}},
	} {
		dir, files := t.TempDir(), maps.Clone(whole)
		maps.Copy(files, c.files)
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, errs := check(dir, c.platform)
		said := ""
		if err := errors.Join(errs...); err != nil {
			said = err.Error()
		}
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s on %s: no %q in\n%s", c.name, c.platform, want, said)
			}
		}
		if n := strings.Count(said, "imported and not used"); n > 1 {
			t.Errorf("%s on %s: an error is printed %d times", c.name, c.platform, n)
		}
		if c.want == nil && said != "" || c.platform == "darwin/arm64" && strings.Contains(said, "undefined: sys") {
			t.Errorf("%s on %s: %s", c.name, c.platform, said)
		}
	}
}
