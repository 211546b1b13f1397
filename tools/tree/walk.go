package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
)

// A Node is an entry of a directory that a walk visits.
type Node struct {
	Path   string // from the root, with slashes
	Depth  int    // 1: directly in the directory where the walk began
	Secret bool   // a file that is secret by its name, unless Options.AllowSecret shows it

	kind kind
	in   *folder
}

// IsFile reports whether n is a regular file.
func (n Node) IsFile() bool { return n.kind == fileKind }

// IsDir reports whether n is a directory.
func (n Node) IsDir() bool { return n.kind == dirKind }

// IsLink reports whether n is a symbolic link.
func (n Node) IsLink() bool { return n.kind == linkKind }

type kind uint8

const (
	unknownKind kind = iota
	fileKind
	dirKind
	linkKind
	otherKind // device, FIFO, socket
)

func kindOf(m fs.FileMode) kind {
	switch {
	case m.IsDir():
		return dirKind
	case m&fs.ModeSymlink != 0:
		return linkKind
	case m.IsRegular():
		return fileKind
	default:
		return otherKind
	}
}

// A Scope widens a walk beyond what the policy lets through.
type Scope struct {
	Hidden  bool // visit hidden names
	Ignored bool // visit what the ignore rules leave out
}

// Skipped counts the files that a walk left out, by reason; the first reason counts. A directory counts as one file.
type Skipped struct {
	Ignored    int `json:"ignored"`    // by .gitignore, .ignore or the built-in list
	Hidden     int `json:"hidden"`     // name starts with a dot
	Binary     int `json:"binary"`     // holds a NUL byte and is not UTF-16
	TooLarge   int `json:"too_large"`  // larger than Options.MaxFile, or an ignore file beyond 1 MiB of rules
	Secret     int `json:"secret"`     // by name, as .env or *.pem
	Unreadable int `json:"unreadable"` // permission, device, socket, link that leads nowhere or out
}

// Add adds the counts of o.
func (s *Skipped) Add(o Skipped) {
	s.Ignored += o.Ignored
	s.Hidden += o.Hidden
	s.Binary += o.Binary
	s.TooLarge += o.TooLarge
	s.Secret += o.Secret
	s.Unreadable += o.Unreadable
}

// Count counts a file that could not be read because of err, and reports whether err is not nil.
func (s *Skipped) Count(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, errBinary):
		s.Binary++
	case errors.Is(err, errTooLarge):
		s.TooLarge++
	case errors.Is(err, errSecret):
		s.Secret++
	default:
		s.Unreadable++
	}
	return true
}

