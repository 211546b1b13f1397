package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Commit is one commit of a history.
type Commit struct {
	Hash    string
	Parents []string  // hashes; several of a merge
	Time    time.Time // when it was committed, in UTC
	Author  string    // name, without the address
	Subject string
	Body    string   // what follows the subject; "" unless asked for by LogOptions.Bodies
	Files   []string // what it touched below the directory that was opened, by path; none of a merge
	More    int      // how many further files it touched
}

// LogOptions say which commits Log yields, and what of them. The zero value, like nil, is every commit, without bodies and
// files.
type LogOptions struct {
	Max          int       // commits at most; 0: all
	Paths        []string  // only commits that touch one of these files or directories
	Words        []string  // only commits whose message holds each of them, in any case
	Pickaxe      string    // only commits that change how often this text occurs
	Since, Until time.Time // only commits made then; zero: no bound
	Follow       bool      // follow the one path of Paths, a file, through renames
	Lines        [2]int    // only commits that touch these lines, first and last, of the one path of Paths, a file
	Bodies       bool      // with bodies
	MaxFiles     int       // files of a commit at most; 0: none, which is much faster
}

// Log yields the commits that a revision ("" for HEAD) can reach, newest first as git orders them. With MaxFiles a history
// of 30,000 commits takes about 1.5 s, without 0.3 s. An error is the last pair; it is as of Tree, or a failure of git.
// Breaking off ends git.
func (r *Repo) Log(ctx context.Context, rev string, o *LogOptions) iter.Seq2[Commit, error] {
	if o == nil {
		o = &LogOptions{}
	}
	return func(yield func(Commit, error) bool) {
		at, err := r.resolve(ctx, rev)
		if err == nil && at.commit == "" {
			err = r.unknown(ctx, rev)
		}
		if err == nil && o.Lines[0] > 0 && len(o.Paths) != 1 {
			err = errors.New("reading the history: lines of a file need its path")
		}
		if err == nil {
			err = r.run(ctx, func(from io.Reader) error { return r.commits(from, o, yield) }, r.logArgs(at.commit, o)...)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			yield(Commit{}, fmt.Errorf("reading the history: %w", context.Cause(ctx)))
		case said(err) != "":
			yield(Commit{}, broken(err))
		default:
			yield(Commit{}, err)
		}
	}
}

// commits yields what git log printed.
func (r *Repo) commits(from io.Reader, o *LogOptions, yield func(Commit, error) bool) error {
	return readLog(from, o.MaxFiles, func(c Commit) bool {
		for i := range c.Files {
			c.Files[i] = strings.TrimPrefix(c.Files[i], r.prefix)
		}
		return yield(c, nil)
	})
}

// logFlags make the output of log that of no setting.
var logFlags = []string{
	"log", "-z", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes", "--no-mailmap", "--no-ext-diff", "--no-textconv",
	"--no-diff-merges", "--encoding=UTF-8", "--ignore-submodules=none",
}

func (r *Repo) logArgs(commit string, o *LogOptions) []string {
	format := "--format=" + logFormat
	if o.Bodies {
		format += "%b"
	}
	args := append(slices.Clone(logFlags), format)
	switch {
	case o.Lines[0] > 0:
		args = append(args, "--no-patch", fmt.Sprintf("-L%d,%d:%s", o.Lines[0], o.Lines[1], r.path(o.Paths[0])))
	case o.Follow:
		args = append(args, "--follow", "--name-status")
	case o.MaxFiles > 0:
		args = append(args, "--no-renames", "--name-status")
	}
	args = append(append(args, o.filters()...), commit, "--")
	if o.Lines[0] > 0 {
		return args
	}
	for _, p := range o.Paths {
		args = append(args, r.path(p))
	}
	if len(o.Paths) == 0 && r.prefix != "" {
		args = append(args, r.path("."))
	}
	return args
}

