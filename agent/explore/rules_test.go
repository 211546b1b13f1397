package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
)

func plans() []Plan { return []Plan{Analyst(), Producer(), Bootstrap()} }

// A script is the calls of each step, and its text.
type script []agent.Step

func called(calls ...agent.StepCall) agent.Step { return agent.Step{Calls: calls} }

func call(name, args, result string) agent.StepCall {
	return agent.StepCall{Name: name, Args: json.RawMessage(args), Result: result}
}

// readNew is a step that reads a file that was not read.
func readNew(n int) agent.Step {
	return called(call("read_file", fmt.Sprintf(`{"path":"f%d.go"}`, n), "text"))
}

func searchNew(n int) agent.Step {
	return called(call("search", fmt.Sprintf(`{"pattern":"p%d"}`, n), "no hits"))
}

// again is a step that brings nothing new.
var again = called(agent.StepCall{Name: "list_dir", Args: json.RawMessage(`{"path":"no"}`), Result: "not_found", Failed: true})

var text = agent.Step{Text: "This is what I know."}

var submitted = called(call("submit_finding", `{"title":"t"}`, "accepted"))

var planText = agent.Step{Text: "Plan:\n1. look at the parser\n2. look at the printer\n3. look at the lexer", Calls: readNew(99).Calls}

// times repeats a step.
func times(n int, s agent.Step) script { return slices.Repeat(script{s}, n) }

// each makes n different steps.
func each(n int, of func(int) agent.Step) script {
	var all script
	for i := range n {
		all = append(all, of(i))
	}
	return all
}

func join(parts ...script) script { return slices.Concat(parts...) }

// play numbers the steps, with the one before the first, and gives them to a new guide until it stops.
func play(p Plan, o *Options, limit int, s script) (*Guide, []agent.Move) {
	g := New(p, o)
	var moves []agent.Move
	for _, step := range numberedSteps(limit, s) {
		move := g.Next(step)
		moves = append(moves, move)
		if move.Stop {
			break
		}
	}
	return g, moves
}

func numberedSteps(limit int, s script) []agent.Step {
	all := []agent.Step{{Limit: limit}}
	for i, step := range s {
		step.Number, step.Limit = i+1, limit
		all = append(all, step)
	}
	return all
}

