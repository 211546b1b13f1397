package gitrepo_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// BenchmarkTree measures the tree of HEAD of the repository in FORAY_REPO against a checkout of it: opening, a search by
// the tools in both, and reading every file in both, on one goroutine.
func BenchmarkTree(b *testing.B) {
	repo, err := gitrepo.Open(b.Context(), repositoryOf(b))
	if err != nil {
		b.Fatal(err)
	}
	open := func() *gitrepo.Tree {
		tree, err := repo.Tree(b.Context(), "HEAD")
		if err != nil {
			b.Fatal(err)
		}
		return tree
	}
	dir := b.TempDir()
	if out, err := exec.Command("sh", "-c", "git --git-dir=\"$0\" archive HEAD | tar x -C \"$1\"", gitDirOf(b), dir).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	root, err := sourcetree.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	tree := open()
	defer tree.Close()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			_ = open().Close()
		}
	})
	for _, in := range []struct {
		name string
		fsys fs.FS
	}{{"tree", tree}, {"directory", root.FS()}} {
		b.Run("search/"+in.name, func(b *testing.B) { benchSearch(b, in.fsys) })
		b.Run("read/"+in.name, func(b *testing.B) { benchRead(b, in.fsys) })
	}
}

func repositoryOf(b *testing.B) string {
	dir := os.Getenv("FORAY_REPO")
	if dir == "" {
		b.Skip("FORAY_REPO names no repository")
	}
	return dir
}

func gitDirOf(b *testing.B) string {
	out, err := exec.Command("git", "-C", repositoryOf(b), "rev-parse", "--absolute-git-dir").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func benchSearch(b *testing.B, fsys fs.FS) {
	set, err := tools.NewSet(codebase.Tools(sourcetree.Open(fsys, nil), nil)...)
	if err != nil {
		b.Fatal(err)
	}
	search, _ := set.Lookup("search")
	for b.Loop() {
		v, err := search.Call(context.Background(), json.RawMessage(`{"pattern":"get_queryset","mode":"count"}`))
		if err != nil {
			b.Fatal(err)
		}
		if r := v.(*codebase.SearchResult); r.Hits == 0 && filepath.Base(gitDirOf(b)) == "django" {
			b.Fatal("no hit")
		}
	}
}

func benchRead(b *testing.B, fsys fs.FS) {
	for b.Loop() {
		n := int64(0)
		err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := fs.ReadFile(fsys, p)
			n += int64(len(data))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(n)
	}
}

// BenchmarkLog reads the whole history of HEAD of the repository in FORAY_REPO, without and with the files of each commit.
func BenchmarkLog(b *testing.B) {
	repo, err := gitrepo.Open(b.Context(), repositoryOf(b))
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]*gitrepo.LogOptions{"messages": {Bodies: true}, "files": {Bodies: true, MaxFiles: 50}} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = 0
				for _, err := range repo.Log(b.Context(), "HEAD", o) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
			b.ReportMetric(float64(n), "commits")
		})
	}
}
