package planner

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
)

// A run is a request understood: the question, what is known, and the stages of a run like it.
type run struct {
	q       *question
	e       *evidence
	talk    talk
	offered map[string]bool
	stages  []stage

	ranked []*file                    // by what is known of them, best first
	best   []*block                   // the same of definitions
	held   map[string]map[string]bool // by quoted text: the files that hold it
	byName map[string][]symbol        // definitions by the last part of their names, once they were asked for
}

// A stage is one step of a run: the calls it makes, most important first, and what they are for.
type stage struct {
	name, aim string
	calls     func(*run) []call
}

// stagesOfQuestion and stagesOfOverview are what a run goes through. A stage without calls takes no step.
var (
	stagesOfQuestion = []stage{
		{"locate", "rank the files of the tree, and see which names and words of the question stand anywhere", (*run).look},
		{"count", "count the words that had no room", (*run).count},
		{"outline", "find the words of the question inside the candidates", (*run).focus},
		{"outline on", "outline further candidates", (*run).focus},
		{"read", "read the definitions that hold most of the question", (*run).readBlocks},
		{"read on", "read the best definitions of further candidates", (*run).readBlocks},
		{"follow", "find what the best definitions call, who calls them, their tests and their history", (*run).follow},
		{"hop", "read what they call", (*run).hop},
		{"report", "every citation is read again", (*run).reports},
		{"report again", "without what was refused", (*run).reportsAgain},
	}
	stagesOfOverview = []stage{
		{"look around", "list the tree, find manifests, commands and where programs begin", (*run).lookAround},
		{"read", "read the manifests", (*run).lookFurther},
		{"read on", "read what the main directories say of themselves", (*run).readPackages},
		{"report", "every citation is read again", (*run).reports},
		{"report again", "without what was refused", (*run).reportsAgain},
	}
)

// Bounds of what a stage looks at.
const (
	listDepth    = 6
	listLimit    = 2000
	candidates   = 50 // that locate is asked for
	focusFiles   = 20 // candidates that are looked into
	nameLookups  = 3  // names of the question that are looked up
	maxPatterns  = 16 // of one search
	outlineLimit = 600
	readBlocks   = 16
	blocksOfFile = 3
	chosenShare  = .2  // of the best rank that a block needs to be read
	looseShare   = .2  // of the best score that lines outside of all definitions need
	blocksOfName = 3   // definitions of the same name
	asideFrom    = 3   // blocks of tests, documents and data are among the first so many, or left out
	blockLines   = 160 // of a block that are read
	docLines     = 24  // above a definition that are read for its documentation
	hopBlocks    = 4
)

func newRun(t talk, offered []contextwindow.ToolSchema) *run {
	r := &run{q: ask(t.question), talk: t, offered: make(map[string]bool), stages: stagesOfQuestion}
	for _, tool := range offered {
		r.offered[tool.Name] = true
	}
	if r.q.overview {
		r.stages = stagesOfOverview
	}
	r.e = gather(r.q, t.exchanges)
	r.e.adoptLocated()
	r.e.adopt()
	r.e.order(r.q)
	r.rank()
	r.best = r.e.blocks(r.q, r.top(focusFiles))
	r.verify()
	return r
}

// calls are those of a stage that can be made and were not made yet, at most so many.
func (r *run) calls(number, most int) []call {
	var out []call
	made := make(map[string]bool)
	for _, x := range r.talk.exchanges {
		made[x.key] = true
	}
	for _, c := range r.stages[number-1].calls(r) {
		key := c.name + string(c.encode())
		if r.offered[c.name] && !made[key] && len(out) < most {
			made[key] = true
			out = append(out, c)
		}
	}
	return out
}

// top are the best n files that score at all.
func (r *run) top(n int) []*file {
	n = min(n, len(r.ranked))
	for n > 0 && r.ranked[n-1].score <= 0 {
		n--
	}
	return r.ranked[:n]
}

// keywords open a definition in the languages that outline knows, and some more.
const keywords = `\b(?:func|def|class|type|struct|interface|enum|trait|impl|fn|function|module|const|var|let|static|record|public|private|protected|define|fun|macro_rules!)\b`

// look ranks the tree, looks up the names of the question and counts its words. Without locate it lists the tree and
// searches for definitions named by the words instead.
func (r *run) look() []call {
	calls := []call{{"locate", map[string]any{"query": clip(r.q.text, maxQuery), "k": candidates, "mode": r.q.mode()}, "rank files and definitions for the question"}}
	for _, id := range r.q.idents[:min(len(r.q.idents), nameLookups)] {
		calls = append(calls, call{"find_symbol", map[string]any{"name": id.text, "limit": 30}, "the question names it"})
	}
	if len(r.q.paths) > 0 {
		calls = append(calls, call{"glob", map[string]any{"pattern": pathGlob(r.q.paths), "limit": 50}, "the question names it"})
	}
	if patterns := r.q.patterns(); len(patterns) > 0 {
		calls = append(calls, call{"search", map[string]any{"patterns": patterns, "mode": "count", "limit": 1}, "in how many files the names and words of the question stand"})
	}
	if len(r.q.literals) > 0 {
		calls = append(calls, content(r.q.quotes(), 300, 3, "messages and lines of code that the issue quotes"))
	}
	if r.offered["locate"] {
		return calls
	}
	calls = append(calls, call{"list_dir", map[string]any{"path": ".", "depth": listDepth, "limit": listLimit}, "sizes and names of files"})
	if len(r.q.idents) > 0 {
		calls = append(calls, content(r.q.names(), 1000, 30, "the names of the question"))
	}
	if len(r.q.words) > 0 {
		var patterns []string
		for _, w := range r.q.words {
			patterns = append(patterns, keywords+`.*(?:`+w.pattern+`)`)
		}
		calls = append(calls, content(patterns, 1500, 40, "definitions named by words of the question"))
	}
	return append(calls, r.count()...)
}

