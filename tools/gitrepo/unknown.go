package gitrepo

import (
	"context"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
)

// unknown says that there is no such revision, and which references are nearest to it.
func (r *Repo) unknown(ctx context.Context, rev string) error {
	out, err := r.output(ctx, 1<<20, "for-each-ref", "--count=5000", "--sort=-creatordate", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	names := strings.Fields(string(out))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && len(names) == 0 && rev == "HEAD":
		return &tools.Problem{Code: "no_commit", Message: "the repository has no commit yet", Try: "the tools that read the directory work without one"}
	}
	problem := &tools.Problem{Code: "unknown_revision", Message: "there is no revision " + show(rev), Try: "HEAD"}
	if near := tools.Closest(rev, names, 3); len(near) > 0 {
		problem.Try = strings.Join(near, ", ")
	}
	if r.Shallow {
		problem.Message += "; the repository is a shallow clone, whose history ends early"
	}
	return problem
}

// noRepository says that there is none.
func noRepository() error {
	return &tools.Problem{Code: "not_a_repository", Message: "the directory is in no git repository", Try: "the tools that read the directory work without one"}
}

// isPartial reports whether git failed since it lacks an object that it would have to fetch.
func isPartial(err error) bool {
	text := said(err)
	return slices.ContainsFunc([]string{"promisor", "lazy fetching", "transport '"}, func(sign string) bool { return strings.Contains(text, sign) })
}

// broken says in a sentence why git failed on a repository that it had opened.
func broken(err error) error {
	if isPartial(err) {
		return &tools.Problem{Code: "partial_clone", Message: "the repository is a partial clone that lacks objects which this needs", Try: "git fetch --refetch, outside of this session"}
	}
	return &tools.Problem{Code: "unreadable", Message: "the repository cannot be read by git: an object is missing or damaged", Try: "git fsck, outside of this session"}
}
