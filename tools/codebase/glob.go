package codebase

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/tree"
)

type globArgs struct {
	Pattern string `json:"pattern" doc:"doublestar pattern: * and ? within a name, ** across directories, {a,b}, [a-z]; as **/*.go"`
	Path    string `json:"path,omitempty" doc:"directory where the pattern starts"`
	Sort    string `json:"sort,omitempty" jsonschema:"enum=path,enum=mtime" doc:"path, or mtime for newest first; default path"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"paths to return; 1 to 2000, default 200"`
	Offset  *int   `json:"offset,omitempty" jsonschema:"minimum=0" doc:"paths to skip"`
}

// A GlobResult is the paths that glob found, in tree order or newest first.
//
//	{"items":["a.go","b/c.go"],"total":2,"returned":2,"truncated":false,"skipped":{...},"timed_out":false}
type GlobResult struct {
	Items []string `json:"items"`
	Page
}

func (t *toolbox) glob(ctx context.Context, in globArgs) (*GlobResult, error) {
	out := &GlobResult{Items: []string{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	limit := c.number("limit", in.Limit, 200, 1, 2000)
	offset := c.offset(in.Offset)
	c.oneOf("sort", in.Sort, "path", "mtime")
	if c.err != nil {
		return nil, c.err
	}
	pattern, err := search.ParseGlob("pattern", in.Pattern)
	if err != nil {
		return nil, err
	}
	base, err := t.Directory(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	found, total, deeper, below := []string{}, 0, 0, pattern.Below()
	out.Skipped, err = t.Walk(ctx, base.Path, tree.Scope{Hidden: pattern.Hidden()}, func(n tree.Node) error {
		switch {
		case !n.IsFile() && !(n.IsLink() && t.LinksToFile(n.Path)):
		case pattern.Match(n.Path, base.Path):
			if in.Sort == "mtime" || total >= offset && total < offset+limit {
				found = append(found, n.Path)
			}
			total++
		case below.Match(n.Path, "."):
			deeper++
		}
		return nil
	})
	if err := out.partial(ctx, err); err != nil {
		return nil, err
	}
	if in.Sort == "mtime" {
		t.newestFirst(found)
		found = found[min(offset, total):min(offset+limit, total)]
	}
	if total == 0 && deeper > 0 {
		out.Note("nothing here matches, but %s would match **/%s", line.Count(deeper, "file"), pattern)
	}
	out.Items = found
	out.cut(total, min(offset, total), len(found))
	out.pastEnd(offset, total, "files")
	return out, nil
}

func (t *toolbox) newestFirst(paths []string) {
	times := make(map[string]time.Time, len(paths))
	for _, p := range paths {
		if info, err := fs.Lstat(t.FS(), p); err == nil {
			times[p] = info.ModTime()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return times[b].Compare(times[a]) })
}

// Text writes the JSON form or one path a line.
func (g *GlobResult) Text() (toollimit.Kind, string) {
	return g.Render(g, toollimit.Listing, "files", func(b *strings.Builder) {
		for _, p := range g.Items {
			b.WriteString(line.Path(p) + "\n")
		}
	})
}
