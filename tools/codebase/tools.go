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

// Tools returns the tools over root, in the order list_dir, glob, search, read_file, outline, report. They only read,
// may be called side by side, and share one cache. nil options are the default. A bad call is a *tools.Problem; results
// are *Listing, *GlobResult, *SearchResult, *FileResult, *OutlineResult and *ReportReceipt.
func Tools(root fs.FS, o *Options) []tools.Tool {
	t := newTree(root, o)
	return []tools.Tool{
		tools.New("list_dir", "Shows a directory as a tree, with sizes. Hidden and ignored names are left out unless asked for.", t.listDir),
		tools.New("glob", "Finds files by a pattern of their path, as **/*_test.go.", t.glob),
		tools.New("search", "Searches file contents by regular expression or text. Hits come grouped by file with the symbol around them.", t.search),
		tools.New("read_file", "Reads lines of a text file, a definition by its symbol, or the definition around a line.", t.readFile),
		tools.New("outline", "Lists the definitions of a file, or of all files of a directory, with their lines, signature and first line of documentation.", t.outline),
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
