package codebase

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/forayhq/foray/tools"
)

// A tree is one root with one policy, shared by all tools. Nothing of it changes after Tools but files; its caches lock
// themselves.
type tree struct {
	fsys   fs.FS
	o      Options
	memory *memory
	files  atomic.Int64 // that the last walk of all of it visited: only to tell how far another one is; 0: there was none
}

// A node is one entry that a walk visits.
type node struct {
	path   string
	name   string
	depth  int // 1: directly in the base
	kind   nodeKind
	hidden bool // only when the walk takes in hidden names
	secret bool // only of a file
	in     *folder
}

type nodeKind int

const (
	unknownNode nodeKind = iota
	fileNode
	dirNode
	linkNode
	otherNode // device, FIFO, socket
)

// A walker visits what is below a directory, in the order of the names, a directory before what it holds.
type walker struct {
	t       *tree
	ctx     context.Context
	hidden  bool // take in hidden names
	ignored bool // take in what the ignore policy leaves out
	skipped Skipped
	visited int          // files, links and others: all but directories
	pruned  bool         // the walk has not come to everything
	count   *tools.Count // shows visited
}

// errDeadline ends a walk whose time is up. The result so far stands.
var errDeadline = errors.New("deadline")

// clock returns a context that ends when a call of this tree must answer, a little before ctx itself would end.
func (t *tree) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := t.o.Timeout
	if d, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(d)*9/10)
	}
	return context.WithTimeoutCause(ctx, limit, errDeadline)
}

// expired is nil while there is time, errDeadline when the time is up, and ctx's own error when it was cancelled.
func expired(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); errors.Is(cause, errDeadline) || errors.Is(cause, context.DeadlineExceeded) {
		return errDeadline
	}
	return ctx.Err()
}

// walk visits what is below the directory base. visit returns fs.SkipDir to leave a directory closed, fs.SkipAll or an
// error to stop. A directory that cannot be read counts as unreadable.
func (w *walker) walk(base string, visit func(node) error) error {
	defer w.counting(base)()
	f := w.t.rootFolder()
	defer func() { f.release() }()
	rs := rules{}
	if base != "." {
		for name := range strings.SplitSeq(base, "/") {
			rs = f.addRules(rs, nil)
			next := f.sub(name)
			f.release()
			f = next
		}
	}
	err := w.folder(f, 1, rs, visit)
	if err == fs.SkipAll {
		return nil
	}
	return err
}

// counting shows how far the walk is, until the function that it returns is called. A sweep is about as far, as the walk
// waits for those who read.
func (w *walker) counting(base string) (end func()) {
	total, whole := 0, base == "." && !w.hidden && !w.ignored
	if whole {
		total = int(w.t.files.Load())
	}
	w.count = tools.Counting(w.ctx, "files", total)
	return func() {
		if whole && !w.pruned && w.visited > 0 {
			w.t.files.Store(int64(w.visited))
		}
		w.count.End()
	}
}

func (w *walker) folder(f *folder, depth int, rs rules, visit func(node) error) error {
	if err := expired(w.ctx); err != nil {
		return err
	}
	entries, err := f.list()
	if err != nil {
		w.skipped.Unreadable++
	}
	rs = f.addRules(rs, entries)
	for _, e := range entries {
		n := node{path: join(f.path, e.name), name: e.name, depth: depth, kind: e.kind, secret: e.secret, in: f}
		if isRepository(n.name) || !w.takes(&n, rs) {
			continue
		}
		if n.kind != dirNode {
			w.visited++
			w.count.Add(1)
		}
		err := visit(n)
		if err == nil && n.kind == dirNode {
			sub := f.sub(n.name)
			err = w.folder(sub, depth+1, rs, visit)
			sub.release()
		}
		w.pruned = w.pruned || err != nil
		if err != nil && err != fs.SkipDir {
			return err
		}
	}
	return nil
}

// takes applies the policy to n and counts what it leaves out.
func (w *walker) takes(n *node, rs rules) bool {
	if !fs.ValidPath(n.name) {
		w.skipped.Unreadable++
		return false
	}
	v := rs.verdict(n.path, n.kind == dirNode)
	if v == unsaid && n.kind == dirNode && w.t.generated(n) {
		v = leaveOut
	}
	n.hidden = n.name[0] == '.'
	switch {
	case v == leaveOut && !w.ignored:
		w.skipped.Ignored++
		return false
	case n.hidden && v != reinclude && !w.hidden:
		w.skipped.Hidden++
		return false
	}
	return true
}

func (t *tree) generated(n *node) bool {
	for _, m := range markers {
		if n.name == m.dir {
			if _, err := fs.Stat(t.fsys, n.path+"/"+m.file); err == nil {
				return true
			}
		}
	}
	return false
}

// addRules adds the ignore files of f to rs. entries are the folder's, nil when they are not known.
func (f *folder) addRules(rs rules, entries []dirent) rules {
	base := f.path
	if base == "." {
		base = ""
	}
	read := func(list []*ignoreFile, name string) []*ignoreFile {
		if !f.hasFile(name, entries) {
			return list
		}
		c, err := f.load(name, nil)
		if err != nil || len(c.data) == 0 {
			return list
		}
		return append(slices.Clip(list), parseIgnore(base, c.data))
	}
	return rules{ignore: read(rs.ignore, ".ignore"), gitignore: read(rs.gitignore, ".gitignore")}
}

// hasFile reports whether f has a regular file of that name. A link is none: git does not follow those either.
func (f *folder) hasFile(name string, entries []dirent) bool {
	if entries == nil {
		s, err := f.stamp(name)
		return err == nil && s.regular
	}
	i, found := slices.BinarySearchFunc(entries, name, func(e dirent, n string) int { return strings.Compare(e.name, n) })
	return found && entries[i].kind == fileNode
}

func kindOf(m fs.FileMode) nodeKind {
	switch {
	case m.IsDir():
		return dirNode
	case m&fs.ModeSymlink != 0:
		return linkNode
	case m.IsRegular():
		return fileNode
	default:
		return otherNode
	}
}

// above lists the directories above p, the root first; none for the root itself.
func above(p string) []string {
	if p == "." {
		return nil
	}
	dirs := []string{"."}
	for i, c := range p {
		if c == '/' {
			dirs = append(dirs, p[:i])
		}
	}
	return dirs
}

// join is path.Join without its cleaning: dir and name are clean.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
