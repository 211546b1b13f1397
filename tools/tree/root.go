package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Root is an open directory. No path or link in its file system leads out of it.
type Root struct {
	root *os.Root
	dir  string
}

// OpenRoot opens the directory dir. The caller closes the root after the last use of its file system.
func OpenRoot(dir string) (*Root, error) {
	if dir == "" {
		return nil, errors.New("no directory given as root")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("root %q does not exist", dir)
	case err != nil:
		return nil, fmt.Errorf("opening root %q: %w", dir, err)
	case !info.IsDir():
		return nil, fmt.Errorf("root %q is a file, not a directory", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening root %q: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("opening root %q: %w", dir, err)
	}
	return &Root{root, abs}, nil
}

// FS returns the file system below the root. A [Tree] over it also accepts absolute paths below Dir.
func (r *Root) FS() fs.FS {
	all, ok := r.root.FS().(fullFS)
	if !ok {
		return r.root.FS()
	}
	return rootFS{all, r}
}

// Dir returns the absolute path of the root.
func (r *Root) Dir() string { return r.dir }

// Close releases the directory.
func (r *Root) Close() error { return r.root.Close() }

// fullFS is the interface that the file system of an [os.Root] implements.
type fullFS interface {
	fs.StatFS
	fs.ReadDirFS
	fs.ReadFileFS
	fs.ReadLinkFS
}

type rootFS struct {
	fullFS
	root *Root
}
