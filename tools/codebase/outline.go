package codebase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

type outlineArgs struct {
	Path   string   `json:"path" doc:"file or directory to outline; \".\" is the root"`
	Depth  *int     `json:"depth,omitempty" jsonschema:"minimum=1" doc:"levels of nested symbols; 1 to 6, default 2"`
	Kinds  []string `json:"kinds,omitempty" doc:"only these: func, method, class, struct, interface, trait, impl, enum, type, const, var, module, macro, heading"`
	Limit  *int     `json:"limit,omitempty" jsonschema:"minimum=1" doc:"symbols to return; 1 to 2000, default 300"`
	Offset *int     `json:"offset,omitempty" jsonschema:"minimum=0" doc:"symbols to skip"`
}

// An OutlineResult is the symbols of a file, or of the files of a directory, by path and line.
//
//	{"path":"a.py","items":[{"path":"a.py","name":"Foo.bar","kind":"method","start":3,"end":9,"depth":2,
//	 "signature":"def bar(self)","doc":"Does bar."}],...}
type OutlineResult struct {
	Path  string   `json:"path"`
	Items []Symbol `json:"items"`
	Page
}

// A Symbol is a definition in a file, or a section of a document: its kind is heading and its name is the title.
type Symbol struct {
	Path string `json:"path"`
	symbols.Symbol
	Score float64  `json:"score,omitempty"` // of a heading in find_symbol: how well it fits the name, 0 to 1
	Body  []string `json:"body,omitempty"`  // of find_symbol: lines from Start on, at most 200
}

func (t *toolbox) outline(ctx context.Context, in outlineArgs) (*OutlineResult, error) {
	out := &OutlineResult{Items: []Symbol{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	depth := c.number("depth", in.Depth, 2, 1, 6)
	limit := c.number("limit", in.Limit, 300, 1, 2000)
	offset := c.offset(in.Offset)
	for _, k := range in.Kinds {
		c.kind(k, headingKind)
	}
	if strings.TrimSpace(in.Path) == "" {
		c.fail(`a file or directory; "." is the root`, "path is blank")
	}
	if c.err != nil {
		return nil, c.err
	}
	at, err := t.Resolve(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	out.Path = at.Path
	keep := func(s symbols.Symbol) bool {
		return s.Depth <= depth && (len(in.Kinds) == 0 || slices.Contains(in.Kinds, s.Kind))
	}
	known := func(p string) bool { return symbols.Language(p) != "" }
	if slices.Contains(in.Kinds, headingKind) {
		known = func(p string) bool { return symbols.Language(p) != "" || documents.Is(p) }
	}
	found, err := t.outlined(ctx, at, known, keep, &out.Page)
	if err != nil {
		return nil, err
	}
	out.Items = append(out.Items, slicePage(&out.Page, found, len(found), offset, limit, "symbols")...)
	if len(found) == 0 && !out.TimedOut {
		out.Note("no symbol found; outline knows %s and the headings of documents", strings.Join(symbols.Languages(), ", "))
	}
	return out, nil
}

// outlined returns the symbols, of the file at or the known files below it, that keep accepts.
func (t *toolbox) outlined(
	ctx context.Context, at tree.Place, known func(string) bool, keep func(symbols.Symbol) bool, page *Page,
) ([]Symbol, error) {
	files := []string{at.Path}
	if at.Info.IsDir() {
		var err error
		if files, err = t.targets(ctx, at.Path, page); err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(p string) bool { return !known(p) })
	} else if _, err := t.Open(at); err != nil {
		return nil, t.Problem(ctx, at.Path, err)
	}
	type one struct {
		symbols []symbols.Symbol
		err     error
	}
	count := tools.CountProgress(ctx, "files", len(files))
	defer count.End()
	m := iter.Mapper[string, one]{MaxGoroutines: t.Options().Workers}
	var all []Symbol
	for i, r := range m.Map(files, func(p *string) one {
		defer count.Add(1)
		if err := tree.Expired(ctx); err != nil {
			return one{err: err}
		}
		c, err := t.Load(*p)
		if err != nil {
			return one{err: err}
		}
		if documents.Is(*p) {
			return one{symbols: headings(ctx, *p, t.Shown(c))}
		}
		return one{symbols: t.symbols(ctx, *p, t.Shown(c))}
	}) {
		if late := tree.Expired(ctx); r.err != nil && late != nil {
			return all, page.partial(ctx, late)
		}
		page.Skipped.Count(r.err)
		for _, s := range r.symbols {
			if keep(s) {
				all = append(all, Symbol{Path: files[i], Symbol: s})
			}
		}
	}
	return all, nil
}

// targets lists the files below the directory base.
func (t *toolbox) targets(ctx context.Context, base string, page *Page) ([]string, error) {
	var files []string
	skipped, err := t.Walk(ctx, base, tree.Scope{}, func(n tree.Node) error {
		switch {
		case n.Secret:
			page.Skipped.Secret++
		case n.IsFile():
			files = append(files, n.Path)
		case !n.IsDir() && !n.IsLink():
			page.Skipped.Unreadable++
		}
		return nil
	})
	page.Skipped.Add(skipped)
	return files, page.partial(ctx, err)
}

// kind checks a kind of symbols; it accepts "" and the others.
func (c *checker) kind(k string, others ...string) {
	all := append(symbols.Kinds(), others...)
	if k != "" && !slices.Contains(all, k) {
		c.fail(strings.Join(all, ", "), "unknown kind %q", line.Truncate(k, 40))
	}
}

// Text writes the JSON form or one symbol a line, with the first line of its documentation below.
func (o *OutlineResult) Text() (toollimit.Kind, string) {
	return o.Render(o, toollimit.Listing, "symbols", func(b *strings.Builder) {
		path := o.Path
		for _, s := range o.Items {
			if s.Path != path {
				path = s.Path
				b.WriteString(line.Path(path) + "\n")
			}
			indent := strings.Repeat("  ", max(s.Depth-1, 0))
			fmt.Fprintf(b, "%sL%d-%d %s\n", indent, s.Start, s.End, s.Signature)
			if s.Doc != "" {
				fmt.Fprintf(b, "%s  %s\n", indent, s.Doc)
			}
		}
	})
}
