package rules

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
)

// evidence is what the results so far say about the tree.
type evidence struct {
	files      map[string]*file // every file that a result names, by path
	sorted     []*file          // files, sorted by path after the last result
	searched   int              // number of files in the widest search
	inFiles    []int            // per word of the question: how many files contain it
	counted    []bool           // per word: a search counted its files
	size       int              // bytes of the listed files
	entries    int              // number of listed files
	total      int              // entries in the listed tree, listed or not
	located    []*candidate     // the ranking of locate, best first
	identFiles []int            // per identifier of the question: how many files contain it; 0 if not counted
	uses       []use            // from references
	defined    map[string]int   // by last part of a name: how many definitions references found
	readings   []reading        // lines that were read
	changes    []report.Change  // newest first within each path
	hot        map[string]int   // by path: how many of the recent commits touched the file
	commits    int              // number of recent commits
	codePaths  []string         // listed code files
	codeFiles  int              // number of code files in the tree, listed or not
	globbed    []string         // files that match a path of the question, or manifests
	skipped    map[string]int   // by reason: files that the tools skipped
	timedOut   bool             // a tool hit its deadline
	truncated  []string         // tools with a result that the window truncated
	failures   []string         // first lines of failed results
	nearest    []string         // near names that the tools suggest
}

// A use is a line that names a definition elsewhere.
type use struct {
	name string // last part of the name that was looked up
	path string
	in   string // enclosing definition, or ""
	line int
	kind string // "call", "import" or another
	text string
}

// arguments are the arguments of a call that say how to read its result.
type arguments struct {
	Path, Name, Mode, Pattern string
	Patterns                  []string
	Offset                    *int
}

// gather reads all results.
func gather(q *question, results []rulemodel.Result) *evidence {
	e := &evidence{
		files: make(map[string]*file), skipped: make(map[string]int), hot: make(map[string]int),
		defined: make(map[string]int),
		inFiles: make([]int, len(q.words)), counted: make([]bool, len(q.words)), identFiles: make([]int, len(q.idents)),
	}
	for _, x := range results {
		if !x.Failed {
			e.take(q, x)
		} else if x.Name != reportTool && !(isLookup[x.Name] && strings.HasPrefix(x.Text, "not_found")) {
			e.failures = append(e.failures, firstLine(x.Text))
		}
	}
	return e
}

// isLookup holds the tools whose error not_found is an answer, not a failure.
var isLookup = set("find_symbol references git_log")

func (e *evidence) take(q *question, x rulemodel.Result) {
	args, _ := rulemodel.Decode[arguments](string(x.Args))
	switch x.Name {
	case "locate":
		read(e, x, func(r *locate.Result) codebase.Page { e.takeRanking(r); return r.Page })
	case "list_dir":
		read(e, x, func(r *codebase.Listing) codebase.Page { e.takeListing(r); return r.Page })
	case "glob":
		read(e, x, func(r *codebase.GlobResult) codebase.Page { e.takePaths(args, r); return r.Page })
	case "search":
		read(e, x, func(r *codebase.SearchResult) codebase.Page { e.takeHits(q, args, r); return r.Page })
	case "outline":
		read(e, x, func(r *codebase.OutlineResult) codebase.Page { e.takeOutline(r); return r.Page })
	case "read_file":
		read(e, x, func(r *codebase.FileResult) codebase.Page { e.takeLines(r); return r.Page })
	case "find_symbol":
		read(e, x, func(r *codebase.SymbolResult) codebase.Page { e.takeDefinitions(args, r); return r.Page })
	case "references":
		read(e, x, func(r *codebase.ReferenceResult) codebase.Page { e.takeUses(r); return r.Page })
	case "git_log":
		read(e, x, func(r *gitrepo.LogResult) codebase.Page { e.takeCommits(args, r); return r.Page })
	}
}

// read decodes a result, passes it to take, and notes what its page says: deadline, skipped files, near words.
func read[T any](e *evidence, x rulemodel.Result, take func(*T) codebase.Page) {
	r, ok := rulemodel.Decode[T](x.Text)
	if !ok {
		return
	}
	page := take(&r)
	e.timedOut = e.timedOut || page.TimedOut
	if strings.Contains(x.Text, `"_cut":`) {
		e.truncated = append(e.truncated, x.Name)
	}
	s := page.Skipped
	for kind, n := range map[string]int{"binary": s.Binary, "too_large": s.TooLarge, "secret": s.Secret,
		"unreadable": s.Unreadable} {
		e.skipped[kind] = max(e.skipped[kind], n)
	}
	for _, note := range page.Notes {
		if near, ok := strings.CutPrefix(note, "nearest words: "); ok {
			e.nearest = append(e.nearest, strings.Split(near, ", ")...)
		}
	}
}

