package codebase

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools/tree"
)

type listArgs struct {
	Path           string `json:"path,omitempty" jsonschema_description:"directory to list, from the root; default \".\""`
	Depth          *int   `json:"depth,omitempty" jsonschema:"minimum=1" jsonschema_description:"levels to open; 1 to 6, default 2"`
	Limit          *int   `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"entries to return; 1 to 2000, default 200"`
	Offset         *int   `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"entries to leave out at the beginning; default 0"`
	IncludeIgnored bool   `json:"include_ignored,omitempty" jsonschema_description:"list hidden and ignored names too; default false"`
}

func (t *toolbox) listDir(ctx context.Context, in listArgs) (*Listing, error) {
	out := &Listing{Items: []Entry{}, Page: Page{asJSON: t.json}}
	depth, err1 := bound{"depth", 2, 1, 6}.of(in.Depth, &out.Page)
	limit, err2 := bound{"limit", 200, 1, 2000}.of(in.Limit, &out.Page)
	offset, err3 := offsetBound.of(in.Offset, &out.Page)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	ctx, stop := t.Clock(ctx)
	defer stop()
	at, err := t.Directory(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	out.Path = at.Path
	scope := tree.Scope{Hidden: in.IncludeIgnored, Ignored: in.IncludeIgnored}
	total, skipped, err := t.entries(ctx, at.Path, scope, depth, func(i int, e *Entry) {
		if i >= offset && i < offset+limit {
			out.Items = append(out.Items, *e)
		}
	})
	out.Skipped.Add(skipped)
	if err := out.ended(ctx, err); err != nil {
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
func (t *toolbox) entries(ctx context.Context, base string, scope tree.Scope, depth int, yield func(int, *Entry)) (total int, skipped tree.Skipped, err error) {
	var last *Entry
	flush := func() {
		if last != nil {
			yield(total, last)
			total++
		}
	}
	skipped, err = t.Walk(ctx, base, scope, func(n tree.Node) error {
		if n.Depth > depth {
			if n.IsFile() {
				last.Files++ // the closed directory: what is below it follows it
			}
			return nil
		}
		flush()
		e := newEntry(n)
		e.Closed = n.IsDir() && n.Depth == depth
		last = &e
		return nil
	})
	flush()
	return total, skipped, err
}

func newEntry(n tree.Node) Entry {
	e := Entry{Path: n.Path, Depth: n.Depth}
	switch {
	case n.IsFile():
		e.Type = "file"
	case n.IsDir():
		e.Type = "dir"
	case n.IsLink():
		e.Type = "link"
	default:
		e.Type = "other"
	}
	return e
}

// measure fills in the sizes and link targets of the entries that are shown.
func (t *toolbox) measure(items []Entry) {
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

// A Listing is what list_dir found: the entries below Path in the order of the tree.
//
//	{"path":"src","items":[{"path":"src/a.go","depth":1,"type":"file","size":120}],"total":1,"returned":1,"truncated":false,"skipped":{...},"timed_out":false}
type Listing struct {
	Path  string  `json:"path"`
	Items []Entry `json:"items"`
	Page
}

// An Entry is one line of a Listing.
type Entry struct {
	Path   string `json:"path"`             // from the root
	Depth  int    `json:"depth"`            // 1: directly in the listed directory
	Type   string `json:"type"`             // "file", "dir", "link" or "other"
	Size   int64  `json:"size,omitempty"`   // bytes, of files
	Files  int    `json:"files,omitempty"`  // of a directory whose entries are not shown: files below it
	Closed bool   `json:"closed,omitempty"` // a directory whose entries are not shown
	Target string `json:"target,omitempty"` // of a link, as it is written there; "" when it leads out of the root
}

// Text writes the JSON form or the tree.
func (l *Listing) Text() (toollimit.Kind, string) {
	if l.asJSON {
		return asJSON(l)
	}
	return toollimit.Listing, l.tree()
}

func (l *Listing) tree() string {
	var b strings.Builder
	l.head(&b)
	for _, e := range l.Items {
		b.WriteString(strings.Repeat("  ", e.Depth-1))
		b.WriteString(line.Path(e.Path[strings.LastIndexByte(e.Path, '/')+1:]))
		switch e.Type {
		case "dir":
			b.WriteByte('/')
			if e.Closed {
				fmt.Fprintf(&b, " (%s)", line.Count(e.Files, "file"))
			}
		case "link":
			b.WriteString(" -> " + line.Path(orElse(e.Target, "(outside)")))
		case "file":
			b.WriteString("  " + line.Bytes(e.Size))
		default:
			b.WriteString("  (not a file)")
		}
		b.WriteByte('\n')
	}
	l.foot(&b, "entries")
	return b.String()
}
