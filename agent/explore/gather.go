package explore

import (
	"context"
	_ "embed" // the prompts
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

//go:embed prompts/overview.md
var overviewPrompt string

//go:embed prompts/evidence.md
var evidencePrompt string

//go:embed prompts/absent.md
var absentPrompt string

//go:embed prompts/missing.md
var missingPrompt string

//go:embed prompts/close.md
var closePrompt string

// An evidence is what the heuristic explorer found for a question, before a language model is asked.
type evidence struct {
	found    *Result        // its report
	excerpts []excerpt      // as the model reads them, best first
	others   []report.Place // named after them, without code
	close    bool           // the first two match about equally well
	text     string         // the excerpts and what follows from them; "": nothing was found
	small    bool           // a small model reads it, which misreads more: the report shows both
	exact    bool           // exact tools answered, so nothing is ranked
	missing  string         // the words of the question that no file contains, in quotes
	unmet    bool           // all files were searched, and the words of the question found nothing
	synonyms string         // what a small model added to them
}

// Text returns what the model reads.
func (e *evidence) Text() (toollimit.Kind, string) { return toollimit.Text, e.text }

// evidenceRooms says how many tokens of evidence a request begins with, by the budget of a request.
var evidenceRooms = []struct{ limit, room int }{
	{3_000, 800}, {4_500, 1_400}, {24_000, 2_500}, {100_000, 5_000}, {math.MaxInt, 8_000},
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

// A room is how many tokens evidence takes at most, and how many if no file contains a word of the question.
type room struct{ usual, missing int }

// of returns the tokens that an evidence may take.
func (r room) of(e *evidence) int {
	if e.missing != "" && !e.exact {
		return min(r.usual, r.missing)
	}
	return r.usual
}

// gather runs the heuristic explorer with a question and records what it found as evidence that fits a room.
// For an open question it asks for words that mean the same, unless ask is nil; if the question's own words find
// nothing, the explorer looks for both. It passes on how far the search is, and returns an error if its consumer
// breaks off.
func (t *Tree) gather(
	ctx context.Context, question string, ask func(context.Context) string, r room, show func(agent.Event) bool,
) (agent.ToolRecord, error) {
	rec := agent.ToolRecord{}
	started := time.Now()
	done, err := t.search(ctx, question, show)
	if err != nil {
		return rec, err
	}
	first := t.Conclude(question, done)
	found := &evidence{found: first, missing: missingOf(first.Report), unmet: !first.Found && first.Partial == ""}
	given := map[string]string{"query": question}
	subject, others := rules.Subject(question)
	others = others[:min(len(others), maxBesides)]
	r.usual /= 1 + len(others)
	if found.exact = isExact(first, done.Tools); !found.exact && ask != nil {
		if found.synonyms = ask(ctx); found.synonyms != "" {
			given["words"] = found.synonyms
		}
		if !first.Found && found.synonyms != "" {
			if done, err = t.search(ctx, subject+" "+found.synonyms, show); err != nil {
				return rec, err
			}
			found.found = t.Conclude(question, done)
		}
	}
	t.excerpt(found, subject, done.Tools, r.of(found))
	found.found = first // what is found without the model
	for _, other := range others {
		rec, err := t.gather(ctx, other, nil, r, show)
		if err != nil {
			return rec, err
		}
		found.add(other, evidenceOf([]agent.ToolRecord{rec}))
	}
	args, _ := json.Marshal(given) // strings always encode
	rec.Call = transcript.ToolCall{Name: evidenceCall, Args: args}
	rec.Made, rec.Value, rec.Duration = rec.Call, found, time.Since(started)
	rec.TokensIn = toollimit.Tokens(found.text)
	rec.TokensOut = rec.TokensIn
	return rec, nil
}

// maxBesides is how many questions of a message get evidence besides the first. They share its room.
const maxBesides = 2

// add adds the evidence for another question of the message.
func (e *evidence) add(question string, o *evidence) {
	e.text = strings.TrimSpace(e.text + "\n\nOn the question “" + question + "”:\n\n" + o.text)
	e.excerpts, e.others = append(e.excerpts, o.excerpts...), append(e.others, o.others...)
}

// search runs the heuristic explorer.
func (t *Tree) search(ctx context.Context, query string, show func(agent.Event) bool) (*agent.Result, error) {
	config := t.Agent(nil, nil)
	a, err := agent.New(config)
	if err != nil {
		return nil, err
	}
	for e, err := range a.Stream(ctx, agent.Task{Prompt: prompt(config.Model, query), Repository: t.Dir}) {
		switch e := e.(type) {
		case agent.ToolProgressed:
			e.Step = 0
			if !show(e) {
				return nil, context.Canceled
			}
		case agent.RunFinished:
			if err != nil || len(e.Result.Tools) > 0 {
				return e.Result, err
			}
		}
	}
	return nil, errors.New("the heuristic explorer ended without a result")
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
	room -= tailTokens + toollimit.Tokens(e.lead())
	c := cutter{source: t.source(), left: room, room: room, shares: excerptShares}
	var places, others []report.Place
	most := maxExcerpts
	if e.exact {
		places, c.answer = exactOrder(e.found.Report, records), e.found.Report
		c.room, c.shares, most = int(exactShare*float64(room)), exactShares, exactExcerpts
		c.left = c.room
	} else {
		ranked := rankingOf(records, question, e.synonyms)
		c.weigh = ranked.line
		places, others = sorted(mix(e.found.places(), records, ranked), question)
		e.close = areClose(places, ranked.scores)
	}
	for i, p := range places {
		if slices.ContainsFunc(e.excerpts, func(x excerpt) bool {
			return x.Path == p.Path && x.Start <= p.Start && p.Start <= x.End
		}) {
			continue
		}
		x, ok := c.cut(p, len(e.excerpts))
		if !ok || len(e.excerpts) == most {
			others = append(places[i:], others...)
			break
		}
		e.excerpts = append(e.excerpts, x)
	}
	e.others = others[:min(len(others), maxOthers)]
	e.text = e.render()
}

// maxExcerpts is how many excerpts the evidence has at most. Later ones rarely decide, and a local model takes seconds
// to read each.
const maxExcerpts = 16

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
		case testfile.Is(p.Path) && tests:
			last = append(last, p)
		case testfile.Is(p.Path):
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
			if testfile.Is(s.Path) {
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

func lastName(name string) string { return name[strings.LastIndexAny(name, ".:#")+1:] }

// request returns what opens the run of a language model: the evidence, the question and what to do with them.
func (e *evidence) request(question string) string {
	if question == "" {
		question = strings.TrimSpace(overviewPrompt)
	}
	if e == nil || e.text == "" {
		return question
	}
	instruction := strings.TrimSpace(absentPrompt)
	if len(e.excerpts) > 0 {
		instruction = fmt.Sprintf(strings.TrimSpace(evidencePrompt), e.example())
	}
	if !e.exact && len(e.excerpts) > 0 && e.missing != "" {
		instruction += " " + strings.TrimSpace(missingPrompt)
	}
	if e.close {
		instruction = strings.TrimSpace(closePrompt) + " " + instruction
	}
	return fmt.Sprintf("%s\n\nQuestion: %s\n\n%s", e.text, question, instruction)
}