// maxQuery is how much of a question is ranked for, in characters.
const maxQuery = 20_000

// mode is what the ranking is told of the question.
func (q *question) mode() string {
	if q.issue {
		return "issue"
	}
	return "question"
}

// patterns find the names, messages and words of the question, each alone, as many as one search takes.
func (q *question) patterns() []string {
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	for _, w := range q.byWeight() {
		all = append(all, w.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// quotes are the patterns of what the issue quotes.
func (q *question) quotes() []string {
	var all []string
	for _, l := range q.literals {
		all = append(all, l.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// names is one pattern for all names of the question, as a list.
func (q *question) names() []string {
	if len(q.idents) == 0 {
		return nil
	}
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	return []string{strings.Join(all, "|")}
}

// count counts the words by file, the heaviest first, where nothing else ranks the tree.
func (r *run) count() []call {
	if r.offered["locate"] {
		return nil
	}
	var calls []call
	for _, w := range r.q.byWeight() {
		calls = append(calls, call{"search", map[string]any{"pattern": w.pattern, "mode": "count", "limit": listLimit}, "the files that hold “" + w.text + "”"})
	}
	return calls
}

// pathGlob finds files by what the question names: whole, or as the end of a path.
func pathGlob(paths []string) string {
	var forms []string
	for _, p := range paths {
		forms = append(forms, globEscape(p))
	}
	return "**/{" + strings.Join(forms, ",") + "}"
}

func globEscape(p string) string {
	var b strings.Builder
	for _, c := range p {
		if strings.ContainsRune(`*?[]{},\!`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func content(patterns []string, limit, perFile int, why string) call {
	return call{"search", map[string]any{"patterns": patterns, "context": 0, "limit": limit, "max_per_file": perFile}, why}
}

// byWeight are the words, heaviest first.
func (q *question) byWeight() []word {
	words := slices.Clone(q.words)
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return words
}

// focus finds the names, messages and words of the question in the candidates, and outlines the first of them.
func (r *run) focus() []call {
	var include []string
	files := r.top(focusFiles)
	for _, f := range files {
		include = append(include, globEscape(f.path))
	}
	patterns := r.q.names()
	for _, w := range r.q.words {
		patterns = append(patterns, w.pattern)
	}
	if len(files) == 0 || len(patterns) == 0 {
		return nil
	}
	c := content(patterns[:min(len(patterns), maxPatterns)], listLimit, 100, fmt.Sprintf("what the first %d candidates hold of the question", len(files)))
	c.args["include"] = include
	calls := []call{c}
	for i, f := range files {
		if isCode(f.path) {
			calls = append(calls, call{"outline", map[string]any{"path": f.path, "depth": 4, "limit": outlineLimit}, f.standing(i)})
		}
	}
	return calls
}

// standing says why a candidate is looked into.
func (f *file) standing(i int) string {
	if f.candidate == nil {
		return fmt.Sprintf("candidate %d by its words", i+1)
	}
	return fmt.Sprintf("candidate %d by locate (%s)", f.candidate.place, clip(strings.Join(f.candidate.why, ", "), 80))
}

// readBlocks reads the best blocks.
func (r *run) readBlocks() []call {
	var calls []call
	for _, b := range r.chosen(readBlocks) {
		if r.e.reading(b.path, b.start) == nil || r.e.reading(b.path, min(b.end, b.start+blockLines-1)) == nil {
			calls = append(calls, r.readBlock(b.symbol, b.why(r.q)))
		}
	}
	return calls
}

// readBlock reads a definition with what stands above it; one whose end is not known by a line of it.
func (r *run) readBlock(s symbol, why string) call {
	switch {
	case s.kind != "":
		end := min(s.end, s.start+blockLines-1)
		return call{"read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-docLines), "end_line": end}, why}
	case s.name != "":
		return call{"read_file", map[string]any{"path": s.path, "around": s.start}, why}
	default:
		return call{"read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-nearLines), "end_line": s.end + nearLines}, why}
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

// cite writes lines of a file as a citation.
func cite(p string, start, end int) string {
	if end <= start {
		return fmt.Sprintf("%s:%d", p, start)
	}
	return fmt.Sprintf("%s:%d-%d", p, start, end)
}

func sameDir(a, b string) bool { return path.Dir(a) == path.Dir(b) }