// filters are the flags that leave commits out, but for those of paths.
func (o *LogOptions) filters() []string {
	var args []string
	if o.Max > 0 {
		args = append(args, "--max-count="+strconv.Itoa(o.Max))
	}
	if len(o.Words) > 0 {
		args = append(args, "--fixed-strings", "--regexp-ignore-case", "--all-match")
	}
	for _, word := range o.Words {
		args = append(args, "--grep="+word)
	}
	if o.Pickaxe != "" {
		args = append(args, "-S"+o.Pickaxe)
	}
	if !o.Since.IsZero() {
		args = append(args, fmt.Sprintf("--since=@%d +0000", o.Since.Unix()))
	}
	if !o.Until.IsZero() {
		args = append(args, fmt.Sprintf("--until=@%d +0000", o.Until.Unix()))
	}
	return args
}

// path is a path below the directory that was opened, from the root of the repository.
func (r *Repo) path(p string) string {
	switch {
	case p != ".":
		return r.prefix + p
	case r.prefix != "":
		return strings.TrimSuffix(r.prefix, "/")
	}
	return "."
}

// logFormat is a commit as readLog reads it: fields that end in NUL, which no message of a commit can hold.
const logFormat = "%H%x00%P%x00%ct%x00%an%x00%s%x00"

// maxField is the longest field of a commit that is read whole, in bytes.
const maxField = 1 << 20

// readLog calls yield for each commit until it returns false. Behind the fields of a commit come a newline and its files,
// as <status> NUL <path> NUL, with two paths for a rename or a copy; a status is never as long as a hash.
func readLog(from io.Reader, maxFiles int, yield func(Commit) bool) error {
	in := &fields{in: bufio.NewReaderSize(from, 64<<10)}
	token, err := in.next()
	for err == nil {
		var c Commit
		if c, err = in.commit(token); err != nil {
			break
		}
		for token, err = in.next(); err == nil; token, err = in.next() {
			token = strings.TrimPrefix(token, "\n")
			if len(token) >= 40 {
				break
			}
			if token == "" {
				continue
			}
			if err = in.file(token, maxFiles, &c); err != nil {
				break
			}
		}
		if err != nil && err != io.EOF {
			break
		}
		if !yield(c) {
			return errEnough
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// fields are strings that end in NUL.
type fields struct{ in *bufio.Reader }

// next is the next field; io.EOF when there is none. What is longer than maxField is cut.
func (f *fields) next() (string, error) {
	var long []byte
	for {
		part, err := f.in.ReadSlice(0)
		switch {
		case err == nil && long == nil:
			return string(part[:len(part)-1]), nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			if err == io.EOF && len(long)+len(part) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if room := maxField - len(long); room > 0 {
			long = append(long, part[:min(len(part), room)]...)
		}
		if err == nil {
			return string(bytes.TrimSuffix(long, []byte{0})), nil
		}
	}
}

var errLog = errors.New("reading the history: git's answer is not understood")

// commit reads the fields behind the hash.
func (f *fields) commit(hash string) (Commit, error) {
	if !isHash(hash) {
		return Commit{}, errLog
	}
	var rest [5]string
	for i := range rest {
		var err error
		if rest[i], err = f.next(); err != nil {
			return Commit{}, unexpected(err)
		}
	}
	seconds, err := strconv.ParseInt(rest[1], 10, 64)
	if err != nil {
		return Commit{}, errLog
	}
	return Commit{
		Hash: hash, Parents: strings.Fields(rest[0]), Time: time.Unix(seconds, 0).UTC(),
		Author: strings.ToValidUTF8(rest[2], "\uFFFD"), Subject: strings.ToValidUTF8(rest[3], "\uFFFD"),
		Body: strings.ToValidUTF8(strings.TrimSpace(rest[4]), "\uFFFD"),
	}, nil
}

// file reads what is behind a status. Of a rename the new name counts.
func (f *fields) file(status string, most int, c *Commit) error {
	name, err := f.next()
	if err == nil && (status[0] == 'R' || status[0] == 'C') {
		name, err = f.next()
	}
	switch {
	case err != nil:
		return unexpected(err)
	case len(c.Files) < most:
		c.Files = append(c.Files, name)
	default:
		c.More++
	}
	return nil
}

// unexpected is the error for an end of the output where none may be.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
