package planner

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The report as the tool of that name takes it.
type report struct {
	Question     string      `json:"question,omitempty"`
	Found        bool        `json:"found"`
	Summary      []statement `json:"summary"`
	Places       []place     `json:"places,omitempty"`
	Edges        []edge      `json:"edges,omitempty"`
	Excerpts     []excerpt   `json:"excerpts,omitempty"`
	Tests        []place     `json:"tests,omitempty"`
	NotCovered   []string    `json:"not_covered,omitempty"`
	NextQuestion string      `json:"next_question,omitempty"`
}

type statement struct {
	Text      string   `json:"text"`
	Citations []string `json:"citations,omitempty"`
	Quote     string   `json:"quote,omitempty"`
}

type place struct {
	Path       string  `json:"path"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Symbol     string  `json:"symbol,omitempty"`
	Why        string  `json:"why,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Quote      string  `json:"quote,omitempty"`
}

type edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Kind     string `json:"kind"`
	Citation string `json:"citation"`
}

type excerpt struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Bounds of a report.
const (
	maxStatements = 4
	maxPlaces     = 8
	maxExcerpts   = 3
	excerptLines  = 20
	maxEdgeNodes  = 8
	maxTests      = 5
	maxQuoteRunes = 220
	fewTests      = 2 // of one file
	hopsFrom      = 5 // places before those that were found by a call
	hopsMore      = 2 // places beyond maxPlaces, when there are some
	hopConfidence = .3
)

// Thresholds of what counts as found, as shares of the question's words by worth.
const (
	foundCoverage = .4
	nameCoverage  = .15 // enough beside an identifier that stands, or a rare word that names a definition
	rareWord      = 1   // inverse document frequency: in about a third of the files or fewer
	goodShare     = .4  // of the best score that a block needs to be in the summary
)

// reports is the call that submits the report.
func (r *run) reports() []call {
	rep := r.build()
	return []call{{"report", rep.arguments()}}
}

func (rep *report) arguments() map[string]any {
	data, err := json.Marshal(rep)
	var args map[string]any
	if err != nil || json.Unmarshal(data, &args) != nil {
		return map[string]any{} // strings, numbers and lists always encode
	}
	return args
}

// reportsAgain submits the report without what was refused, if that is known.
func (r *run) reportsAgain() []call {
	last, ok := r.submitted()
	if !ok || !last.failed {
		return nil
	}
	rep := r.build()
	if !rep.drop(last.text) {
		return nil
	}
	return []call{{"report", rep.arguments()}}
}

// submitted is the last report and what became of it.
func (r *run) submitted() (exchange, bool) {
	for i := len(r.talk.exchanges) - 1; i >= 0; i-- {
		if r.talk.exchanges[i].name == "report" {
			return r.talk.exchanges[i], true
		}
	}
	return exchange{}, false
}

var faultPattern = regexp.MustCompile(`(?m)\b(summary|places|edges|excerpts|tests)\[(\d+)\]`)

// drop takes out what a refusal names, as "places[2]", and reports whether it named anything.
func (rep *report) drop(refusal string) bool {
	bad := make(map[string]bool)
	for _, m := range faultPattern.FindAllStringSubmatch(refusal, -1) {
		bad[m[1]+"["+m[2]+"]"] = true
	}
	rep.Summary = without(rep.Summary, "summary", bad)
	rep.Places = without(rep.Places, "places", bad)
	rep.Edges = without(rep.Edges, "edges", bad)
	rep.Excerpts = without(rep.Excerpts, "excerpts", bad)
	rep.Tests = without(rep.Tests, "tests", bad)
	if len(rep.Summary) == 0 {
		rep.Found = false
		rep.Summary = []statement{{Text: "Nothing could be cited that stands."}}
	}
	return len(bad) > 0
}

func without[T any](all []T, field string, bad map[string]bool) []T {
	var kept []T
	for i, v := range all {
		if !bad[field+"["+strconv.Itoa(i)+"]"] {
			kept = append(kept, v)
		}
	}
	return kept
}

// build makes the report of what is known.
func (r *run) build() *report {
	if r.q.overview {
		return r.buildOverview()
	}
	rep := &report{Question: clip(r.q.text, 500)}
	chosen := r.chosen(maxPlaces)
	rep.Found = r.found(chosen)
	rep.Edges = r.edges()
	for _, b := range chosen {
		if p, ok := r.place(b); ok {
			if !rep.Found {
				p.Confidence = .1
			}
			rep.Places = append(rep.Places, p)
		}
	}
	if rep.Found {
		r.summarize(rep, chosen)
		rep.Places = r.withHops(rep.Places)
		rep.Tests = r.testsOf(chosen)
	} else {
		rep.Places = rep.Places[:min(len(rep.Places), 3)]
		rep.Edges = nil
		rep.Summary = r.absent()
	}
	rep.NotCovered = r.notCovered()
	rep.NextQuestion = r.nextQuestion(chosen)
	return rep
}

