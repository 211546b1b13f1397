package gitrepo_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// programs are settings that make git run a program; %s is the program.
const programs = `
[core]
	fsmonitor = %s
	hooksPath = HOOKS
	pager = %s
	editor = %s
	sshCommand = %s
	gitProxy = %s
	askPass = %s
	alternateRefsCommand = %s
	attributesFile = ATTRIBUTES
[diff]
	external = %s
	orderFile = /nonexistent/order
	submodule = diff
[diff "evil"]
	command = %s
	textconv = %s
	cachetextconv = true
[filter "evil"]
	clean = %s
	smudge = %s
	process = %s
	required = true
[merge "evil"]
	driver = %s
[pager]
	log = %s
	show = %s
	blame = %s
	diff = %s
[alias]
	log = !%s
	ls-tree = !%s
	cat-file = !%s
	rev-parse = !%s
	blame = !%s
[gpg]
	program = %s
[gpg "ssh"]
	program = %s
	defaultKeyCommand = %s
[log]
	showSignature = true
	follow = true
	decorate = full
	date = relative
[format]
	pretty = format:evil
[blame]
	ignoreRevsFile = /nonexistent/revs
	showEmail = true
[mailmap]
	file = /nonexistent/map
[credential]
	helper = !%s
[interactive]
	diffFilter = %s
[sequence]
	editor = %s
[uploadpack]
	packObjectsHook = %s
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::%s
	promisor = true
	partialclonefilter = blob:none
	uploadpack = %s
[color]
	ui = always
`

// hostile makes a repository whose configuration runs a program wherever git lets it, with two commits, a signed one among
// them, and a blob that is missing, and returns the file that the program writes.
func hostile(t *testing.T) (f *fixture, marker string) {
	f = newRepository(t)
	marker = filepath.Join(t.TempDir(), "marker")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+marker+"'\ncat\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	f.write("a.txt", "one\ntwo\n")
	f.write("sub/b.txt", "b\n")
	f.write("missing.txt", "nobody has this\n")
	f.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
	f.commit("first")
	f.write("a.txt", "one\n2\n")
	f.commit("second")
	signed := strings.Replace(f.git("cat-file", "commit", "HEAD"), "\n\nsecond", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\nsecond", 1) + "\n"
	f.git("update-ref", "refs/heads/main", f.gitWith(signed, nil, "hash-object", "-t", "commit", "-w", "--stdin"))
	missing := f.git("rev-parse", "HEAD:missing.txt")
	if err := os.Remove(filepath.Join(f.dir, ".git/objects", missing[:2], missing[2:])); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(f.dir, ".git/hooks")
	for _, name := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "pre-commit"} {
		if err := os.Symlink(program, filepath.Join(hooks, name)); err != nil {
			t.Fatal(err)
		}
	}
	config := strings.NewReplacer("%s", program, "HOOKS", hooks, "ATTRIBUTES", filepath.Join(f.dir, ".gitattributes")).Replace(programs)
	at := filepath.Join(f.dir, ".git/config")
	old, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	old = []byte(strings.Replace(string(old), "repositoryformatversion = 0", "repositoryformatversion = 1", 1))
	if err := os.WriteFile(at, append(old, config...), 0o666); err != nil {
		t.Fatal(err)
	}
	return f, marker
}

