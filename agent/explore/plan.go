package explore

import "github.com/forayhq/foray/providers"

// A Plan is the phases of an exploration, in order.
type Plan struct {
	Name   string
	Phases []Phase
}

// A Phase is a part of an exploration.
type Phase struct {
	Name   string
	Choice providers.ToolChoice // the loop takes Auto for Required if a model refuses forced tools
	Says   string               // what the model reads while the phase lasts
	Nudges []string             // nudges that may come, by their names in the package documentation
	Ends   Ends
}

// Ends holds the conditions that end a phase; any one suffices. A zero field sets no condition. When the last
// phase ends, so does the run.
type Ends struct {
	Share       float64 // this share of all steps is used, 0 to 1
	Stale       int     // so many steps in a row, in the phase, without new information
	Text        bool    // a step without calls
	Steps       int     // so many steps in the phase
	First       bool    // a submission was accepted
	Searches    bool    // Options.SearchSteps are used
	Submissions bool    // Options.Submissions, SoftSubmissions, Idle or Grace is reached
}

// An exit is one condition of [Ends]. Its rule names it in a [Firing].
type exit struct {
	rule  string
	isSet func(Ends) bool
	holds func(Ends, *state, *Options) bool
}

// The rules that end a phase, and the two that end a run in any phase.
const (
	shareOfSteps    = "share of the steps"
	nothingNew      = "nothing new"
	textGiven       = "text"
	stepsInPhase    = "steps in the phase"
	firstSubmission = "first submission"
	searchBudget    = "search budget"
	enough          = "enough submissions"
	softEnough      = "soft limit"
	idleSteps       = "idle steps"
	graceOver       = "grace without any"
	answerGiven     = "the answer"             // Options.Answered says so
	ownLimit        = "the steps of the guide" // Options.Steps are used
)

// exits is the table of conditions, in the order in which they are tried.
var exits = []exit{
	{shareOfSteps, func(e Ends) bool { return e.Share > 0 },
		func(e Ends, s *state, _ *Options) bool { return float64(s.steps) >= e.Share*float64(s.limit) }},
	{nothingNew, func(e Ends) bool { return e.Stale > 0 },
		func(e Ends, s *state, _ *Options) bool { return min(s.stale, s.inPhase) >= e.Stale }},
	{textGiven, func(e Ends) bool { return e.Text },
		func(_ Ends, s *state, _ *Options) bool { return s.inPhase > 0 && s.text }},
	{stepsInPhase, func(e Ends) bool { return e.Steps > 0 },
		func(e Ends, s *state, _ *Options) bool { return s.inPhase >= e.Steps }},
	{firstSubmission, func(e Ends) bool { return e.First },
		func(_ Ends, s *state, _ *Options) bool { return s.submissions > 0 }},
	{searchBudget, func(e Ends) bool { return e.Searches },
		func(_ Ends, s *state, o *Options) bool { return s.searchSteps >= o.SearchSteps }},
	{enough, func(e Ends) bool { return e.Submissions },
		func(_ Ends, s *state, o *Options) bool { return s.submissions >= o.Submissions }},
	{softEnough, func(e Ends) bool { return e.Submissions },
		func(_ Ends, s *state, o *Options) bool { return s.submissions >= o.SoftSubmissions && s.idle > 0 }},
	{idleSteps, func(e Ends) bool { return e.Submissions },
		func(_ Ends, s *state, o *Options) bool { return s.submissions > 0 && s.idle >= o.Idle }},
	{graceOver, func(e Ends) bool { return e.Submissions },
		func(_ Ends, s *state, o *Options) bool { return s.submissions == 0 && s.inPhase >= o.Grace }},
}

// holds returns the rule of the first condition that holds after the newest step, or "".
func (e Ends) holds(s *state, o *Options) string {
	for _, x := range exits {
		if x.isSet(e) && x.holds(e, s, o) {
			return x.rule
		}
	}
	return ""
}

// The names of the phases.
const (
	phaseScan      = "SCAN"
	phaseExplore   = "EXPLORE"
	phaseVerify    = "VERIFY"
	phaseProduce   = "PRODUCE"
	phaseSummarize = "SUMMARIZE"
)

// What the model reads in each phase.
const (
	saysScan = "Phase SCAN: get an overview first. List and search broadly; do not read whole files yet."

	saysExplore = "Phase EXPLORE: follow what looks promising. Search, read, go from callers to callees; " +
		"look at nothing twice."

	saysVerify = "Phase VERIFY: no new directions. Check each claim against lines that you have read, " +
		"and look up what it still needs."

	saysProduce = "Phase PRODUCE: submit what you found, one item per call, each with its evidence. " +
		"Look up only what an item needs."

	saysSummarize = "Phase SUMMARIZE: call no more tools. Write the result now: each claim with its citations, " +
		"and what was not covered."
)

// exploring is the share of the steps that an exploration spends before it checks what it found.
const exploring = .60

// summarize ends every plan: with a text, or after two steps of a model that keeps calling tools.
var summarize = Phase{
	Name: phaseSummarize, Choice: providers.None, Says: saysSummarize, Nudges: []string{forceExit},
	Ends: Ends{Text: true, Steps: 2},
}

var produce = Phase{
	Name: phaseProduce, Says: saysProduce, Nudges: []string{forceExit, budgetWarning}, Ends: Ends{Submissions: true},
}

// Analyst is the plan that looks around, explores, checks and sums up: SCAN, EXPLORE, VERIFY, SUMMARIZE.
func Analyst() Plan {
	return Plan{Name: "analyst", Phases: []Phase{
		{
			Name: phaseScan, Choice: providers.Required, Says: saysScan, Nudges: []string{forceExit, planning},
			Ends: Ends{Steps: 2},
		},
		{
			Name: phaseExplore, Choice: providers.Required, Says: saysExplore,
			Nudges: []string{forceExit, reflection, replanning},
			Ends:   Ends{Share: exploring, Stale: 3},
		},
		{
			Name: phaseVerify, Says: saysVerify,
			Nudges: []string{forceExit, convergence, budgetWarning, reflection, replanning},
			Ends:   Ends{Share: .80, Stale: 2, Text: true},
		},
		summarize,
	}}
}

// small is the plan for a small window: it says nothing until the work stalls or the steps run out, because a small
// model takes every note for the question.
func small() Plan {
	finish := summarize
	finish.Says = "Answer the question now, in text, with its lines. Call no more tools."
	return Plan{Name: "small", Phases: []Phase{
		{Name: phaseExplore, Nudges: []string{forceExit}, Ends: Ends{Share: .80, Stale: 3, Text: true}},
		finish,
	}}
}

// Producer is the plan that submits what is already known: PRODUCE, SUMMARIZE.
func Producer() Plan { return Plan{Name: "producer", Phases: []Phase{produce, summarize}} }

// Bootstrap is the plan that explores until it has something to submit: EXPLORE, PRODUCE, SUMMARIZE.
func Bootstrap() Plan {
	return Plan{Name: "bootstrap", Phases: []Phase{
		{
			Name: phaseExplore, Choice: providers.Required, Says: saysExplore,
			Nudges: []string{forceExit, convergence, budgetWarning, reflection, planning, replanning},
			Ends:   Ends{First: true, Searches: true},
		},
		produce,
		summarize,
	}}
}
