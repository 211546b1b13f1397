package gitrepo

import (
	"cmp"

	"github.com/forayhq/foray/tools"
)

// Tools returns git_log, git_show and git_blame for a repository. They look at revision rev ("" for HEAD) unless a
// call names one. They only read, and may run concurrently. An invalid call returns a *tools.Problem. Results are
// [*LogResult], [*ShowResult], [*BlameResult], and *codebase.FileResult for git_show with a path. With a nil
// repository every call returns a problem that says so.
func Tools(repo *Repo, rev string, o *Options) []tools.Tool {
	s := &session{repo: repo, rev: rev}
	if o != nil {
		s.o = *o
	}
	s.o.Timeout = cmp.Or(s.o.Timeout, defaultTimeout)
	return []tools.Tool{
		tools.New("git_log", "Lists commits, newest first: by path, by lines or a symbol of a file, "+
			"by words of the message, or by added or removed text.", withDeadline(s, s.log)),
		tools.New("git_show", "Shows a commit with its diff or, with a path, a file at a revision.", withDeadline(s, s.show)),
		tools.New("git_blame", "Shows which commit last changed each line of a file.", withDeadline(s, s.blame)),
	}
}
