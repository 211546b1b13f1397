package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/agent/explore/rules/internal/pages"
	"github.com/forayhq/foray/agent/explore/rules/internal/passages"
	"github.com/forayhq/foray/agent/explore/rules/internal/testtitles"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
)

// conclusion returns the answer in text: from the accepted report, or else from the evidence so far.
func (r *run) conclusion() string {
	rep := r.report()
	note := ""
	switch last, ok := r.lastReport(); {
	case !ok && len(r.talk.results) == 0:
		note = "No tool was called, so nothing was searched.\n"
	case !ok:
		note = "Not finished: these are the findings so far. No report was submitted, so nothing was checked.\n"
	case last.Failed:
		rep.drop(last.Text)
		why := strings.ToValidUTF8(firstLine(last.Text), "\uFFFD")
		note = "The report was refused. The refused parts are left out: " + why + "\n"
	default:
		rep.drop(r.refusal())
		if receipt, ok := rulemodel.Decode[codebase.Receipt](last.Text); ok && receipt.Report != nil {
			rep.Excerpts = receipt.Report.Excerpts // with their lines
		}
	}
	if len(r.q.others) > 0 {
		note += "Only the first question is answered. Ask separately:\n- " + strings.Join(r.q.others, "\n- ") + "\n"
	}
	return Disclosure + "\n" + note + "\n" + rep.answer()
}

// refusal returns the text of the first refusal of a report, or "".
func (r *run) refusal() string {
	for _, x := range r.talk.results {
		if x.Name == reportTool && x.Failed {
			return x.Text
		}
	}
	return ""
}

// history asks for the recent commits of the first files.
func (r *run) history() []rulemodel.Call {
	var calls []rulemodel.Call
	var asked []string
	for _, b := range r.pick(maxPlaces) {
		if len(calls) < historyFiles && b.factor == 1 && !slices.Contains(asked, b.Path) {
			asked = append(asked, b.Path)
			calls = append(calls, rulemodel.Ask("git_log", map[string]any{"path": b.Path, "limit": commitsEach},
				"who changed it last, and why"))
		}
	}
	return calls
}

// follow searches for the definitions of callees, the uses and history of the best blocks, and names near to those
// that were not found.
func (r *run) follow() []rulemodel.Call {
	var calls []rulemodel.Call
	var patterns []string
	for _, c := range r.callees() {
		if len(r.defs(c.name)) > 0 {
			continue // outlined
		}
		n := regexp.QuoteMeta(c.name)
		patterns = append(patterns, keywords+`.*\b`+n+`\b|^\s+(?:[\w<>\[\],.*&?:]+\s+)*`+n+`\s*\(.*\{\s*$`)
	}
	if len(patterns) > 0 {
		calls = append(calls, content(patterns, 600, 10, "definitions of the functions called"))
	}
	calls = append(calls, r.history()...)
	calls = append(calls, r.findUses()...)
	for _, id := range r.q.idents {
		if !r.occurs(id) {
			calls = append(calls, rulemodel.Ask("search",
				map[string]any{"pattern": id.last, "literal": true, "word": true, "limit": 20},
				"near names: this one was not found"))
		}
	}
	return calls
}

// hop reads the constants in the line to quote, and the best targets.
func (r *run) hop() []rulemodel.Call {
	var calls []rulemodel.Call
	if first := r.withDecider(r.pick(1)); len(first) > 0 {
		calls = r.writer.prose.readConstant(first[0])
	}
	for _, t := range r.targets() {
		if r.e.reading(t.Path, t.Start) == nil && len(calls) < hopBlocks {
			calls = append(calls, r.readBlock(t.symbol, "called by "+t.from.Name))
		}
	}
	return calls
}

