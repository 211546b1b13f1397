package codebase

import (
	"cmp"
	"io/fs"
	"runtime"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/symbols"
)

// Defaults of Options.
const (
	defaultTimeout = 20 * time.Second
	defaultMaxFile = 10 << 20
)

// Tools returns the tools over root, in the order list_dir, glob, search, read_file, outline, find_symbol,
// references, repo_map, report. They only read,
// may be called side by side, and share one cache. nil options are the default. A bad call is a *tools.Problem; results
// are *Listing, *GlobResult, *SearchResult, *FileResult, *OutlineResult, *SymbolResult,
// *ReferenceResult, *RepoMap and *ReportReceipt.
func Tools(root fs.FS, o *Options) []tools.Tool {
	t := newTree(root, o)
	return []tools.Tool{
		tools.New("list_dir", "Shows a directory as a tree, with sizes. Hidden and ignored names are left out unless asked for.", t.listDir),
		tools.New("glob", "Finds files by a pattern of their path, as **/*_test.go.", t.glob),
		tools.New("search", "Searches file contents by regular expression or text. Hits come grouped by file with the symbol around them.", t.search),
		tools.New("read_file", "Reads lines of a text file, a definition by its symbol, or the definition around a line.", t.readFile),
		tools.New("outline", "Lists the definitions of a file, or of all files of a directory, with their lines, signature and first line of documentation.", t.outline),
		tools.New("find_symbol", "Finds where a function, class, method or type is defined by its name or a part of it, with its lines and signature.", t.findSymbol),
		tools.New("references", "Finds where a name is used: calls, imports and other uses outside of comments and strings, grouped by the definition around. By name only, not by meaning.", t.references),
		tools.New("repo_map", "Shows the definitions of the tree that matter most, by what refers to them, within a budget of tokens; with focus those that matter for it.", t.repoMap),
		tools.New("report", "Submits the final report. Every citation is read again; a report with one that does not stand is refused with all faults listed.", t.report),
	}
}

func newTree(root fs.FS, o *Options) *tree {
	t := &tree{fsys: root, memory: newMemory()}
	if o != nil {
		t.o = *o
	}
	if r, ok := root.(rootFS); ok {
		t.o.Dir = cmp.Or(t.o.Dir, r.root.dir)
	}
	t.o.Timeout = cmp.Or(t.o.Timeout, defaultTimeout)
	t.o.MaxFile = cmp.Or(t.o.MaxFile, defaultMaxFile)
	t.o.Workers = cmp.Or(t.o.Workers, runtime.GOMAXPROCS(0))
	if t.o.Symbols == nil {
		t.o.Symbols = symbols.OpenCache("", nil)
	}
	return t
}
