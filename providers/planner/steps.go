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

	ranked []*file
	best   []*block
	byName map[string][]symbol // definitions by the last part of their names, once they were asked for
}

// A stage is one step of a run: the calls it makes, most important first, and what it says of them.
type stage struct {
	name  string
	calls func(*run) []call
}

// stagesOfQuestion and stagesOfOverview are what a run goes through.
var (
	stagesOfQuestion = []stage{
		{"look", (*run).look}, {"count", (*run).count}, {"focus", (*run).focus}, {"read", (*run).readBlocks}, {"follow", (*run).follow},
		{"hop", (*run).hop}, {"report", (*run).reports}, {"report again", (*run).reportsAgain},
	}
	stagesOfOverview = []stage{
		{"look", (*run).lookAround}, {"read", (*run).readManifests}, {"report", (*run).reports}, {"report again", (*run).reportsAgain},
	}
)

// Bounds of what a stage looks at.
const (
	listDepth    = 6
	listLimit    = 2000
	focusFiles   = 30
	maxPatterns  = 16 // of one search
	outlineFiles = 7
	outlineLimit = 600
	readBlocks   = 8
	blocksOfFile = 2
	chosenShare  = .08 // of the best score that a block needs to be read
	looseShare   = .2  // the same for lines outside of all definitions
	blocksOfName = 2   // definitions of the same name
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
	r.e.adopt()
	r.e.order()
	r.ranked = r.e.rank(r.q)
	r.best = r.e.blocks(r.q, r.top(focusFiles))
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

// why says what a stage is about, for those who watch.
func (s stage) why(r *run) string {
	var of []string
	for _, id := range r.q.idents {
		of = append(of, id.text)
	}
	for _, w := range r.q.words {
		of = append(of, w.text)
	}
	if s.name == "look" && len(of) > 0 {
		return "rules: look for " + strings.Join(of, ", ") + "\n"
	}
	return "rules: " + s.name + "\n"
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

// look lists the tree, searches for the identifiers, for definitions by the words, and counts each word by file.
func (r *run) look() []call {
	calls := []call{{"list_dir", map[string]any{"path": ".", "depth": listDepth, "limit": listLimit}}}
	if len(r.q.idents) > 0 {
		var patterns []string
		for _, id := range r.q.idents {
			patterns = append(patterns, id.re.String())
		}
		calls = append(calls, content(patterns, 1000, 30))
	}
	if len(r.q.paths) > 0 {
		calls = append(calls, call{"glob", map[string]any{"pattern": pathGlob(r.q.paths), "limit": 50}})
	}
	if len(r.q.words) > 0 {
		var patterns []string
		for _, w := range r.q.words {
			patterns = append(patterns, keywords+`.*(?:`+w.pattern+`)`)
		}
		calls = append(calls, content(patterns, 1500, 40))
	}
	return append(calls, r.count()...)
}

// count counts the words by file, the heaviest first: in the next step those that had no room in the first.
func (r *run) count() []call {
	var calls []call
	for _, w := range r.q.byWeight() {
		calls = append(calls, call{"search", map[string]any{"pattern": w.pattern, "mode": "count", "limit": listLimit}})
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

func content(patterns []string, limit, perFile int) call {
	return call{"search", map[string]any{"patterns": patterns, "context": 0, "limit": limit, "max_per_file": perFile}}
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

// focus outlines the best files and finds all words and identifiers in more of them.
func (r *run) focus() []call {
	var include, patterns []string
	files := r.top(focusFiles)
	for _, f := range files {
		include = append(include, globEscape(f.path))
	}
	for _, id := range r.q.idents {
		patterns = append(patterns, id.re.String())
	}
	for _, w := range r.q.words {
		patterns = append(patterns, w.pattern)
	}
	if len(files) == 0 || len(patterns) == 0 {
		return nil
	}
	c := content(patterns[:min(len(patterns), maxPatterns)], listLimit, 60)
	c.args["include"] = include
	calls := []call{c}
	for _, f := range files {
		if isCode(f.path) && len(calls) <= outlineFiles {
			calls = append(calls, call{"outline", map[string]any{"path": f.path, "depth": 4, "limit": outlineLimit}})
		}
	}
	return calls
}

// readBlocks reads the best blocks.
func (r *run) readBlocks() []call {
	var calls []call
	for _, b := range r.chosen(readBlocks) {
		calls = append(calls, r.readBlock(b.symbol))
	}
	return calls
}

// chosen are the best n blocks: few of one file, none inside another.
func (r *run) chosen(n int) []*block {
	var out []*block
	of := make(map[string]int)
	for _, b := range r.best {
		overlaps := slices.ContainsFunc(out, func(o *block) bool {
			return o.path == b.path && o.start <= b.end && b.start <= o.end && o.end-o.start < blockLines
		})
		if len(out) == n || b.score < r.best[0].score*chosenShare {
			break
		}
		if b.name == "" && b.score < r.best[0].score*looseShare {
			continue
		}
		aside := r.q.factor(b.path) < 1 && len(out) >= asideFrom
		name := lastPart(b.name)
		if !overlaps && !aside && of[b.path] < blocksOfFile && (name == "" || of["\x00"+name] < blocksOfName) {
			of[b.path]++
			of["\x00"+name]++
			out = append(out, b)
		}
	}
	return out
}

// readBlock reads a definition with what stands above it; one whose end is not known by a line of it.
func (r *run) readBlock(s symbol) call {
	switch {
	case s.kind != "":
		end := min(s.end, s.start+blockLines-1)
		return call{"read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-docLines), "end_line": end}}
	case s.name != "":
		return call{"read_file", map[string]any{"path": s.path, "around": s.start}}
	default:
		return call{"read_file", map[string]any{"path": s.path, "start_line": max(1, s.start-nearLines), "end_line": s.end + nearLines}}
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
