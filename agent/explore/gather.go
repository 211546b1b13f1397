package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// An evidence is what the heuristic explorer found for a question, before a language model is asked.
type evidence struct {
	found    *Result        // its report
	excerpts []excerpt      // as the model reads them, best first
	others   []report.Place // named after them, without code
	close    bool           // the first two match about equally well
	text     string         // the excerpts and what follows from them; "": nothing was found
	small    bool           // a small model reads it, which misreads more: the report shows both
}

// Text returns what the model reads.
func (e *evidence) Text() (toollimit.Kind, string) { return toollimit.Text, e.text }

// evidenceRooms says how many tokens of evidence a request begins with, by the budget of a request.
var evidenceRooms = []struct{ limit, room int }{
	{3_000, 800}, {4_500, 1_400}, {24_000, 2_500}, {100_000, 5_000}, {1 << 40, 8_000},
}

// evidenceShare is the share of a budget that evidence takes at most, so that what is read later has room.
const evidenceShare = .38

// evidenceRoom returns how many tokens of evidence a budget has room for.
func evidenceRoom(limit int) int {
	i := slices.IndexFunc(evidenceRooms, func(r struct{ limit, room int }) bool { return limit <= r.limit })
	return min(evidenceRooms[max(i, 0)].room, int(evidenceShare*float64(limit)))
}

// evidenceCall is how the run of a language model records its evidence: as a call of step 0.
const evidenceCall = "evidence"

// gather runs the heuristic explorer with a query and records what it found for the question as evidence of at most room
// tokens. It passes on how far the search is, and returns an error if its consumer breaks off.
func (t *Tree) gather(
	ctx context.Context, question, query string, room int, show func(agent.Event) bool,
) (agent.ToolRecord, error) {
	args, _ := json.Marshal(map[string]string{"query": query}) // strings always encode
	started := time.Now()
	call := transcript.ToolCall{Name: evidenceCall, Args: args}
	rec := agent.ToolRecord{Call: call, Made: call}
	config := t.Agent(nil, nil)
	a, err := agent.New(config)
	if err != nil {
		return rec, err
	}
	var done *agent.Result
	for e, err := range a.Stream(ctx, agent.Task{Prompt: prompt(config.Model, query), Repository: t.Dir}) {
		switch e := e.(type) {
		case agent.ToolProgressed:
			e.Step = 0
			if !show(e) {
				return rec, context.Canceled
			}
		case agent.RunFinished:
			if done = e.Result; err != nil {
				return rec, err
			}
		}
	}
	if done == nil || len(done.Tools) == 0 {
		return rec, errors.New("the heuristic explorer ended without a result")
	}
	found := &evidence{found: t.Conclude(question, done)}
	t.excerpt(found, query, done.Tools, room)
	rec.Value, rec.Duration = found, time.Since(started)
	rec.TokensIn = toollimit.Tokens(found.text)
	rec.TokensOut = rec.TokensIn
	return rec, nil
}

// evidenceOf returns the evidence that a run began with, or nil.
func evidenceOf(records []agent.ToolRecord) *evidence {
	for _, rec := range records {
		if e, ok := rec.Value.(*evidence); ok {
			return e
		}
	}
	return nil
}

// excerpt fills in the excerpts and the text of the evidence.
func (t *Tree) excerpt(e *evidence, question string, records []agent.ToolRecord, room int) {
	room -= tailTokens
	c := cutter{source: t.source(), hits: hitLines(records), left: room, room: room}
	found := e.found.places()
	places, others := sorted(slices.Concat(exactPlaces(records), found, densePlaces(records, found, c.hits),
		rankedPlaces(records)), question)
	for i, p := range places {
		if slices.ContainsFunc(e.excerpts, func(x excerpt) bool {
			return x.Path == p.Path && x.Start <= p.Start && p.Start <= x.End
		}) {
			continue
		}
		x, ok := c.cut(p, len(e.excerpts))
		if !ok || len(e.excerpts) == maxExcerpts {
			others = append(places[i:], others...)
			break
		}
		e.excerpts = append(e.excerpts, x)
	}
	e.close = areClose(e.excerpts, scores(records))
	e.others = others[:min(len(others), maxOthers)]
	e.text = e.render()
}

