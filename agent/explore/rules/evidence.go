package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// evidence is what the results so far say of the tree.
type evidence struct {
	files     map[string]*file
	sorted    []*file // files by path, once all are gathered
	searched  int     // files in the widest search
	inFiles   []int   // by word: in how many files it stands
	counted   []bool
	size      int // bytes of all files that were listed
	entries   int // files that were listed
	total     int // entries that there are
	located   []*candidate
	stands    []int // by identifier: files that hold it, as far as they were counted
	uses      []use
	defined   map[string]int // by the last part of a name: definitions of it in the tree, as far as references tells
	readings  []reading
	changes   []change       // newest first within each path
	hot       map[string]int // commits that touched a file, of the last ones
	commits   int            // that were looked at for that
	codePaths []string       // files of code that were listed
	codeFiles int            // that there are
	globbed   []string
	skipped   map[string]int
	timedOut  bool
	truncated []string // which results were not whole
	failures  []string // first lines of results that failed
	nearest   []string // words that a search without a hit names
}

// A file is what is known of one file.
type file struct {
	path    string
	size    int   // bytes; 0: not known
	counts  []int // lines with each word
	hits    map[int]hit
	lines   []hit    // hits by line, once all are gathered
	symbols []symbol // from its outline

	candidate *candidate // nil: locate does not name it
	prior     float64    // of the ranking of the tree, before anything of it was read
	factor    float64    // by how much it counts less for what it is
	score     float64
}

// A hit is a line that a search found.
type hit struct {
	line   int
	symbol string
	text   string
}

// A symbol is a definition.
type symbol struct {
	path, name, kind, signature, doc string
	start, end, depth                int
}

// gather takes up all results.
func gather(q *question, exchanges []exchange) *evidence {
	e := &evidence{
		files: make(map[string]*file), skipped: make(map[string]int), hot: make(map[string]int), defined: make(map[string]int),
		inFiles: make([]int, len(q.words)), counted: make([]bool, len(q.words)), stands: make([]int, len(q.idents)),
	}
	for i := range exchanges {
		x := &exchanges[i]
		if x.failed || x.result == nil {
			if x.failed && x.name != "report" && !(isLookup[x.name] && strings.HasPrefix(x.text, "not_found")) {
				e.failures = append(e.failures, oneLine(x.text))
			}
			continue
		}
		e.page(x)
		switch x.name {
		case "locate":
			e.locate(x.result)
		case "list_dir":
			e.list(x.result)
		case "glob":
			e.glob(x)
		case "search":
			e.search(q, x)
		case "outline":
			e.outline(x.result)
		case "read_file":
			e.read(x.result)
		case "find_symbol":
			e.lookedUp(x)
		case "references":
			e.references(x.result)
		case "git_log":
			e.history(x)
		}
	}
	return e
}

// isLookup are the tools for which not to find anything is an answer.
var isLookup = set("find_symbol references git_log")

// page takes up what a result says of itself.
func (e *evidence) page(x *exchange) {
	e.timedOut = e.timedOut || x.result.flag("timed_out")
	if x.result["_cut"] != nil {
		e.truncated = append(e.truncated, x.name)
	}
	for k, n := range read[map[string]float64](x.result, "skipped") {
		e.skipped[k] = max(e.skipped[k], int(min(max(n, 0), 1e9)))
	}
	for _, note := range x.result.texts("notes") {
		if near, ok := strings.CutPrefix(note, "nearest words: "); ok {
			e.nearest = append(e.nearest, strings.Split(near, ", ")...)
		}
	}
}

// glob takes up paths: files of code, where every such file was asked for.
func (e *evidence) glob(x *exchange) {
	if x.args["offset"] == nil {
		e.globbed = append(e.globbed, x.result.texts("items")...)
		return
	}
	e.codePaths = append(e.codePaths, x.result.texts("items")...)
	e.codeFiles = max(e.codeFiles, x.result.number("total"))
}

func (e *evidence) at(p string) *file {
	f := e.files[p]
	if f == nil {
		f = &file{path: p, hits: make(map[int]hit)}
		e.files[p] = f
	}
	return f
}

func (e *evidence) list(result object) {
	e.total = max(e.total, result.number("total"))
	for _, item := range result.objects("items") {
		if p := item.text("path"); p != "" && item.text("type") == "file" {
			f := e.at(p)
			f.size = item.number("size")
			e.size += f.size
			e.entries++
		}
	}
}

func (e *evidence) search(q *question, x *exchange) {
	e.searched = max(e.searched, x.result.number("files_searched"))
	counted := -1
	if x.args.text("mode") == "count" {
		counted = e.tally(q, x)
	}
	for _, item := range x.result.objects("items") {
		p := item.text("path")
		if p == "" {
			continue
		}
		f := e.at(p)
		if counted >= 0 {
			f.count(counted, len(q.words), item.number("hits"))
		}
		for _, m := range item.objects("matches") {
			f.hit(m)
		}
	}
}

// tally takes up in how many files each pattern of a counting search stands. It returns the word that was searched for
// alone, -1 when it was not one.
func (e *evidence) tally(q *question, x *exchange) int {
	for _, p := range x.result.objects("patterns") {
		e.holds(q, p.text("pattern"), p.number("files"))
	}
	pattern := x.args.text("pattern")
	if all := x.args.texts("patterns"); len(all) == 1 {
		pattern = all[0]
	}
	if pattern == "" {
		return -1
	}
	return e.holds(q, pattern, x.result.number("files_matched"))
}

// holds notes that a pattern stands in so many files, and returns the word that it stands for, -1 for none.
func (e *evidence) holds(q *question, pattern string, files int) int {
	for i, id := range q.idents {
		if id.re.String() == pattern {
			e.stands[i] = max(e.stands[i], files)
		}
	}
	at := slices.IndexFunc(q.words, func(w word) bool { return w.pattern == pattern })
	if at >= 0 {
		e.inFiles[at], e.counted[at] = max(e.inFiles[at], files), true
	}
	return at
}

func (f *file) count(word, words, n int) {
	if f.counts == nil {
		f.counts = make([]int, words)
	}
	f.counts[word] = max(f.counts[word], n)
}

func (f *file) hit(m object) {
	if n := m.number("line"); n > 0 {
		f.hits[n] = hit{n, m.text("symbol"), m.text("text")}
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

// symbolOf is a definition as the tools tell one.
func symbolOf(item object) symbol {
	return symbol{
		path: item.text("path"), name: item.text("name"), kind: item.text("kind"), signature: item.text("signature"), doc: item.text("doc"),
		start: item.number("start"), end: item.number("end"), depth: item.number("depth"),
	}
}

func (e *evidence) outline(result object) {
	for _, item := range result.objects("items") {
		s := symbolOf(item)
		s.path = cmp.Or(s.path, result.text("path"))
		e.at(s.path).add(s)
	}
}

// add takes up a definition, once.
func (f *file) add(s symbol) {
	known := slices.ContainsFunc(f.symbols, func(o symbol) bool { return o.start == s.start && o.name == s.name })
	if s.path != "" && s.name != "" && s.start > 0 && s.end >= s.start && !known {
		f.symbols = append(f.symbols, s)
	}
}

// enclosing is the innermost symbol of the outline around a line.
func (f *file) enclosing(line int) (in symbol, ok bool) {
	for _, s := range f.symbols {
		if s.start <= line && line <= s.end && (!ok || s.depth >= in.depth) {
			in, ok = s, true
		}
	}
	return in, ok
}

// oneLine is the first line of s without the space around it, at most 200 runes.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return clip(s, 200)
}

func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