func (e *evidence) at(p string) *file {
	f := e.files[p]
	if f == nil {
		f = &file{path: p, hits: make(map[int]hit)}
		e.files[p] = f
	}
	return f
}

// takeRanking takes the first ranking of the tree, and ignores later ones.
func (e *evidence) takeRanking(r *locate.Result) {
	if len(e.located) > 0 {
		return
	}
	for _, item := range r.Items {
		listed := slices.ContainsFunc(e.located, func(c *candidate) bool { return c.path == item.Path })
		if item.Path == "" || math.IsNaN(item.Score) || listed {
			continue
		}
		c := &candidate{path: item.Path, place: len(e.located) + 1, score: item.Score, sure: item.Confidence, why: item.Why}
		for _, d := range item.Functions {
			c.add(newSymbol(item.Path, d.Symbol, d.Kind, d.Start, d.End), d.Score)
		}
		c.add(newSymbol(item.Path, item.Symbol, item.Kind, item.Start, item.End), item.Score)
		e.located = append(e.located, c)
		e.at(item.Path).candidate = c
	}
}

func (e *evidence) takeListing(r *codebase.Listing) {
	e.total = max(e.total, r.Total)
	for _, item := range r.Items {
		if item.Path != "" && item.Type == "file" {
			f := e.at(item.Path)
			f.size = int(min(max(item.Size, 0), maxNumber))
			e.size += f.size
			e.entries++
		}
	}
}

// takePaths takes the result of a glob: a page of all code files if the call has an offset, else files by name.
func (e *evidence) takePaths(args arguments, r *codebase.GlobResult) {
	paths := slices.DeleteFunc(r.Items, func(p string) bool { return p == "" })
	if args.Offset == nil {
		e.globbed = append(e.globbed, paths...)
		return
	}
	e.codePaths = append(e.codePaths, paths...)
	e.codeFiles = max(e.codeFiles, min(r.Total, maxNumber))
}

func (e *evidence) takeHits(q *question, args arguments, r *codebase.SearchResult) {
	e.searched = max(e.searched, min(r.FilesSearched, maxNumber))
	counted := -1
	if args.Mode == "count" {
		counted = e.tally(q, args, r)
	}
	for _, item := range r.Items {
		if item.Path == "" {
			continue
		}
		f := e.at(item.Path)
		if counted >= 0 {
			f.count(counted, len(q.words), min(item.Hits, maxNumber))
		}
		for _, m := range item.Matches {
			if m.Line > 0 && m.Line <= maxNumber {
				f.hits[m.Line] = m
			}
		}
	}
}

// tally notes in how many files each pattern of a counting search occurs. If the search had one pattern, it returns the
// index of its word, else -1.
func (e *evidence) tally(q *question, args arguments, r *codebase.SearchResult) int {
	for _, p := range r.Patterns {
		e.countFiles(q, p.Pattern, p.Files)
	}
	pattern := args.Pattern
	if len(args.Patterns) == 1 {
		pattern = args.Patterns[0]
	}
	if pattern == "" {
		return -1
	}
	return e.countFiles(q, pattern, r.FilesMatched)
}

// countFiles notes in how many files a pattern occurs. It returns the index of the pattern's word, or -1.
func (e *evidence) countFiles(q *question, pattern string, files int) int {
	for i, id := range q.idents {
		if id.re.String() == pattern {
			e.identFiles[i] = max(e.identFiles[i], files)
		}
	}
	at := slices.IndexFunc(q.words, func(w word) bool { return w.pattern == pattern })
	if at >= 0 {
		e.inFiles[at], e.counted[at] = max(e.inFiles[at], files), true
	}
	return at
}

func (e *evidence) takeOutline(r *codebase.OutlineResult) {
	for _, s := range r.Items {
		s.Path = cmp.Or(s.Path, r.Path)
		e.at(s.Path).add(s)
	}
}

// cutMark matches the line that replaces lines removed by the window.
var cutMark = lazyregexp.New(`^\[?…`)

