package codebase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
)

// A Tree is one root with one policy and one memory of contents, for packages that read a source tree beside the tools.
// It is safe for concurrent use.
type Tree struct{ t *tree }

// Open makes a Tree over root: the FS of a Root, a git tree, or any other fs.FS. nil options are the default; of them JSON
// and Timeout are not used.
func Open(root fs.FS, o *Options) *Tree { return &Tree{newTree(root, o)} }

// A File is a regular file that a walk takes in.
type File struct {
	Path string // from the root, with slashes
	Size int64  // bytes
	Skip string // why Read would refuse it: "secret", "too_large" or ""; that a file is binary is known only from Read
	// Stamp compares equal to that of an earlier walk while the file is as it was then: by its hash in a git tree, else by
	// its size and times.
	Stamp any
}

// ErrSkipped is what Read returns for a file that the tools do not show either: binary, too large, or secret by its name.
// The text of the error says which.
var ErrSkipped = errors.New("file is left out")

// Files visits the regular files below the directory dir ("." is the root) that the tools see: in the order of the tree,
// names by bytes, without what is ignored, hidden or a link. A directory that cannot be read is passed over. The error is
// that of ctx, or of a dir that is no directory, and comes in the last pair.
func (tr *Tree) Files(ctx context.Context, dir string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		info, err := fs.Lstat(tr.t.fsys, dir)
		if err == nil && !info.IsDir() {
			err = fs.ErrInvalid
		}
		if err != nil {
			yield(File{}, fmt.Errorf("walking %q: %w", dir, err))
			return
		}
		w := walker{t: tr.t, ctx: ctx}
		err = w.walk(dir, func(n node) error {
			if n.kind != fileNode {
				return nil
			}
			if f, ok := tr.file(n); ok && !yield(f, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(File{}, cmp.Or(ctx.Err(), err))
		}
	}
}

// file is false for a file that vanished since its directory was read.
func (tr *Tree) file(n node) (File, bool) {
	s, err := n.in.stamp(n.name)
	if err != nil || !s.regular {
		return File{}, false
	}
	f := File{Path: n.path, Size: s.size, Stamp: s}
	switch {
	case n.secret && !tr.t.o.AllowSecrets:
		f.Skip = "secret"
	case f.Size > tr.t.o.MaxFile:
		f.Skip = "too_large"
	}
	return f, true
}

// Read returns what the tools see of the regular file p, a path that Files gave: UTF-16 is decoded, a byte order mark
// dropped, CRLF is LF, tokens are redacted; other bytes stay as they are, also when they are not UTF-8. The caller does
// not change the bytes. A file that the tools do not show is an error for which errors.Is(err, ErrSkipped) holds; any
// other is that of the file system.
func (tr *Tree) Read(p string) ([]byte, error) {
	info, err := fs.Lstat(tr.t.fsys, p)
	if err != nil {
		return nil, err
	}
	c, err := tr.t.open(place{p, info})
	switch {
	case errors.Is(err, errBinary), errors.Is(err, errTooLarge), errors.Is(err, errSecret):
		return nil, fmt.Errorf("%w: %v", ErrSkipped, err)
	case err != nil:
		return nil, err
	}
	return c.data, nil
}

// Files visits the files of root as a Tree of its own does: see Tree.Files.
func Files(ctx context.Context, root fs.FS, o *Options) iter.Seq2[File, error] {
	return Open(root, o).Files(ctx, ".")
}
