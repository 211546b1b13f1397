package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

type logArgs struct {
	Path    string `json:"path,omitempty" doc:"only commits that change this file or directory; follows a file through renames"`
	Query   string `json:"query,omitempty" doc:"only commits whose message contains all of these words, in any case"`
	Pickaxe string `json:"pickaxe,omitempty" doc:"only commits that add or remove this text"`
	Symbol  string `json:"symbol,omitempty" doc:"only commits that change the lines of this definition in path, named as in outline"`
	Start   *int   `json:"start_line,omitempty" jsonschema:"minimum=1" doc:"only commits that change the lines of path from this one on"`
	End     *int   `json:"end_line,omitempty" jsonschema:"minimum=1" doc:"last of those lines"`
	Since   string `json:"since,omitempty" doc:"only commits since this date, such as 2024-03-01"`
	Until   string `json:"until,omitempty" doc:"only commits up to this date"`
	Rev     string `json:"rev,omitempty" doc:"branch, tag or hash to start from"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"commits to return; 1 to 200, default 20"`
	Offset  *int   `json:"offset,omitempty" jsonschema:"minimum=0" doc:"commits to skip"`
}

// query checks the arguments that can be checked without the repository.
func (s *session) query(in *logArgs, page *codebase.Page) (o *LogOptions, limit, offset int, err error) {
	o = &LogOptions{Bodies: true, MaxFiles: shownFiles, Words: strings.Fields(in.Query), Pickaxe: in.Pickaxe}
	if limit, err = page.Number("limit", in.Limit, defaultCommits, 1, maxCommits); err != nil {
		return nil, 0, 0, err
	}
	if offset, err = page.Number("offset", in.Offset, 0, 0, maxOffset); err != nil {
		return nil, 0, 0, err
	}
	o.Max = offset + limit + 1
	if in.Pickaxe != "" {
		o.Max = max(o.Max, minSearched)
	}
	if o.Since, err = date("since", in.Since, false); err != nil {
		return nil, 0, 0, err
	}
	if o.Until, err = date("until", in.Until, true); err != nil {
		return nil, 0, 0, err
	}
	lines := in.Symbol != "" || in.Start != nil || in.End != nil
	switch {
	case lines && in.Path == "":
		return nil, 0, 0, bad("path", "is blank, but lines or a symbol need it", "the file that contains them")
	case in.Symbol != "" && (in.Start != nil || in.End != nil):
		return nil, 0, 0, bad("symbol", "and a range of lines exclude each other", "one of them")
	case strings.ContainsRune(in.Pickaxe+in.Query, 0):
		return nil, 0, 0, bad("pickaxe", "contains a NUL byte", "text without it")
	case strings.ContainsAny(in.Pickaxe, "\r\n"):
		return nil, 0, 0, bad("pickaxe", "has more than one line", "the text of one line")
	case in.Query != "" && len(o.Words) == 0:
		return nil, 0, 0, bad("query", "is blank", "words of the message")
	case lines && in.Pickaxe != "":
		return nil, 0, 0, bad("pickaxe", "and lines or a symbol exclude each other", "one of them")
	}
	return o, limit, offset, nil
}

func (s *session) log(ctx context.Context, in logArgs) (*LogResult, error) {
	out := &LogResult{Items: []logEntry{}, Page: codebase.Page{JSON: s.o.JSON}}
	o, limit, offset, err := s.query(&in, &out.Page)
	if err != nil {
		return nil, err
	}
	at, err := s.commitAt(ctx, in.Rev)
	if err != nil {
		return nil, err
	}
	out.Revision = at.commit
	if err := s.narrow(ctx, at.commit, &in, o, out); err != nil {
		return nil, err
	}
	var all []logEntry
	for c, err := range s.repo.Log(ctx, at.commit, o) {
		if err != nil {
			if context.Cause(ctx) != errDeadline {
				return nil, err
			}
			out.TimedOut, out.Truncated, out.TruncatedBy = true, true, "deadline"
			break
		}
		all = append(all, s.entryOf(c, in.Path != "" && o.Follow))
	}
	if all, err = s.withVisibleText(ctx, in.Pickaxe, out, all); err != nil {
		return nil, err
	}
	out.Items = append(out.Items, all[min(offset, len(all)):min(offset+limit, len(all))]...)
	out.Total, out.Returned = len(all), len(out.Items)
	if len(all) > offset+limit {
		out.Truncated, out.TruncatedBy, out.Next, out.More = true, "limit", offset+limit, true
	}
	return out, s.explain(ctx, at.commit, &in, out)
}

