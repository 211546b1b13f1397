package task

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/tools/gitrepo"
)

// Bounds of a working copy.
const (
	maxFiles = 200_000
	maxBytes = 4 << 30
)

// HasCopy reports whether a trial of the task has a working copy: also an empty one, if Files is empty but not nil.
func (t *Task) HasCopy() bool { return t.Dir != "" || t.Repository != "" || t.Files != nil }

// Materialize makes the working copy of a task of the set in an empty directory: Dir is copied or Repository is checked
// out, and then Files are written. Links that lead out of the copy are left out. A repository is a path on this
// machine, which lends its objects to the copy, or an https URL, which each call clones. It returns an error for a path
// that would be outside of the copy, and for a copy of more than 200,000 files or 4 GiB.
func (s *Set) Materialize(ctx context.Context, t *Task, dir string) error {
	if err := s.start(ctx, t, dir); err != nil {
		return fmt.Errorf("making the working copy of %s: %w", t.ID, err)
	}
	return nil
}

func (s *Set) start(ctx context.Context, t *Task, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	switch {
	case t.Dir != "":
		from, err := s.source(t.Dir)
		if err != nil {
			return err
		}
		if err := copyTree(ctx, root, from); err != nil {
			return fmt.Errorf("copying %s: %w", t.Dir, err)
		}
	case t.Repository != "":
		source := t.Repository
		if !strings.Contains(source, "://") {
			source = s.path(source)
		}
		if err := gitrepo.Checkout(ctx, source, t.Revision, dir); err != nil {
			return err
		}
		if err := dropLinks(root); err != nil {
			return err
		}
	}
	for name, text := range t.Files {
		if err := safePath(name); err != nil {
			return err
		}
		if err := errors.Join(root.MkdirAll(path.Dir(name), 0o755), root.WriteFile(name, []byte(text), 0o644)); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// source returns the folder that a task copies.
func (s *Set) source(dir string) (fs.FS, error) {
	if s.onDisk() {
		return os.DirFS(s.path(dir)), nil
	}
	return fs.Sub(s.files, path.Clean(dir))
}

// onDisk reports whether paths of the set's tasks are on disk.
func (s *Set) onDisk() bool { return s.folder != "" || s.files == nil }

// path returns where a path of a task is on disk.
func (s *Set) path(name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.folder, name)
}

// A copier copies one tree.
type copier struct {
	to    *os.Root
	from  fs.FS
	files int
	bytes int64
}

// copyTree copies files, directories and links that stay inside. It leaves out other kinds of files, and folders of
// results: a trial must not find the answers of others.
func copyTree(ctx context.Context, to *os.Root, from fs.FS) error {
	c := &copier{to: to, from: from}
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && holdsResults(from, name):
			return fs.SkipDir
		case d.IsDir():
			return to.MkdirAll(name, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			return c.link(name)
		case d.Type().IsRegular():
			return c.file(name)
		}
		return nil
	})
}

// holdsResults reports whether a folder in a tree is one that a run writes.
func holdsResults(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, path.Join(name, "run.json"))
	if err == nil {
		_, err = fs.Stat(tree, path.Join(name, "tasks.jsonl"))
	}
	return err == nil && name != "."
}

// sumTree adds the files and links of a tree to a hash, as far as they can be read. It leaves out folders of results,
// which runs may write into a tree.
func sumTree(ctx context.Context, to io.Writer, from fs.FS) {
	files := 0
	_ = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fmt.Fprintf(to, "%q unreadable\n", name)
			return nil
		case ctx.Err() != nil || files > maxFiles:
			return fs.SkipAll
		case d.IsDir() && holdsResults(from, name):
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := fs.ReadLink(from, name)
			fmt.Fprintf(to, "%q links to %q\n", name, target)
		case d.Type().IsRegular():
			files++
			sumFile(to, from, name)
		}
		return nil
	})
}

func sumFile(to io.Writer, from fs.FS, name string) {
	in, err := from.Open(name)
	if err != nil {
		fmt.Fprintf(to, "%q unreadable\n", name)
		return
	}
	defer in.Close()
	h := sha256.New()
	_, err = io.Copy(h, in)
	fmt.Fprintf(to, "%q %x %t\n", name, h.Sum(nil), err == nil)
}

func (c *copier) link(name string) error {
	target, err := fs.ReadLink(c.from, name)
	if err != nil || leaves(name, target) {
		return err
	}
	return c.to.Symlink(target, name)
}

func (c *copier) file(name string) error {
	if c.files++; c.files > maxFiles {
		return fmt.Errorf("more than %d files", maxFiles)
	}
	in, err := c.from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := c.to.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxBytes+1-c.bytes))
	if c.bytes += n; c.bytes > maxBytes {
		err = fmt.Errorf("more than %d bytes", int64(maxBytes))
	}
	return errors.Join(err, out.Close())
}

// leaves reports whether the target of a link at a path may be outside of the tree. Steps upwards must come first,
// since those after a name would follow another link.
func leaves(name, target string) bool {
	target = filepath.ToSlash(target)
	return path.IsAbs(target) || filepath.IsAbs(target) || strings.TrimSuffix(target, "/") != path.Clean(target) ||
		!filepath.IsLocal(path.Join(path.Dir(name), target))
}

// dropLinks removes the links that lead out of a checked out repository.
func dropLinks(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git":
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink == 0:
			return nil
		}
		target, err := root.Readlink(name)
		if err != nil || !leaves(name, target) {
			return err
		}
		return root.Remove(name)
	})
}