func TestNothingOfARepositoryIsRun(t *testing.T) {
	f, marker := hostile(t)
	t.Setenv("GIT_DIR", "/nonexistent")
	t.Setenv("GIT_EXTERNAL_DIFF", marker)
	t.Setenv("GIT_TRACE2_EVENT", marker)
	t.Setenv("GIT_TRACE", marker)
	tree := f.tree("HEAD")
	if text, err := fs.ReadFile(tree, "a.txt"); err != nil || string(text) != "one\n2\n" {
		t.Errorf("a.txt is %q, %v", text, err)
	}
	if _, err := fs.ReadFile(tree, "missing.txt"); !errors.Is(err, sourcetree.ErrAbsent) {
		t.Errorf("missing.txt: %v, want ErrAbsent", err)
	}
	for c, err := range f.open().Log(t.Context(), "", &gitrepo.LogOptions{MaxFiles: 10, Bodies: true}) {
		if err != nil {
			t.Error(err)
		}
		if c.Author != "Ann Author" || c.Subject != "first" && c.Subject != "second" {
			t.Errorf("commit %+v", c)
		}
	}
	for _, c := range []struct{ tool, args, want string }{
		{"git_log", `{}`, "second"},
		{"git_log", `{"path":"a.txt"}`, "second"},
		{"git_log", `{"path":"a.txt","start_line":2}`, "2 of 2 commits"},
		{"git_log", `{"pickaxe":"two","path":"a.txt"}`, "second"},
		{"git_log", `{"query":"FIRST"}`, "first"},
		{"git_show", `{}`, "-two\n+2\n"},
		{"git_show", `{"rev":"HEAD~1","path":"a.txt"}`, "two"},
		{"git_blame", `{"path":"a.txt"}`, "second"},
		{"git_show", `{"path":"missing.txt"}`, "the repository lacks the content of"},
		{"git_show", `{"rev":"HEAD~1"}`, "outside of this session"}, // the diff needs what is missing
		{"git_show", `{"rev":"--output=` + marker + `"}`, `begins with "-"`},
		{"git_log", `{"rev":"--output=` + marker + `"}`, `begins with "-"`},
		{"git_blame", `{"path":"a.txt","rev":"--contents=/etc/passwd"}`, `begins with "-"`},
		{"git_log", `{"path":"--output=` + marker + `"}`, "does not exist"},
		{"git_log", `{"path":"a.txt","pickaxe":"--output=` + marker + `"}`, "no commit"},
		{"git_log", `{"query":"--output=` + marker + `"}`, "no commit"},
		{"git_log", `{"path":":(glob)**"}`, "does not exist"},
	} {
		if got := call(t, f.open(), nil, c.tool, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: got %q, want %q in it", c.tool, c.args, got, c.want)
		}
	}
	if did, err := os.ReadFile(marker); err == nil {
		t.Errorf("programs of the repository were run:\n%s", did)
	}
	// The settings do run programs, where nothing keeps them from it: else this test would show nothing.
	f.gitLoose("-c", "diff.orderFile="+os.DevNull, "log", "-p", "-1")
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("plain git runs none of the programs: %v", err)
	}
}

// TestSettingsOfOutput: settings that a repository may well have must not change what is understood of git's output.
func TestSettingsOfOutput(t *testing.T) {
	f := newRepository(t)
	f.write("a.py", "def f():\n\n    return 1\n")
	f.commit("first")
	f.write("a.py", "def f():\n\n    return 2\n")
	f.commit("second")
	for _, setting := range [][]string{{"core.worktree", f.dir}, {"diff.relative", "true"}, {"diff.suppressBlankEmpty", "true"}, {"log.showRoot", "false"}} {
		f.git("config", setting[0], setting[1])
		for _, c := range []struct{ tool, args, want string }{
			{"git_log", `{}`, "  a.py\n2 of 2 commits"},
			{"git_log", `{"path":"a.py"}`, "2 of 2 commits"},
			{"git_log", `{"path":"a.py","symbol":"f"}`, "2 of 2 commits that touch a.py:1-3"},
			{"git_log", `{"path":"a.py","pickaxe":"return 1"}`, "2 of 2 commits"},
			{"git_log", `{"pickaxe":"def f"}`, "first"},
			{"git_show", `{}`, " def f():\n \n-    return 1\n"},
			{"git_blame", `{"path":"a.py"}`, "lines 1-3 of 3"},
		} {
			if got := call(t, f.open(), nil, c.tool, c.args); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s %s: want %q in\n%s", setting[0], c.tool, c.args, c.want, got)
			}
		}
		f.git("config", "--unset", setting[0])
	}
}

// call runs a tool as an agent does; a problem is rendered as its text.
func call(t testing.TB, repo *gitrepo.Repo, o *gitrepo.Options, name, args string) string {
	t.Helper()
	set, err := tools.NewSet(gitrepo.Tools(repo, "", o)...)
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := set.Lookup(name)
	if !ok {
		t.Fatalf("no tool %q", name)
	}
	if err := set.Validate(name, json.RawMessage(args)); err != nil {
		return err.Error()
	}
	v, err := tool.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		return err.Error()
	}
	_, text := tools.Render(v)
	return text
}
