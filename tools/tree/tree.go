package tree

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
)

// A Tree is a source tree under one policy: which files count, which are secret, and what of them may be shown. It
// caches file contents and directory listings, and notices when they change. It is safe for concurrent use.
type Tree struct {
	fsys  fs.FS
	o     Options
	cache *cache
	view  *view         // of a steady tree; nil: every call looks at the disk
	files *atomic.Int64 // files that the last complete walk visited, for progress only; 0: unknown
}

// Options configure a [Tree]. The zero value, like nil, is the default.
type Options struct {
	AllowSecret Allowed        // files whose credentials are shown; default: none
	Dir         string         // absolute path of the root, to accept absolute paths below it; default: that of a [Root]
	Timeout     time.Duration  // time limit of one call, which then returns what it has; default 20 s
	MaxFile     int64          // largest file to read, in bytes; default 10 MiB
	Symbols     *symbols.Cache // cache of definitions, closed by the caller; default: one in memory
	Workers     int            // files read in parallel; default: one per processor
}

const (
	defaultTimeout = 20 * time.Second
	defaultMaxFile = 10 << 20
)

// Open returns a Tree over root: the file system of a [Root], a git tree, or any other. Nil options are the default.
func Open(root fs.FS, o *Options) *Tree {
	t := &Tree{fsys: root, cache: newCache(), files: &atomic.Int64{}}
	if o != nil {
		t.o = *o
	}
	if r, ok := root.(rootFS); ok {
		t.o.Dir = cmp.Or(t.o.Dir, r.root.dir)
	}
	t.o.Timeout = cmp.Or(t.o.Timeout, defaultTimeout)
	t.o.MaxFile = cmp.Or(t.o.MaxFile, defaultMaxFile)
	t.o.Workers = cmp.Or(t.o.Workers, runtime.GOMAXPROCS(0))
	if t.o.Symbols == nil {
		t.o.Symbols = symbols.OpenCache("")
	}
	return t
}

// FS returns the file system that the tree reads. It does not apply the tree's policy.
func (t *Tree) FS() fs.FS { return t.fsys }

// Options returns the options of the tree, defaults filled in.
func (t *Tree) Options() Options { return t.o }

// Symbols returns the definitions in data, the text of the file p, by their first lines, from the tree's cache if it
// has them. The slice is shared and must not be changed. A file in an unknown language, or a generated one, has none.
func (t *Tree) Symbols(p string, data []byte) []symbols.Symbol { return t.o.Symbols.Of(p, data) }

// Clock returns a context for one call, which ends after Options.Timeout, or a little before ctx does. See [Expired].
func (t *Tree) Clock(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := t.o.Timeout
	if d, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(d)*9/10)
	}
	return context.WithTimeout(ctx, limit)
}

// Expired returns nil while there is time, context.DeadlineExceeded when the time is up, and ctx's own error after a
// cancellation. A call whose time is up returns what it has; a cancelled one fails.
func Expired(ctx context.Context) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// ErrAbsent is the error of a file system that knows a file but lacks its content, as a partial clone does.
var ErrAbsent = errors.New("the content is not in the repository")

// absentContent is the code of [Tree.Partial] for a tree whose names are all known.
const absentContent = "absent"

// Partial says why the file system is not the whole tree, if it has a method Partial that does: with the code "absent"
// if it lacks only contents, and another if it lacks names. It is nil for a whole tree.
func (t *Tree) Partial() *tools.Problem {
	if f, ok := t.fsys.(interface{ Partial() *tools.Problem }); ok {
		return f.Partial()
	}
	return nil
}

// A File is a regular file that a walk visits.
type File struct {
	Path string // from the root, with slashes
	Size int64  // bytes
	Skip string // why Read would refuse it: "secret", "too_large" or "". Only Read finds out that a file is binary
	// Stamp equals that of an earlier walk while the file is unchanged: by hash in a git tree, else by size and times.
	Stamp any
}

// Identity identifies the path and the content of f across processes. It is nil if nothing does: the system has no time
// of change, which archives cannot set, or f changed within the last seconds, so that its times may not show a later
// change.
func (f File) Identity() []byte {
	s, ok := f.Stamp.(stamp)
	recent := s.changed > time.Now().Add(-settled).UnixNano() // whatever its time of modification was set to
	if !ok || !s.sure(time.Now()) || s.id == "" && (s.changed == 0 || recent) {
		return nil
	}
	id := append([]byte(f.Path), 0)
	for _, n := range []uint64{uint64(s.size), uint64(s.modified), uint64(s.changed), s.inode} {
		id = binary.LittleEndian.AppendUint64(id, n)
	}
	return append(id, s.id...)
}

// ErrSkipped is the error of [Tree.Read] for a file that is binary, too large, or secret by its name; the text says
// which.
var ErrSkipped = errors.New("file is skipped")

// Files visits the regular files below the directory dir ("." is the root) in tree order, without ignored and hidden
// ones and links. It skips directories that it cannot read. An error, of ctx or of dir, comes in the last pair.
func (t *Tree) Files(ctx context.Context, dir string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		info, err := fs.Lstat(t.fsys, dir)
		if err == nil && !info.IsDir() {
			err = fs.ErrInvalid
		}
		if err != nil {
			yield(File{}, fmt.Errorf("walking %q: %w", dir, err))
			return
		}
		_, err = t.Walk(ctx, dir, Scope{}, func(n Node) error {
			if !n.IsFile() {
				return nil
			}
			if f, ok := t.file(n); ok && !yield(f, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(File{}, cmp.Or(ctx.Err(), err))
		}
	}
}

// file describes the file n. It reports false if the file vanished after its directory was read.
func (t *Tree) file(n Node) (File, bool) {
	s, err := n.in.stamp(n.Path)
	if err != nil || !s.regular {
		return File{}, false
	}
	f := File{Path: n.Path, Size: s.size, Stamp: s}
	switch {
	case n.Secret:
		f.Skip = "secret"
	case f.Size > t.o.MaxFile:
		f.Skip = "too_large"
	}
	return f, true
}

// Read returns the text of the regular file p as the tools show it: UTF-16 decoded, without a byte order mark, lines
// ending in LF, credentials redacted. Bytes that are not UTF-8 stay. The caller must not change the result. The error
// is [ErrSkipped] for a file that the tools do not show.
func (t *Tree) Read(p string) ([]byte, error) {
	if t.view == nil {
		if info, err := fs.Lstat(t.fsys, p); err != nil || !info.Mode().IsRegular() {
			return nil, cmp.Or(err, fs.ErrInvalid)
		}
	}
	c, err := loadShown(t, p)
	switch {
	case errors.Is(err, errBinary), errors.Is(err, errTooLarge), errors.Is(err, errSecret):
		return nil, fmt.Errorf("%w: %v", ErrSkipped, err)
	case err != nil:
		return nil, err
	}
	return c.Data, nil
}