// ruleTests has a row for each rule of each phase of each plan: the steps that make it hold, and when it does.
var ruleTests = []struct {
	plan  string
	limit int
	steps script
	want  Firing
}{
	{"analyst", 24, nil, Firing{0, phaseScan, planning}},
	{"analyst", 2, nil, Firing{0, phaseScan, forceExit}},
	{"analyst", 24, each(2, readNew), Firing{2, phaseScan, stepsInPhase}},
	{"analyst", 20, each(12, readNew), Firing{12, phaseExplore, shareOfSteps}},
	{"analyst", 24, join(each(4, readNew), times(3, again)), Firing{7, phaseExplore, nothingNew}},
	{"analyst", 4, each(2, readNew), Firing{2, phaseExplore, forceExit}},
	{"analyst", 24, each(5, readNew), Firing{5, phaseExplore, reflection}},
	{"analyst", 24, join(each(6, readNew), times(2, again)), Firing{8, phaseExplore, reflection}},
	{"analyst", 40, join(each(1, readNew), script{planText}, each(9, readNew)), Firing{11, phaseExplore, replanning}},
	{"analyst", 40, join(each(8, readNew), times(3, again)), Firing{11, phaseVerify, convergence}},
	{"analyst", 20, each(16, readNew), Firing{16, phaseVerify, shareOfSteps}},
	{"analyst", 24, join(each(4, readNew), times(5, again)), Firing{9, phaseVerify, nothingNew}},
	{"analyst", 24, join(each(4, readNew), times(3, again), script{text}), Firing{8, phaseVerify, textGiven}},
	{"analyst", 20, each(15, readNew), Firing{15, phaseVerify, budgetWarning}},
	{"analyst", 6, each(4, readNew), Firing{4, phaseVerify, forceExit}},
	{"analyst", 20, join(each(10, readNew), script{planText}, each(13, readNew)[10:]), Firing{14, phaseVerify, replanning}},
	{"analyst", 25, each(15, readNew), Firing{15, phaseVerify, reflection}},
	{"analyst", 24, join(each(4, readNew), times(5, again), script{text}), Firing{10, phaseSummarize, textGiven}},
	{"analyst", 24, join(each(4, readNew), times(7, again)), Firing{11, phaseSummarize, stepsInPhase}},
	{"analyst", 11, join(each(4, readNew), times(5, again)), Firing{9, phaseSummarize, forceExit}},
	{"producer", 24, times(10, submitted), Firing{10, phaseProduce, enough}},
	{"producer", 24, join(times(8, submitted), times(1, again)), Firing{9, phaseProduce, softEnough}},
	{"producer", 24, join(times(1, submitted), times(3, again)), Firing{4, phaseProduce, idleSteps}},
	{"producer", 24, times(6, again), Firing{6, phaseProduce, graceOver}},
	{"producer", 8, times(6, submitted), Firing{6, phaseProduce, forceExit}},
	{"producer", 12, times(9, submitted), Firing{9, phaseProduce, budgetWarning}},
	{"producer", 24, join(times(6, again), script{text}), Firing{7, phaseSummarize, textGiven}},
	{"producer", 24, times(8, again), Firing{8, phaseSummarize, stepsInPhase}},
	{"producer", 8, times(6, again), Firing{6, phaseSummarize, forceExit}},
	{"bootstrap", 24, nil, Firing{0, phaseExplore, planning}},
	{"bootstrap", 24, join(each(3, readNew), script{submitted}), Firing{4, phaseExplore, firstSubmission}},
	{"bootstrap", 24, each(18, searchNew), Firing{18, phaseExplore, searchBudget}},
	{"bootstrap", 24, join(each(8, readNew), times(3, again)), Firing{11, phaseExplore, convergence}},
	{"bootstrap", 12, each(9, readNew), Firing{9, phaseExplore, budgetWarning}},
	{"bootstrap", 24, each(5, readNew), Firing{5, phaseExplore, reflection}},
	{"bootstrap", 40, join(script{planText}, each(8, readNew)), Firing{9, phaseExplore, replanning}},
	{"bootstrap", 8, each(6, readNew), Firing{6, phaseExplore, forceExit}},
	{"bootstrap", 24, times(10, submitted), Firing{10, phaseProduce, enough}},
	{"bootstrap", 24, join(times(8, submitted), times(1, again)), Firing{9, phaseProduce, softEnough}},
	{"bootstrap", 24, join(times(1, submitted), times(3, again)), Firing{4, phaseProduce, idleSteps}},
	{"bootstrap", 30, join(each(18, searchNew), times(6, again)), Firing{24, phaseProduce, graceOver}},
	{"bootstrap", 8, times(6, submitted), Firing{6, phaseProduce, forceExit}},
	{"bootstrap", 12, times(9, submitted), Firing{9, phaseProduce, budgetWarning}},
	{"bootstrap", 24, join(times(1, submitted), times(3, again), script{text}), Firing{5, phaseSummarize, textGiven}},
	{"bootstrap", 24, join(times(1, submitted), times(5, again)), Firing{6, phaseSummarize, stepsInPhase}},
	{"bootstrap", 6, join(times(1, submitted), times(3, again)), Firing{4, phaseSummarize, forceExit}},
}

// A row of the tables of this package: a rule in a phase of a plan.
type tableRow struct {
	plan, phase string
	rule        string
}

// TestEveryRuleIsReached plays each row, and holds the rows to the tables: each rule of each phase of each plan is reached.
func TestEveryRuleIsReached(t *testing.T) {
	reached := make(map[tableRow]bool)
	for _, test := range ruleTests {
		at := slices.IndexFunc(plans(), func(p Plan) bool { return p.Name == test.plan })
		g, _ := play(plans()[at], &Options{Steps: 60}, test.limit, test.steps)
		if !slices.Contains(g.Firings(), test.want) {
			t.Errorf("%s, limit %d, %d steps: want %+v, got %+v", test.plan, test.limit, len(test.steps), test.want, g.Firings())
			continue
		}
		reached[tableRow{test.plan, test.want.Phase, test.want.Rule}] = true
	}
	rows := 0
	for _, p := range plans() {
		for _, phase := range p.Phases {
			rules := slices.Clone(phase.Nudges)
			for _, x := range exits {
				if x.isSet(phase.Ends) {
					rules = append(rules, x.rule)
				}
			}
			for _, r := range rules {
				rows++
				if !reached[tableRow{p.Name, phase.Name, r}] {
					t.Errorf("no test reaches %s in %s of %s", r, phase.Name, p.Name)
				}
			}
		}
	}
	if rows < 30 || len(reached) != rows {
		t.Errorf("%d rows of the tables, %d reached", rows, len(reached))
	}
}

