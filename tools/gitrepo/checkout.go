package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
)

// cloneDeadline bounds how long a clone over the network takes.
const cloneDeadline = 10 * time.Minute

// Checkout makes a working copy of a revision ("" for HEAD) in an empty directory, with a repository of its own. The
// source is a directory as [Open] takes it, which lends its objects and must outlive the copy, or an https URL, which
// is cloned. Checkout runs no hooks or filters and leaves submodules empty. Errors are those of Open, and a
// *tools.Problem with the code "bad_revision", "unknown_revision" or "no_commit" for the revision.
func Checkout(ctx context.Context, source, revision, dir string) error {
	program, err := lookGit()
	if err != nil {
		return err
	}
	var at point
	limit, protocol, lend := deadline, "file", "--shared"
	remote := strings.HasPrefix(source, "https://")
	if remote {
		limit, protocol, lend = cloneDeadline, "https", "--no-local"
	} else {
		r, err := Open(ctx, source)
		if err != nil {
			return err
		}
		if at, err = r.resolve(ctx, revision); err != nil {
			return err
		}
		source = r.commonDir
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	clone := git(ctx, program, dir, "", "clone", "--quiet", "--no-checkout", "--template=", lend, "--", source, ".")
	clone.Env = append(clone.Env, "GIT_ALLOW_PROTOCOL="+protocol)
	for _, name := range []string{"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "GIT_SSL_CAINFO"} {
		clone.Env = append(clone.Env, name+"="+os.Getenv(name))
	}
	if err := stream(ctx, cancel, clone, discard); err != nil {
		return fmt.Errorf("cloning %s: %w", source, explained(err))
	}
	if remote {
		if at, err = resolveIn(ctx, dir, revision); err != nil {
			return err
		}
	}
	if at.commit == "" {
		return tools.Problemf("unknown_revision", "a branch, a tag or the hash of a commit", "the revision is not a commit")
	}
	checkout := git(ctx, program, dir, "", "checkout", "--quiet", "--detach", at.commit)
	if err := stream(ctx, cancel, checkout, discard); err != nil {
		return fmt.Errorf("checking out %s: %w", at.commit, explained(err))
	}
	return nil
}

// resolveIn resolves a revision in a clone, where the branches of its source are those of origin.
func resolveIn(ctx context.Context, dir, revision string) (point, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return point{}, err
	}
	at, err := r.resolve(ctx, revision)
	if err != nil && revision != "" {
		if branch, err := r.resolve(ctx, "origin/"+revision); err == nil {
			return branch, nil
		}
	}
	return at, err
}

func discard(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// explained adds the last line that git wrote about a repository that the caller named.
func explained(err error) error {
	text := strings.TrimSpace(stderrOf(err))
	if text == "" {
		return err
	}
	return errors.New(text[strings.LastIndexByte(text, '\n')+1:])
}
