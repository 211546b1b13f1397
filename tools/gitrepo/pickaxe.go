package gitrepo

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
)

// minSearched is how many commits a text search asks git for at least. Commits with the text only in a secret are
// dropped afterwards. If the search asked for one page only, a short page would reveal that it dropped some.
const minSearched = 400

// withVisibleText keeps the commits that add or remove the text where git_show would show it. Otherwise a model could
// guess a secret piece by piece. If the log has run out of time, it keeps none.
func (s *session) withVisibleText(
	ctx context.Context, text string, out *LogResult, all []logEntry,
) ([]logEntry, error) {
	if text == "" || len(all) == 0 {
		return all, nil
	}
	if out.TimedOut {
		return nil, nil
	}
	flags := slices.DeleteFunc(slices.Clone(logFlags), func(flag string) bool { return flag == "-z" })
	args := append(flags, "--no-walk=unsorted", "--no-renames", "--full-index", "-p", "-U0",
		"--src-prefix=a/", "--dst-prefix=b/", "--format="+commitStart+"%H", "-S"+text)
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
			if !seen[commit] && s.showsChange(objects, &c, text) {
				seen[commit] = true
			}
		})
	}, args...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(e logEntry) bool { return !seen[e.Hash] }), nil
}

// showsChange reports whether the visible part of a section adds or removes a text.
func (s *session) showsChange(objects *objects, c *section, text string) bool {
	in := false
	for _, line := range s.shownLines(objects, c) {
		in = in || strings.HasPrefix(line, "@@ ")
		if in && line != "" && (line[0] == '+' || line[0] == '-') && strings.Contains(line[1:], text) {
			return true
		}
	}
	return false
}

// commitStart opens the patch of a commit. No line of a patch without context begins like this.
const commitStart = "commit "

// maxSection is how many bytes of the patch of one file are searched.
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
