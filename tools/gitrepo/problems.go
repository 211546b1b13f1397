package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
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

// pointsNowhere is the problem of a .git file, as in a linked worktree whose repository was moved.
func pointsNowhere() error {
	return tools.Problemf("unreadable", "git worktree repair, in the repository that it belonged to",
		"the .git file of the directory names a repository that does not exist")
}

func unreadable() error {
	return tools.Problemf("unreadable", "git fsck", "git cannot read the repository")
}

// fetchAll is the command that completes a partial clone.
const fetchAll = "git fetch --refetch --no-filter"

// isPartialClone reports whether the repository left out objects on purpose when it was cloned or fetched.
func (r *Repo) isPartialClone() bool {
	marks, err := fs.Glob(os.DirFS(r.commonDir), "objects/pack/*.promisor")
	return err == nil && len(marks) > 0
}

// remedy returns a noun for the repository and what the user can do about its missing objects.
func (r *Repo) remedy() (code, repository, try string) {
	if r.isPartialClone() {
		return "partial_clone", "the partial clone", fetchAll + ", outside of this session"
	}
	return "unreadable", "the repository", "git fsck, outside of this session"
}

// broken explains why git failed on a repository that it could open: for want of an object.
func (r *Repo) broken(object string) *tools.Problem {
	code, repository, try := r.remedy()
	return &tools.Problem{Code: code, Try: try, Message: repository + " lacks " + object + ", or it is damaged"}
}

// absentDirectory explains why a listing ends at its last entry.
func (r *Repo) absentDirectory(l *listing) *tools.Problem {
	dir, last := "", int32(len(l.entries)-1)
	l.walk(0, "", func(i int32, path string) bool {
		dir = path
		return i != last
	})
	code, repository, try := r.remedy()
	return &tools.Problem{Code: code, Try: try, Message: fmt.Sprintf(
		"the directory %s is absent from %s, and only what comes before it was looked at", line.Path(dir), repository)}
}

// maxNamed is how many absent files a problem names.
const maxNamed = 3

// absentFiles says which contents of a listing are absent; nil if none are.
func (r *Repo) absentFiles(l *listing) *tools.Problem {
	files, missing := 0, 0
	for i := range l.entries {
		if e := &l.entries[i]; !e.isDir() {
			files++
			if e.size == absent {
				missing++
			}
		}
	}
	if missing == 0 {
		return nil
	}
	var named []string
	l.walk(0, "", func(i int32, path string) bool {
		if l.entries[i].size == absent {
			named = append(named, line.Path(path))
		}
		return len(named) < min(missing, maxNamed)
	})
	if more := missing - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	_, repository, try := r.remedy()
	return &tools.Problem{Code: "absent", Try: try, Message: fmt.Sprintf("%s lacks the contents of %d of %s (%s)",
		repository, missing, line.Count(files, "file"), strings.Join(named, ", "))}
}

// oneDirectory says how to look at a part of a tree that is too large.
const oneDirectory = "one directory of the revision, as in --rev HEAD:src"

// tooMany is the problem of a tree with more than n entries.
func tooMany(n int) *tools.Problem {
	return &tools.Problem{Code: "too_many", Try: oneDirectory, Message: fmt.Sprintf(
		"the tree has more than %s entries, and only these were looked at", line.Number(n))}
}

// tooSlow is the problem of a tree whose listing ended at a time limit.
func tooSlow(limit time.Duration, l *listing) *tools.Problem {
	return &tools.Problem{Code: "deadline", Try: oneDirectory, Message: fmt.Sprintf(
		"listing the tree took longer than %v, and only its first %s entries were looked at", limit,
		line.Number(max(len(l.entries)-1, 0)))}
}

// lack adds a reason why the listing is not the whole tree; nil is none.
func (l *listing) lack(p *tools.Problem) {
	switch {
	case p == nil:
	case l.partial == nil:
		l.partial = p
	default:
		l.partial = &tools.Problem{Code: l.partial.Code, Try: l.partial.Try, Message: l.partial.Message + "; " + p.Message}
	}
}
