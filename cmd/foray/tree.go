package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/symbols"
	sourcetree "github.com/forayhq/foray/tools/tree"
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
func openRoot(dir string) (*sourcetree.Root, error) {
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
		return nil, &exit{code: exitNothing, err: errors.New(ui.Printable(dir) + " is an empty directory: there is nothing to explore"), hint: "--repo DIR"}
	}
	root, err := sourcetree.OpenRoot(dir)
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

// toolOptions say how the tools over a tree work.
type toolOptions struct{ json, allowSecrets bool }

// tools are the tools over a tree: those that read it, its ranking, and, where it is of a repository, its history.
func (t *tree) tools(o toolOptions) []tools.Tool {
	source := sourcetree.Open(t.files, &sourcetree.Options{Dir: t.dir, Symbols: t.symbols, AllowSecrets: o.allowSecrets})
	ranking := &locate.Options{JSON: o.json}
	if t.repo != nil {
		ranking.History = t.history
	}
	all := append(codebase.Tools(source, &codebase.Options{JSON: o.json}), locate.Tool(source, ranking))
	if t.repo == nil {
		return all
	}
	return append(all, t.gitTools(o)...)
}

// gitTools are the tools over the history of the tree; where there is no repository they say so.
func (t *tree) gitTools(o toolOptions) []tools.Tool {
	return gitrepo.Tools(t.repo, t.revision, &gitrepo.Options{JSON: o.json, AllowSecrets: o.allowSecrets, Dir: t.dir})
}

// history gives the commits that led to the tree to its ranking.
func (t *tree) history(ctx context.Context, commits, files int) ([]locate.Commit, error) {
	count := tools.CountProgress(ctx, "commits", 0)
	defer count.End()
	var all []locate.Commit
	for c, err := range t.repo.Log(ctx, t.revision, &gitrepo.LogOptions{Max: commits, Bodies: true, MaxFiles: files}) {
		if err != nil {
			return nil, err
		}
		count.Add(1)
		all = append(all, locate.NewCommit(c.Hash, c.Subject+"\n"+c.Body, c.Files))
	}
	return all, nil
}

// cacheVariable names the directory in which definitions are kept that were found in files; cacheOff keeps none.
const (
	cacheVariable = "FORAY_CACHE"
	cacheOff      = "off"
)

// openSymbols opens the cache of definitions. Without a directory it is in memory: a cache is a saving, not a need.
func openSymbols() *symbols.Cache {
	dir := os.Getenv(cacheVariable)
	switch dir {
	case cacheOff:
		dir = ""
	case "":
		dir, _ = symbols.UserDir() // "" where the system knows none
	}
	return symbols.OpenCache(dir, nil)
}

// commitHash is the name of a commit, in SHA-1 or SHA-256.
var commitHash = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// maxGitFile is the most that is read of a file of version control, in bytes: packed-refs of a large repository.
const maxGitFile = 32 << 20

// revision returns the commit that a directory is at, "" if it is in no repository or that cannot be told. It reads the
// repository's files itself: git would run what the repository's configuration says.
func revision(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := abs; ; at = filepath.Dir(at) {
		if git := gitDir(at); git != "" {
			return resolveHead(git)
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// gitDir returns the folder of version control of a directory: .git, or the folder that the file .git names.
func gitDir(dir string) string {
	at := filepath.Join(dir, ".git")
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return at
	}
	target, ok := strings.CutPrefix(readSmall(at), "gitdir:")
	if !ok {
		return ""
	}
	return within(dir, strings.TrimSpace(target))
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// resolveHead follows HEAD through at most a few references, loose ones first, then packed ones.
func resolveHead(git string) string {
	const depth = 5 // as git does
	common := git
	if dir := strings.TrimSpace(readSmall(filepath.Join(git, "commondir"))); dir != "" {
		common = within(git, dir)
	}
	value := strings.TrimSpace(readSmall(filepath.Join(git, "HEAD")))
	for range depth {
		ref, symbolic := strings.CutPrefix(value, "ref:")
		ref = strings.TrimSpace(ref)
		switch {
		case !symbolic && commitHash.MatchString(value):
			return value
		case !symbolic || !filepath.IsLocal(ref):
			return ""
		}
		if value = strings.TrimSpace(readSmall(filepath.Join(common, filepath.FromSlash(ref)))); value == "" {
			value = packed(readSmall(filepath.Join(common, "packed-refs")), ref)
		}
	}
	return ""
}

// packed returns what a reference is in packed-refs.
func packed(refs, ref string) string {
	for entry := range strings.Lines(refs) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(entry), " "); ok && name == ref {
			return hash
		}
	}
	return ""
}

// readSmall returns a regular file's text, "" if it cannot be read.
func readSmall(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	return string(raw)
}
