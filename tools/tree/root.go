package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Root is a directory that is open for the tools. Whatever path is asked of its file system, no link leads out of it.
type Root struct {
	root *os.Root
	dir  string
}

// OpenRoot opens the directory dir. It is an error when dir is missing, not a directory, or may not be read. The caller
// closes the root when no tool is in use any more.
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

// FS is what is below the root, for Tools. Absolute paths below Dir are taken as relative by the tools over it.
func (r *Root) FS() fs.FS {
	all, ok := r.root.FS().(fullFS)
	if !ok {
		return r.root.FS()
	}
	return rootFS{all, r}
}

// Dir is the absolute path of the root.
func (r *Root) Dir() string { return r.dir }

// Close releases the directory.
func (r *Root) Close() error { return r.root.Close() }

// fullFS is what the file system of an os.Root implements.
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
