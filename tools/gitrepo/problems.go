package gitrepo

import (
	"errors"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
)

// A gitError is a failed run of git. It keeps the error output for decisions, not for display.
type gitError struct {
	said string
	err  error
}

func (e *gitError) Error() string { return "running git: " + e.err.Error() }
func (e *gitError) Unwrap() error { return e.err }

// said returns the error output of git, or "" if git did not run.
func said(err error) string {
	if failed := (*gitError)(nil); errors.As(err, &failed) {
		return failed.said
	}
	return ""
}

func noRepository() error {
	return &tools.Problem{Code: "not_a_repository", Message: "the directory is not in a git repository",
		Try: "the tools that read the directory work without one"}
}

func unreadable() error {
	return &tools.Problem{Code: "unreadable", Message: "git cannot read the repository", Try: "git fsck"}
}

// isPartial reports whether git failed because it would have to fetch an object.
func isPartial(err error) bool {
	text := said(err)
	signs := []string{"promisor", "lazy fetching", "transport '"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// broken explains why git failed on a repository that it could open.
func broken(err error) error {
	if isPartial(err) {
		return &tools.Problem{Code: "partial_clone", Message: "the repository is a partial clone without the needed objects",
			Try: "git fetch --refetch, outside of this session"}
	}
	return &tools.Problem{Code: "unreadable", Message: "git cannot read the repository: an object is missing or damaged",
		Try: "git fsck, outside of this session"}
}
