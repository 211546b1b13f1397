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

// Kinds of the sections of documents, next to the kinds of definitions.
const (
	headingKind = "heading" // found by the title
	sectionKind = "section" // found by what it says
)

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
	q, ok := documents.Parse(in.Name)
	if !ok {
		return nil, noWords
	}
	look := func(found *[]documents.Candidate, p string, c tree.Content) {
		*found = append(*found, q.Look(p, c.Data)...)
	}
	found, out, err := lookInDocuments(ctx, t, in, documents.Is, look)
	if err != nil {
		return nil, err
	}
	var all []Symbol
	for _, c := range q.Rank(slices.Concat(found...)) {
		all = append(all, t.section(c.Path, c.Section, headingKind, c.Score))
	}
	return out.page(in, all, offset, limit)
}

// findSection finds the sections of documents that say most on the words of the name, under whatever title.
func (t *toolbox) findSection(ctx context.Context, in findArgs, limit, offset int) (*SymbolResult, error) {
	q, ok := documents.Ask(in.Name)
	if !ok {
		return nil, noWords
	}
	look := func(found *[]documents.Texts, p string, c tree.Content) { *found = append(*found, q.Look(p, c.Data)) }
	found, out, err := lookInDocuments(ctx, t, in, documents.HasText, look)
	if err != nil {
		return nil, err
	}
	var all []Symbol
	for _, c := range q.Rank(slices.Concat(found...)) {
		all = append(all, t.section(c.Path, c.Section, sectionKind, c.Score))
	}
	return out.page(in, all, offset, limit)
}

var noWords = tools.Problemf("bad_arguments", "words of a title, such as installation", "name contains no words")

// lookInDocuments looks at the documents below the path of a call.
func lookInDocuments[T any](ctx context.Context, t *toolbox, in findArgs, take func(string) bool,
	look func(*T, string, tree.Content)) ([]T, *SymbolResult, error) {
	out := &SymbolResult{Name: in.Name, Items: []Symbol{}, Page: Page{JSON: t.json}}
	base, err := t.Target(ctx, cmp.Or(in.Path, "."))
	if err != nil {
		return nil, nil, err
	}
	s := tree.Sweep[T]{Hidden: true, Prune: hiddenFolder, Take: take, Look: look}
	found, skipped, err := s.Run(ctx, t.Tree, base)
	out.Skipped.Add(skipped)
	return found, out, out.partial(ctx, err)
}

// section returns a section of a document as a symbol, without credentials in its title.
func (t *toolbox) section(p string, s documents.Section, kind string, score float64) Symbol {
	shown := t.shownSymbol(p, heading(s))
	shown.Name, shown.Kind, shown.Score = shown.Signature, kind, score
	return shown
}

// page fills the result with a page of the sections that were found.
func (s *SymbolResult) page(in findArgs, all []Symbol, offset, limit int) (*SymbolResult, error) {
	if len(all) == 0 && !s.TimedOut {
		return nil, &tools.Problem{Code: "not_found", Try: "search for the word",
			Message: fmt.Sprintf("no document below %s has a section on %s",
				line.Path(cmp.Or(in.Path, ".")), line.Truncate(line.Single(in.Name), 80))}
	}
	s.Items = append(s.Items, slicePage(&s.Page, all, len(all), offset, limit, "sections")...)
	return s, nil
}

// hiddenFolder reports whether to skip a directory: a hidden one that holds no documents of the project.
func hiddenFolder(dir string) bool {
	name := dir[strings.LastIndexByte(dir, '/')+1:]
	return strings.HasPrefix(name, ".") && name != "." && name != ".github" && name != ".gitlab"
}
