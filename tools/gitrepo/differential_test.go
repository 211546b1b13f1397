package gitrepo_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/tools/gitrepo"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// storied makes a repository with a bit of everything in its history: renames, a merge, modes, links, odd names, binaries,
// messages in another encoding, files that come and go.
func storied(t testing.TB) *fixture {
	f := newRepository(t)
	day := 0
	commit := func(message string) {
		day++
		date := fmt.Sprintf("GIT_COMMITTER_DATE=2024-03-%02dT12:00:00Z", day)
		f.git("add", "-A")
		f.gitWith("", []string{date}, "commit", "-q", "-m", message)
	}
	f.write("src/cart.py", "class Cart:\n    def total(self):\n        return sum(self.items)\n\n    def clear(self):\n        self.items = []\n")
	f.write("README.md", "# Shop\n\nWords.\n")
	f.write(".gitignore", "*.log\n")
	f.write("data.bin", "\x00\x01\x02")
	commit("Add the cart\n\nIt holds items.\n\nSigned-off-by: Ann Author <ann@example.com>")
	f.write("src/cart.py", "class Cart:\n    def total(self, tax):\n        return sum(self.items) * (1 + tax)\n\n    def clear(self):\n        self.items = []\n")
	f.write("weird name\twith tab.txt", "x\n")
	f.write("caf\u00e9/\"quoted\".txt", "y\n")
	commit("Tax the total")
	f.git("mv", "src/cart.py", "src/basket.py")
	if err := os.Chmod(f.dir+"/README.md", 0o755); err != nil {
		t.Fatal(err)
	}
	f.link("src/basket.py", "latest.py")
	commit("Call it a basket")
	f.git("checkout", "-q", "-b", "side", "HEAD~1")
	f.write("side.txt", "one\ntwo\nthree\n")
	commit("Side: café")
	f.git("checkout", "-q", "main")
	f.gitWith("", []string{"GIT_COMMITTER_DATE=2024-03-09T12:00:00Z"}, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
	day = 10
	f.write("README.md", "# Shop\r\n\r\nOther words.\nno end")
	f.git("rm", "-q", "data.bin")
	commit("Rewrite the README; empty-handed")
	f.gitWith("", []string{"GIT_COMMITTER_DATE=2024-03-20T12:00:00Z"}, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-m", "Caf\xe9 in Latin 1")
	return f
}

// TestTreeIsTheCheckout compares what a directory and the tree hold, and what every tool says of them.
func TestTreeIsTheCheckout(t *testing.T) {
	f := storied(t)
	f.write("bad\xffname.txt", "z\n")
	f.write(".env", "PASSWORD=x\n")
	f.commit("more")
	root, err := sourcetree.OpenRoot(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree := f.tree("main")
	type entry struct{ Path, Mode, Text string }
	list := func(fsys fs.FS) (all []entry) {
		err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
			switch {
			case d != nil && d.Name() == ".git":
				return fs.SkipDir
			case !fs.ValidPath(p):
				all = append(all, entry{p, "", ""})
				return nil
			case err != nil:
				return err
			}
			e := entry{Path: p, Mode: d.Type().String()}
			if info, err := d.Info(); err != nil {
				return err
			} else if d.Type().IsRegular() {
				text, err := fs.ReadFile(fsys, p)
				if err != nil || info.Size() != int64(len(text)) {
					return fmt.Errorf("%s: %d bytes of %d, %w", p, len(text), info.Size(), err)
				}
				e.Text, e.Mode = string(text), fmt.Sprint(info.Mode()&0o111 != 0)
			}
			all = append(all, e)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(list(root.FS()), list(tree)); diff != "" {
		t.Errorf("(-directory +tree):\n%s", diff)
	}
	for _, c := range []struct{ tool, args string }{
		{"list_dir", `{"depth":6}`}, {"list_dir", `{"include_ignored":true}`}, {"glob", `{"pattern":"**"}`}, {"search", `{"pattern":"total|words|y"}`},
		{"search", `{"pattern":"nothing at all"}`}, {"read_file", `{"path":"latest.py"}`}, {"read_file", `{"path":"README.md"}`}, {"read_file", `{"path":"src"}`},
		{"read_file", `{"path":".env"}`}, {"read_file", `{"path":"src/basket.px"}`}, {"read_file", `{"path":"src/basket.py","symbol":"Cart.total"}`}, {"outline", `{"path":"src"}`},
	} {
		want, got := codebaseCall(t, root.FS(), c.tool, c.args), codebaseCall(t, tree, c.tool, c.args)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-directory +tree):\n%s", c.tool, c.args, diff)
		}
	}
}

// TestHashesAreGits compares the names of objects with those that git says.
func TestHashesAreGits(t *testing.T) {
	f := storied(t)
	tree := f.tree("main")
	if tree.Commit() != f.git("rev-parse", "main") {
		t.Errorf("commit %s", tree.Commit())
	}
	for row := range strings.SplitSeq(strings.TrimSuffix(f.git("ls-tree", "-r", "-t", "-z", "main"), "\x00"), "\x00") {
		head, name, _ := strings.Cut(row, "\t")
		want := strings.Fields(head)[2]
		got, ok := tree.Hash(name)
		info, err := fs.Lstat(tree, name)
		if !ok || got != want || err != nil || info.Sys() != want || !info.ModTime().Equal(tree.Time()) {
			t.Errorf("%q: %s, %t, %v; want %s", name, got, ok, err, want)
		}
	}
	if _, ok := tree.Hash("none"); ok {
		t.Error("a path that is not there has a hash")
	}
}

// TestLogIsGits compares Log under every option with git's own output.
func TestLogIsGits(t *testing.T) {
	f := storied(t)
	repo := f.open()
	for name, c := range map[string]struct {
		o    gitrepo.LogOptions
		args []string
	}{
		"all":       {gitrepo.LogOptions{Bodies: true, MaxFiles: 100}, nil},
		"bounded":   {gitrepo.LogOptions{Max: 3}, []string{"-3"}},
		"path":      {gitrepo.LogOptions{Paths: []string{"src"}, MaxFiles: 100}, []string{"--", "src"}},
		"gone":      {gitrepo.LogOptions{Paths: []string{"data.bin"}}, []string{"--", "data.bin"}},
		"odd name":  {gitrepo.LogOptions{Paths: []string{"weird name\twith tab.txt"}}, []string{"--", "weird name\twith tab.txt"}},
		"followed":  {gitrepo.LogOptions{Paths: []string{"src/basket.py"}, Follow: true}, []string{"--follow", "--", "src/basket.py"}},
		"words":     {gitrepo.LogOptions{Words: []string{"THE", "total"}}, []string{"-i", "-F", "--all-match", "--grep=the", "--grep=total"}},
		"pickaxe":   {gitrepo.LogOptions{Pickaxe: "1 + tax"}, []string{"-S1 + tax"}},
		"lines":     {gitrepo.LogOptions{Paths: []string{"src/basket.py"}, Lines: [2]int{2, 3}}, []string{"-s", "-L2,3:src/basket.py"}},
		"since":     {gitrepo.LogOptions{Since: f.tree("main~1").Time()}, []string{"--since=2024-03-11T12:00:00Z"}},
		"until":     {gitrepo.LogOptions{Until: f.tree("main~2").Time()}, []string{"--until=2024-03-09T12:00:00Z"}},
		"no answer": {gitrepo.LogOptions{Words: []string{"nowhere"}}, []string{"--grep=nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for c, err := range repo.Log(t.Context(), "main", &c.o) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s %s %d %s %s", c.Hash, strings.Join(c.Parents, ","), c.Time.Unix(), c.Author, c.Subject))
				if c.Body != "" && !strings.Contains(f.git("log", "-1", "--format=%b", c.Hash), c.Body) {
					t.Errorf("body %q", c.Body)
				}
				if want := strings.Split(strings.TrimSuffix(f.git("diff-tree", "-z", "--root", "--no-commit-id", "-r", "--name-only", c.Hash), "\x00"), "\x00"); name == "all" && len(c.Parents) < 2 {
					if slices.Equal(want, []string{""}) {
						want = nil
					}
					if diff := cmp.Diff(want, c.Files); diff != "" {
						t.Errorf("files of %q (-git +ours):\n%s", c.Subject, diff)
					}
				}
			}
			args := append([]string{"log", "--format=%H %P %ct %an %s", "--encoding=UTF-8"}, slices.Insert(slices.Clone(c.args), max(slices.Index(c.args, "--"), 0), "main")...)
			want := strings.Split(regexp.MustCompile(`([0-9a-f]{40}) ([0-9a-f]{40}) `).ReplaceAllString(f.git(args...), "$1 $2 "), "\n")
			for i := range want { // two parents are parted by a blank there
				want[i] = regexp.MustCompile(`^([0-9a-f]{40} [0-9a-f]{40}) ([0-9a-f]{40})`).ReplaceAllString(want[i], "$1,$2")
			}
			if slices.Equal(want, []string{""}) {
				want = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-git +ours):\n%s", diff)
			}
			if len(want) == 0 && name != "no answer" {
				t.Error("the case shows nothing")
			}
		})
	}
}

