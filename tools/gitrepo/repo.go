package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/tools"
)

// A Repo is a repository that was found. It holds nothing open and does not change; it is safe for concurrent use.
type Repo struct {
	program   string // git
	gitDir    string // absolute
	commonDir string // absolute: where the objects are; another one than gitDir for a further worktree
	prefix    string // of the directory that was opened, from the root of the worktree: "" or "a/b/"
	hash      int    // hexadecimal digits of an object's name: 40 or 64

	// Shallow reports whether the history ends before its beginning.
	Shallow bool

	// Bare reports whether the directory that was opened holds no files of a revision: it is the repository itself.
	Bare bool
}

// Open finds the repository that dir is, is the worktree of, or lies in. Paths of the repository are then those below dir.
// The error is a *tools.Problem with the code "no_git", "not_found", "not_a_repository" or "unreadable", or ctx's own.
func Open(ctx context.Context, dir string) (*Repo, error) {
	program, err := lookGit()
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening a repository: %w", err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() || dir == "" {
		return nil, &tools.Problem{Code: "not_found", Message: "the repository's directory does not exist", Try: "an existing directory"}
	}
	r := &Repo{program: program}
	flags, err := r.discover(ctx, abs, "--is-shallow-repository", "--show-object-format", "--is-inside-work-tree")
	if err != nil {
		return nil, err
	}
	words := strings.Fields(flags)
	if len(words) != 3 {
		return nil, unreadable()
	}
	r.Bare, r.Shallow, r.hash = words[2] != "true", words[0] == "true", hashLength(words[1])
	if !r.Bare {
		if r.prefix, err = r.discover(ctx, abs, "--show-prefix"); err != nil {
			return nil, err
		}
	}
	if r.gitDir, err = r.discover(ctx, abs, "--absolute-git-dir"); err != nil {
		return nil, err
	}
	if r.commonDir, err = r.discover(ctx, abs, "--git-common-dir"); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(r.commonDir) {
		r.commonDir = filepath.Join(abs, r.commonDir)
	}
	return r, nil
}

func hashLength(format string) int {
	if format == "sha256" {
		return 64
	}
	return 40
}

func unreadable() error {
	return &tools.Problem{Code: "unreadable", Message: "the repository cannot be read by git", Try: "git fsck"}
}

// discover asks git about the repository of a directory. A path comes by itself, since it may hold newlines.
func (r *Repo) discover(ctx context.Context, dir string, flags ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := git(ctx, r.program, dir, "", append([]string{"rev-parse"}, flags...)...)
	said := &beginning{most: 4 << 10}
	cmd.Stderr = said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("opening a repository: %w", context.Cause(ctx))
	case err != nil && strings.Contains(said.text.String(), "not a git repository"):
		return "", noRepository()
	case err != nil:
		return "", unreadable()
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// checkRevision refuses what cannot be a revision, and what git could take for an option.
func checkRevision(rev string) error {
	bad := func(why string) error {
		return &tools.Problem{Code: "bad_revision", Message: "the revision " + why, Try: "a branch, a tag, a commit's hash, or HEAD~1"}
	}
	switch {
	case strings.TrimSpace(rev) == "":
		return bad("is blank")
	case rev[0] == '-':
		return bad(`begins with "-"`)
	case len(rev) > 1024:
		return bad("has more than 1024 bytes")
	case strings.ContainsFunc(rev, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return bad("holds a control character")
	case strings.Contains(rev, ".."):
		return bad("is a range")
	}
	return nil
}