// maxExcerpts is how many excerpts the evidence has at most. Later ones rarely decide, and a local model takes seconds
// to read each.
const maxExcerpts = 10

// sorted returns places to show, each once, and places to name. Tests are only named, or come last if the question
// has the word. Of definitions of one name in one directory, as for several platforms, the longest is shown in place of
// the first, and the others are named.
func sorted(places []report.Place, question string) (shown, others []report.Place) {
	tests := strings.Contains(strings.ToLower(question), "test")
	var last []report.Place
	for _, p := range places {
		twin := func(o report.Place) bool {
			return p.Symbol != "" && o.Symbol == p.Symbol && o.Path != p.Path && path.Dir(o.Path) == path.Dir(p.Path)
		}
		same := func(o report.Place) bool { return o.Path == p.Path && o.Start == p.Start }
		i := slices.IndexFunc(shown, twin)
		switch {
		case slices.ContainsFunc(shown, same) || slices.ContainsFunc(others, same):
		case isTest(p.Path) && tests:
			last = append(last, p)
		case isTest(p.Path):
			others = append(others, p)
		case i >= 0 && p.End-p.Start > shown[i].End-shown[i].Start:
			others = append(others, shown[i])
			shown[i] = p
		case i >= 0:
			others = append(others, p)
		default:
			shown = append(shown, p)
		}
	}
	return append(shown, last...), others
}

// exactPlaces returns the definitions of the names in the question, unless a name has many.
func exactPlaces(records []agent.ToolRecord) []report.Place {
	var all, ofTests []report.Place
	for _, rec := range records {
		r, ok := rec.Value.(*codebase.SymbolResult)
		if !ok {
			continue
		}
		var named []codebase.Symbol
		for _, s := range r.Items {
			if s.Name == r.Name || lastName(s.Name) == lastName(r.Name) && !strings.ContainsAny(r.Name, ".:#") ||
				strings.HasSuffix(s.Name, "."+r.Name) || lastName(s.Name) == lastName(r.Name) && !strings.Contains(s.Name, ".") {
				named = append(named, s)
			}
		}
		if len(named) > maxNamesakes {
			continue
		}
		for _, s := range named {
			p := report.Place{Path: s.Path, Start: s.Start, End: s.End, Symbol: s.Name, Why: definesWhy + r.Name}
			if isTest(s.Path) {
				ofTests = append(ofTests, p)
			} else {
				all = append(all, p)
			}
		}
	}
	return append(all, ofTests...)
}

const maxNamesakes = 4 // definitions of one name that count as what a question means

// unshown returns the files that are named without an excerpt.
func (e *evidence) unshown() []string {
	files := make([]string, len(e.others))
	for i, p := range e.others {
		files[i] = p.Path
	}
	return files
}

// places returns the places of a report.
func (r *Result) places() []report.Place {
	if r.Report == nil {
		return nil
	}
	return r.Report.Places
}