// found reports whether what was asked about is there: an identifier or path of the question, or most of its words
// together in one place.
func (r *run) found(chosen []*block) bool {
	if len(chosen) == 0 {
		return false
	}
	best := r.coverage()
	stands := slices.ContainsFunc(r.q.idents, r.stands)
	if len(r.q.idents) > 0 && !stands && len(r.e.globbed) == 0 {
		return false
	}
	if stands || len(r.e.globbed) > 0 {
		return best >= nameCoverage
	}
	return best >= foundCoverage || best >= nameCoverage && r.namedByWord()
}

// namedByWord reports whether a definition of code is named by a word of the question that is neither weak nor common,
// while most of its words stand somewhere.
func (r *run) namedByWord() bool {
	strong, missing := 0, 0
	for i, w := range r.q.words {
		if w.weight > weakWeight && !w.optional {
			strong++
			if r.e.inFiles[i] == 0 {
				missing++
			}
		}
	}
	return 2*missing < strong && slices.ContainsFunc(r.best, func(b *block) bool {
		return r.q.factor(b.path) == 1 && slices.ContainsFunc(b.inName, func(i int) bool {
			return r.q.words[i].weight > weakWeight && r.e.idf(i) > rareWord
		})
	})
}

// coverage is the largest share of the question's words that one block proves.
func (r *run) coverage() (best float64) {
	for _, b := range r.best {
		best = max(best, b.proof)
	}
	return best
}

// summarize writes a sentence for each of the best blocks, and one for an edge between two of them.
func (r *run) summarize(rep *report, chosen []*block) {
	for _, b := range chosen {
		if len(rep.Summary) == maxStatements-1 || b.score < goodShare*r.best[0].score {
			break
		}
		s, ok := r.statement(b)
		if !ok {
			continue
		}
		rep.Summary = append(rep.Summary, s)
		if e, ok := r.excerpt(b); ok && len(rep.Excerpts) < maxExcerpts {
			rep.Excerpts = append(rep.Excerpts, e)
		}
	}
	if len(rep.Edges) > 0 {
		e := rep.Edges[0]
		p, n := splitCitation(e.Citation)
		if text, ok := r.e.line(p, n); ok {
			rep.Summary = append(rep.Summary, statement{
				Text:      fmt.Sprintf("`%s` %s `%s`: `%s`", e.From, e.Kind, e.To, clip(strings.TrimSpace(text), maxQuoteRunes)),
				Citations: []string{e.Citation}, Quote: quotable(text),
			})
		}
	}
	if len(rep.Summary) == 0 {
		rep.Found, rep.Summary = false, r.absent()
	}
}

func splitCitation(c string) (string, int) {
	i := strings.LastIndexByte(c, ':')
	first, _, _ := strings.Cut(c[i+1:], "-")
	n, err := strconv.Atoi(first)
	if i < 0 || err != nil {
		return c, 0
	}
	return c[:i], n
}

// statement says of a block what its documentation says, or shows its first line; and the line that holds most of the
// question's words. Both are quoted.
func (r *run) statement(b *block) (statement, bool) {
	start, end := r.span(b)
	at, quote, shown := r.docOf(b)
	if at == 0 {
		for at = b.start; at <= b.end; at++ {
			if text, ok := r.e.line(b.path, at); ok && strings.TrimSpace(text) != "" {
				quote, shown = strings.TrimSpace(text), "`"+clip(strings.TrimSpace(text), maxQuoteRunes)+"`"
				break
			}
		}
	}
	if quote == "" {
		return statement{}, false
	}
	head := fmt.Sprintf("`%s` (%s): ", b.name, b.path)
	if b.name == "" {
		head = b.path + ": "
	}
	s := statement{Text: head + shown, Citations: []string{cite(b.path, min(at, start), max(at, end))}, Quote: quotable(quote)}
	if n, text := r.keyLine(b); n > 0 && n != at && n != b.start {
		s.Text += fmt.Sprintf("; line %d: `%s`", n, clip(strings.TrimSpace(text), maxQuoteRunes))
		s.Citations = append(s.Citations, cite(b.path, n, n))
	}
	return s, true
}

