package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/forayhq/foray/tools"
)

// guard overrides settings of the repository, for every run of git, that could run a program, reach the network or
// change the output.
var guard = []string{
	"safe.directory=*", "safe.bareRepository=all", // the owner of files does not make them safe
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull,
	"core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
	"core.pager=cat", "core.editor=false", "core.askPass=", "core.sshCommand=false", "core.gitProxy=",
	"core.alternateRefsCommand=",
	"credential.helper=", "protocol.allow=never", "protocol.file.allow=never", "protocol.ext.allow=never",
	"protocol.http.allow=never", "protocol.https.allow=never", "protocol.ssh.allow=never", "protocol.git.allow=never",
	"core.bigFileThreshold=16m", // larger files count as binary, and git streams them
	"gc.auto=0", "maintenance.auto=false", "fetch.recurseSubmodules=false", "submodule.recurse=false",
	"diff.external=", "diff.orderFile=" + os.DevNull, "diff.submodule=short", "diff.ignoreSubmodules=none",
	"interactive.diffFilter=",
	"diff.suppressBlankEmpty=false", "log.showRoot=true", "log.showSignature=false", "log.mailmap=false",
	"log.follow=false", "mailmap.file=", "mailmap.blob=",
	"gpg.program=false", "gpg.ssh.program=false", "gpg.x509.program=false", "gpg.ssh.defaultKeyCommand=",
	"blame.ignoreRevsFile=", "color.ui=never", "core.quotePath=true", "i18n.logOutputEncoding=UTF-8",
	"core.warnAmbiguousRefs=false", "advice.detachedHead=false",
}

// inherited are the environment variables that git gets from this process: paths of programs and of temporary files,
// and HOME, without which git fails on "~" in the repository's configuration.
var inherited = []string{"PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"}

func environment() []string {
	env := []string{
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1",
		"GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0",
	}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// deadline bounds each run of git, even without a deadline of the caller: a repository can make git wait forever, for
// example with a FIFO in place of an object.
const deadline = 2 * time.Minute

// grace is how long to wait for the pipes of a killed git to close, since its children may hold them open.
const grace = 3 * time.Second

// git prepares a run of git. Without a gitDir, git searches for a repository from dir upwards. With one, dir is the
// worktree, whatever core.worktree says, and paths are relative to the root of the repository.
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

// stream runs a prepared git and passes its output to read. It stops git as soon as read returns an error; errEnough
// counts as success.
func stream(ctx context.Context, cancel context.CancelFunc, cmd *exec.Cmd, read func(io.Reader) error) error {
	stderr := &beginning{most: 4 << 10}
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
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
		return &gitError{string(stderr.text), err}
	}
	return nil
}

// errEnough stops git once its reader needs no more output.
var errEnough = errors.New("no more output needed")

// A beginning keeps the first bytes that are written to it.
type beginning struct {
	text []byte
	most int
}

func (h *beginning) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), h.most-len(h.text))]...)
	return len(p), nil
}

func lookGit() (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", tools.Problemf("no_git", "the tools that read the directory work without it",
			"the git program is not installed")
	}
	return program, nil
}