// densePlaces returns the definitions in the files of the places whose lines the searches found, those with the rarest
// lines first, but only functions: a type's lines say less.
func densePlaces(records []agent.ToolRecord, found []report.Place, hits map[string]map[int]float64) []report.Place {
	type dense struct {
		report.Place
		weight float64
	}
	var all []dense
	for _, rec := range records {
		r, ok := rec.Value.(*codebase.OutlineResult)
		if !ok || !slices.ContainsFunc(found, func(p report.Place) bool { return p.Path == r.Path }) {
			continue
		}
		for _, s := range r.Items {
			d := dense{Place: report.Place{Path: r.Path, Start: s.Start, End: s.End, Symbol: s.Name}}
			for at, weight := range hits[r.Path] {
				if s.Start <= at && at <= s.End {
					d.weight += weight
				}
			}
			if d.weight > 0 && (s.Kind == "func" || s.Kind == "method") {
				all = append(all, d)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b dense) int { return cmp.Compare(b.weight, a.weight) })
	places := make([]report.Place, min(len(all), maxDense))
	for i := range places {
		places[i] = all[i].Place
	}
	return places
}

const maxDense = 4 // definitions shown because of the lines in them

// rankedPlaces returns the definitions that the ranking names, best first.
func rankedPlaces(records []agent.ToolRecord) []report.Place {
	type ranked struct {
		report.Place
		score float64
	}
	var all []ranked
	for _, rec := range records {
		if r, ok := rec.Value.(*locate.Result); ok {
			for _, item := range r.Items {
				for _, f := range item.Functions {
					all = append(all, ranked{report.Place{Path: item.Path, Start: f.Start, End: f.End, Symbol: f.Symbol}, f.Score})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	places := make([]report.Place, len(all))
	for i, r := range all {
		places[i] = r.Place
	}
	return places
}

// isTest reports whether a path is that of a test.
func isTest(p string) bool {
	p = "/" + strings.ToLower(p)
	return strings.Contains(p, "_test.") || strings.Contains(p, ".test.") || strings.Contains(p, "/test") ||
		strings.Contains(p, ".spec.")
}

func lastName(name string) string { return name[strings.LastIndexAny(name, ".:#")+1:] }

// hitLines returns the lines that searches found, by file. A line counts the more, the fewer of its file the same
// pattern found.
func hitLines(records []agent.ToolRecord) map[string]map[int]float64 {
	all := map[string]map[int]float64{}
	for _, rec := range records {
		r, ok := rec.Value.(*codebase.SearchResult)
		if !ok {
			continue
		}
		for _, f := range r.Items {
			of := map[int][]search.Match{}
			for _, m := range f.Matches {
				of[m.Pattern] = append(of[m.Pattern], m)
			}
			for _, same := range of {
				for _, m := range same {
					if all[f.Path] == nil {
						all[f.Path] = map[int]float64{}
					}
					all[f.Path][m.Line] = max(all[f.Path][m.Line], 1/float64(len(same)))
				}
			}
		}
	}
	return all
}

// A spot is the first line of a definition.
type spot struct {
	path string
	line int
}

// scores returns the scores of the ranking, by definition.
func scores(records []agent.ToolRecord) map[spot]float64 {
	all := map[spot]float64{}
	for _, rec := range records {
		if r, ok := rec.Value.(*locate.Result); ok {
			for _, item := range r.Items {
				for _, f := range item.Functions {
					all[spot{item.Path, f.Start}] = f.Score
				}
			}
		}
	}
	return all
}

// closeShare is the share of the first score from which a second one is close.
const closeShare = .9

// areClose reports whether the first two excerpts rank about equally high, and no name of the question decides.
func areClose(excerpts []excerpt, scores map[spot]float64) bool {
	if len(excerpts) < 2 {
		return false
	}
	a, b := excerpts[0], excerpts[1]
	first, second := scores[spot{a.Path, a.Start}], scores[spot{b.Path, b.Start}]
	if strings.HasPrefix(a.Why, definesWhy) || first == 0 || second == 0 {
		return strings.HasPrefix(a.Why, definesWhy) && strings.HasPrefix(b.Why, definesWhy)
	}
	return min(first, second) >= closeShare*max(first, second)
}

// request returns what opens the run of a language model: the evidence, the question and what to do with them.
func (e *evidence) request(question string) string {
	if question == "" {
		question = strings.TrimSpace(overviewPrompt)
	}
	if e == nil || e.text == "" {
		return question
	}
	instruction := fmt.Sprintf(strings.TrimSpace(evidencePrompt), e.excerpts[0].Citation())
	if e.close {
		instruction = strings.TrimSpace(closePrompt) + " " + instruction
	}
	return fmt.Sprintf("%s\n\nQuestion: %s\n\n%s", e.text, question, instruction)
}
