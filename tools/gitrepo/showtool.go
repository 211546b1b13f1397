package gitrepo

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	sourcetree "github.com/forayhq/foray/tools/tree"
)

type showArgs struct {
	Rev   string `json:"rev,omitempty" jsonschema_description:"commit to show: branch, tag or hash; default the revision that is explored"`
	Path  string `json:"path,omitempty" jsonschema_description:"show this file as it was there, instead of the commit"`
	Start *int   `json:"start_line,omitempty" jsonschema:"minimum=1" jsonschema_description:"first line of the file; default 1"`
	Limit *int   `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"lines of the file to return; 1 to 2000, default 400"`
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
		return nil, bad("path", "is blank, but lines of a file are asked for", "a path, or neither start_line nor limit")
	}
	return s.commit(ctx, in.Rev)
}

// commit shows a commit.
func (s *session) commit(ctx context.Context, rev string) (*ShowResult, error) {
	at, err := s.commitAt(ctx, rev)
	if err != nil {
		return nil, err
	}
	c, err := s.repo.one(ctx, at.commit)
	if err != nil {
		return nil, err
	}
	out := &ShowResult{
		Hash: c.Hash, Date: c.Time.Format(dateForm), Author: s.author(c.Author), Subject: s.message(c.Subject, maxBody), Body: s.message(c.Body, 8*maxBody),
		Parents: append([]string{}, c.Parents...), Items: []FileChange{}, json: s.o.JSON,
	}
	switch {
	case len(c.Parents) > 1:
		out.Notes = append(out.Notes, fmt.Sprintf("a merge of %d parents; the diff is against the first", len(c.Parents)))
	case len(c.Parents) == 0 && s.repo.Shallow:
		out.Notes = append(out.Notes, "the history of this shallow clone ends here: the diff shows every file, since the parents are not here")
	}
	if err := s.changes(ctx, &c, out); err != nil {
		return nil, err
	}
	return out, s.diff(ctx, &c, out)
}

// one reads one commit, which it does not look for in a history.
func (r *Repo) one(ctx context.Context, hash string) (Commit, error) {
	args := append(slices.Clone(logFlags), "--no-walk", "--no-patch", "--format="+logFormat+"%b", hash, "--")
	var found Commit
	err := r.run(ctx, func(from io.Reader) error {
		return readLog(from, 0, func(c Commit) bool { found = c; return false })
	}, args...)
	if err == nil && found.Hash == "" {
		err = errLog
	}
	return found, err
}

// diffArgs is a run of diff-tree on a commit, against its first parent.
func (r *Repo) diffArgs(c *Commit, how ...string) []string {
	args := append([]string{"diff-tree", "-r", "-M", "-l1000", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--submodule=short"}, how...)
	if r.prefix != "" {
		args = append(args, "--relative="+r.prefix)
	}
	if len(c.Parents) > 0 {
		args = append(args, c.Parents[0])
	}
	return append(args, c.Hash, "--")
}

// changes lists the files that a commit changed.
func (s *session) changes(ctx context.Context, c *Commit, out *ShowResult) error {
	err := s.repo.run(ctx, func(from io.Reader) error {
		return readChanges(from, func(f FileChange) {
			if out.Total++; len(out.Items) < changedFiles {
				f.Secret = !s.o.AllowSecrets && (sourcetree.IsSecret(f.Path) || sourcetree.IsSecret(f.OldPath))
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

// statuses are git's letters for what happened to a file.
var statuses = map[byte]string{'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "type changed"}

var errChanges = errors.New("reading a diff: git's answer is not understood")

// readChanges reads diff-tree --raw --numstat -z: first what happened to each file, then its lines, in the same order.
func readChanges(from io.Reader, file func(FileChange), lines func(i, added, deleted int, binary bool)) error {
	in := &fields{bufio.NewReader(from)}
	for i := 0; ; {
		token, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(token, ":") {
			f, err := in.rawChange(token)
			if err != nil {
				return err
			}
			file(f)
			continue
		}
		if token == "" {
			continue
		}
		words := strings.SplitN(token, "\t", 3)
		if len(words) != 3 {
			return errChanges
		}
		if words[2] == "" { // a rename: two names follow
			for range 2 {
				if _, err := in.next(); err != nil {
					return unexpected(err)
				}
			}
		}
		added, err1 := strconv.Atoi(words[0])
		deleted, err2 := strconv.Atoi(words[1])
		binary := words[0] == "-" && words[1] == "-"
		if !binary && cmp.Or(err1, err2) != nil {
			return errChanges
		}
		lines(i, added, deleted, binary)
		i++
	}
}

// rawChange reads ":<mode> <mode> <hash> <hash> <status>" and the names behind it.
func (f *fields) rawChange(token string) (FileChange, error) {
	words := strings.Fields(token)
	if len(words) != 5 {
		return FileChange{}, errChanges
	}
	letter := words[4][0]
	c := FileChange{Status: cmp.Or(statuses[letter], "changed")}
	var err error
	if letter == 'R' || letter == 'C' {
		if c.OldPath, err = f.next(); err != nil {
			return FileChange{}, unexpected(err)
		}
	}
	if c.Path, err = f.next(); err != nil {
		return FileChange{}, unexpected(err)
	}
	return c, nil
}

// diff adds the diff of a commit, without secrets.
func (s *session) diff(ctx context.Context, c *Commit, out *ShowResult) error {
	patch, err := s.repo.output(ctx, maxDiff, s.repo.diffArgs(c, "-p", "-U3", "--full-index", "--inter-hunk-context=0", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/")...)
	if err != nil {
		return err
	}
	if len(patch) == maxDiff {
		patch = patch[:bytes.LastIndexByte(patch, '\n')+1]
		out.Truncated, out.TruncatedBy = true, "bytes"
		out.Notes = append(out.Notes, fmt.Sprintf("the diff is longer than %d KiB; git_show with a path shows a file whole", maxDiff>>10))
	}
	out.Diff = s.cleared(ctx, sections(string(patch)))
	return nil
}

// cleared is a patch of sections without what is secret.
func (s *session) cleared(ctx context.Context, all []section) string {
	objects := s.repo.objects(1)
	defer objects.close()
	defer context.AfterFunc(ctx, objects.close)()
	var b strings.Builder
	for i := range all {
		c := &all[i]
		lines := c.lines
		switch {
		case s.o.AllowSecrets:
		case c.isSecret():
			lines = []string{lines[0], "(not shown: the name of a file with credentials)"}
		case c.hunks:
			c.cover(redacted(objects, c.oldID), redacted(objects, c.newID))
		}
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	return strings.ToValidUTF8(s.redact(b.String()), "\uFFFD")
}

// isSecret reports whether a section is not shown. One whose names cannot be told is not.
func (s *section) isSecret() bool {
	return s.old+s.new == "" || sourcetree.IsSecret(s.old) || sourcetree.IsSecret(s.new)
}

// redacted is the lines of a blob that holds a key of several lines, with the key redacted; nil of any other.
func redacted(objects *objects, id string) [][]byte {
	if !isHash(id) {
		return nil
	}
	blob, err := objects.get(id, nil)
	if err != nil || !bytes.Contains(blob.data, []byte("PRIVATE KEY")) {
		return nil // what is not there, a file that is new or deleted, has no lines in the patch
	}
	clean := sourcetree.Redact(blob.data)
	if bytes.Equal(clean, blob.data) {
		return nil
	}
	return bytes.Split(clean, []byte("\n"))
}
