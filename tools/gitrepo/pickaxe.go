package gitrepo

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
)

// provenCommits is how many commits of a search for a text are looked into at least: which of them are shown is known
// only then, and nothing, no count and no page, may tell of the others.
const provenCommits = 400

// proven are those of the commits found for a text whose diff, as it may be shown, holds it: a search must not spell out a
// secret. Without the time to look there are none. A key of several lines is not looked into, since its lines alone do not
// show what they are.
func (s *session) proven(ctx context.Context, text string, out *LogResult, all []LogEntry) ([]LogEntry, error) {
	if text == "" || s.o.AllowSecrets || len(all) == 0 {
		return all, nil
	}
	if out.TimedOut {
		return nil, nil
	}
	args := append(slices.DeleteFunc(slices.Clone(logFlags), func(flag string) bool { return flag == "-z" }), "--no-walk=unsorted",
		"--no-renames", "--full-index", "-p", "-U0", "--src-prefix=a/", "--dst-prefix=b/", "--format="+commitStart+"%H", "-S"+text)
	for _, e := range all {
		args = append(args, e.Hash)
	}
	args = append(args, "--")
	if out.Path != "" {
		args = append(args, s.repo.path(out.Path))
	}
	objects := s.repo.objects(1)
	defer objects.close()
	defer context.AfterFunc(ctx, objects.close)()
	seen := map[string]bool{}
	err := s.repo.run(ctx, func(from io.Reader) error {
		return readPatches(from, func(commit string, c section) {
			if !seen[commit] && s.holds(objects, &c, text) {
				seen[commit] = true
			}
		})
	}, args...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(e LogEntry) bool { return !seen[e.Hash] }), nil
}

// holds reports whether a section that may be shown adds or removes a text.
func (s *session) holds(objects *objects, c *section, text string) bool {
	if c.isSecret() {
		return false
	}
	c.cover(redacted(objects, c.oldID), redacted(objects, c.newID))
	in := false
	for _, line := range c.lines {
		in = in || strings.HasPrefix(line, "@@ ")
		if in && (line[0] == '+' || line[0] == '-') && strings.Contains(s.redact(line[1:]), text) {
			return true
		}
	}
	return false
}

// commitStart opens the patch of a commit. No line of a patch without context begins so.
const commitStart = "commit "

// maxSection is how much of the patch of one file is looked at, in bytes.
const maxSection = 4 << 20

// readPatches calls visit for each file of each commit of a log with patches.
func readPatches(from io.Reader, visit func(commit string, c section)) error {
	in := bufio.NewReaderSize(from, 64<<10)
	commit, current, size := "", section{}, 0
	flush := func() {
		if len(current.lines) > 0 {
			current.readHead()
			visit(commit, current)
		}
		current, size = section{}, 0
	}
	for {
		line, err := in.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		hash, isCommit := strings.CutPrefix(line, commitStart)
		switch {
		case isCommit && isHash(hash):
			flush()
			commit = hash
		case strings.HasPrefix(line, sectionStart):
			flush()
			current.lines = append(current.lines, line)
		case len(current.lines) > 0 && line != "":
			if size += len(line); size < maxSection {
				current.lines = append(current.lines, line)
			}
		}
		if err == io.EOF {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
	}
}
