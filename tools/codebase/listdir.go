package codebase

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/tree"
)

type listArgs struct {
	Path           string `json:"path,omitempty" doc:"directory to list, from the root"`
	Depth          *int   `json:"depth,omitempty" jsonschema:"minimum=1" doc:"levels to open; 1 to 6, default 2"`
	Limit          *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"entries to return; 1 to 2000, default 200"`
	Offset         *int   `json:"offset,omitempty" jsonschema:"minimum=0" doc:"entries to skip"`
	IncludeIgnored bool   `json:"include_ignored,omitempty" doc:"list hidden and ignored names too"`
}

// A Listing is the result of list_dir: the entries below Path in tree order.
//
//	{"path":"src","items":[{"path":"src/a.go","depth":1,"type":"file","size":120}],"total":1,"returned":1,
//	 "truncated":false,"skipped":{...},"timed_out":false}
type Listing struct {
	Path  string      `json:"path"`
	Items []listEntry `json:"items"`
	Page
}

// A listEntry is one line of a [Listing].
type listEntry struct {
	Path   string `json:"path"`             // from the root
	Depth  int    `json:"depth"`            // 1: directly in the listed directory
	Type   string `json:"type"`             // "file", "dir", "link" or "other"
	Size   int64  `json:"size,omitempty"`   // of a file, in bytes
	Files  int    `json:"files,omitempty"`  // of a closed directory: files below it
	Closed bool   `json:"closed,omitempty"` // a directory whose entries are not shown
	Target string `json:"target,omitempty"` // of a link; empty if it leads out of the root
}

func (t *toolbox) listDir(ctx context.Context, in listArgs) (*Listing, error) {
	out := &Listing{Items: []listEntry{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	depth := c.number("depth", in.Depth, 2, 1, 6)
	limit := c.number("limit", in.Limit, 200, 1, 2000)
	offset := c.offset(in.Offset)
	if c.err != nil {
		return nil, c.err
	}
	at, err := t.Directory(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	out.Path = at.Path
	total, err := t.entries(ctx, out, in.IncludeIgnored, depth, func(i int, e *listEntry) {
		if i >= offset && i < offset+limit {
			out.Items = append(out.Items, *e)
		}
	})
	if err := out.partial(ctx, err); err != nil {
		return nil, err
	}
	t.measure(out.Items)
	out.cut(total, min(offset, total), len(out.Items))
	if total == 0 {
		out.Note("the directory is empty, or all of it is left out")
	}
	out.pastEnd(offset, total, "entries")
	return out, nil
}

// entries visits, with its number, each entry at most depth levels below out.Path, and returns how many there are. It
// only counts deeper files. It keeps one entry at a time: a directory may have a million.
func (t *toolbox) entries(
	ctx context.Context, out *Listing, all bool, depth int, yield func(int, *listEntry),
) (total int, err error) {
	var last *listEntry
	flush := func() {
		if last != nil {
			yield(total, last)
			total++
		}
	}
	out.Skipped, err = t.Walk(ctx, out.Path, tree.Scope{Hidden: all, Ignored: all}, func(n tree.Node) error {
		if n.Depth > depth {
			if n.IsFile() {
				last.Files++ // the closed directory, which its entries follow
			}
			return nil
		}
		flush()
		last = &listEntry{Path: n.Path, Depth: n.Depth, Type: typeOf(n), Closed: n.IsDir() && n.Depth == depth}
		return nil
	})
	flush()
	return total, err
}

func typeOf(n tree.Node) string {
	switch {
	case n.IsFile():
		return "file"
	case n.IsDir():
		return "dir"
	case n.IsLink():
		return "link"
	}
	return "other"
}

// measure fills in the sizes and link targets of the entries that are shown.
func (t *toolbox) measure(items []listEntry) {
	for i := range items {
		e := &items[i]
		switch e.Type {
		case "file":
			if info, err := fs.Lstat(t.FS(), e.Path); err == nil {
				e.Size = info.Size()
			}
		case "link":
			if to, ok := t.LinkTarget(e.Path); ok {
				e.Target = to
			}
		}
	}
}

// Text writes the JSON form or the tree.
func (l *Listing) Text() (toollimit.Kind, string) {
	return l.Render(l, toollimit.Listing, "entries", func(b *strings.Builder) {
		for _, e := range l.Items {
			b.WriteString(strings.Repeat("  ", e.Depth-1) + line.Path(path.Base(e.Path)))
			switch {
			case e.Closed:
				fmt.Fprintf(b, "/ (%s)", line.Count(e.Files, "file"))
			case e.Type == "dir":
				b.WriteByte('/')
			case e.Type == "link":
				b.WriteString(" -> " + line.Path(cmp.Or(e.Target, "(outside)")))
			case e.Type == "file":
				b.WriteString("  " + line.Bytes(e.Size))
			default:
				b.WriteString("  (not a file)")
			}
			b.WriteByte('\n')
		}
	})
}
