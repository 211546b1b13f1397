package gitrepo

import (
	"io"
	"io/fs"
	"path"
	"syscall"
	"time"
)

// A node is an entry as its fs.FileInfo and fs.DirEntry.
type node struct {
	t    *Tree
	i    int32
	name string
}

func (n *node) entry() *entry              { return &n.t.list.entries[n.i] }
func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return max(n.entry().size, 0) }
func (n *node) ModTime() time.Time         { return n.t.time }
func (n *node) IsDir() bool                { return n.entry().isDir() }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) String() string             { return fs.FormatFileInfo(n) }

// Sys returns the object name, a string.
func (n *node) Sys() any { return n.t.list.hashOf(n.i) }

func (n *node) Mode() fs.FileMode {
	switch n.entry().kind {
	case executable:
		return 0o555
	case link:
		return fs.ModeSymlink | 0o777
	case directory, submodule:
		return fs.ModeDir | 0o555
	case file:
	}
	return 0o444
}

// node finds a path. The node keeps the requested name even after following a link.
func (t *Tree) node(op, name string, follow bool) (*node, error) {
	i, err := t.locate(op, name, follow)
	if err != nil {
		return nil, err
	}
	return &node{t, i, path.Base(name)}, nil
}

// Open opens a file or a directory. The first Read of a file reads its content from the repository.
func (t *Tree) Open(name string) (fs.File, error) {
	n, err := t.node("open", name, true)
	switch {
	case err != nil:
		return nil, err
	case n.IsDir():
		return &openDir{node: n}, nil
	}
	return &openFile{node: n}, nil
}

// Stat describes a file. It follows links.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	n, err := t.node("stat", name, true)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Lstat describes a file or a link.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	n, err := t.node("lstat", name, false)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ReadLink returns the target of a link.
func (t *Tree) ReadLink(name string) (string, error) {
	n, err := t.node("readlink", name, false)
	if err == nil && n.entry().kind != link {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	target, err := t.target(n.i)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return target, nil
}

// ReadFile returns the content of a file.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	n, err := t.node("read", name, true)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	data, err := t.blob(n.i, nil)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return data, nil
}

// ReadDir returns the entries of a directory by name.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.node("readdir", name, true)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDirectory}
	}
	return n.list(0, -1), nil
}

// list returns up to most entries of a directory, starting at one; all if most is negative.
func (n *node) list(from, most int) []fs.DirEntry {
	kids := n.t.list.kids[n.entry().kids][from:]
	if most >= 0 {
		kids = kids[:min(most, len(kids))]
	}
	nodes := make([]node, len(kids))
	entries := make([]fs.DirEntry, len(kids))
	for i, k := range kids {
		nodes[i] = node{n.t, k, n.t.list.entries[k].name}
		entries[i] = &nodes[i]
	}
	return entries
}

// An openFile is an open file. It has one reader at a time.
type openFile struct {
	node   *node
	data   []byte
	loaded bool
	closed bool
	at     int
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }

func (f *openFile) Close() error {
	f.closed, f.data = true, nil
	return nil
}

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, f.fault(fs.ErrClosed)
	}
	if !f.loaded {
		if f.node.entry().size == 0 {
			return 0, io.EOF
		}
		// A reader with room for the whole file gets it without a copy.
		data, err := f.node.t.blob(f.node.i, p)
		if err != nil {
			return 0, f.fault(err)
		}
		f.loaded, f.data = true, data
		if len(data) > 0 && len(data) <= len(p) && &data[0] == &p[0] {
			f.at = len(data)
			return len(data), nil
		}
	}
	if f.at == len(f.data) {
		return 0, io.EOF
	}
	n := copy(p, f.data[f.at:])
	f.at += n
	return n, nil
}

func (f *openFile) fault(err error) error {
	return &fs.PathError{Op: "read", Path: f.node.name, Err: err}
}

// An openDir is an open directory. It has one reader at a time.
type openDir struct {
	node   *node
	at     int
	closed bool
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }

func (d *openDir) Close() error {
	d.closed = true
	return nil
}

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: syscall.EISDIR}
}

// ReadDir returns the next n entries, or all remaining ones if n is not positive.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, &fs.PathError{Op: "readdir", Path: d.node.name, Err: fs.ErrClosed}
	}
	if n <= 0 {
		n = -1
	}
	entries := d.node.list(d.at, n)
	d.at += len(entries)
	if n > 0 && len(entries) == 0 {
		return nil, io.EOF
	}
	return entries, nil
}
