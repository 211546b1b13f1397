package gitrepo

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"
)

// diffArgs are the arguments of diff-tree for a commit against its first parent.
func (r *Repo) diffArgs(c *Commit, how ...string) []string {
	args := append([]string{"diff-tree", "-r", "-M", "-l1000", "--root", "--no-commit-id", "--no-ext-diff",
		"--no-textconv", "--no-color", "--ignore-submodules=none", "--submodule=short"}, how...)
	if r.prefix != "" {
		args = append(args, "--relative="+r.prefix)
	}
	if len(c.Parents) > 0 {
		args = append(args, c.Parents[0])
	}
	return append(args, c.Hash, "--")
}

// statuses maps git's status letters to words.
var statuses = map[byte]string{
	'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "type changed",
}

var errChanges = errors.New("reading a diff: unexpected output from git")

// readChanges reads diff-tree --raw --numstat -z: first the status of each file, then its line counts, in the same
// order.
func readChanges(from io.Reader, file func(fileChange), lines func(i, added, deleted int, binary bool)) error {
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

// rawChange reads ":<mode> <mode> <hash> <hash> <status>" and the names after it.
func (f *fields) rawChange(token string) (fileChange, error) {
	words := strings.Fields(token)
	if len(words) != 5 {
		return fileChange{}, errChanges
	}
	letter := words[4][0]
	c := fileChange{Status: cmp.Or(statuses[letter], "changed")}
	var err error
	if letter == 'R' || letter == 'C' {
		if c.OldPath, err = f.next(); err != nil {
			return fileChange{}, unexpected(err)
		}
	}
	if c.Path, err = f.next(); err != nil {
		return fileChange{}, unexpected(err)
	}
	return c, nil
}
