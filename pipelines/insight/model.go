package insight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/providers"
)

// Rules returns a model for [Run] that applies fixed rules instead of a language model. If its prompt has a line
// "Dimensions: …", it searches for the signs of each dimension, reads the lines around each hit, and lists the hits
// that pass. If the tool submit_finding is offered, it submits the findings of the JSON in its prompt. It has no state
// and is safe for concurrent use.
func Rules() providers.Model { return rulesOf(rulesCalls) }

// rulesCalls limits the calls of the rules in a step: they make all their calls at once.
const rulesCalls = 32

func rulesOf(callsPerStep int) providers.Model {
	return rulemodel.New(func(req *providers.Request) rulemodel.Turn { return turn(req, callsPerStep) })
}

func turn(req *providers.Request, most int) rulemodel.Turn {
	b := readTask(req.Messages)
	t := rulemodel.Turn{Stage: "insight", Step: providers.NextStep(req.Messages)}
	if slices.ContainsFunc(req.Tools, func(t transcript.ToolSchema) bool { return t.Name == submitTool }) {
		t.Aim = "submit the findings"
		t.Calls, t.Text = b.submissions()
	} else {
		s := newSurvey(b.results, req.Tools)
		t.Aim = "search for signs and read the lines around them"
		t.Text = s.analysis(b.dimensions, b.most)
		t.Calls = s.wants
	}
	if req.Choice == providers.None {
		t.Calls = nil
	}
	t.Calls = t.Calls[:min(len(t.Calls), most)]
	return t
}

// A task is what the messages ask for, with the results so far.
type task struct {
	prompt     string
	dimensions []string
	most       int
	results    map[string]rulemodel.Result // by name and arguments
}

var (
	dimensionsLine = lazyregexp.New(`(?m)^Dimensions: (.+)$`)
	mostLine       = lazyregexp.New(`\bat most (\d{1,4})\b`)
)

// defaultFindings is how many findings are listed if the prompt does not say.
const defaultFindings = 10

// readTask reads the newest user message that names dimensions, and the results after it. It ignores other messages,
// such as a request for more: rules find nothing more on a second try.
func readTask(messages []transcript.Message) task {
	b := task{most: defaultFindings, results: make(map[string]rulemodel.Result)}
	from := 0
	for i, m := range messages {
		if found := dimensionsLine.FindStringSubmatch(m.Text); found != nil && m.Role == transcript.User &&
			m.Origin != transcript.Runtime {
			b.prompt, b.dimensions = m.Text, strings.Split(strings.TrimSpace(found[1]), ", ")
			from = i
		}
	}
	for _, r := range rulemodel.Results(messages[from:]) {
		b.results[r.Key()] = r
	}
	if found := mostLine.FindStringSubmatch(b.prompt); found != nil {
		b.most, _ = strconv.Atoi(found[1]) // four digits at most
	}
	return b
}

// submissions returns a call for each finding of the JSON in the prompt that was not submitted yet, and the closing
// text.
func (b task) submissions() (calls []rulemodel.Call, text string) {
	_, rest, _ := strings.Cut(b.prompt, "```json\n")
	submitted := 0
	h, _ := rulemodel.Decode[pipelines.Handover](rest)
	for _, f := range h.Findings {
		if submitted == b.most {
			break
		}
		submitted++
		var evidence []string
		for _, c := range f.Evidence {
			evidence = append(evidence, c.String())
		}
		if rank(f.Importance) > rank(low) {
			f.Importance = medium
		}
		args := map[string]any{"title": f.Title, "claim": f.Claim, "evidence": evidence, "importance": f.Importance}
		if f.Dimension != "" {
			args["dimension"] = f.Dimension
		}
		c := rulemodel.Ask(submitTool, args, "it was found")
		if _, done := b.results[c.Key()]; !done {
			calls = append(calls, c)
		}
	}
	return calls, fmt.Sprintf("Submitted %s of the analysis. Rules found them, without a language model.",
		line.Count(submitted, "finding"))
}