// The two rules that end a run in any phase.
func TestEndsInAnyPhase(t *testing.T) {
	for _, p := range plans() {
		for n := range 9 {
			answered := &Options{Answered: func(s agent.Step) bool { return s.Text == "the answer" }}
			g, moves := play(p, answered, 40, join(each(n, readNew), script{{Text: "the answer"}, text}))
			if !moves[len(moves)-1].Stop || len(moves) != n+2 && len(moves) > n+2 || g.Phase() != "" {
				t.Errorf("%s, answer in step %d: %d moves", p.Name, n+1, len(moves))
			}
			own := &Options{Steps: n + 1}
			g, moves = play(p, own, 40, each(40, readNew))
			last := moves[len(moves)-1]
			if !last.Stop || len(moves) > n+2 || moves[len(moves)-2].Choice != providers.None {
				t.Errorf("%s, %d steps of its own: %d moves", p.Name, n+1, len(moves))
			}
			if f := g.Firings(); f[len(f)-1].Rule == ownLimit && len(moves) != n+2 {
				t.Errorf("%s: the limit of %d held in step %d", p.Name, n+1, len(moves)-1)
			}
		}
	}
}

func TestToolChoiceFollowsThePhase(t *testing.T) {
	_, moves := play(Analyst(), nil, 0, join(each(4, readNew), times(5, again), script{text}))
	want := []providers.ToolChoice{
		providers.Required, providers.Required, providers.Required, providers.Required, providers.Required,
		providers.Required, providers.Required, providers.Auto, providers.Auto, providers.None, "",
	}
	for i, m := range moves {
		if m.Choice != want[i] || m.Stop != (i == len(want)-1) {
			t.Errorf("move %d: %+v", i, m)
		}
	}
	if len(moves) != len(want) {
		t.Errorf("%d moves", len(moves))
	}
}

// A nudge comes as often as its row allows.
func TestCooldownsAndCaps(t *testing.T) {
	for name, test := range map[string]struct {
		rule  string
		steps script
		at    []int
	}{
		"reflection every five steps":       {reflection, each(17, readNew), []int{5, 10, 15}},
		"reflection at most every three":    {reflection, join(each(3, readNew), times(14, again)), []int{5, 8, 11, 14, 17}},
		"convergence once":                  {convergence, times(17, again), []int{10}},
		"planning once":                     {planning, each(17, readNew), []int{0}},
		"replanning twice, eight apart":     {replanning, join(script{planText}, each(30, readNew)), []int{9, 17}},
		"budget warning once":               {budgetWarning, each(35, readNew), []int{30}},
		"nothing of it while the plan fits": {replanning, script{planText, parsed("parser"), parsed("printer"), parsed("lexer"), parsed("x")}, nil},
	} {
		g, _ := play(Bootstrap(), &Options{Steps: 40, SearchSteps: 99}, 40, test.steps)
		var at []int
		for _, f := range g.Firings() {
			if f.Rule == test.rule {
				at = append(at, f.Step)
			}
		}
		if !slices.Equal(at, test.at) {
			t.Errorf("%s: in steps %v, want %v", name, at, test.at)
		}
	}
}

func parsed(what string) agent.Step {
	return called(call("search", fmt.Sprintf(`{"pattern":%q}`, what), "no hits"))
}

// At most one nudge comes in a step, the first by priority.
func TestOneNudgeAStep(t *testing.T) {
	g, moves := play(Bootstrap(), &Options{Steps: 14}, 14, join(script{planText}, times(13, again)))
	said := make(map[int]int)
	for _, f := range g.Firings() {
		if slices.ContainsFunc(nudges, func(n nudge) bool { return n.rule == f.Rule }) {
			said[f.Step]++
		}
	}
	for step, n := range said {
		if n != 1 || moves[step].Nudge == "" {
			t.Errorf("step %d: %d nudges, %q", step, n, moves[step].Nudge)
		}
	}
	if f := g.Firings(); !slices.Contains(f, Firing{12, phaseExplore, forceExit}) || !slices.Contains(f, Firing{10, phaseExplore, convergence}) {
		t.Errorf("%+v", f)
	}
}
