package explore

import "github.com/forayhq/foray/providers"

// A Rule is a row of the tables of this package: what ends a phase, or a nudge.
type Rule string

// The rules that end a phase. The numbers are those of the Exit, or of the Options where it has none.
const (
	StepsInPhase    Rule = "steps in the phase"     // Exit.Steps
	ShareOfSteps    Rule = "share of the steps"     // Exit.Share of all steps
	NothingNew      Rule = "nothing new"            // Exit.Steps in a row, in the phase, without new information
	TextGiven       Rule = "text"                   // a step without calls
	FirstSubmission Rule = "first submission"       // one was accepted
	SearchBudget    Rule = "search budget"          // Options.SearchSteps steps that searched
	Enough          Rule = "enough submissions"     // Options.Submissions were accepted
	SoftEnough      Rule = "soft limit"             // Options.SoftSubmissions were accepted, and a step went by without one
	IdleSteps       Rule = "idle steps"             // Options.Idle in a row without a submission, after one
	GraceOver       Rule = "grace without any"      // Options.Grace steps in the phase without a submission
	AnswerGiven     Rule = "the answer"             // Options.Answered says so; it ends the run in any phase
	OwnLimit        Rule = "the steps of the guide" // Options.Steps are used; it ends the run in any phase
)

// An Exit ends a phase when its rule holds after a step.
type Exit struct {
	Rule  Rule
	Steps int     // of StepsInPhase and NothingNew
	Share float64 // of ShareOfSteps, 0 to 1
}

// A Phase is a part of an exploration.
type Phase struct {
	Name   string
	Choice providers.ToolChoice // Required is taken for Auto by the loop where a model refuses it
	Says   string               // to the model, while the phase lasts
	Nudges []Rule               // that may come in it
	Exits  []Exit               // the first that holds ends the phase, and the last phase the run
}

// A Plan is the phases of an exploration, in their order.
type Plan struct {
	Name   string
	Phases []Phase
}

// The names of phases.
const (
	Scan      = "SCAN"
	Explore   = "EXPLORE"
	Verify    = "VERIFY"
	Produce   = "PRODUCE"
	Summarize = "SUMMARIZE"
)

// What the phases say.
const (
	saysScan      = "Phase SCAN: get an overview first. List and search broadly; do not read whole files yet."
	saysExplore   = "Phase EXPLORE: follow what is promising. Search, read, go from callers to callees; look at nothing twice."
	saysVerify    = "Phase VERIFY: no new directions. Check each claim against lines that you have read, and look up what is missing for it."
	saysProduce   = "Phase PRODUCE: hand in what you found, one item a call, each with its evidence. Look up only what an item needs."
	saysSummarize = "Phase SUMMARIZE: call no more tools. Write the result now: each claim with its citations, and what was not covered."
)

// summarize is the phase that ends every plan: a text, or two steps of a model that goes on calling.
var summarize = Phase{
	Name: Summarize, Choice: providers.None, Says: saysSummarize, Nudges: []Rule{ForceExit},
	Exits: []Exit{{Rule: TextGiven}, {Rule: StepsInPhase, Steps: 2}},
}

var produce = Phase{
	Name: Produce, Says: saysProduce, Nudges: []Rule{ForceExit, BudgetWarning},
	Exits: []Exit{{Rule: Enough}, {Rule: SoftEnough}, {Rule: IdleSteps}, {Rule: GraceOver}},
}

// plans is the table of plans.
var plans = []Plan{
	{Name: "analyst", Phases: []Phase{
		{
			Name: Scan, Choice: providers.Required, Says: saysScan, Nudges: []Rule{ForceExit, Planning},
			Exits: []Exit{{Rule: StepsInPhase, Steps: 2}},
		},
		{
			Name: Explore, Choice: providers.Required, Says: saysExplore, Nudges: []Rule{ForceExit, Reflection, Replanning},
			Exits: []Exit{{Rule: ShareOfSteps, Share: exploring}, {Rule: NothingNew, Steps: 3}},
		},
		{
			Name: Verify, Says: saysVerify, Nudges: []Rule{ForceExit, Convergence, BudgetWarning, Reflection, Replanning},
			Exits: []Exit{{Rule: ShareOfSteps, Share: .80}, {Rule: NothingNew, Steps: 2}, {Rule: TextGiven}},
		},
		summarize,
	}},
	{Name: "producer", Phases: []Phase{produce, summarize}},
	{Name: "bootstrap", Phases: []Phase{
		{
			Name: Explore, Choice: providers.Required, Says: saysExplore,
			Nudges: []Rule{ForceExit, Convergence, BudgetWarning, Reflection, Planning, Replanning},
			Exits:  []Exit{{Rule: FirstSubmission}, {Rule: SearchBudget}},
		},
		produce,
		summarize,
	}},
}

// exploring is the share of the steps that an exploration may take before what it found is checked.
const exploring = .60

// Analyst is the plan that looks around, explores, checks and sums up: SCAN, EXPLORE, VERIFY, SUMMARIZE.
func Analyst() Plan { return plans[0] }

// Producer is the plan that hands in what is known: PRODUCE, SUMMARIZE.
func Producer() Plan { return plans[1] }

// Bootstrap is the plan that explores until there is something to hand in: EXPLORE, PRODUCE, SUMMARIZE.
func Bootstrap() Plan { return plans[2] }

// Plans returns all plans: analyst, producer, bootstrap. They must not be modified.
func Plans() []Plan { return plans[:len(plans):len(plans)] }

// holds reports whether an exit's rule holds after the newest step.
func (e Exit) holds(s *state, o *Options) bool {
	switch e.Rule {
	case StepsInPhase:
		return s.inPhase >= e.Steps
	case ShareOfSteps:
		return float64(s.steps) >= e.Share*float64(s.limit)
	case NothingNew:
		return min(s.stale, s.inPhase) >= e.Steps
	case TextGiven:
		return s.inPhase > 0 && s.text
	case FirstSubmission:
		return s.submissions > 0
	case SearchBudget:
		return s.searchSteps >= o.SearchSteps
	case Enough:
		return s.submissions >= o.Submissions
	case SoftEnough:
		return s.submissions >= o.SoftSubmissions && s.idle > 0
	case IdleSteps:
		return s.submissions > 0 && s.idle >= o.Idle
	case GraceOver:
		return s.submissions == 0 && s.inPhase >= o.Grace
	}
	return false
}