// span are the lines of a block to cite.
func (r *run) span(b *block) (int, int) {
	if b.end > b.start || len(b.lines) == 0 {
		return b.start, b.end
	}
	return b.lines[0], b.lines[len(b.lines)-1]
}

// quotable is what of a line is sure to be found again in it.
func quotable(line string) string {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "…") || strings.Contains(line, "[redacted") {
		return ""
	}
	return strings.TrimSuffix(clip(line, maxQuoteRunes), "…")
}

var commentMark = regexp.MustCompile(`^\s*(?://[/!]?|#+|/\*\*?|\*/?|--+|[rRuU]?"""|''')\s?`)

// docOf finds the documentation of a block in what was read: the number of its first line, a quote of that, and its
// first sentence as it is shown; 0 when there is none.
func (r *run) docOf(b *block) (at int, quote, shown string) {
	doc := strings.TrimSpace(b.doc)
	if len(doc) < 8 {
		return 0, "", ""
	}
	for n := max(1, b.start-3*docLines); n <= min(b.end, b.start+3*docLines); n++ {
		text, ok := r.e.line(b.path, n)
		if !ok || !strings.Contains(text, strings.TrimSuffix(doc, "…")) {
			continue
		}
		return n, strings.TrimSpace(text), "“" + r.sentence(b.path, n) + "”"
	}
	return 0, "", ""
}

// sentence joins the lines of a comment or docstring from line n up to the end of its first sentence.
func (r *run) sentence(p string, n int) string {
	var b strings.Builder
	first, _ := r.e.line(p, n)
	comment := isComment(first) && !strings.Contains(first, `"""`) && !strings.Contains(first, "'''")
	for i := range 4 {
		text, ok := r.e.line(p, n+i)
		part := strings.TrimSpace(commentMark.ReplaceAllString(text, ""))
		if !ok || part == "" || comment && !isComment(text) {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
		closed := strings.HasSuffix(part, `"""`) || strings.HasSuffix(part, "'''") || strings.HasSuffix(part, "*/")
		if closed || strings.HasSuffix(part, ".") || strings.Contains(part, ". ") || b.Len() > maxQuoteRunes {
			break
		}
	}
	s := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(b.String(), `"""`), "'''"), "*/")
	if i := strings.Index(s, ". "); i > 20 {
		s = s[:i+1]
	}
	return clip(strings.TrimSpace(s), maxQuoteRunes)
}

// keyLine is the line of code of a block, behind its first, that holds most of the question.
func (r *run) keyLine(b *block) (at int, line string) {
	best := 0.0
	for _, l := range r.code(b) {
		worth := r.nameWorth(l.text)
		for _, id := range r.q.idents {
			if id.re.MatchString(l.text) {
				worth += identStands
			}
		}
		if worth > best {
			best, at, line = worth, l.line, l.text
		}
	}
	return at, line
}

func (r *run) place(b *block) (place, bool) {
	start, end := r.span(b)
	p := place{Path: b.path, Start: start, End: end, Symbol: b.name, Why: b.why(r.q), Confidence: b.confidence()}
	if r.weak() {
		p.Confidence = min(p.Confidence, .3)
	}
	return p, start > 0
}

// withHops adds the definitions that were read because the best blocks call them, behind the first places.
func (r *run) withHops(places []place) []place {
	at := min(len(places), hopsFrom)
	for _, t := range r.targets() {
		s := t.symbol
		known := slices.ContainsFunc(places, func(p place) bool { return p.Path == s.path && p.Start <= s.start && s.start <= p.End })
		if known || r.e.reading(s.path, s.start) == nil {
			continue
		}
		p := place{Path: s.path, Start: s.start, End: s.end, Symbol: s.name, Why: "called by " + t.from.name, Confidence: hopConfidence}
		if r.nameWorth(s.name) > 0 {
			places = slices.Insert(places, at, p)
			at++
		} else {
			places = append(places, p)
		}
	}
	return places[:min(len(places), maxPlaces+hopsMore)]
}

// weak reports whether the question holds only words that stand everywhere.
func (r *run) weak() bool {
	return len(r.q.idents)+len(r.q.paths) == 0 && !slices.ContainsFunc(r.q.words, func(w word) bool { return w.weight > weakWeight })
}

