package gitrepo

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An origin is a run of lines and the commit that last changed them.
type origin struct {
	line, count int // in the requested file
	hash        string
	author      string
	time        time.Time
	summary     string
	file        string // its name in that commit, from the root of the repository
	boundary    bool
}

func (r *Repo) origins(ctx context.Context, commit, p string, from, to int) ([]origin, error) {
	var all []origin
	err := r.runApart(ctx, nil, func(out io.Reader) (err error) {
		all, err = readBlame(out)
		return err
	}, "blame", "--incremental", "--no-textconv", "--no-ext-diff", "--encoding=UTF-8", "--no-progress",
		fmt.Sprintf("-L%d,%d", from, to), commit, "--", r.path(p))
	return all, err
}

var errBlame = errors.New("reading a blame: unexpected output from git")

// readBlame reads the output of blame --incremental and sorts the origins by line. Each group of lines begins with
// "<hash> <original line> <line> <count>" and ends with "filename <name>". The first group of a commit has its details
// in between.
func readBlame(from io.Reader) ([]origin, error) {
	known := map[string]origin{}
	var all []origin
	var current *origin
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		if err != nil {
			return nil, unexpected(err)
		}
		line = strings.TrimSuffix(line, "\n")
		if current == nil {
			if current, err = originOf(line, known); err != nil {
				return nil, err
			}
			continue
		}
		done, err := current.add(line)
		if err != nil {
			return nil, err
		}
		if done {
			known[current.hash] = *current
			all = append(all, *current)
			current = nil
		}
	}
	if current != nil {
		return nil, io.ErrUnexpectedEOF
	}
	slices.SortFunc(all, func(a, b origin) int { return cmp.Compare(a.line, b.line) })
	return all, nil
}

// originOf starts a group with the known details of its commit.
func originOf(line string, known map[string]origin) (*origin, error) {
	words := strings.Fields(line)
	if len(words) != 4 || !isHash(words[0]) {
		return nil, errBlame
	}
	first, err1 := strconv.Atoi(words[2])
	count, err2 := strconv.Atoi(words[3])
	if cmp.Or(err1, err2) != nil || first < 1 || count < 1 || count > maxOffset || first > 1<<30 {
		return nil, errBlame
	}
	o := known[words[0]]
	o.hash, o.line, o.count = words[0], first, count
	return &o, nil
}

// add reads a line about the commit and reports whether it ends the group.
func (o *origin) add(line string) (bool, error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "author":
		o.author = strings.ToValidUTF8(rest, "\uFFFD")
	case "committer-time":
		seconds, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return false, errBlame
		}
		o.time = time.Unix(seconds, 0).UTC()
	case "summary":
		o.summary = strings.ToValidUTF8(rest, "\uFFFD")
	case "boundary":
		o.boundary = true
	case "filename":
		name, ok := unquote(rest)
		if !ok {
			return false, errBlame
		}
		o.file = name
		return true, nil
	}
	return false, nil
}
