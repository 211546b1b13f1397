package codebase

import (
	"cmp"
	"context"
	"io/fs"
)

type listArgs struct {
	Path           string `json:"path,omitempty" jsonschema_description:"directory to list, from the root; default \".\""`
	Depth          *int   `json:"depth,omitempty" jsonschema:"minimum=1" jsonschema_description:"levels to open; 1 to 6, default 2"`
	Limit          *int   `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"entries to return; 1 to 2000, default 200"`
	Offset         *int   `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"entries to leave out at the beginning; default 0"`
	IncludeIgnored bool   `json:"include_ignored,omitempty" jsonschema_description:"list hidden and ignored names too; default false"`
}

func (t *tree) listDir(ctx context.Context, in listArgs) (*Listing, error) {
	out := &Listing{Items: []Entry{}, Page: Page{asJSON: t.o.JSON}}
	depth, err1 := bound{"depth", 2, 1, 6}.of(in.Depth, &out.Page)
	limit, err2 := bound{"limit", 200, 1, 2000}.of(in.Limit, &out.Page)
	offset, err3 := offsetBound.of(in.Offset, &out.Page)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	ctx, stop := t.clock(ctx)
	defer stop()
	at, err := t.directory(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	out.Path = at.path
	w := walker{t: t, ctx: ctx, hidden: in.IncludeIgnored, ignored: in.IncludeIgnored}
	total, err := t.entries(&w, at.path, depth, func(i int, e *Entry) {
		if i >= offset && i < offset+limit {
			out.Items = append(out.Items, *e)
		}
	})
	if err := out.finish(ctx, err, &w); err != nil {
		return nil, err
	}
	t.measure(out.Items)
	out.cut(total, min(offset, total), len(out.Items))
	if total == 0 {
		out.note("the directory is empty, or all of it is left out")
	}
	out.pastEnd(offset, total, "entries")
	return out, nil
}

// entries visits what is at most depth levels below base, with its number, and returns how much that is. Of deeper files
// it only counts how many there are. It keeps one entry at a time: a directory may have a million.
func (t *tree) entries(w *walker, base string, depth int, yield func(int, *Entry)) (total int, err error) {
	var last *Entry
	flush := func() {
		if last != nil {
			yield(total, last)
			total++
		}
	}
	err = w.walk(base, func(n node) error {
		if n.depth > depth {
			if n.kind == fileNode {
				last.Files++ // the closed directory: what is below it follows it
			}
			return nil
		}
		flush()
		e := t.entry(n)
		e.Closed = n.kind == dirNode && n.depth == depth
		last = &e
		return nil
	})
	flush()
	return total, err
}

func (t *tree) entry(n node) Entry {
	e := Entry{Path: n.path, Depth: n.depth}
	switch n.kind {
	case fileNode:
		e.Type = "file"
	case dirNode:
		e.Type = "dir"
	case linkNode:
		e.Type = "link"
	case otherNode:
		e.Type = "other"
	}
	return e
}

// measure fills in the sizes and link targets of the entries that are shown.
func (t *tree) measure(items []Entry) {
	for i := range items {
		e := &items[i]
		switch e.Type {
		case "file":
			if info, err := fs.Lstat(t.fsys, e.Path); err == nil {
				e.Size = info.Size()
			}
		case "link":
			if to, ok := t.linkTarget(e.Path); ok {
				e.Target = to
			}
		}
	}
}
