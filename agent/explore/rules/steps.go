package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"

	"github.com/forayhq/foray/internal/rulemodel"
)

// A run is a request understood: the question, what is known, and the stages of a run like it.
type run struct {
	q       *question
	e       *evidence
	talk    talk
	offered map[string]bool
	stages  []stage

	ranked []*file             // by what is known of them, best first
	best   []*block            // the same of definitions
	byName map[string][]symbol // definitions by the last part of their names, once they were asked for
}

// A stage is one step of a run: the calls it makes, most important first, and what they are for.
type stage struct {
	name, aim string
	calls     func(*run) []rulemodel.Call
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

func newRun(t talk, offered []transcript.ToolSchema) *run {
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
func (r *run) calls(number, most int) []rulemodel.Call {
	var out []rulemodel.Call
	made := make(map[string]bool)
	for _, x := range r.talk.exchanges {
		made[x.key] = true
	}
	for _, c := range r.stages[number-1].calls(r) {
		key := c.Key()
		if r.offered[c.Name] && !made[key] && len(out) < most {
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

// focus finds the names, messages and words of the question in the candidates, and outlines the first of them.
func (r *run) focus() []rulemodel.Call {
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
	c.Args["include"] = include
	calls := []rulemodel.Call{c}
	for i, f := range files {
		if isCode(f.path) {
			calls = append(calls, rulemodel.Ask("outline", map[string]any{"path": f.path, "depth": 4, "limit": outlineLimit}, f.standing(i)))
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
func (r *run) readBlocks() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, b := range r.chosen(readBlocks) {
		if r.e.reading(b.path, b.start) == nil || r.e.reading(b.path, min(b.end, b.start+blockLines-1)) == nil {
			calls = append(calls, r.readBlock(b.symbol, b.why(r.q)))
		}
	}
	return calls
}

// readBlock reads a definition with what stands above it; one whose end is not known by a line of it.
func (r *run) readBlock(s symbol, why string) rulemodel.Call {
	switch {
	case s.kind != "":
		end := min(s.end, s.start+blockLines-1)
		return rulemodel.Ask("read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-docLines), "end_line": end}, why)
	case s.name != "":
		return rulemodel.Ask("read_file", map[string]any{"path": s.path, "around": s.start}, why)
	default:
		return rulemodel.Ask("read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-nearLines), "end_line": s.end + nearLines}, why)
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
