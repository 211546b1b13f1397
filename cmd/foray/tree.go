package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
)

// openTree opens the directory to explore: the files as they are or, with a revision or where the directory is a
// repository without files, those of the revision, "" for HEAD.
func openTree(ctx context.Context, dir, rev string, secrets bool) (*guide.Tree, error) {
	if err := checkRoot(dir); err != nil {
		return nil, err
	}
	t, err := guide.Open(ctx, dir, rev)
	switch problem := (*tools.Problem)(nil); {
	case err == nil:
		t.Symbols, t.AllowSecrets = openSymbols(), secrets
		return t, nil
	case rev == "" && !errors.As(err, &problem) && ctx.Err() == nil:
		return nil, usage("ls -ld "+quote(dir), "%v", err)
	}
	return nil, noTree(err, dir)
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

// checkRoot says in one sentence why a directory cannot be explored.
func checkRoot(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return usage("--repo .", "--repo is empty")
	case errors.Is(err, fs.ErrNotExist):
		return usage(nearDir(dir), "there is no directory %q", dir)
	case errors.Is(err, fs.ErrPermission):
		return usage("ls -ld "+quote(dir), "%q may not be read", dir)
	case err != nil:
		return usage("--repo .", "%q cannot be opened", dir)
	case !info.IsDir():
		return usage("--repo "+quote(filepath.Dir(dir)), "%q is a file, not a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return usage("ls -ld "+quote(dir), "%q may not be read", dir)
	case len(entries) == 0:
		return &exit{code: exitNothing, err: errors.New(ui.Printable(dir) + " is an empty directory: there is nothing to explore"), hint: "--repo DIR"}
	}
	return nil
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