// TestShowIsGits compares the diff of each commit with that of git, and the numbers of lines with what the diff holds.
func TestShowIsGits(t *testing.T) {
	f := storied(t)
	for hash := range strings.SplitSeq(f.git("rev-list", "--max-parents=1", "main"), "\n") {
		text := call(t, f.open(), nil, "git_show", `{"rev":"`+hash+`"}`)
		_, got, _ := strings.Cut(text, "\ndiff --git ")
		_, want, _ := strings.Cut("\n"+f.git("diff-tree", "--root", "-p", "-M", "--no-commit-id", "-r", "--abbrev=10", hash), "\ndiff --git ")
		if diff := cmp.Diff(want, strings.TrimSuffix(strings.ReplaceAll(got, "\ufffd", "?"), "\n")); diff != "" {
			t.Errorf("%s (-git +ours):\n%s", hash, diff)
		}
		stat := f.git("diff-tree", "--root", "-M", "--no-commit-id", "-r", "--shortstat", hash)
		if n := regexp.MustCompile(`(\d+) files? changed`).FindStringSubmatch(stat); n != nil && !strings.Contains(text, "\n"+n[1]+" of "+n[1]+" files\n") {
			t.Errorf("%s: want %s files:\n%s", hash, n[1], text)
		}
	}
	if text := call(t, f.open(), nil, "git_show", `{"rev":"main~2"}`); !strings.Contains(text, "a merge of 2 parents; the diff is against the first") || !strings.Contains(text, "side.txt +3 -0 (added)") {
		t.Errorf("a merge: %s", text)
	}
	if text := call(t, f.open(), nil, "git_show", `{"rev":"main~3"}`); !strings.Contains(text, "src/basket.py +0 -0 (renamed from src/cart.py)") {
		t.Errorf("a rename: %s", text)
	}
}