// narrow checks the path and finds the lines that the log covers.
func (s *session) narrow(ctx context.Context, commit string, in *logArgs, o *LogOptions, out *LogResult) error {
	if in.Path == "" {
		return nil
	}
	p, err := s.clean(in.Path)
	if err != nil {
		return err
	}
	out.Path = p
	if in.Symbol == "" && in.Start == nil && in.End == nil {
		o.Paths = []string{p}
		o.Follow = in.Pickaxe == "" && s.isFile(ctx, commit, p) // with a pickaxe, a rename shows as added text
		return nil
	}
	result, err := s.read(ctx, commit, excerpt{Path: p, Start: in.Start, End: in.End, Symbol: in.Symbol}, false)
	if err != nil {
		return err
	}
	f := result.Items[0]
	if f.TotalLines == 0 {
		return bad("path", "is an empty file", "git_log without lines")
	}
	end := f.EndLine
	if in.End == nil && in.Symbol == "" {
		end = f.TotalLines
	}
	o.Paths, o.Lines, o.MaxFiles = []string{f.Path}, [2]int{f.StartLine, end}, 0
	out.Path, out.Lines = f.Path, &lineRange{f.StartLine, end, f.Symbol}
	return nil
}

func (s *session) isFile(ctx context.Context, commit, p string) bool {
	out, err := s.repo.output(ctx, 8<<10, "ls-tree", "-z", "--full-tree", commit, "--", s.repo.path(p))
	return err == nil && bytes.HasPrefix(out, []byte("100"))
}

func (s *session) explain(ctx context.Context, commit string, in *logArgs, out *LogResult) error {
	note := func(text string) { out.Notes = append(out.Notes, text) }
	switch {
	case out.Total == 0 && !out.TimedOut && out.Path != "" && in.Query+in.Pickaxe+in.Since+in.Until == "":
		if _, err := s.read(ctx, commit, excerpt{Path: out.Path}, false); err != nil {
			if problem := (*tools.Problem)(nil); errors.As(err, &problem) && problem.Code == "not_found" {
				return err
			}
		}
		note("no commit changes " + line.Path(out.Path))
	case out.Total == 0 && !out.TimedOut:
		note("no commit matches all of: " + strings.Join(in.conditions(), ", "))
	case out.Returned == 0 && out.Total > 0 && !out.More && in.Offset != nil:
		note(fmt.Sprintf("offset=%d is past the end: %d commits in total", *in.Offset, out.Total))
	}
	if s.repo.Shallow && !out.More {
		note("the repository is a shallow clone without its older history")
	}
	return nil
}

func (in *logArgs) conditions() []string {
	var all []string
	for _, c := range []struct{ name, value string }{
		{"path", in.Path}, {"query", in.Query}, {"pickaxe", in.Pickaxe}, {"symbol", in.Symbol},
		{"since", in.Since}, {"until", in.Until},
	} {
		if c.value != "" {
			all = append(all, c.name+"="+line.Path(line.Truncate(c.value, 80)))
		}
	}
	if len(all) == 0 {
		all = append(all, "any")
	}
	return all
}

// entryOf converts a commit for a log. In the log of one file, an entry has the file's name at that time instead of a
// list of files.
func (s *session) entryOf(c Commit, oneFile bool) logEntry {
	e := logEntry{
		Hash: c.Hash, Date: c.Time.Format(dateForm), Author: s.author(c.Author),
		Subject: s.message(c.Subject, maxBody), Body: s.message(c.Body, maxBody),
		Merge: len(c.Parents) > 1, Files: c.Files, MoreFiles: c.More,
	}
	if oneFile && len(e.Files) == 1 {
		e.Path, e.Files = e.Files[0], nil
	}
	return e
}
