package codebase

import (
	"context"
	"slices"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// Options configure [Tools]. Nil is the default.
type Options struct {
	JSON bool // render results as one JSON value instead of text, for a caller that decodes them

	// Small returns the tools for a model with a small window: list_dir, search, read_file, find_symbol, which shows the
	// source of up to three definitions that have exactly the name, and answer, which takes an answer in text.
	Small bool
}

// Tools returns the tools over t, in the order list_dir, glob, search, read_file, outline, find_symbol, references,
// repo_map, report. They only read, may run in parallel, and share the cache of t. A bad call fails with a
// [tools.Problem]. Results are [*Listing], [*GlobResult], [*SearchResult], [*FileResult], [*OutlineResult],
// [*SymbolResult], [*ReferenceResult], [*RepoMap], [*Receipt] and [Answer].
func Tools(t *tree.Tree, o *Options) []tools.Tool {
	b := &toolbox{Tree: t}
	if o != nil {
		b.json, b.bodies = o.JSON, o.Small
	}
	all := []tools.Tool{
		newTool(b, "list_dir", "Shows a directory as a tree, with sizes. "+
			"Leaves out hidden and ignored names unless asked for them.", (*toolbox).listDir),
		newTool(b, "glob", "Finds files whose path matches a pattern, such as **/*_test.go.", (*toolbox).glob),
		newTool(b, "search", "Searches file contents by regular expression or literal text. "+
			"Hits are grouped by file, each with the symbol around it.", (*toolbox).search),
		newTool(b, "read_file", "Reads lines of a text file, a definition by its symbol, or the definition around a line.",
			(*toolbox).readFile),
		newTool(b, "outline", "Lists the definitions in a file, or in all files of a directory, "+
			"with their lines, signature and first line of documentation, and the headings of a document.", (*toolbox).outline),
		newTool(b, "find_symbol", "Finds where a function, class, method or type is defined, by its name or part of it, "+
			"with its lines and signature.", (*toolbox).findSymbol),
		newTool(b, "references", "Finds where a name is used: calls, imports and other uses outside of comments and "+
			"strings, grouped by the definition around. Matches names, not meaning.", (*toolbox).references),
		newTool(b, "repo_map", "Shows the most important definitions of the tree, by what refers to them, "+
			"within a budget of tokens; with focus, those that matter for it.", (*toolbox).repoMap),
		newTool(b, "report", "Submits the final report. Every citation is checked against the files. "+
			"If any is wrong, the report is refused with a list of all faults.", (*toolbox).report),
	}
	if b.bodies {
		all = append(all, newTool(b, "answer", "Gives the answer to the question, in text.", (*toolbox).answer))
		all = slices.DeleteFunc(all, func(t tools.Tool) bool { return briefs[t.Name].Schema == nil })
	}
	for i := range all {
		all[i].Brief = briefs[all[i].Name]
	}
	return all
}

// newTool is [tools.New] for a function with the time limit of [tree.Tree.Clock], and with a steady tree.
func newTool[In, Out any](
	b *toolbox, name, description string, call func(*toolbox, context.Context, In) (Out, error),
) tools.Tool {
	return tools.New(name, description, func(ctx context.Context, in In) (Out, error) {
		ctx, stop := b.Clock(ctx)
		defer stop()
		own := *b
		own.Tree = b.Steady()
		own.task = own.Tree == b.Tree
		out, err := call(&own, ctx, in)
		if page, ok := any(out).(interface{ NotePartial(*tree.Tree) }); ok && err == nil && name != "read_file" {
			page.NotePartial(b.Tree)
		}
		return out, err
	})
}

// A toolbox is the tools over one tree.
type toolbox struct {
	*tree.Tree
	json   bool
	bodies bool
	task   bool // the tree is steady for more than this call
}

// symbols returns the definitions in data, or none if the time has run out.
func (t *toolbox) symbols(ctx context.Context, p string, data []byte) []symbols.Symbol {
	if tree.Expired(ctx) != nil {
		return nil
	}
	return t.Symbols(p, data)
}
