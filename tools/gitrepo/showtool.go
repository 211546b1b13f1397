package gitrepo

import (
	"bytes"
	"context"

	"io"
	"strings"

	"github.com/forayhq/foray/tools/codebase"
)

type showArgs struct {
	Rev   string `json:"rev,omitempty" doc:"branch, tag or hash of the commit; default the explored revision"`
	Path  string `json:"path,omitempty" doc:"show this file at the revision instead of the commit"`
	Start *int   `json:"start_line,omitempty" jsonschema:"minimum=1" doc:"first line of the file; default 1"`
	Limit *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"lines of the file to return; 1 to 2000, default 400"`
}

func (s *session) show(ctx context.Context, in showArgs) (any, error) {
	if in.Path != "" {
		p, err := s.clean(in.Path)
		if err != nil {
			return nil, err
		}
		at, err := s.commitAt(ctx, in.Rev)
		if err != nil {
			return nil, err
		}
		return s.read(ctx, at.commit, excerpt{Path: p, Start: in.Start, Limit: in.Limit}, s.o.JSON)
	}
	if in.Start != nil || in.Limit != nil {
		return nil, bad("path", "is blank, but start_line and limit need it", "a path, or neither start_line nor limit")
	}
	return s.commit(ctx, in.Rev)
}

func (s *session) commit(ctx context.Context, rev string) (*ShowResult, error) {
	at, err := s.commitAt(ctx, rev)
	if err != nil {
		return nil, err
	}
	c, err := s.repo.readCommit(ctx, at.commit)
	if err != nil {
		return nil, err
	}
	out := &ShowResult{
		Hash: c.Hash, Date: c.Time.Format(dateForm), Author: s.author(c.Author),
		Subject: s.message(c.Subject, maxBody), Body: s.message(c.Body, 8*maxBody),
		Parents: append([]string{}, c.Parents...), Items: []fileChange{}, Page: codebase.Page{JSON: s.o.JSON},
	}
	switch {
	case len(c.Parents) > 1:
		out.Note("a merge of %d parents; the diff is against the first", len(c.Parents))
	case len(c.Parents) == 0 && s.repo.Shallow:
		out.Note("the shallow clone lacks the parents of this commit: the diff shows every file")
	}
	if err := s.changes(ctx, &c, out); err != nil {
		return nil, err
	}
	return out, s.diff(ctx, &c, out)
}

func (s *session) changes(ctx context.Context, c *Commit, out *ShowResult) error {
	err := s.repo.run(ctx, func(from io.Reader) error {
		return readChanges(from, func(f fileChange) {
			if out.Total++; len(out.Items) < changedFiles {
				f.Secret = s.o.AllowSecret.IsSecret(f.Path) || s.o.AllowSecret.IsSecret(f.OldPath)
				out.Items = append(out.Items, f)
			}
		}, func(i int, added, deleted int, binary bool) {
			if i < len(out.Items) {
				f := &out.Items[i]
				f.Added, f.Deleted, f.Binary = added, deleted, binary
			}
		})
	}, s.repo.diffArgs(c, "--raw", "--numstat", "-z", "--no-abbrev")...)
	for _, f := range out.Items {
		if f.Secret {
			out.Skipped.Secret++
		}
	}
	out.Returned = len(out.Items)
	if out.Returned < out.Total {
		out.Truncated, out.TruncatedBy = true, "limit"
	}
	return err
}

func (s *session) diff(ctx context.Context, c *Commit, out *ShowResult) error {
	args := s.repo.diffArgs(c, "-p", "-U3", "--full-index", "--inter-hunk-context=0", "--diff-algorithm=myers",
		"--src-prefix=a/", "--dst-prefix=b/")
	patch, err := s.repo.output(ctx, maxDiff, args...)
	if err != nil {
		return err
	}
	if len(patch) == maxDiff {
		patch = patch[:bytes.LastIndexByte(patch, '\n')+1]
		out.Truncated, out.TruncatedBy = true, "bytes"
		out.Note("the diff is longer than %d KiB; git_show with a path shows one file in full", maxDiff>>10)
	}
	out.Diff = s.withoutSecrets(ctx, sections(string(patch)))
	return nil
}

func (s *session) withoutSecrets(ctx context.Context, all []section) string {
	objects := s.repo.objects(1)
	defer objects.close()
	defer context.AfterFunc(ctx, objects.close)()
	var b strings.Builder
	for i := range all {
		for _, line := range s.shownLines(objects, &all[i]) {
			b.WriteString(line + "\n")
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
