package codebase

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

type findArgs struct {
	Name   string `json:"name" doc:"name of the definition: Foo, Foo.bar, or part of it"`
	Kind   string `json:"kind,omitempty" doc:"only this kind: func, method, class, struct, interface, trait, impl, enum, type, const, var, module, macro; heading, section: parts of documents by their titles, or by what they say on the words of name"`
	Path   string `json:"path,omitempty" doc:"directory or file to look in"`
	Body   bool   `json:"include_body,omitempty" doc:"add the source of the definitions"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"definitions to return; 1 to 500, default 50"`
	Offset *int   `json:"offset,omitempty" jsonschema:"minimum=0" doc:"definitions to skip"`
}

// A SymbolResult is the definitions that find_symbol found: those whose last parts are the name, in tree order, or else
// similar ones, the closest first.
//
//	{"name":"Foo.bar","items":[{"path":"a.py","name":"Foo.bar","kind":"method","start":3,"end":9,"depth":2,
//	 "signature":"def bar(self)"}],...}
type SymbolResult struct {
	Name  string   `json:"name"`
	Items []Symbol `json:"items"`
	Page
}

// Bounds of find_symbol.
const (
	maxFound     = 20_000 // similar definitions
	maxBodyLines = 200    // of one definition
	fewFound     = 3      // definitions whose source [Options].Small shows
	maxNames     = 50_000 // names to choose suggestions from
)

// A fit is a definition that matches a name.
type fit struct {
	Symbol
	how closeness
}

func (t *toolbox) findSymbol(ctx context.Context, in findArgs) (*SymbolResult, error) {
	out := &SymbolResult{Name: in.Name, Items: []Symbol{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	limit := c.number("limit", in.Limit, 50, 1, 500)
	offset := c.offset(in.Offset)
	c.kind(in.Kind, headingKind, sectionKind)
	name := parseName(in.Name)
	switch {
	case c.err == nil && in.Kind == headingKind:
		return t.findHeading(ctx, in, limit, offset)
	case c.err == nil && in.Kind == sectionKind:
		return t.findSection(ctx, in, limit, offset)
	}
	if len(name) == 0 {
		c.fail("the name of a definition, as Foo or Foo.bar; to list those of a file, outline", "name is blank")
	}
	if c.err != nil {
		return nil, c.err
	}
	base, err := t.Target(ctx, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	found, others, err := t.definitions(ctx, base, name, in.Kind, &out.Page)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && !out.TimedOut {
		return nil, noDefinition(base, name, in, others)
	}
	for _, f := range slicePage(&out.Page, found, len(found), offset, limit, "definitions") {
		out.Items = append(out.Items, f.Symbol)
	}
	if in.Body || t.bodies && len(found) <= fewFound && found[0].how == exact {
		t.addBodies(ctx, out)
	}
	return out, nil
}

// A near is what one file has that resembles a name.
type near struct {
	fits   []fit
	others []string // names that do not fit
}

// definitions returns the definitions below base with exactly this name or, if none has it, with a similar one. If
// nothing is similar, it returns the other names.
func (t *toolbox) definitions(
	ctx context.Context, base tree.Place, name symbolName, kind string, page *Page,
) (all []fit, others []string, err error) {
	leaf := []byte(name.leaf())
	all, err = gather(ctx, t, base, page, func(p string, c tree.Content) []fit {
		if !bytes.Contains(c.Data, leaf) {
			return nil
		}
		return t.fitting(p, t.symbols(ctx, p, c.Data), name, kind, exact).fits
	})
	if err != nil || len(all) > 0 || page.TimedOut {
		return all, nil, err
	}
	page.Skipped = tree.Skipped{}
	found, err := gather(ctx, t, base, page, func(p string, c tree.Content) []near {
		return []near{t.fitting(p, t.symbols(ctx, p, c.Data), name, kind, elsewhere)}
	})
	if err != nil {
		return nil, nil, err
	}
	for _, n := range found {
		all, others = append(all, n.fits...), append(others, n.others...)
	}
	slices.SortStableFunc(all, func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.how, b.how), cmp.Compare(len(lastPart(a.Name)), len(lastPart(b.Name))))
	})
	if len(all) > 0 {
		page.Note("no definition is called %s; these come close", line.Truncate(line.Single(strings.Join(name, ".")), 80))
	}
	return all[:min(len(all), maxFound)], others, nil
}

func (t *toolbox) fitting(p string, all []symbols.Symbol, name symbolName, kind string, worst closeness) (n near) {
	for _, s := range all {
		if how := name.fits(s.Name); how <= worst && (kind == "" || s.Kind == kind) {
			n.fits = append(n.fits, fit{t.shownSymbol(p, s), how})
		} else if worst != exact {
			n.others = append(n.others, lastPart(s.Name))
		}
	}
	return n
}

// shownSymbol returns a symbol without credentials in its signature and documentation.
func (t *toolbox) shownSymbol(p string, s symbols.Symbol) Symbol {
	s.Signature, s.Doc = string(t.Redact(p, []byte(s.Signature))), string(t.Redact(p, []byte(s.Doc)))
	return Symbol{Path: p, Symbol: s}
}

// noDefinition returns the problem for a name without a definition. It suggests the closest of the names that have one.
func noDefinition(base tree.Place, name symbolName, in findArgs, names []string) error {
	what := cmp.Or(in.Kind, "definition")
	problem := &tools.Problem{
		Code: "not_found", Try: "search for the word",
		Message: fmt.Sprintf("no %s called %s below %s", what, line.Truncate(line.Single(in.Name), 80), line.Path(base.Path)),
	}
	if in.Kind != "" {
		problem.Try = "find_symbol without kind, or search for the word"
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
	near := line.Closest(name.leaf(), names[:min(len(names), maxNames)], 5)
	if len(near) > 0 && (in.Kind == "" || near[0] != name.leaf()) {
		problem.Try = "name = " + line.Single(strings.Join(near, ", "))
	}
	return problem
}

// addBodies reads the source of the definitions that are shown, as far as there is room.
func (t *toolbox) addBodies(ctx context.Context, out *SymbolResult) {
	room := maxReadBytes
	for i := range out.Items {
		f := &out.Items[i]
		if room <= 0 {
			out.Note("bodies of %s left out: the limit of %s is reached",
				line.Count(len(out.Items)-i, "definition"), line.Bytes(maxReadBytes))
			return
		}
		_, c, err := t.File(ctx, f.Path)
		if err != nil {
			out.Note("%s vanished; its source is not shown", line.Path(f.Path))
			continue
		}
		text := line.Split(c.Data)
		for n := f.Start; n <= min(f.End, text.Count(), f.Start+maxBodyLines-1) && room > 0; n++ {
			line := showLine(text, n)
			room -= len(line) + 8
			f.Body = append(f.Body, line)
		}
	}
}

// Text writes the JSON form or one definition a line: path:L12-80 kind name signature.
func (s *SymbolResult) Text() (toollimit.Kind, string) {
	return s.Render(s, toollimit.Search, "definitions", func(b *strings.Builder) {
		for i := range s.Items {
			d := &s.Items[i]
			fmt.Fprintf(b, "%s:L%d-%d %s %s  %s\n", line.Path(d.Path), d.Start, d.End, d.Kind, d.Name, d.Signature)
			if d.Doc != "" && d.Body == nil {
				b.WriteString("  " + d.Doc + "\n")
			}
			for j, text := range d.Body {
				fmt.Fprintf(b, "%4d│ %s\n", d.Start+j, text)
			}
		}
	})
}
