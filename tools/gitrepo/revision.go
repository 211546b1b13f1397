package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

type point struct {
	commit, tree string
	time         time.Time
}

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
	at.tree, err = r.parse(ctx, named+"^{tree}")
	switch {
	case err != nil || at.tree != "":
		return at, err
	case named != rev && !r.has(ctx, named) && ctx.Err() == nil: // of a hash in full, rev-parse does not know whether it exists
		return at, r.broken("the object that " + line.Path(rev) + " names")
	}
	return at, r.unknown(ctx, rev)
}

// has reports whether the repository has an object and can read it.
func (r *Repo) has(ctx context.Context, hash string) bool {
	return r.runApart(ctx, nil, func(from io.Reader) error {
		_, err := io.Copy(io.Discard, from)
		return err
	}, "cat-file", "-p", hash) == nil
}

// parse returns the hash of the target of a revision, or "". A hash in full is its own, whether or not it exists, as in
// git rev-parse.
func (r *Repo) parse(ctx context.Context, rev string) (string, error) {
	if len(rev) == r.hash && isHash(rev) {
		return rev, nil
	}
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

// commitAt reads the tree and the time of a commit, or of a tagged commit. It returns an empty point for anything
// else.
func (r *Repo) commitAt(ctx context.Context, hash string) (point, error) {
	args := []string{"log", "-1", "--no-walk", "--no-show-signature", "--no-color", "--format=%H %T %ct", hash, "--"}
	out, err := r.output(ctx, 1<<10, args...)
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

func checkRevision(rev string) error {
	bad := func(why string) error {
		return tools.Problemf("bad_revision", "a branch, a tag, the hash of a commit, or HEAD~1", "the revision %s", why)
	}
	switch {
	case strings.TrimSpace(rev) == "":
		return bad("is blank")
	case rev[0] == '-':
		return bad(`begins with "-"`)
	case len(rev) > 1024:
		return bad("has more than 1024 bytes")
	case strings.ContainsFunc(rev, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return bad("contains a control character")
	case strings.Contains(rev, ".."):
		return bad("is a range")
	}
	return nil
}

// unknown is the error for a revision that does not exist. It suggests the closest references.
func (r *Repo) unknown(ctx context.Context, rev string) error {
	out, err := r.output(ctx, 1<<20, "for-each-ref", "--count=5000", "--sort=-creatordate", "--format=%(refname:short)",
		"refs/heads", "refs/tags", "refs/remotes")
	names := strings.Fields(string(out))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && len(names) == 0 && rev == "HEAD":
		return tools.Problemf("no_commit", "the tools that read the directory work without one",
			"the repository has no commits yet")
	}
	try, where := "HEAD", ""
	if near := line.Closest(rev, names, 3); len(near) > 0 {
		try = strings.Join(near, ", ")
	}
	if r.Shallow {
		where = "; the repository is a shallow clone without its older history"
	}
	return tools.Problemf("unknown_revision", try, "unknown revision %s%s", line.Path(rev), where)
}
