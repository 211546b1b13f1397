package codebase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
)

type outlineArgs struct {
	Path   string   `json:"path" jsonschema_description:"file or directory to outline; \".\" is the root"`
	Depth  *int     `json:"depth,omitempty" jsonschema:"minimum=1" jsonschema_description:"levels of nested symbols; 1 to 6, default 2"`
	Kinds  []string `json:"kinds,omitempty" jsonschema_description:"only these: func, method, class, struct, interface, trait, impl, enum, type, const, var, module, macro"`
	Limit  *int     `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"symbols to return; 1 to 2000, default 300"`
	Offset *int     `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"symbols to leave out at the beginning; default 0"`
}

func (t *tree) outline(ctx context.Context, in outlineArgs) (*OutlineResult, error) {
	out := &OutlineResult{Items: []Symbol{}, Page: Page{asJSON: t.o.JSON}}
	depth, err1 := bound{"depth", 2, 1, 6}.of(in.Depth, &out.Page)
	limit, err2 := bound{"limit", 300, 1, 2000}.of(in.Limit, &out.Page)
	offset, err3 := offsetBound.of(in.Offset, &out.Page)
	if err := cmp.Or(err1, err2, err3, knownKinds(in.Kinds)); err != nil {
		return nil, err
	}
	ctx, stop := t.clock(ctx)
	defer stop()
	if strings.TrimSpace(in.Path) == "" {
		return nil, blank("path", `a file or directory; "." is the root`)
	}
	at, err := t.resolve(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	out.Path = at.path
	keep := func(s symbols.Symbol) bool {
		return s.Depth <= depth && (len(in.Kinds) == 0 || slices.Contains(in.Kinds, s.Kind))
	}
	found, err := t.outlined(ctx, at, keep, &out.Page)
	if err != nil {
		return nil, err
	}
	from, to := window(len(found), offset, limit)
	out.Items = append(out.Items, found[from:to]...)
	out.cut(len(found), from, to-from)
	out.pastEnd(offset, len(found), "symbols")
	if len(found) == 0 && !out.TimedOut {
		out.note("no symbol found; outline knows %s", strings.Join(symbols.Languages(), ", "))
	}
	return out, nil
}

// outlined finds the symbols of the file or the files below the directory at, those that keep takes.
func (t *tree) outlined(ctx context.Context, at place, keep func(symbols.Symbol) bool, page *Page) ([]Symbol, error) {
	files := []string{at.path}
	if at.info.IsDir() {
		var err error
		if files, err = t.targets(ctx, at, &query{}, page); err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(p string) bool { return symbols.Language(p) == "" })
	} else if _, err := t.open(at); err != nil {
		return nil, t.fault(ctx, at.path, err)
	}
	type one struct {
		symbols []symbols.Symbol
		err     error
	}
	count := tools.Counting(ctx, "files", len(files))
	defer count.End()
	m := iter.Mapper[string, one]{MaxGoroutines: t.o.Workers}
	var all []Symbol
	for i, r := range m.Map(files, func(p *string) one {
		defer count.Add(1)
		if err := expired(ctx); err != nil {
			return one{err: err}
		}
		c, err := t.load(*p)
		if err != nil {
			return one{err: err}
		}
		return one{symbols: t.symbols(ctx, *p, t.redact(c.data))}
	}) {
		if late := expired(ctx); r.err != nil && late != nil {
			return all, page.ended(ctx, late)
		}
		page.Skipped.skip(r.err)
		for _, s := range r.symbols {
			if keep(s) {
				all = append(all, Symbol{files[i], s})
			}
		}
	}
	return all, nil
}

func knownKinds(kinds []string) error {
	for _, k := range kinds {
		if !slices.Contains(symbols.Kinds(), k) {
			return &tools.Problem{Code: "bad_arguments", Message: fmt.Sprintf("kinds has no %q", clip(k, 40)), Try: strings.Join(symbols.Kinds(), ", ")}
		}
	}
	return nil
}
