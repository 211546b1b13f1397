package gitrepo

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
)

// list lists the tree of a point, below the opened directory. If a bound or an absent object ends the listing early, it
// has what came before, and says so in listing.partial.
func (r *Repo) list(ctx context.Context, at point) (*listing, error) {
	name := at.tree
	if r.prefix != "" {
		name += ":" + strings.TrimSuffix(r.prefix, "/")
	}
	l, err := r.names(ctx, name)
	if err == nil {
		err = r.sizes(ctx, l)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("listing a tree: %w", context.Cause(ctx))
	case err != nil:
		return nil, err
	}
	l.lack(r.absentFiles(l))
	return l, nil
}

// names lists what is in a tree, without the sizes. It fails if it finds nothing in the time.
func (r *Repo) names(ctx context.Context, tree string) (*listing, error) {
	timed, cancel := context.WithTimeout(ctx, r.limit())
	defer cancel()
	l := &listing{}
	err := r.runApart(timed, nil, func(from io.Reader) (err error) {
		l, err = readListing(from, r.hash)
		return err
	}, "ls-tree", "-r", "-t", "-z", "--full-tree", tree)
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		l.lack(tooSlow(r.limit(), l))
	case stderrOf(err) == "":
		return nil, err
	case len(l.entries) > 1:
		l.lack(r.absentDirectory(l))
	case r.prefix != "" && !r.isPartialClone() && strings.Contains(stderrOf(err), "Not a valid object name"):
		return nil, tools.Problemf("not_found", "the directory above it", "the directory does not exist at that revision")
	default:
		return nil, r.broken("the tree of the revision")
	}
	if len(l.entries) <= 1 {
		return nil, l.partial
	}
	return l, nil
}

// sizes asks for the size of each blob once, since trees may share them. The listing then ends before the first blob
// without an answer. Asking git for names and sizes together takes ten times as long if many names share a blob.
func (r *Repo) sizes(ctx context.Context, l *listing) error {
	timed, cancel := context.WithTimeout(ctx, r.limit())
	defer cancel()
	sizes := map[string]int64{}
	var questions strings.Builder
	for i := range l.entries {
		hash := l.hashOf(int32(i))
		if _, asked := sizes[hash]; !asked && !l.entries[i].isDir() {
			sizes[hash] = unasked
			questions.WriteString(hash + "\n")
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	err := r.runApart(timed, strings.NewReader(questions.String()), func(from io.Reader) error {
		in := bufio.NewScanner(from)
		for in.Scan() {
			hash, size, _ := strings.Cut(in.Text(), " ")
			n, err := strconv.ParseInt(size, 10, 64)
			if err != nil { // "<hash> missing"
				n = absent
			}
			sizes[hash] = n
		}
		return in.Err()
	}, "cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)")
	answered := l.fill(sizes)
	switch {
	case answered:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		l.lack(tooSlow(r.limit(), l))
	case stderrOf(err) != "":
		l.lack(r.broken("the sizes of its files"))
	default:
		return err
	}
	return nil
}

// fill sets the sizes of blobs by their hashes. It reports false if it had to drop entries whose size is not known.
func (l *listing) fill(sizes map[string]int64) bool {
	for i := range l.entries {
		e := &l.entries[i]
		if e.isDir() {
			continue
		}
		if e.size = sizes[l.hashOf(int32(i))]; e.size == unasked {
			l.truncate(i)
			return false
		}
	}
	return true
}

// limit returns the time limit for the names of a listing, and for its sizes.
func (r *Repo) limit() time.Duration { return cmp.Or(r.listLimit, maxListing) }
