package rules

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
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

var hashForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// history takes up the commits of a log.
func (e *evidence) history(x *exchange) {
	if x.args.text("path") == "" {
		e.touched(x.result.objects("items"))
		return
	}
	for _, item := range x.result.objects("items") {
		c := change{Commit: item.text("hash"), Date: item.text("date"), Subject: oneLine(item.text("subject")), Path: x.args.text("path")}
		c.Date = c.Date[:min(len(c.Date), dayLength)]
		if hashForm.MatchString(c.Commit) && c.Subject != "" && !item.flag("merge") {
			e.changes = append(e.changes, c)
		}
	}
}

// touched counts the commits that touched each file.
func (e *evidence) touched(commits []object) {
	for _, c := range commits {
		if c.flag("merge") {
			continue
		}
		e.commits++
		for _, p := range c.texts("files") {
			e.hot[p]++
		}
	}
}

// A candidate is a file that locate names, with its best definitions.
type candidate struct {
	path      string
	place     int     // from 1
	score     float64 // as locate gives it
	why       []string
	functions []symbol // best first
	scores    []float64
}

// locate takes up the ranking of the tree. The first ranking of a run stands.
func (e *evidence) locate(result object) {
	if len(e.located) > 0 {
		return
	}
	for _, item := range result.objects("items") {
		p := item.text("path")
		score := read[float64](item, "score")
		if p == "" || math.IsNaN(score) || slices.ContainsFunc(e.located, func(c *candidate) bool { return c.path == p }) {
			continue
		}
		c := &candidate{path: p, place: len(e.located) + 1, score: score, why: item.texts("why")}
		for _, f := range append(item.objects("functions"), item) {
			s := symbol{path: p, name: f.text("symbol"), kind: f.text("kind"), start: f.number("start"), end: f.number("end")}
			if s.name != "" && s.start > 0 && s.end >= s.start && !slices.ContainsFunc(c.functions, func(o symbol) bool { return o.start == s.start }) {
				c.functions = append(c.functions, s)
				c.scores = append(c.scores, read[float64](f, "score"))
			}
		}
		e.located = append(e.located, c)
		e.at(p).candidate = c
	}
}

// adoptLocated makes definitions of what locate names in files that were not outlined.
func (e *evidence) adoptLocated() {
	for _, c := range e.located {
		f := e.at(c.path)
		if len(f.symbols) > 0 {
			continue
		}
		for _, s := range c.functions {
			s.depth = 1 + strings.Count(s.name, ".")
			f.symbols = append(f.symbols, s)
		}
	}
}

// gaps are what the tools left out.
func (e *evidence) gaps() []string {
	var out []string
	for _, kind := range []struct{ key, says string }{
		{"binary", "binary"}, {"too_large", "too large"}, {"secret", "with the name of a secret"}, {"unreadable", "unreadable"},
	} {
		if n := e.skipped[kind.key]; n > 0 {
			out = append(out, fmt.Sprintf("%d files skipped: %s", n, kind.says))
		}
	}
	if e.timedOut {
		out = append(out, "a tool ran into its deadline: there may be more")
	}
	if len(e.truncated) > 0 {
		slices.Sort(e.truncated)
		out = append(out, "results were cut by the window: "+strings.Join(slices.Compact(e.truncated), ", "))
	}
	for _, f := range e.failures[:min(len(e.failures), 3)] {
		out = append(out, "a call failed: "+f)
	}
	return out
}

// A use is a line that names a definition elsewhere.
type use struct {
	name string // that was asked for, its last part
	path string
	in   string // definition around; "" for none
	line int
	kind string // "call", "import" or another
	text string
}

// lookedUp takes up definitions of a name of the question; others than of that name are near ones.
func (e *evidence) lookedUp(x *exchange) {
	asked := lastPart(x.args.text("name"))
	for _, item := range x.result.objects("items") {
		s := symbolOf(item)
		if lastPart(s.name) == asked {
			e.at(s.path).add(s)
		} else {
			e.nearest = append(e.nearest, s.name)
		}
	}
}

// references takes up where a name is used.
func (e *evidence) references(result object) {
	name := lastPart(result.text("name"))
	e.defined[name] = max(e.defined[name], len(result.objects("definitions")))
	for _, group := range result.objects("items") {
		for _, r := range group.objects("references") {
			u := use{name: name, path: group.text("path"), in: group.text("symbol"), line: r.number("line"), kind: r.text("kind"), text: r.text("text")}
			if u.path != "" && u.line > 0 && name != "" {
				e.uses = append(e.uses, u)
				e.at(u.path)
			}
		}
	}
}

// adopt makes definitions of what was read around a line, where no outline tells them.
func (e *evidence) adopt() {
	for _, r := range e.readings {
		f := e.at(r.path)
		known := slices.ContainsFunc(f.symbols, func(s symbol) bool { return s.name == r.symbol })
		if r.symbol != "" && !known {
			first := strings.TrimSpace(r.lines[0])
			f.symbols = append(f.symbols, symbol{path: r.path, name: r.symbol, kind: "definition", signature: first, start: r.start, end: r.end(), depth: 1})
		}
	}
}
