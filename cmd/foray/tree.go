package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/symbols"
)

// A tree is what a session reads: a directory as it is now, or the files of a repository at a revision.
type tree struct {
	files    fs.FS
	dir      string        // absolute path of what was opened
	revision string        // the commit; "" if there is none
	repo     *gitrepo.Repo // nil: no repository, or none that git can read
	symbols  *symbols.Cache
	release  func() error
}

// FS is the files.
func (t *tree) FS() fs.FS { return t.files }

// Dir is the absolute path of the directory that was opened.
func (t *tree) Dir() string { return t.dir }

// Close releases the tree, and keeps the definitions that were found. That these cannot be kept is no error.
func (t *tree) Close() error {
	_ = t.symbols.Close()
	return t.release()
}

// openTree opens the directory to explore: the files as they are or, with a revision or where the directory is a
// repository without files, those of the revision, "" for HEAD.
func openTree(ctx context.Context, dir, rev string) (*tree, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		repo = nil
	}
	if rev == "" && (repo == nil || !repo.Bare) && ctx.Err() == nil {
		return &tree{files: root.FS(), dir: root.Dir(), revision: revision(dir), repo: repo, symbols: openSymbols(), release: root.Close}, nil
	}
	at := root.Dir()
	if closed := root.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, noTree(err, dir)
	}
	files, err := repo.Tree(ctx, rev)
	if err != nil {
		return nil, noTree(err, dir)
	}
	return &tree{files: files, dir: at, revision: files.Commit(), repo: repo, symbols: openSymbols(), release: files.Close}, nil
}

// noTree says why there is no tree at a revision. What can be tried is a revision.
func noTree(err error, dir string) error {
	problem := (*tools.Problem)(nil)
	if !errors.As(err, &problem) {
		return refused(err)
	}
	switch problem.Code {
	case "unknown_revision", "bad_revision":
		near, _, _ := strings.Cut(problem.Try, ",")
		if strings.Contains(near, " ") {
			near = "HEAD"
		}
		return usage("--rev "+near, "%s", problem.Message)
	case "not_a_repository":
		return usage("--repo "+quote(dir)+", without --rev", "%q is in no git repository", dir)
	}
	return refused(err)
}

// openRoot opens the directory to explore, or says in one sentence why that cannot be.
func openRoot(dir string) (*codebase.Root, error) {
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return nil, usage("--repo .", "--repo is empty")
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage(nearDir(dir), "there is no directory %q", dir)
	case errors.Is(err, fs.ErrPermission):
		return nil, usage("ls -ld "+quote(dir), "%q may not be read", dir)
	case err != nil:
		return nil, usage("--repo .", "%q cannot be opened", dir)
	case !info.IsDir():
		return nil, usage("--repo "+quote(filepath.Dir(dir)), "%q is a file, not a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return nil, usage("ls -ld "+quote(dir), "%q may not be read", dir)
	case len(entries) == 0:
		return nil, &exit{code: exitNothing, err: errors.New(printable(dir) + " is an empty directory: there is nothing to explore"), hint: "--repo DIR"}
	}
	root, err := codebase.OpenRoot(dir)
	if err != nil {
		return nil, usage("ls -ld "+quote(dir), "%v", err)
	}
	return root, nil
}

// nearDir is a hint for a directory that does not exist: the name beside it that is closest.
func nearDir(dir string) string {
	parent := filepath.Dir(filepath.Clean(dir))
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "--repo ."
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	base := filepath.Base(dir)
	if near := nearest(base, names); near != "" && strings.EqualFold(near[:1], base[:1]) {
		return "--repo " + quote(filepath.Join(parent, near))
	}
	return "--repo ."
}
