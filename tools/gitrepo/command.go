package gitrepo

import (
	"bytes"
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

// guard are the settings that every run of git gets; they are stronger than those of the repository.
var guard = []string{
	"safe.directory=*", "safe.bareRepository=all", // whose files they are says nothing about what they hold
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull,
	"core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
	"core.pager=cat", "core.editor=false", "core.askPass=", "core.sshCommand=false", "core.gitProxy=", "core.alternateRefsCommand=",
	"credential.helper=", "protocol.allow=never", "protocol.file.allow=never", "protocol.ext.allow=never",
	"protocol.http.allow=never", "protocol.https.allow=never", "protocol.ssh.allow=never", "protocol.git.allow=never",
	"core.bigFileThreshold=16m", // a larger file counts as binary, and goes through git in pieces
	"gc.auto=0", "maintenance.auto=false", "fetch.recurseSubmodules=false", "submodule.recurse=false",
	"diff.external=", "diff.orderFile=" + os.DevNull, "diff.submodule=short", "diff.ignoreSubmodules=none", "interactive.diffFilter=",
	"diff.suppressBlankEmpty=false", "log.showRoot=true", "log.showSignature=false", "log.mailmap=false", "log.follow=false", "mailmap.file=", "mailmap.blob=",
	"gpg.program=false", "gpg.ssh.program=false", "gpg.x509.program=false", "gpg.ssh.defaultKeyCommand=",
	"blame.ignoreRevsFile=", "color.ui=never", "core.quotePath=true", "i18n.logOutputEncoding=UTF-8",
	"core.warnAmbiguousRefs=false", "advice.detachedHead=false",
}

// passed are the variables of the caller's environment that git gets: where programs and temporary files are. HOME is
// there only so that "~" in a path of the repository's configuration is no error.
var passed = []string{"PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"}

// environment is the whole environment of git.
func environment() []string {
	env := []string{
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1",
		"GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0",
	}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// deadline is how long one run of git may take when its caller sets no shorter time. A repository can hold what makes git
// wait for ever, as a FIFO in place of an object.
const deadline = 2 * time.Minute

// grace is how long the pipes of a git that was killed stay open for what it started.
const grace = 3 * time.Second

// git is a run of git on a repository. An empty gitDir lets git look for one from dir. Else dir is its worktree, whatever
// core.worktree says: paths are from the root of the repository.
func git(ctx context.Context, program, dir, gitDir string, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--literal-pathspecs"}
	if gitDir != "" {
		all = append(all, "--git-dir="+gitDir)
	}
	for _, setting := range guard {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, program, append(all, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environment(), grace
	if gitDir != "" {
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+dir)
	}
	return cmd
}

// run runs git on the repository and gives its output to read as it comes. An error of read ends git.
func (r *Repo) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return finish(ctx, cancel, git(ctx, r.program, r.gitDir, r.gitDir, args...), read)
}

// runApart is run without the repository's configuration: in an empty repository that has the objects of this one. It is
// for settings that no other setting undoes; blame.ignoreRevsFile is one. Revisions have to be hashes.
func (r *Repo) runApart(ctx context.Context, read func(io.Reader) error, args ...string) error {
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
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600), os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := git(ctx, r.program, dir, dir, args...)
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.commonDir, "objects"), "GIT_SHALLOW_FILE="+filepath.Join(r.commonDir, "shallow"))
	return finish(ctx, cancel, cmd, read)
}

// finish runs git and gives its output to read.
func finish(ctx context.Context, cancel context.CancelFunc, cmd *exec.Cmd, read func(io.Reader) error) error {
	said := &beginning{most: 4 << 10}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	readErr := read(out)
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	switch {
	case readErr != nil && !errors.Is(readErr, errEnough):
		return readErr
	case readErr != nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("running git: %w", context.Cause(ctx))
	case err != nil:
		return &gitError{said.text.String(), err}
	}
	return nil
}

// errEnough ends a run of git whose output was long enough.
var errEnough = errors.New("enough")

// output is the output of a short run of git, at most most bytes of it.
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

// A gitError is a run of git that failed, with what it said on its error output: for decisions, not to be shown.
type gitError struct {
	said string
	err  error
}

func (e *gitError) Error() string { return "running git: " + e.err.Error() }
func (e *gitError) Unwrap() error { return e.err }

// said reports what git said when it failed; "" when it did not run.
func said(err error) string {
	if failed := (*gitError)(nil); errors.As(err, &failed) {
		return failed.said
	}
	return ""
}

// A beginning keeps the beginning of what is written to it.
type beginning struct {
	text bytes.Buffer
	most int
}

func (h *beginning) Write(p []byte) (int, error) {
	h.text.Write(p[:min(len(p), h.most-h.text.Len())])
	return len(p), nil
}

// lookGit finds the git program.
func lookGit() (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", &tools.Problem{Code: "no_git", Message: "the git program is not installed", Try: "the tools that read the directory work without it"}
	}
	return program, nil
}