// TestBlameIsGits compares each line with git blame --line-porcelain.
func TestBlameIsGits(t *testing.T) {
	f := storied(t)
	for _, name := range []string{"src/basket.py", "README.md", "side.txt", "weird name\\twith tab.txt", "caf\u00e9/\\\"quoted\\\".txt", "latest.py"} {
		text := call(t, f.open(), nil, "git_blame", `{"path":"`+name+`"}`)
		plain := strings.NewReplacer(`\t`, "\t", `\"`, `"`, "latest.py", "src/basket.py").Replace(name)
		var want, got []string
		hash := ""
		for line := range strings.SplitSeq(f.git("blame", "--line-porcelain", "main", "--", plain), "\n") {
			if regexp.MustCompile(`^[0-9a-f]{40} `).MatchString(line) {
				hash = line[:10]
			}
			if strings.HasPrefix(line, "\t") {
				want = append(want, hash+" "+strings.TrimRight(line[1:], "\r"))
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if regexp.MustCompile(`^[0-9a-f]{10} `).MatchString(line) {
				hash = line[:10]
			}
			if _, body, ok := strings.Cut(line, "│ "); ok {
				got = append(got, hash+" "+body)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-git +ours):\n%s\n%s", name, diff, text)
		}
	}
	if text := call(t, f.open(), nil, "git_blame", `{"path":"src/basket.py","symbol":"Cart.total"}`); !strings.Contains(text, "lines 2-3 of 6 at ") {
		t.Errorf("of a symbol: %s", text)
	}
}
