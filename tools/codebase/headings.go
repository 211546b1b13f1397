package codebase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// headingKind is the kind of a section of a document, next to the kinds of definitions.
const headingKind = "heading"

// headings returns the sections of a document as symbols, or none if the time has run out.
func headings(ctx context.Context, p string, data []byte) []symbols.Symbol {
	if tree.Expired(ctx) != nil {
		return nil
	}
	var all []symbols.Symbol
	for _, s := range documents.Sections(p, data) {
		all = append(all, heading(s))
	}
	return all
}

// maxTitle is the longest title to show, in runes.
const maxTitle = 160

func heading(s documents.Section) symbols.Symbol {
	title := line.Truncate(strings.ToValidUTF8(s.Title, "\uFFFD"), maxTitle)
	return symbols.Symbol{Name: title, Kind: headingKind, Start: s.Start, End: s.End, Depth: s.Level, Signature: title}
}

// findHeading finds the sections of documents whose titles and texts fit the words of the name best.
func (t *toolbox) findHeading(ctx context.Context, in findArgs, limit, offset int) (*SymbolResult, error) {
	out := &SymbolResult{Name: in.Name, Items: []Symbol{}, Page: Page{JSON: t.json}}
	q, ok := documents.Parse(in.Name)
	if !ok {
		return nil, tools.Problemf("bad_arguments", "words of a title, such as installation", "name contains no words")
	}
	base, err := t.Target(ctx, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	s := tree.Sweep[[]documents.Candidate]{
		Hidden: true, Prune: hiddenFolder, Take: documents.Is,
		Look: func(found *[]documents.Candidate, p string, c tree.Content) {
			*found = append(*found, q.Look(p, c.Data)...)
		},
	}
	found, skipped, err := s.Run(ctx, t.Tree, base)
	out.Skipped.Add(skipped)
	if err := out.partial(ctx, err); err != nil {
		return nil, err
	}
	ranked := q.Rank(slices.Concat(found...))
	if len(ranked) == 0 && !out.TimedOut {
		return nil, &tools.Problem{Code: "not_found", Try: "search for the word",
			Message: fmt.Sprintf("no document below %s has a section on %s", line.Path(base.Path),
				line.Truncate(line.Single(in.Name), 80))}
	}
	for _, c := range slicePage(&out.Page, ranked, len(ranked), offset, limit, "headings") {
		shown := t.shownSymbol(c.Path, heading(c.Section))
		shown.Name, shown.Score = shown.Signature, c.Score
		out.Items = append(out.Items, shown)
	}
	return out, nil
}

// hiddenFolder reports whether to skip a directory: a hidden one that holds no documents of the project.
func hiddenFolder(dir string) bool {
	name := dir[strings.LastIndexByte(dir, '/')+1:]
	return strings.HasPrefix(name, ".") && name != "." && name != ".github" && name != ".gitlab"
}
