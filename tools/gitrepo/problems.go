package gitrepo

import (
	"errors"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"
)

// A gitError is a failed run of git. It keeps the error output for decisions, not for display.
type gitError struct {
	stderr string
	err    error
}

func (e *gitError) Error() string { return "running git: " + e.err.Error() }
func (e *gitError) Unwrap() error { return e.err }

// stderrOf returns the error output of git, or "" if err is not a failure of git.
func stderrOf(err error) string {
	if failed := (*gitError)(nil); errors.As(err, &failed) {
		return failed.stderr
	}
	return ""
}

func noRepository() error {
	return tools.Problemf("not_a_repository", "the tools that read the directory work without one",
		"the directory is not in a git repository")
}

func unreadable() error {
	return tools.Problemf("unreadable", "git fsck", "git cannot read the repository")
}

// isPartial reports whether git failed because an object would have to be fetched first.
func isPartial(err error) bool {
	text := stderrOf(err)
	signs := []string{"promisor", "lazy fetching", "transport '"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// fetchAll is the command that completes a partial clone.
const fetchAll = "git fetch --refetch --no-filter"

// broken explains why git failed on a repository that it could open.
func broken(err error) error {
	if isPartial(err) {
		return tools.Problemf("partial_clone", fetchAll+", outside of this session",
			"the repository is a partial clone without the needed objects")
	}
	return tools.Problemf("unreadable", "git fsck, outside of this session",
		"git cannot read the repository: an object is missing or damaged")
}
