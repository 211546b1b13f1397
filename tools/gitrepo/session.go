package gitrepo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

// Options configures [Tools]. Nil means all defaults.
type Options struct {
	JSON        bool          // render results as one JSON value instead of text
	AllowSecret tree.Allowed  // files whose credentials are shown (default none)
	Dir         string        // absolute path of the opened directory, removed from absolute paths in calls
	Timeout     time.Duration // time limit of a call, after which it returns partial results (default 20 s)
}

const defaultTimeout = 20 * time.Second

// A session is a repository with the settings and the cache that its tools share.
type session struct {
	repo *Repo
	rev  string
	o    Options

	mu   sync.Mutex
	tree string   // hash of the tree in list: most calls look at the same revision
	list *listing // the last listed tree
}

// errDeadline is the cause when a call runs out of time.
var errDeadline = errors.New("deadline")

// withDeadline limits the time of a call to Timeout or, if less, nine tenths of what ctx has left. It rejects calls
// without a repository.
func withDeadline[In, Out any](
	s *session, fn func(context.Context, In) (Out, error),
) func(context.Context, In) (any, error) {
	return func(ctx context.Context, in In) (any, error) {
		if s.repo == nil {
			return nil, noRepository()
		}
		limit := s.o.Timeout
		if d, ok := ctx.Deadline(); ok {
			limit = min(limit, time.Until(d)*9/10)
		}
		timed, cancel := context.WithTimeoutCause(ctx, limit, errDeadline)
		defer cancel()
		out, err := fn(timed, in)
		switch {
		case err == nil:
			return out, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case timed.Err() != nil:
			return nil, tools.Problemf("deadline", "a path, a smaller range of lines or a later since",
				"git took longer than %v", limit.Round(time.Millisecond))
		case stderrOf(err) != "":
			return nil, s.repo.broken("an object that this needs")
		}
		return nil, err
	}
}

func (s *session) revision(given string) string { return cmp.Or(given, s.rev, "HEAD") }

// resolve is [Repo.resolve]. That the commit of the session's own tree cannot be found is not the call's fault.
func (s *session) resolve(ctx context.Context, rev string) (point, error) {
	at, err := s.repo.resolve(ctx, rev)
	if problem := (*tools.Problem)(nil); rev == s.rev && errors.As(err, &problem) && problem.Code == "unknown_revision" {
		err = s.repo.broken("the commit of this tree")
	}
	return at, err
}

// commitAt finds the commit that a call names. It rejects a bare tree such as HEAD:.aws, because the name of a secret
// is recognised only with the directories above it.
func (s *session) commitAt(ctx context.Context, given string) (point, error) {
	rev := s.revision(given)
	at, err := s.resolve(ctx, rev)
	if err == nil && at.commit == "" {
		err = s.repo.unknown(ctx, rev)
	}
	return at, err
}

// clean checks a path from a model and returns it relative to the root, "." for the root itself, like the tools of
// codebase.
func (s *session) clean(p string) (string, error) {
	if strings.ContainsRune(p, 0) || !utf8.ValidString(p) || len(p) > 4096 {
		return "", tools.Problemf("bad_path", "a path from the root, as list_dir prints it",
			"the path contains a NUL byte, is not UTF-8 or is too long")
	}
	p = filepath.ToSlash(p)
	if dir := strings.TrimSuffix(filepath.ToSlash(s.o.Dir), "/"); dir != "" && (p == dir || strings.HasPrefix(p, dir+"/")) {
		p = strings.TrimLeft(p[len(dir):], "/")
	}
	up := path.IsAbs(p) || strings.HasPrefix(p, "~")
	for part := range strings.SplitSeq(p, "/") {
		up = up || part == ".."
	}
	if up {
		return "", tools.Problemf("outside", "a path from the root, as list_dir prints it", "the path leads out of the root")
	}
	p = path.Clean(p)
	return p, s.o.AllowSecret.Refuse(p)
}

// redact returns a text that is not from a file without secrets.
func (s *session) redact(text string) string { return string(s.o.AllowSecret.Redact("", []byte(text))) }

// message returns a text of a commit without addresses and secrets.
func (s *session) message(text string, runes int) string {
	return line.Truncate(withoutAddresses(s.redact(text)), runes)
}

// author returns a name on one line, without secrets. It shortens a mail address to the part before the "@".
func (s *session) author(name string) string {
	name, _, _ = strings.Cut(oneLine(s.redact(name)), "@")
	return strings.TrimSpace(line.Truncate(name, 80))
}

// An excerpt holds the arguments of read_file.
type excerpt struct {
	Path   string `json:"path,omitempty"`
	Start  *int   `json:"start_line,omitempty"`
	End    *int   `json:"end_line,omitempty"`
	Limit  *int   `json:"limit,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// treeAt is [Repo.Tree], but lists a tree only once for consecutive calls.
func (s *session) treeAt(ctx context.Context, rev string) (*Tree, error) {
	at, err := s.resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	known, list := s.tree, s.list
	s.mu.Unlock()
	if known != at.tree {
		if list, err = s.repo.list(ctx, at); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.tree, s.list = at.tree, list
		s.mu.Unlock()
	}
	return s.repo.treeOf(at, list), nil
}

// read reads lines of a file at a revision. It calls the tool read_file, so that all its rules and errors apply.
func (s *session) read(ctx context.Context, rev string, e excerpt, asJSON bool) (*codebase.FileResult, error) {
	snapshot, err := s.treeAt(ctx, rev)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	defer context.AfterFunc(ctx, snapshot.objects.close)() // missing contents must not block the call
	args, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	source := tree.Open(snapshot, &tree.Options{AllowSecret: s.o.AllowSecret, Dir: s.o.Dir, Workers: 1})
	for _, t := range codebase.Tools(source, &codebase.Options{JSON: asJSON}) {
		if t.Name != "read_file" {
			continue
		}
		v, err := t.Call(ctx, args)
		if err != nil {
			return nil, err
		}
		if result, ok := v.(*codebase.FileResult); ok && len(result.Items) == 1 {
			return result, nil
		}
	}
	return nil, errDeadline
}