// rankTree ranks the tree, looks up the names of the question and counts its words. Without locate it lists the tree
// and searches for definitions named by the words instead.
func (r *run) rankTree() []rulemodel.Call {
	calls := []rulemodel.Call{rulemodel.Ask("locate",
		map[string]any{"query": line.Truncate(r.q.query(), maxQuery), "k": locateLimit, "mode": r.q.mode()},
		"rank files and definitions for the question")}
	for _, id := range r.q.idents[:min(len(r.q.idents), nameLookups)] {
		calls = append(calls, rulemodel.Ask("find_symbol", map[string]any{"name": id.text, "limit": 30},
			"the question names it"))
	}
	if len(r.q.paths) > 0 {
		calls = append(calls, rulemodel.Ask("glob", map[string]any{"pattern": pathGlob(r.q.paths), "limit": 50},
			"the question names it"))
	}
	if patterns := r.q.patterns(); len(patterns) > 0 {
		calls = append(calls, rulemodel.Ask("search", map[string]any{"patterns": patterns, "mode": "count", "limit": 1},
			"how many files contain the names and words of the question"))
	}
	for _, w := range r.q.words {
		if w.number {
			calls = append(calls, content([]string{w.pattern}, 300, 5, "a number of the question"))
		}
	}
	if len(r.q.literals) > 0 {
		calls = append(calls, content(r.q.quotes(), 300, 3, "messages and lines of code that the issue quotes"))
	}
	if r.offered["locate"] {
		return calls
	}
	calls = append(calls, rulemodel.Ask("list_dir", map[string]any{"path": ".", "depth": listDepth, "limit": listLimit},
		"sizes and names of files"))
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

// maxQuery is how much of a question goes to locate, in characters.
const maxQuery = 20_000

// count counts each word by file, the heaviest first, for runs without locate.
func (r *run) count() []rulemodel.Call {
	if r.offered["locate"] {
		return nil
	}
	var calls []rulemodel.Call
	for _, w := range r.q.byWeight() {
		calls = append(calls, rulemodel.Ask("search",
			map[string]any{"pattern": w.pattern, "mode": "count", "limit": listLimit}, "the files that contain “"+w.text+"”"))
	}
	return calls
}

// findUses asks for the uses of the best definitions.
func (r *run) findUses() []rulemodel.Call {
	var out []rulemodel.Call
	var patterns []string
	for _, b := range r.traceable() {
		out = append(out, rulemodel.Ask("references", map[string]any{"name": b.Name, "path": b.Path, "limit": maxUses},
			"who uses it, and its tests"))
		patterns = append(patterns, `\b`+quoteName(lastPart(b.Name))+`\b`)
	}
	if len(patterns) > 0 && !r.offered["references"] {
		out = append(out, content(patterns, 600, 6, "who uses the best definitions, and their tests"))
	}
	return out
}

const maxUses = 80 // of one definition

// submit submits the report.
func (r *run) submit() []rulemodel.Call {
	rep := r.report()
	return []rulemodel.Call{rulemodel.Ask(reportTool, rep.arguments(), "what was found")}
}

// resubmit submits a refused report without the parts that the refusal names.
func (r *run) resubmit() []rulemodel.Call {
	last, ok := r.lastReport()
	if !ok || !last.Failed {
		return nil
	}
	rep := r.report()
	if !rep.drop(last.Text) {
		return nil
	}
	return []rulemodel.Call{rulemodel.Ask(reportTool, rep.arguments(), "what was found")}
}

// lastReport returns the result of the last call of the tool report.
func (r *run) lastReport() (rulemodel.Result, bool) {
	for i := len(r.talk.results) - 1; i >= 0; i-- {
		if r.talk.results[i].Name == reportTool {
			return r.talk.results[i], true
		}
	}
	return rulemodel.Result{}, false
}

// A run is what one request says: the evidence so far, and the stages to go through.
type run struct {
	*links
	tour     *tour
	writer   *writer
	talk     talk
	stages   []stage
	lookups  []answerer         // none: an open question
	setting  *exact.Search      // that an open question describes; nil: it describes none
	page     *pages.Search      // of documents; nil: the question is not for them
	passages *passages.Search   // of documents and comments
	titles   *testtitles.Search // of tests of what the question describes; nil: it asks for none
	tested   answerer           // the tests that the question asks for in its second part; nil: it does not
}

// A stage is one step of a run: its calls, most important first, and what they are for.
type stage struct {
	name, aim string
	calls     func(*run) []rulemodel.Call
}

// stagesOfQuestion and stagesOfOverview are the stages of a run, in order. A stage without calls is skipped.
var (
	stagesOfQuestion = []stage{
		{"locate", "rank the files of the tree, and count the names and words of the question", (*run).rankTree},
		{"count", "count the words that did not fit", (*run).count},
		{"outline", "find the words of the question in the candidates", (*run).inspect},
		{"outline on", "outline more candidates", (*run).inspect},
		{"read", "read the definitions that match the question best", (*run).readBlocks},
		{"read on", "read the best definitions of more candidates", (*run).readBlocks},
		{"follow", "find what the best definitions call, who calls them, their tests and their history", (*run).follow},
		{"hop", "read what they call", (*run).hop},
		{"report", "submit the report, whose citations are read again", (*run).submit},
		{"report again", "submit it without the refused parts", (*run).resubmit},
	}
	stagesOfOverview = []stage{
		{"look around", "list the tree; find manifests, commands and entry points",
			func(r *run) []rulemodel.Call { return r.tour.lookAround() }},
		{"conventions", "find where projects begin by convention",
			func(r *run) []rulemodel.Call { return r.tour.conventions() }},
		{"read", "read the manifests", func(r *run) []rulemodel.Call { return r.tour.readManifests() }},
		{"read on", "read what the main directories say about themselves",
			func(r *run) []rulemodel.Call { return r.tour.readPackages() }},
		{"report", "submit the report, whose citations are read again", (*run).submit},
		{"report again", "submit it without the refused parts", (*run).resubmit},
	}
)

func newRun(t talk, offered []transcript.ToolSchema) *run {
	q := parseQuestion(t.question)
	named := mayNameProject(q, t.results)
	setting, others := settingOf(q, t.results)
	prose, others := passagesOf(q, others)
	titles, others := titlesOf(q, others)
	tested, others := testsToo(q, others)
	c := newCandidates(q, gather(q, others))
	l := &links{candidates: c, offered: make(map[string]bool)}
	for _, tool := range offered {
		l.offered[tool.Name] = true
	}
	r := &run{links: l, tour: &tour{c}, writer: newWriter(l), talk: t, stages: stagesOfQuestion, setting: setting,
		passages: prose, titles: titles, tested: tested}
	if q.overview {
		r.stages = stagesOfOverview
	}
	r.withIntent()
	if named {
		r.stages = slices.Concat(readNames, r.stages)
	}
	return r
}

// mayNameProject reports whether the question may have the name of the project. If it is known to have it, the question
// asks for a part of an overview.
func mayNameProject(q *question, results []rulemodel.Result) bool {
	name, parts := overview.PartsOf(q.text)
	if one, part := overview.OfNamed(q.text); one != "" {
		name, parts = one, []overview.Part{part}
	}
	other := func(i ident) bool { return !strings.EqualFold(i.text, name) }
	if name == "" || q.overview || q.issue || slices.ContainsFunc(q.idents, other) {
		return false
	}
	if r := (&tour{newCandidates(q, gather(q, results))}); isNamed(r, name) {
		q.overview, q.part, q.also = true, parts[0], parts[1:]
	}
	return true
}

// report makes the report from the evidence so far, on the first question of a message that asks several.
func (r *run) report() *draft {
	rep := r.onFirst()
	if r.tested != nil {
		rep.addTests(r.tested.Report())
	}
	if len(r.q.others) > 0 {
		rep.NotCovered = append(slices.Clip(rep.NotCovered), "only the first question is answered; ask the others separately")
		rep.NextQuestion = r.q.others[0]
	}
	return rep
}

// onFirst makes the report on the question.
func (r *run) onFirst() *draft {
	if rep := r.exactReport(); rep != nil {
		return rep
	}
	if r.q.overview {
		return r.tour.report()
	}
	return r.withSections(r.withPage(r.withSetting(r.writer.report()))).withNumbers(r.setting)
}

// calls returns the calls of a stage whose tools are offered and that were not made yet, at most so many.
func (r *run) calls(number, most int) []rulemodel.Call {
	var out []rulemodel.Call
	made := make(map[string]bool)
	for _, x := range r.talk.results {
		made[x.Key()] = true
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

// inspect finds the names and words of the question in the candidates, and outlines those that are code.
func (r *run) inspect() []rulemodel.Call {
	files := r.top(focusFiles)
	patterns := r.q.names()
	for _, w := range r.q.words {
		patterns = append(patterns, w.pattern)
	}
	if len(files) == 0 || len(patterns) == 0 {
		return nil
	}
	var calls []rulemodel.Call
	for group := range slices.Chunk(files, groupFiles) {
		c := content(patterns[:min(len(patterns), maxPatterns)], listLimit, listLimit,
			fmt.Sprintf("names and words of the question in %s of the first candidates", line.Count(len(group), "file")))
		var include []string
		for _, f := range group {
			include = append(include, lookup.Glob(f.path))
		}
		c.Args["include"] = include
		calls = append(calls, c)
	}
	for i, f := range files {
		if isCode(f.path) {
			calls = append(calls, rulemodel.Ask("outline", map[string]any{"path": f.path, "depth": 4, "limit": outlineLimit},
				f.reason(i)))
		}
	}
	return calls
}

// readBlocks reads the best blocks.
func (r *run) readBlocks() []rulemodel.Call {
	var calls []rulemodel.Call
	for _, b := range r.withDecider(r.pick(readBlocks)) {
		if r.e.reading(b.Path, b.Start) == nil || r.e.reading(b.Path, min(b.End, b.Start+blockLines-1)) == nil {
			calls = append(calls, r.readBlock(b.symbol, b.why(r.q, r.e.files[b.Path])))
		}
	}
	return calls
}

// readBlock reads a definition with the lines above it; by a line in it if its end is unknown; or lines outside all
// definitions with the lines around them.
func (r *run) readBlock(s symbol, why string) rulemodel.Call {
	switch {
	case s.Kind != "":
		end := min(s.End, s.Start+blockLines-1)
		return rulemodel.Ask("read_file",
			map[string]any{"path": s.Path, "start_line": max(1, s.Start-docLines), "end_line": end}, why)
	case s.Name != "":
		return rulemodel.Ask("read_file", map[string]any{"path": s.Path, "around": s.Start}, why)
	default:
		return rulemodel.Ask("read_file",
			map[string]any{"path": s.Path, "start_line": max(1, s.Start-nearLines), "end_line": s.End + nearLines}, why)
	}
}
