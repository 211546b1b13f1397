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

	"github.com/forayhq/foray/tools/codebase"
)

type blameArgs struct {
	Path   string `json:"path" jsonschema_description:"file whose lines are asked about"`
	Start  *int   `json:"start_line,omitempty" jsonschema:"minimum=1" jsonschema_description:"first line; default 1"`
	End    *int   `json:"end_line,omitempty" jsonschema:"minimum=1" jsonschema_description:"last line; at most 2000 lines, by default 200"`
	Symbol string `json:"symbol,omitempty" jsonschema_description:"the lines of this definition, as outline names it"`
	Rev    string `json:"rev,omitempty" jsonschema_description:"at this branch, tag or hash"`
}

// defaultBlamed is how many lines are shown when no range is given.
const defaultBlamed = 200

func (s *session) blame(ctx context.Context, in blameArgs) (*BlameResult, error) {
	if strings.TrimSpace(in.Path) == "" {
		return nil, bad("path", "is blank", "the path of a file, as list_dir prints it")
	}
	if in.Symbol != "" && (in.Start != nil || in.End != nil) {
		return nil, bad("symbol", "and a range of lines exclude each other", "one of them")
	}
	p, err := s.clean(in.Path)
	if err != nil {
		return nil, err
	}
	at, err := s.commitAt(ctx, in.Rev)
	if err != nil {
		return nil, err
	}
	e := excerpt{Path: p, Start: in.Start, End: in.End, Symbol: in.Symbol}
	if in.End == nil && in.Symbol == "" {
		limit := defaultBlamed
		e.Limit = &limit
	}
	text, err := s.read(ctx, at.commit, e, false)
	if err != nil {
		return nil, err
	}
	f := text.Items[0]
	out := &BlameResult{Revision: at.commit, Path: f.Path, Symbol: f.Symbol, Items: []BlameRange{}, Page: text.Page, json: s.o.JSON}
	if len(f.Lines) == 0 {
		return out, nil
	}
	origins, err := s.repo.origins(ctx, at.commit, f.Path, f.StartLine, f.EndLine)
	if err != nil {
		return nil, err
	}
	return out, s.assemble(out, origins, &f)
}

// assemble puts the lines of the file below the commits that wrote them.
func (s *session) assemble(out *BlameResult, origins []origin, f *codebase.FileText) error {
	next := f.StartLine
	for _, o := range origins {
		if o.line != next || o.line+o.count-1 > f.EndLine {
			return errBlame
		}
		r := BlameRange{
			Start: o.line, End: o.line + o.count - 1, Hash: o.hash, Date: o.time.Format(dateForm), Author: s.author(o.author), Subject: s.message(o.summary, 200),
			Boundary: o.boundary && s.repo.Shallow, Lines: f.Lines[o.line-f.StartLine : o.line-f.StartLine+o.count],
		}
		if name := strings.TrimPrefix(o.file, s.repo.prefix); name != f.Path {
			r.OldPath = name
		}
		if last := len(out.Items) - 1; last >= 0 && out.Items[last].Hash == r.Hash && out.Items[last].OldPath == r.OldPath {
			out.Items[last].End = r.End
			out.Items[last].Lines = f.Lines[out.Items[last].Start-f.StartLine : r.End-f.StartLine+1]
		} else {
			out.Items = append(out.Items, r)
		}
		next += o.count
		if r.Boundary && len(out.Notes) == 0 {
			out.Notes = append(out.Notes, "the repository is a shallow clone: lines marked ^ may be older than the commit beside them")
		}
	}
	if next != f.EndLine+1 {
		return errBlame
	}
	return nil
}

// An origin is lines in a row and the commit that wrote them.
type origin struct {
	line, count int // in the file that was asked about
	hash        string
	author      string
	time        time.Time
	summary     string
	file        string // name in that commit, from the root of the repository
	boundary    bool
}

// origins asks git which commits wrote lines of a file.
func (r *Repo) origins(ctx context.Context, commit, p string, from, to int) ([]origin, error) {
	var all []origin
	err := r.runApart(ctx, func(out io.Reader) (err error) {
		all, err = readBlame(out)
		return err
	}, "blame", "--incremental", "--no-textconv", "--no-ext-diff", "--encoding=UTF-8", "--no-progress", fmt.Sprintf("-L%d,%d", from, to), commit, "--", r.path(p))
	return all, err
}

var errBlame = errors.New("reading who wrote lines: git's answer is not understood")

// readBlame reads blame --incremental: for each group "<hash> <line there> <line> <count>", what is known of the commit if it
// comes the first time, and "filename <name>". The origins come by line.
func readBlame(from io.Reader) ([]origin, error) {
	known := map[string]origin{}
	var all []origin
	var now *origin
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
		if now == nil {
			if now, err = originOf(line, known); err != nil {
				return nil, err
			}
			continue
		}
		done, err := now.learn(line)
		if err != nil {
			return nil, err
		}
		if done {
			known[now.hash] = *now
			all = append(all, *now)
			now = nil
		}
	}
	if now != nil {
		return nil, io.ErrUnexpectedEOF
	}
	slices.SortFunc(all, func(a, b origin) int { return cmp.Compare(a.line, b.line) })
	return all, nil
}

// originOf begins a group, with what is known of its commit.
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

// learn takes in a line about the commit, and reports whether it is the last one of its group.
func (o *origin) learn(line string) (bool, error) {
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
