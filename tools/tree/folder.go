package tree

import (
	"io/fs"
	"path"
	"strings"
	"sync/atomic"
)

// A folder is an open directory of a tree. Below a [Root] on Linux it is read through its descriptor, else through the
// tree's file system. The last release closes it.
type folder struct {
	t    *Tree
	path string
	disk disk
	uses atomic.Int32

	closed bool // its descriptor is not open yet; see [folder.reopen]
}

// A dirent is a name in a directory.
type dirent struct {
	name   string
	kind   kind
	secret bool // a file that is secret by its name
}

func (t *Tree) rootFolder() *folder {
	f := &folder{t: t, path: ".", disk: noDisk}
	f.uses.Store(1)
	if r, ok := t.fsys.(rootFS); ok {
		f.disk = rootDisk(r.root.root)
	}
	return f
}

// folder opens the directory p, without following links.
func (t *Tree) folder(p string) *folder {
	f := t.rootFolder()
	if p == "." {
		return f
	}
	for name := range strings.SplitSeq(p, "/") {
		next := f.sub(name)
		f.release()
		f = next
	}
	return f
}

// sub opens a directory in f. It cannot fail: a folder without a descriptor is read through the file system, whose
// error then says why it cannot be read.
func (f *folder) sub(name string) *folder {
	s := &folder{t: f.t, path: join(f.path, name), disk: noDisk}
	s.uses.Store(1)
	if f.disk != noDisk {
		if d, err := f.disk.sub(name); err == nil {
			s.disk = d
		}
	}
	return s
}

func (f *folder) release() {
	if f.uses.Add(-1) == 0 && f.disk != noDisk {
		f.disk.close()
	}
}

// reopen returns a folder for the use of one goroutine: f itself, or if f is closed another, which opens when it reads.
func (f *folder) reopen() *folder {
	if !f.closed {
		f.uses.Add(1)
		return f
	}
	own := &folder{t: f.t, path: f.path, disk: noDisk, closed: true}
	own.uses.Store(1)
	return own
}

// list returns the entries of the folder by name.
func (f *folder) list() ([]dirent, error) {
	listing := f.path + "/"
	if r, _ := f.t.cache.recent(listing, f.t.view); r != nil && r.names != nil {
		return r.names, nil
	}
	now := f.t.cache.clock.Load()
	s, err := f.stamp(f.path)
	if err == nil {
		if r := f.t.cache.get(listing, s, now); r != nil && r.names != nil {
			return r.names, nil
		}
	}
	entries, listErr := f.entries()
	for i := range entries {
		e := &entries[i]
		e.secret = e.kind == fileKind && f.t.o.AllowSecret.IsSecret(join(f.path, e.name))
	}
	if err == nil && listErr == nil {
		f.t.cache.keepListing(listing, s, now, entries)
	}
	return entries, listErr
}

func (f *folder) entries() ([]dirent, error) {
	if f.disk != noDisk {
		return f.disk.list()
	}
	all, err := fs.ReadDir(f.t.fsys, f.path)
	entries := make([]dirent, len(all))
	for i, e := range all {
		entries[i] = dirent{name: e.Name(), kind: kindOf(e.Type())}
	}
	return entries, err
}

// stamp returns the stamp of p, the path of a file in f or of f itself.
func (f *folder) stamp(p string) (stamp, error) {
	if f.t.view != nil {
		if r, _ := f.t.cache.recent(p, f.t.view); r != nil {
			return r.stamp, nil
		}
	}
	switch {
	case f.disk != noDisk && p == f.path:
		return f.disk.stamp("")
	case f.disk != noDisk:
		return f.disk.stamp(path.Base(p))
	}
	info, err := fs.Lstat(f.t.fsys, p)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// load reads the file p in f, from the cache if it is unchanged. The content may share the memory of *buf, which grows
// as needed. With once, a file that was not read before is not cached.
func (f *folder) load(p string, buf *[]byte, once bool) (Content, error) {
	r, has := f.t.cache.recent(p, f.t.view)
	if r != nil {
		return r.content, r.err
	}
	now := f.t.cache.clock.Load()
	if f.closed {
		open := f.t.folder(f.path)
		f.disk, f.closed = open.disk, false
	}
	if has {
		if s, err := f.stamp(p); err == nil {
			if r := f.t.cache.get(p, s, now); r != nil {
				return r.content, r.err
			}
		}
	}
	var room []byte
	if buf != nil {
		room = *buf
	}
	data, s, err := f.read(p, room)
	if buf != nil && cap(data) > cap(room) {
		*buf = data[:0]
	}
	c := Content{}
	if err == nil {
		c, err = decode(data)
		c.path = p
	}
	if once && f.t.cache.first(p) {
		return c, err
	}
	return f.t.cache.keep(p, s, now, c, err)
}

func (f *folder) read(p string, buf []byte) ([]byte, stamp, error) {
	if f.disk != noDisk {
		return f.disk.read(path.Base(p), buf, f.t.o.MaxFile)
	}
	file, err := f.t.fsys.Open(p)
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	s := stampOf(info)
	switch {
	case !s.regular:
		return nil, s, fs.ErrInvalid
	case s.size > f.t.o.MaxFile:
		return nil, s, errTooLarge
	}
	data, err := readAll(file, buf, s.size, f.t.o.MaxFile)
	return data, s, err
}

// join is path.Join for a dir and name that are already clean.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
