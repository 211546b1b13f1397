package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
)

// A Tree is the files at a revision, as an fs.FS with ReadDir, ReadFile, Stat, Lstat and ReadLink. Only Close changes it;
// it is safe for concurrent use.
type Tree struct {
	list    *listing
	objects *objects
	commit  string // "" of a tree without a commit
	time    time.Time
}

var _ interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
	fs.ReadLinkFS
} = (*Tree)(nil)

// Tree lists a revision: whatever names a commit or a tree, "" for HEAD. The ctx bounds the listing; the tree then lives
// until Close. The error is a *tools.Problem with the code "bad_revision", "unknown_revision", "no_commit", "not_found"
// (the directory that was opened is not there at the revision) or "unreadable", or ctx's own.
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

// list lists the tree of a point below the directory that was opened.
func (r *Repo) list(ctx context.Context, at point) (*listing, error) {
	name := at.tree
	if r.prefix != "" {
		name += ":" + strings.TrimSuffix(r.prefix, "/")
	}
	l, err := r.listing(ctx, name, "-l")
	if isPartial(err) {
		l, err = r.partial(ctx, name)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("listing a tree: %w", context.Cause(ctx))
	case r.prefix != "" && strings.Contains(said(err), "Not a valid object name"):
		return nil, &tools.Problem{Code: "not_found", Message: "the directory does not exist at that revision", Try: "the directory above it"}
	case said(err) != "":
		return nil, broken(err)
	}
	return l, err
}

// listing lists a tree.
func (r *Repo) listing(ctx context.Context, name string, sizes ...string) (l *listing, err error) {
	args := append([]string{"ls-tree", "-r", "-t", "-z", "--full-tree"}, sizes...)
	err = r.run(ctx, func(from io.Reader) (err error) {
		l, err = readListing(from, r.hash)
		return err
	}, append(args, name)...)
	return l, err
}

// partial lists a tree of a partial clone. Git would fetch a blob that is missing to learn its size, or fail; so the sizes
// are those of the objects that are there.
func (r *Repo) partial(ctx context.Context, name string) (*listing, error) {
	l, err := r.listing(ctx, name)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for i := range l.entries {
		if !l.entries[i].isDir() {
			sizes[l.hashOf(int32(i))] = -1
		}
	}
	err = r.run(ctx, func(from io.Reader) error {
		in := bufio.NewScanner(from)
		for in.Scan() {
			hash, size, _ := strings.Cut(in.Text(), " ")
			if _, wanted := sizes[hash]; wanted {
				if n, err := strconv.ParseInt(size, 10, 64); err == nil {
					sizes[hash] = n
				}
			}
		}
		return in.Err()
	}, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objectsize)")
	for i := range l.entries {
		if e := &l.entries[i]; !e.isDir() {
			e.size = sizes[l.hashOf(int32(i))]
		}
	}
	return l, err
}

// A point is what a revision names.
type point struct {
	commit, tree string
	time         time.Time
}

// resolve finds what a revision names.
func (r *Repo) resolve(ctx context.Context, rev string) (point, error) {
	if rev == "" {
		rev = "HEAD"
	}
	if err := checkRevision(rev); err != nil {
		return point{}, err
	}
	named, err := r.parse(ctx, rev)
	if err != nil {
		return point{}, err
	}
	if named == "" {
		return point{}, r.unknown(ctx, rev)
	}
	at, err := r.commitAt(ctx, named)
	if err != nil || at.commit != "" {
		return at, err
	}
	if at.tree, err = r.parse(ctx, named+"^{tree}"); err == nil && at.tree == "" {
		err = r.unknown(ctx, rev)
	}
	return at, err
}

// parse returns the hash of what a revision names; "" if it names nothing.
func (r *Repo) parse(ctx context.Context, rev string) (string, error) {
	out, err := r.output(ctx, 1<<10, "rev-parse", "--verify", "--quiet", rev)
	hash := string(bytes.TrimSpace(out))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("looking for a revision: %w", context.Cause(ctx))
	case err != nil || !isHash(hash):
		return "", nil
	}
	return hash, nil
}

// commitAt reads the tree and the time of a commit, or of the commit that a tag names; an empty point is of what is none.
func (r *Repo) commitAt(ctx context.Context, hash string) (point, error) {
	out, err := r.output(ctx, 1<<10, "log", "-1", "--no-walk", "--no-show-signature", "--no-color", "--format=%H %T %ct", hash, "--")
	if ctx.Err() != nil {
		return point{}, fmt.Errorf("looking for a revision: %w", context.Cause(ctx))
	}
	words := strings.Fields(string(out))
	if err != nil || len(words) != 3 || !isHash(words[0]) || !isHash(words[1]) {
		return point{}, nil
	}
	p := point{commit: words[0], tree: words[1]}
	if n, err := strconv.ParseInt(words[2], 10, 64); err == nil {
		p.time = time.Unix(n, 0).UTC()
	}
	return p, nil
}

// Commit is the hash of the tree's commit; "" of a tree that was named without one.
func (t *Tree) Commit() string { return t.commit }

// Time is when the commit was made, the modification time of every file; zero of a tree without a commit.
func (t *Tree) Time() time.Time { return t.time }

// Len is the number of entries, directories included.
func (t *Tree) Len() int { return len(t.list.entries) - 1 }

// Refused is the number of entries that were left out since no directory can have them.
func (t *Tree) Refused() int { return t.list.refused }

// Hash returns the name of the object at a path, links not followed: that of a blob changes with its content only. It is
// false where there is nothing, and for the root.
func (t *Tree) Hash(name string) (string, bool) {
	i, err := t.locate("hash", name, false)
	if err != nil || i == 0 {
		return "", false
	}
	return t.list.hashOf(i), true
}

// Close ends the processes that read contents, and waits for them. Reading then gives fs.ErrClosed. It returns nil.
func (t *Tree) Close() error {
	t.objects.close()
	return nil
}

// maxLinks is how many links are followed on the way to a file.
const maxLinks = 40

// locate finds the entry of a path; links on the way are followed within the tree, the last one only if follow is set.
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

// walk goes down a path, from the root. Above each entry on the way is its directory, for the ".." of a link.
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

// maxTarget is the longest target of a link, in bytes, as systems have it.
const maxTarget = 4096

// target is what a link holds.
func (t *Tree) target(i int32) (string, error) {
	if t.list.entries[i].size > maxTarget {
		return "", fs.ErrInvalid
	}
	data, err := t.blob(i, nil)
	return string(data), err
}

func (t *Tree) blob(i int32, buf []byte) ([]byte, error) {
	if t.list.entries[i].size < 0 {
		return nil, ErrMissing
	}
	obj, err := t.objects.get(t.list.hashOf(i), buf)
	if err == nil && obj.kind != "blob" {
		return nil, fmt.Errorf("the tree calls a %s a file", obj.kind)
	}
	return obj.data, err
}
