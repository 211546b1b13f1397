package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
)

// A Repo is a repository on disk. It is immutable, keeps no file open, and is safe for concurrent use.
type Repo struct {
	program   string // git
	gitDir    string // absolute
	commonDir string // absolute; where the objects are, differs from gitDir in a linked worktree
	prefix    string // the opened directory from the root of the worktree: "" or "a/b/"
	hash      int    // hexadecimal digits of an object name: 40 or 64

	listLimit time.Duration // of a listing, for tests; 0: maxListing

	// Shallow reports whether the clone lacks the oldest history.
	Shallow bool

	// Bare reports whether the opened directory is a repository without a worktree.
	Bare bool
}

// Open finds the repository at or above dir. Paths are then relative to dir. The error is a *tools.Problem with the
// code "no_git", "not_found", "not_a_repository" or "unreadable", or the error of ctx.
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
		return nil, tools.Problemf("not_found", "an existing directory", "the directory does not exist")
	}
	r := &Repo{program: program}
	facts, err := r.facts(ctx, abs)
	if err != nil {
		return nil, err
	}
	r.Bare, r.Shallow, r.hash = facts[2] != "true", facts[0] == "true", 40
	if facts[1] == "sha256" {
		r.hash = 64
	}
	r.prefix, r.gitDir, r.commonDir = facts[3], facts[4], facts[5]
	if !filepath.IsAbs(r.commonDir) {
		r.commonDir = filepath.Join(abs, r.commonDir)
	}
	return r, nil
}

// openFlags ask for what Open has to know. Each makes rev-parse write one line, unless a path contains newlines.
var openFlags = []string{"--is-shallow-repository", "--show-object-format", "--is-inside-work-tree", "--show-prefix",
	"--absolute-git-dir", "--git-common-dir"}

// facts returns the answers to openFlags. They come from one process, or from one each if newlines in a path leave open
// where an answer ends.
func (r *Repo) facts(ctx context.Context, dir string) ([]string, error) {
	all, err := r.discover(ctx, dir, openFlags...)
	if err != nil {
		return nil, err
	}
	facts := strings.Split(all, "\n")
	if len(facts) == len(openFlags) {
		return facts, nil
	}
	facts = facts[:0]
	for _, flag := range openFlags {
		fact, err := r.discover(ctx, dir, flag)
		if err != nil {
			return nil, err
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// discover runs git rev-parse in a directory.
func (r *Repo) discover(ctx context.Context, dir string, flags ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := git(ctx, r.program, dir, "", append([]string{"rev-parse"}, flags...)...)
	stderr := &beginning{most: 4 << 10}
	cmd.Stderr = stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("opening a repository: %w", context.Cause(ctx))
	case err != nil && strings.Contains(string(stderr.text), "not a git repository: "): // with the path in a .git file
		return "", pointsNowhere()
	case err != nil && strings.Contains(string(stderr.text), "not a git repository"):
		return "", noRepository()
	case err != nil:
		return "", unreadable()
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// run runs git on the repository and streams its output to read. An error of read ends git.
func (r *Repo) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return stream(ctx, cancel, git(ctx, r.program, r.gitDir, r.gitDir, args...), read)
}

// runApart is [Repo.run] without the repository's configuration: it runs git in an empty repository that borrows the
// objects. Use it where the configuration cannot be overridden, as with blame.ignoreRevsFile. Name revisions by hash.
//
// So git knows of no remote either, and never fetches an object of a partial clone.
func (r *Repo) runApart(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	dir, err := os.MkdirTemp("", "foray-git-")
	if err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	defer os.RemoveAll(dir)
	config := "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha1\n"
	if r.hash == 64 {
		config = strings.Replace(config, "sha1", "sha256", 1)
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o700), os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := git(ctx, r.program, dir, dir, args...)
	cmd.Stdin = stdin
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.commonDir, "objects"),
		"GIT_SHALLOW_FILE="+filepath.Join(r.commonDir, "shallow"))
	return stream(ctx, cancel, cmd, read)
}

// output returns up to most bytes of the output of a short run of git.
func (r *Repo) output(ctx context.Context, most int64, args ...string) ([]byte, error) {
	var out []byte
	err := r.run(ctx, func(from io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(from, most))
		if err == nil && int64(len(out)) == most {
			return errEnough
		}
		return err
	}, args...)
	return out, err
}

// objects returns a reader of objects with up to most processes, which live until its close.
func (r *Repo) objects(most int) *objects {
	return newObjects(most, func() *exec.Cmd {
		return git(context.Background(), r.program, r.gitDir, r.gitDir, "cat-file", "--batch")
	})
}
