package gitrepo

import (
	"context"
	"strings"

	"github.com/forayhq/foray/tools/codebase"
)

type blameArgs struct {
	Path   string `json:"path" doc:"file to blame"`
	Start  *int   `json:"start_line,omitempty" jsonschema:"minimum=1" doc:"first line; default 1"`
	End    *int   `json:"end_line,omitempty" jsonschema:"minimum=1" doc:"last line; default 200 lines, at most 2000"`
	Symbol string `json:"symbol,omitempty" doc:"the lines of this definition, named as in outline"`
	Rev    string `json:"rev,omitempty" doc:"branch, tag or hash to look at"`
}

// defaultBlamed is how many lines git_blame shows unless the call names a range.
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
	out := &BlameResult{Revision: at.commit, Path: f.Path, Symbol: f.Symbol, Items: []blameRange{}, Page: text.Page}
	out.JSON = s.o.JSON
	if len(f.Lines) == 0 {
		return out, nil
	}
	origins, err := s.repo.origins(ctx, at.commit, f.Path, f.StartLine, f.EndLine)
	if err != nil {
		return nil, err
	}
	return out, s.assemble(out, origins, &f)
}

func (s *session) assemble(out *BlameResult, origins []origin, f *codebase.FileText) error {
	next := f.StartLine
	for _, o := range origins {
		if o.line != next || o.line+o.count-1 > f.EndLine {
			return errBlame
		}
		r := blameRange{
			Start: o.line, End: o.line + o.count - 1, Hash: o.hash, Date: o.time.Format(dateForm),
			Author: s.author(o.author), Subject: s.message(o.summary, 200), Boundary: o.boundary && s.repo.Shallow,
			Lines: f.Lines[o.line-f.StartLine : o.line-f.StartLine+o.count],
		}
		if name := strings.TrimPrefix(o.file, s.repo.prefix); name != f.Path {
			r.OldPath = name
		}
		if n := len(out.Items); n > 0 && out.Items[n-1].Hash == r.Hash && out.Items[n-1].OldPath == r.OldPath {
			before := &out.Items[n-1]
			before.End, before.Lines = r.End, f.Lines[before.Start-f.StartLine:r.End-f.StartLine+1]
		} else {
			out.Items = append(out.Items, r)
		}
		next += o.count
		if r.Boundary && len(out.Notes) == 0 {
			out.Note("the repository is a shallow clone: lines marked ^ may be older than their commit")
		}
	}
	if next != f.EndLine+1 {
		return errBlame
	}
	return nil
}