// excerpt is the part of a block to print: around the line that holds most of the question.
func (r *run) excerpt(b *block) (excerpt, bool) {
	start, end := r.span(b)
	if end-start >= excerptLines {
		if n, _ := r.keyLine(b); n-start > excerptLines*2/3 {
			start = max(start, min(n-excerptLines/2, end-excerptLines+1))
		}
		end = min(end, start+excerptLines-1)
	}
	return excerpt{b.path, start, end}, end-start >= 2
}

// edges are the calls that were found from the chosen blocks to definitions that are known, and from others to them.
func (r *run) edges() []edge {
	var all []edge
	nodes := make(map[string]bool)
	add := func(e edge) {
		fresh := 0
		for _, n := range []string{e.From, e.To} {
			if !nodes[n] {
				fresh++
			}
		}
		known := slices.ContainsFunc(all, func(o edge) bool { return o.From == e.From && o.To == e.To })
		if e.From == "" || e.From == e.To || known || len(nodes)+fresh > maxEdgeNodes {
			return
		}
		nodes[e.From], nodes[e.To] = true, true
		all = append(all, e)
	}
	for _, e := range r.between() {
		if p, _ := splitCitation(e.Citation); r.q.factor(p) == 1 {
			add(e)
		}
	}
	for _, t := range r.targets() {
		if r.q.factor(t.from.path) == 1 {
			add(edge{t.from.name, t.symbol.name, "calls", cite(t.from.path, t.line, t.line)})
		}
	}
	for _, e := range r.callers() {
		add(e)
	}
	return all
}

// between are the calls from one chosen block to another.
func (r *run) between() []edge {
	var all []edge
	chosen := r.chosen(maxPlaces)
	for _, from := range chosen {
		for _, c := range r.callsIn(from) {
			for _, to := range chosen {
				s, ok := r.resolve(c)
				if ok && to != from && s.path == to.path && s.start == to.start {
					all = append(all, edge{from.name, to.name, "calls", cite(from.path, c.line, c.line)})
				}
			}
		}
	}
	return all
}

// callers are the calls of the best blocks from code that is no test.
func (r *run) callers() []edge {
	var all []edge
	for _, name := range r.called() {
		defs := r.defs(name)
		if len(defs) != 1 {
			continue
		}
		for _, f := range r.e.sorted() {
			for _, h := range f.lines() {
				if h.symbol != "" && lastPart(h.symbol) != name && r.q.factor(f.path) == 1 && strings.Contains(h.text, name+"(") && !h.defines() {
					all = append(all, edge{h.symbol, defs[0].name, "calls", cite(f.path, h.line, h.line)})
				}
			}
		}
	}
	return all
}

// testsOf are lines of tests that name one of the best blocks, first those of a test of its file.
func (r *run) testsOf(chosen []*block) []place {
	var all []place
	for _, own := range []bool{true, false} {
		for _, b := range chosen {
			if r.namedInTests(b) {
				all = r.addTests(all, b, own)
			}
		}
	}
	return all
}

// namedInTests reports whether the name of b is telling enough to be looked for in tests.
func (r *run) namedInTests(b *block) bool {
	name := lastPart(b.name)
	return len(name) > shortestName && !notCalled[name] && !goodTestPath.MatchString(b.path) && (b.kind == "func" || b.kind == "method" || len(identParts(name)) > 1)
}

func (r *run) addTests(all []place, b *block, own bool) []place {
	name := lastPart(b.name)
	for _, f := range r.e.sorted() {
		if !goodTestPath.MatchString(f.path) || isTestOf(f.path, b.path) != own || !own && len(identParts(name)) < 2 {
			continue
		}
		n := 0
		for _, h := range f.lines() {
			known := slices.ContainsFunc(all, func(p place) bool {
				return p.Path == f.path && (p.Start == h.line || p.Symbol != "" && p.Symbol == h.symbol)
			})
			if wholeWord(h.text, name) && !known && n < fewTests && len(all) < maxTests {
				n++
				all = append(all, place{Path: f.path, Start: h.line, End: h.line, Symbol: h.symbol, Why: "names " + name})
			}
		}
	}
	return all
}

// isTestOf reports whether a test's file is named after the file it tests, as b_test.go, test_b.py or b.test.ts.
func isTestOf(test, tested string) bool {
	name, _, _ := strings.Cut(path.Base(tested), ".")
	return strings.Contains(strings.ToLower(path.Base(test)), strings.ToLower(name))
}

func wholeWord(text, name string) bool {
	i := strings.Index(text, name)
	if i < 0 {
		return false
	}
	isName := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	end := i + len(name)
	return (i == 0 || !isName(text[i-1])) && (end == len(text) || !isName(text[end]))
}