func (e *evidence) takeLines(result *codebase.FileResult) {
	for _, item := range result.Items {
		r := reading{path: item.Path, symbol: item.Symbol, start: item.StartLine, lines: item.Lines}
		if n := item.EndLine - r.start + 1; n != len(r.lines) { // lines before the mark keep their numbers
			if i := slices.IndexFunc(r.lines, cutMark.MatchString); i >= 0 {
				r.lines = r.lines[:i]
			}
			r.lines = r.lines[:max(0, min(len(r.lines), n))]
		}
		if r.path != "" && r.start > 0 && r.start <= maxNumber && len(r.lines) > 0 && item.Column <= 1 {
			e.readings = append(e.readings, r)
		}
	}
}

// takeDefinitions takes the definitions of a name of the question. Other names in the result are near names.
func (e *evidence) takeDefinitions(args arguments, r *codebase.SymbolResult) {
	asked := lastPart(args.Name)
	for _, s := range r.Items {
		if lastPart(s.Name) == asked {
			e.at(s.Path).add(s)
		} else {
			e.nearest = append(e.nearest, s.Name)
		}
	}
}

func (e *evidence) takeUses(r *codebase.ReferenceResult) {
	name := lastPart(r.Name)
	e.defined[name] = max(e.defined[name], len(r.Definitions))
	for _, group := range r.Items {
		for _, ref := range group.References {
			if group.Path != "" && ref.Line > 0 && ref.Line <= maxNumber && name != "" {
				e.uses = append(e.uses, use{name: name, path: group.Path, in: group.Symbol, line: ref.Line, kind: ref.Kind,
					text: ref.Text})
				e.at(group.Path)
			}
		}
	}
}

var hashForm = lazyregexp.New(`^[0-9a-f]{7,64}$`)

const dayLength = len("2026-01-31")

// takeCommits takes the commits of one file for the report. From the commits of the whole tree it counts how often each
// file changed.
func (e *evidence) takeCommits(args arguments, r *gitrepo.LogResult) {
	for _, item := range r.Items {
		switch {
		case item.Merge:
		case args.Path == "":
			e.commits++
			for _, p := range item.Files {
				e.hot[p]++
			}
		default:
			c := report.Change{Commit: item.Hash, Date: item.Date, Subject: firstLine(item.Subject), Path: args.Path}
			c.Date = c.Date[:min(len(c.Date), dayLength)]
			if hashForm.MatchString(c.Commit) && c.Subject != "" {
				e.changes = append(e.changes, c)
			}
		}
	}
}

// order sorts the files by path and their hits by line.
func (e *evidence) order(q *question) {
	for _, p := range slices.Sorted(maps.Keys(e.files)) {
		f := e.files[p]
		f.factor = q.factor(p)
		e.sorted = append(e.sorted, f)
		for _, n := range slices.Sorted(maps.Keys(f.hits)) {
			f.lines = append(f.lines, f.hits[n])
		}
	}
}

// adoptLocated fills in the definitions that locate names, in files without an outline.
func (e *evidence) adoptLocated() {
	for _, c := range e.located {
		f := e.at(c.path)
		if len(f.symbols) > 0 {
			continue
		}
		for _, s := range c.functions {
			s.Depth = 1 + strings.Count(s.Name, ".")
			f.symbols = append(f.symbols, s)
		}
	}
}

// adopt adds a definition for lines that were read around a hit, unless the outline has it.
func (e *evidence) adopt() {
	for _, r := range e.readings {
		f := e.at(r.path)
		outlined := slices.ContainsFunc(f.symbols, func(s symbol) bool { return s.Name == r.symbol })
		if r.symbol != "" && !outlined {
			s := newSymbol(r.path, r.symbol, "definition", r.start, r.end())
			s.Signature, s.Depth = strings.TrimSpace(r.lines[0]), 1
			f.symbols = append(f.symbols, s)
		}
	}
}

// gaps says what the tools left out, a line each.
func (e *evidence) gaps() []string {
	var out []string
	for _, kind := range []struct{ key, says string }{
		{"binary", "binary"}, {"too_large", "too large"}, {"secret", "named like a secret"}, {"unreadable", "unreadable"},
	} {
		if n := e.skipped[kind.key]; n > 0 {
			out = append(out, fmt.Sprintf("%s skipped: %s", line.Count(n, "file"), kind.says))
		}
	}
	if e.timedOut {
		out = append(out, "a tool hit its deadline, so its results are incomplete")
	}
	if len(e.truncated) > 0 {
		slices.Sort(e.truncated)
		out = append(out, "results truncated by the window: "+strings.Join(slices.Compact(e.truncated), ", "))
	}
	for _, f := range e.failures[:min(len(e.failures), 3)] {
		out = append(out, "a call failed: "+f)
	}
	return out
}

const reportTool = "report"
