package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The files of the trees that ignore files are tried on.
var tried = []string{
	"a", "b.o", "foo", "foo bar", "foo.txt", "a b ", "dir/a", "dir/foo", "dir/sub/foo", "dir/sub/x.o", "dir/foo.txt",
	"foo.d/a", "sub/dir/foo", "sub/dir/deep/er/foo.txt", "build/out/x", "src/build/a.o", "x[y", "!bang", "#hash", `back\slash`, "é/ü.txt", "A.TXT", "-", "]",
}

// walked lists the files that a walk takes in, of a directory whose .gitignore files are given.
func walked(t testing.TB, fsys fs.FS) []string {
	t.Helper()
	var got []string
	if _, err := Open(fsys, nil).Walk(t.Context(), ".", Scope{Hidden: true}, func(n Node) error {
		if n.IsFile() && !strings.HasSuffix("/"+n.Path, "/.gitignore") {
			got = append(got, n.Path)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got
}

// gitTree makes an empty repository with the tried files, and returns a function that lists what git does not ignore.
func gitTree(t testing.TB) (dir string, list func() []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: nothing to compare with")
	}
	dir = t.TempDir()
	git := func(args ...string) []byte {
		cmd := exec.Command(
			"git",
			append([]string{"-c", "core.excludesFile=", "-c", "core.ignoreCase=false", "-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	git("init", "-q")
	for _, p := range tried {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func() []string {
		var files []string
		for p := range bytes.SplitSeq(git("ls-files", "-z", "--others", "--exclude-standard"), []byte{0}) {
			if len(p) > 0 && filepath.Base(string(p)) != ".gitignore" {
				files = append(files, string(p))
			}
		}
		slices.Sort(files)
		return files
	}
}

func TestIgnoreLikeGit(t *testing.T) {
	dir, git := gitTree(t)
	cases := []string{
		"", "foo", "/foo", "foo/", "dir/", "dir/foo", "/dir/sub", "*.o", "*.o\n!b.o", "**/foo", "dir/**", "dir/**/foo", "**/deep/**",
		"foo*", "?oo", "[fg]oo", "[!f]oo", "[^f]oo", "[a-f]", "[]]", "[[:upper:]]*", "[[:foo:]]", `\!bang`, `\#hash`, "#hash", "!bang", "foo ", `foo\ bar`, `a\ b\ `,
		"foo\r\n*.o\r\n", "\ufefffoo", "*\n!*/\n!*.txt", "build", "!build", "build\n!build/out", "src/*\n!src/build", "dir/*/foo", "*/foo", "/*", "/**/", "**", "***", "a**",
		`back\\slash`, `x\[y`, "x[y", "é", "??", "*.TXT", "sub/**/foo.txt", "**/dir", "dir//foo", "./foo", "/", "//", "[a-", `foo\`, "-", "[-]", "[a-]", "deep/er", "**foo", "foo**/a", "s*b/d*r",
	}
	for _, c := range cases {
		t.Run(c, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(c), 0o644); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(git(), walked(t, os.DirFS(dir))); diff != "" {
				t.Errorf("%q (-git +ours):\n%s", c, diff)
			}
		})
	}
}

// Random ignore files, at the root and below, mean to a walk what they mean to git.
func TestIgnoreLikeGitAtRandom(t *testing.T) {
	dir, git := gitTree(t)
	line := rapid.SliceOfN(
		rapid.SampledFrom(
			[]string{
				"foo",
				"dir",
				"sub",
				"a",
				"b",
				"o",
				"*",
				"**",
				"?",
				"/",
				"/",
				"**/",
				"/**",
				"[ab]",
				"[!a]",
				"[a-o]",
				".",
				"txt",
				"!",
				"build",
				".o",
				`\f`,
				" ",
			},
		),
		1,
		6,
	)
	file := rapid.SliceOfN(line, 0, 5)
	rapid.Check(t, func(r *rapid.T) {
		for _, at := range []string{".gitignore", "dir/.gitignore"} {
			var b strings.Builder
			for _, l := range file.Draw(r, at) {
				fmt.Fprintln(&b, strings.Join(l, ""))
			}
			if err := os.WriteFile(filepath.Join(dir, at), []byte(b.String()), 0o644); err != nil {
				r.Fatal(err)
			}
		}
		if diff := cmp.Diff(git(), walked(t, os.DirFS(dir))); diff != "" {
			r.Errorf("(-git +ours):\n%s", diff)
		}
	})
}

func TestPolicy(t *testing.T) {
	fsys := fstest.MapFS{}
	for p, body := range map[string]string{
		".gitignore": "*.log\n!keep.log\n!.shown\n", ".ignore": "!forced.log\nnoise/\n", "a.go": "", "x.log": "", "keep.log": "", "forced.log": "",
		".hidden": "", ".shown": "", "noise/a": "", "node_modules/a": "", "vendor/modules.txt": "", "vendor/a.go": "", "other/vendor/a.go": "",
		"pkg/.gitignore": "!node_modules/\n", "pkg/node_modules/a": "", ".git/config": "", "__pycache__/a.pyc": "", "venv/pyvenv.cfg": "", "build/a.go": "",
	} {
		fsys[p] = &fstest.MapFile{Data: []byte(body)}
	}
	var got []string
	skipped, err := Open(fsys, nil).Walk(t.Context(), ".", Scope{}, func(n Node) error {
		if n.IsFile() {
			got = append(got, n.Path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".shown", "a.go", "build/a.go", "forced.log", "keep.log", "other/vendor/a.go", "pkg/node_modules/a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if want := (Skipped{Ignored: 6, Hidden: 4}); skipped != want {
		t.Errorf("skipped %+v, want %+v", skipped, want)
	}
}

func FuzzWildmatch(f *testing.F) {
	f.Add("a*b", "axxb")
	f.Add("**/[!a-z]/\\?", "x/Y/?")
	f.Add("[[:alpha:]-]", "-")
	f.Add(strings.Repeat("*a", 30)+"b", strings.Repeat("a", 60))
	f.Fuzz(func(t *testing.T, pattern, name string) {
		got := wildmatch(pattern, name)
		if !strings.ContainsAny(pattern, `*?[\`) && got != (pattern == name) {
			t.Errorf("%q does not match only itself: %q", pattern, name)
		}
		if got && !strings.Contains(pattern, "**") && !strings.Contains(pattern, "[") &&
			strings.Count(pattern, "/") != strings.Count(name, "/") {
			t.Errorf("%q crosses a slash in %q", pattern, name)
		}
	})
}

// TestAliases holds names to the rules of Windows, on any system: a name that opens another file is refused there.
func TestAliases(t *testing.T) {
	for name, want := range map[string]bool{
		".env": false, "a.go": false, "..": false, ".": false, "a b": false, "~x": false,
		".env::$DATA": true, "a:b": true, "GIT~1": true, "ENV~1.LOC": true, ".env.": true, ".env ": true, ".env. .": true,
	} {
		if got := aliased(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
