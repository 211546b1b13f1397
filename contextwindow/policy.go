package contextwindow

import "github.com/forayhq/foray/toollimit"

// A policy is a profile's table: budgets by window, quotas by usage, levels by usage.
type policy struct {
	name   Profile
	sizes  []windowCap
	quotas []quotaBand
	inflow []inflowBand
	ladder []Level
	marks  *twoMarks
}

// An inflowBand is the most that a result of a round may take, as a share of the budget, while usage before the round
// is below a share of it: a result that was read, and any other.
type inflowBand struct{ below, read, other float64 }

// The bounds of what a result may take in any case under an inflowBand, in tokens.
const (
	leastInflow = 150
	mostInflow  = 10_000
)

// leanInflow gives what was read more room, and everything else less, than the design's table: measured on recordings,
// that costs less and shows more lines that are needed again.
var leanInflow = []inflowBand{
	{below: .50, read: .16, other: .02},
	{below: .70, read: .12, other: .012},
	{below: maxShare, read: .06, other: .01},
}

// A windowCap is the budget of windows of at least so many tokens, in tokens or as a share of the window, and that of
// autonomous runs.
type windowCap struct {
	window                int
	budget, autonomous    int
	share, autonomousPart float64
}

// smallSizes are the budgets of the requirements.
var smallSizes = []windowCap{
	{window: 400_000, budget: 36_000, autonomous: 48_000},
	{window: 200_000, budget: 24_000, autonomous: 32_000},
	{window: 64_000, budget: 20_000, autonomous: 24_000},
	{window: 16_000, budget: 12_000, autonomous: 14_000},
	{share: .65, autonomousPart: .75},
}

// wideSizes is the budget of the profile wide (compaction: profiles).
var wideSizes = []windowCap{{budget: 128_000, autonomous: 128_000}}

// A quotaBand is the quota of each result of a round while usage before the round is below a share of the budget.
type quotaBand struct {
	below   float64
	chars   int
	matches int
}

// A Level is one step of a ladder, taken while the whole request takes at least At of the budget. It shortens results
// or folds rounds away; a step that changes nothing is not taken.
type Level struct {
	Name    string
	At      float64 // share of the budget, 0 to 1
	Over    int     // shorten results of earlier rounds that are longer than this, in characters; 0: none
	To      int     // to this, in characters, pointer included
	Keep    int     // fold all rounds but the last so many; 0: none
	History bool    // fold turns handed in before the prompt, the oldest first, only as many as are needed
}

// plainLadder is the ladder of the requirements, with the history folded before any round of the run itself.
var plainLadder = []Level{
	{Name: "L1", At: .60, Over: 2_000, To: 500},
	{Name: "L2", At: .80, History: true},
	{Name: "L2", At: .80, Keep: 2},
	{Name: "L3", At: .95, Keep: 1},
}

// plainQuotas are the quotas of the requirements.
var plainQuotas = []quotaBand{
	{below: .40, chars: 6_000, matches: 15},
	{below: .60, chars: 3_000, matches: 8},
	{below: .80, chars: 1_500, matches: 5},
	{below: maxShare, chars: 800, matches: 3},
}

const (
	maxShare     = 1e9 // above any usage
	receiptChars = 500 // of a submission's result, at any usage (requirements)
	freeShare    = .5  // of the free room, for all results of a round together
	minResult    = 64  // tokens a result has in any case: the room of a pointer with a few words
)

// The marks of the profiles that have two. Their shares are of what the fixed parts leave of the budget, but for the
// high mark.
var (
	leanMarks  = &twoMarks{high: .90, guess: .85, low: .55, again: .30, least: 2_500, keep: 3, keepShare: .20}
	cheapMarks = &twoMarks{high: .90, guess: .85, low: .40, again: .25, least: 1_500, keep: 2, keepShare: .15}
	wideMarks  = &twoMarks{high: .90, guess: .85, low: .60, again: .40, least: 2_500, keep: 5, keepShare: .40}
)

// policies is searched by name; the first is the default.
var policies = []policy{
	{name: Lean, sizes: smallSizes, inflow: leanInflow, marks: leanMarks},
	{name: Cheap, sizes: smallSizes, inflow: leanInflow, marks: cheapMarks},
	{name: Wide, sizes: wideSizes, inflow: leanInflow, marks: wideMarks},
	{name: Full, inflow: leanInflow, marks: wideMarks},
	{name: Ladder, sizes: smallSizes, quotas: plainQuotas, ladder: plainLadder},
	{name: Off},
}

// policyOf returns the policy of a profile, the default for one that is not known.
func policyOf(p Profile) *policy {
	for i := range policies {
		if policies[i].name == p {
			return &policies[i]
		}
	}
	return &policies[0]
}

// caps returns the policy's budget for a window and that of an autonomous run, in tokens; 0: no cap.
func (p *policy) caps(window int) (budget, autonomous int) {
	for _, c := range p.sizes {
		switch {
		case window < c.window:
			continue
		case c.budget > 0:
			return c.budget, c.autonomous
		}
		return int(c.share * float64(window)), int(c.autonomousPart * float64(window))
	}
	return 0, 0
}

// quota returns the quota of a result of a kind at a usage of the budget.
func (p *policy) quota(k toollimit.Kind, usage float64) toollimit.Quota {
	if len(p.quotas) == 0 {
		return toollimit.Quota{}
	}
	if k == toollimit.Receipt {
		return toollimit.Quota{MaxChars: receiptChars}
	}
	for _, band := range p.quotas {
		if usage < band.below {
			return toollimit.Quota{MaxChars: band.chars, MaxMatches: band.matches}
		}
	}
	return toollimit.Quota{}
}