// String names the counts that are not zero, as "3 ignored, 1 binary".
func (s Skipped) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		name string
	}{
		{s.Ignored, "ignored"}, {s.Hidden, "hidden"}, {s.Binary, "binary"},
		{s.TooLarge, "too large"}, {s.Secret, "secret"}, {s.Unreadable, "unreadable"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	return strings.Join(parts, ", ")
}

// Walk visits the entries below the directory base in byte order of their names, each directory before its entries, and
// counts those that it leaves out. visit returns [fs.SkipDir] to skip a directory, and [fs.SkipAll] or another error to
// stop. When ctx ends, the error is that of [Expired].
func (t *Tree) Walk(ctx context.Context, base string, scope Scope, visit func(Node) error) (Skipped, error) {
	if base != "." || t.view == nil {
		return walkDisk(ctx, t, base, scope, visit)
	}
	if r := t.view.walk(scope); r != nil {
		return r.replay(ctx, visit)
	}
	r, cut := &record{closed: map[*folder]*folder{}}, false
	skipped, err := walkDisk(ctx, t, base, scope, func(n Node) error {
		r.add(n)
		err := visit(n)
		cut = cut || err != nil
		return err
	})
	if err == nil && !cut {
		r.skipped = skipped
		t.view.keep(scope, r)
	}
	return skipped, err
}

func walkDisk(ctx context.Context, t *Tree, base string, scope Scope, visit func(Node) error) (Skipped, error) {
	w := walker{t: t, ctx: ctx, scope: scope, visit: visit}
	err := w.walk(base)
	if err == fs.SkipAll {
		err = nil
	}
	return w.skipped, err
}

// A walker is one walk.
type walker struct {
	t       *Tree
	ctx     context.Context
	scope   Scope
	visit   func(Node) error
	skipped Skipped
	visited int            // entries other than directories
	pruned  bool           // visit skipped a directory or stopped the walk
	count   *tools.Counter // shows visited
}

func (w *walker) walk(base string) error {
	defer w.showProgress(base)()
	f := w.t.rootFolder()
	defer func() { f.release() }()
	rs := rules{}
	if base != "." {
		for name := range strings.SplitSeq(base, "/") {
			rs = w.addRules(f, rs, nil)
			next := f.sub(name)
			f.release()
			f = next
		}
	}
	return w.folder(f, 1, rs)
}

// showProgress shows how many files the walk has visited, until end is called. A complete walk sets the total for the
// next one.
func (w *walker) showProgress(base string) (end func()) {
	total, whole := 0, base == "." && w.scope == (Scope{})
	if whole {
		total = int(w.t.files.Load())
	}
	w.count = tools.CountProgress(w.ctx, "files", total)
	return func() {
		if whole && !w.pruned && w.visited > 0 {
			w.t.files.Store(int64(w.visited))
		}
		w.count.End()
	}
}

func (w *walker) folder(f *folder, depth int, rs rules) error {
	entries, err := f.list()
	if err != nil {
		w.skipped.Unreadable++
	}
	rs = w.addRules(f, rs, entries)
	for _, e := range entries {
		if err := Expired(w.ctx); err != nil {
			return err
		}
		n := Node{Path: join(f.path, e.name), Depth: depth, kind: e.kind, in: f, Secret: e.secret}
		if isRepository(e.name) || !w.includes(&n, e.name, rs) {
			continue
		}
		if !n.IsDir() {
			w.visited++
			w.count.Add(1)
		}
		err := w.visit(n)
		if err == nil && n.IsDir() {
			sub := f.sub(e.name)
			err = w.folder(sub, depth+1, rs)
			sub.release()
		}
		w.pruned = w.pruned || err != nil
		if err != nil && err != fs.SkipDir {
			return err
		}
	}
	return nil
}

// includes reports whether the policy lets n through, whose name is given, and counts it as skipped if not.
func (w *walker) includes(n *Node, name string, rs rules) bool {
	if !fs.ValidPath(name) || len(n.Path) > maxPath {
		w.skipped.Unreadable++
		return false
	}
	v := rs.verdict(w.ctx, n.Path, n.IsDir())
	if v == undecided && n.IsDir() && w.generated(n.Path, name) {
		v = leaveOut
	}
	switch {
	case v == leaveOut && !w.scope.Ignored:
		w.skipped.Ignored++
		return false
	case name[0] == '.' && v != reinclude && !w.scope.Hidden:
		w.skipped.Hidden++
		return false
	}
	return true
}

func (w *walker) generated(dir, name string) bool {
	file, marked := markers[name]
	if !marked {
		return false
	}
	_, err := fs.Stat(w.t.fsys, dir+"/"+file)
	return err == nil
}

// addRules adds the ignore files of f to rs. entries are the folder's, or nil if unknown. An ignore file that would
// exceed maxRules has no effect and counts as too large.
func (w *walker) addRules(f *folder, rs rules, entries []dirent) rules {
	base := f.path
	if base == "." {
		base = ""
	}
	read := func(list []*ignoreFile, name string) []*ignoreFile {
		if !f.hasFile(name, entries) {
			return list
		}
		c, err := f.load(join(f.path, name), nil, false)
		switch {
		case errors.Is(err, errTooLarge), rs.bytes+len(c.Data) > maxRules:
			w.skipped.TooLarge++
			return list
		case err != nil || len(c.Data) == 0:
			return list
		}
		rs.bytes += len(c.Data)
		return append(slices.Clip(list), parseIgnore(base, c.Data))
	}
	rs.ignore, rs.gitignore = read(rs.ignore, ".ignore"), read(rs.gitignore, ".gitignore")
	return rs
}

// hasFile reports whether f has a regular file of that name. A link does not count, as with git.
func (f *folder) hasFile(name string, entries []dirent) bool {
	if entries == nil {
		s, err := f.stamp(join(f.path, name))
		return err == nil && s.regular
	}
	i, found := slices.BinarySearchFunc(entries, name, func(e dirent, n string) int { return strings.Compare(e.name, n) })
	return found && entries[i].kind == fileKind
}
