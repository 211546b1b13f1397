package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A Tree is the file system at a revision, an fs.FS with ReadDir, ReadFile, Stat, Lstat and ReadLink. Only
// [Tree.Close] changes it. It is safe for concurrent use.
type Tree struct {
	list    *listing
	objects *objects
	commit  string // "" for a tree without a commit
	time    time.Time
}

var _ interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
	fs.ReadLinkFS
} = (*Tree)(nil)

// Tree lists a revision: anything that names a commit or a tree, "" for HEAD. The ctx limits the listing; the tree
// lives until [Tree.Close]. The error is a *tools.Problem with the code "bad_revision", "unknown_revision",
// "no_commit", "not_found" (the opened directory does not exist at that revision) or "unreadable", or the error of
// ctx.
func (r *Repo) Tree(ctx context.Context, rev string) (*Tree, error) {
	at, err := r.resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	list, err := r.list(ctx, at)
	if err != nil {
		return nil, err
	}
	return r.treeOf(at, list), nil
}

func (r *Repo) treeOf(at point, list *listing) *Tree {
	return &Tree{list: list, commit: at.commit, time: at.time, objects: r.objects(runtime.GOMAXPROCS(0))}
}

// Commit is the hash of the tree's commit, or "" if it has none.
func (t *Tree) Commit() string { return t.commit }

// Time is the time of the commit, which every file has as its modification time; zero without a commit.
func (t *Tree) Time() time.Time { return t.time }

// Len is the number of entries, directories included.
func (t *Tree) Len() int { return len(t.list.entries) - 1 }

// Partial says why the file system is not the whole tree: its listing was cut at a bound or at an absent directory (the
// code "too_many", "deadline", "partial_clone" or "unreadable"), or the repository lacks contents ("absent"). It is nil
// for a whole tree.
func (t *Tree) Partial() *tools.Problem { return t.list.partial }

// Refused is the number of entries left out because no directory can have their names.
func (t *Tree) Refused() int { return t.list.refused }

// Hash returns the object name at a path, without following links. The hash of a blob depends only on its content. It
// reports false for a missing path and for the root.
func (t *Tree) Hash(name string) (string, bool) {
	i, err := t.locate("hash", name, false)
	if err != nil || i == 0 {
		return "", false
	}
	return t.list.hashOf(i), true
}

// Close ends the processes that read contents and waits for them. Later reads return fs.ErrClosed. Close returns nil.
func (t *Tree) Close() error {
	t.objects.close()
	return nil
}

var (
	errEscapes      = errors.New("path leads out of the tree")
	errLinks        = errors.New("too many links")
	errNotDirectory = syscall.ENOTDIR // as in the file systems of the operating system
)

// maxLinks is how many links are followed on the way to a file.
const maxLinks = 40

// locate finds the entry of a path. It follows links within the tree, the last one only if follow is set.
func (t *Tree) locate(op, name string, follow bool) (int32, error) {
	err := fs.ErrInvalid
	if fs.ValidPath(name) {
		var i int32
		if i, err = t.walk(name, follow); err == nil {
			return i, nil
		}
	}
	return 0, &fs.PathError{Op: op, Path: name, Err: err}
}

// walk descends a path from the root. It keeps the entries above the current one, for the ".." of a link.
func (t *Tree) walk(rest string, follow bool) (int32, error) {
	way := []int32{0}
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at := way[len(way)-1]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && len(way) == 1:
			return 0, errEscapes
		case part == "..":
			way = way[:len(way)-1]
			continue
		case !t.list.entries[at].isDir():
			return 0, errNotDirectory
		}
		i, ok := t.list.find(at, part)
		if !ok {
			return 0, fs.ErrNotExist
		}
		if t.list.entries[i].kind != link || rest == "" && !follow {
			way = append(way, i)
			continue
		}
		if links++; links > maxLinks {
			return 0, errLinks
		}
		target, err := t.target(i)
		if err != nil {
			return 0, err
		}
		if path.IsAbs(target) {
			return 0, errEscapes
		}
		rest = target + "/" + rest
	}
	return way[len(way)-1], nil
}

// maxTarget is the length of the longest link target, in bytes, as in operating systems.
const maxTarget = 4096

func (t *Tree) target(i int32) (string, error) {
	if t.list.entries[i].size > maxTarget {
		return "", fs.ErrInvalid
	}
	data, err := t.blob(i, nil)
	return string(data), err
}

func (t *Tree) blob(i int32, buf []byte) ([]byte, error) {
	if t.list.entries[i].size < 0 {
		return nil, tree.ErrAbsent
	}
	obj, err := t.objects.get(t.list.hashOf(i), buf)
	if err == nil && obj.kind != "blob" {
		return nil, fmt.Errorf("expected a blob, found a %s", obj.kind)
	}
	return obj.data, err
}
