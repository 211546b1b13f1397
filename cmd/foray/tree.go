package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/tools/codebase"
)

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
