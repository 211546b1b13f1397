package gitrepo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// Options of Tools. The zero value, like nil, is the default.
type Options struct {
	JSON         bool          // results render as one JSON value instead of text, for a caller that decodes them
	AllowSecrets bool          // show files with a secret's name, and do not redact tokens
	Dir          string        // absolute path of the directory that was opened: an absolute path below it is taken as relative
	Timeout      time.Duration // how long one call may take before it answers with what it has; 0: 20 s
}

const defaultTimeout = 20 * time.Second

// Tools returns git_log, git_show and git_blame over a repository; rev is the revision that they look at when a call names
// none, "" for HEAD. They only read and may be called side by side. A bad call is a *tools.Problem; results are *LogResult,
// *ShowResult, *BlameResult and, of git_show with a path, *codebase.FileResult. A nil repository makes tools that say that
// there is none.
func Tools(repo *Repo, rev string, o *Options) []tools.Tool {
	s := &session{repo: repo, rev: rev}
	if o != nil {
		s.o = *o
	}
	s.o.Timeout = cmp.Or(s.o.Timeout, defaultTimeout)
	return []tools.Tool{
		tools.New("git_log", "Lists commits, newest first: of a path, of the lines of a symbol, by words of the message, or those that changed how often a text occurs.", bounded(s, s.log)),
		tools.New("git_show", "Shows a commit with its diff or, with a path, a file as it was at a revision.", bounded(s, s.show)),
		tools.New("git_blame", "Tells for lines of a file which commit wrote them last.", bounded(s, s.blame)),
	}
}

// A session is a repository with what holds for every call of its tools.
type session struct {
	repo *Repo
	rev  string
	o    Options

	mu   sync.Mutex
	tree string // the tree that was listed last: calls look at one revision mostly
	list *listing
}

// errDeadline ends a call whose time is up.
var errDeadline = errors.New("deadline")

// bounded gives a call its time, a little less than ctx has left, and refuses it where there is no repository.
func bounded[In, Out any](s *session, fn func(context.Context, In) (Out, error)) func(context.Context, In) (any, error) {
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
			return nil, &tools.Problem{Code: "deadline", Message: fmt.Sprintf("git took longer than %v", limit.Round(time.Millisecond)), Try: "a path, a smaller range of lines or a later since"}
		case said(err) != "":
			return nil, broken(err)
		}
		return nil, err
	}
}

// revision is the one that a call names, or that of the session.
func (s *session) revision(given string) string { return cmp.Or(given, s.rev, "HEAD") }

// commitAt finds the commit that a call names. A tree by itself is none, as that of HEAD:.aws: whether a name is that of a
// secret depends on the directories above it.
func (s *session) commitAt(ctx context.Context, given string) (point, error) {
	rev := s.revision(given)
	at, err := s.repo.resolve(ctx, rev)
	if err == nil && at.commit == "" {
		err = s.repo.unknown(ctx, rev)
	}
	return at, err
}

// clean checks a path from a model and writes it from the root, "." for the root, as the tools of codebase do.
func (s *session) clean(p string) (string, error) {
	if strings.ContainsRune(p, 0) || !utf8.ValidString(p) || len(p) > 4096 {
		return "", &tools.Problem{Code: "bad_path", Message: "the path holds a NUL byte, is not UTF-8 or is too long", Try: "a path from the root, as list_dir prints it"}
	}
	if dir := strings.TrimSuffix(s.o.Dir, "/"); dir != "" && (p == dir || strings.HasPrefix(p, dir+"/")) {
		p = strings.TrimLeft(p[len(dir):], "/")
	}
	up := path.IsAbs(p) || strings.HasPrefix(p, "~")
	for part := range strings.SplitSeq(p, "/") {
		up = up || part == ".."
	}
	if up {
		return "", &tools.Problem{Code: "outside", Message: "the path leads out of the root", Try: "a path from the root, as list_dir prints it"}
	}
	p = path.Clean(p)
	if !s.o.AllowSecrets && sourcetree.IsSecret(p) {
		return "", &tools.Problem{Code: "secret", Message: show(p) + " has the name of a file with credentials and is not shown", Try: "an example file, or the code that reads it"}
	}
	return p, nil
}

// redact is sourcetree.Redact, where the options do not allow secrets.
func (s *session) redact(text string) string {
	if s.o.AllowSecrets {
		return text
	}
	return string(sourcetree.Redact([]byte(text)))
}

// An excerpt is the lines of a file that read_file is asked for.
type excerpt struct {
	Path   string `json:"path,omitempty"`
	Start  *int   `json:"start_line,omitempty"`
	End    *int   `json:"end_line,omitempty"`
	Limit  *int   `json:"limit,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// treeAt is Repo.Tree, which lists a tree once for calls in a row.
func (s *session) treeAt(ctx context.Context, rev string) (*Tree, error) {
	at, err := s.repo.resolve(ctx, rev)
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

// read reads lines of a file at a revision by the rules of read_file: what is not shown, what a bad call is told.
func (s *session) read(ctx context.Context, rev string, e excerpt, asJSON bool) (*codebase.FileResult, error) {
	tree, err := s.treeAt(ctx, rev)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	defer context.AfterFunc(ctx, tree.objects.close)() // a content that does not come must not hold the call up
	args, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	source := sourcetree.Open(tree, &sourcetree.Options{AllowSecrets: s.o.AllowSecrets, Dir: s.o.Dir, Workers: 1})
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
