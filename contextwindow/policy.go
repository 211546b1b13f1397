package contextwindow

import (
	"cmp"
	"slices"

	"github.com/forayhq/foray/toollimit"
)

// A Profile names a policy: how much of a model's window a run may use, how results are limited on the way in, and
// when and how the window is compacted.
type Profile string

// The profiles.
const (
	Lean   Profile = "lean"   // the default: a small budget, compacted rarely, at 90 %
	Cheap  Profile = "cheap"  // like lean, but keeps less
	Wide   Profile = "wide"   // up to 128,000 tokens, keeps more
	Full   Profile = "full"   // the whole window, keeps more
	Ladder Profile = "ladder" // the budgets of lean, with a plain ladder of three levels at 60, 80 and 95 %
	Off    Profile = "off"    // the whole window, no quotas, compacted only when a request would not fit
)

// Profiles returns the names of all profiles, the default first.
func Profiles() []Profile {
	names := make([]Profile, len(policies))
	for i, p := range policies {
		names[i] = p.name
	}
	return names
}

// A policy is a profile's table: budgets by window, quotas by usage, levels by usage.
type policy struct {
	name   Profile
	sizes  []windowCap
	quotas []quotaBand
	inflow *inflow
	ladder []Level
	marks  *twoMarks
}

// policies is searched by name; the first is the default.
var policies = []policy{
	{name: Lean, sizes: smallSizes, inflow: leanInflow, marks: leanMarks},
	{name: Cheap, sizes: smallSizes, inflow: leanInflow, marks: cheapMarks},
	{name: Wide, sizes: wideSizes, inflow: leanInflow, marks: wideMarks},
	{name: Full, inflow: leanInflow, marks: wideMarks},
	{name: Ladder, sizes: smallSizes, quotas: plainQuotas, ladder: plainLadder},
	{name: Off},
}

// A windowCap caps the budget of attended and of autonomous runs in windows of at least so many tokens: in tokens or,
// if these are 0, as a share of the window.
type windowCap struct {
	window                int
	budget, autonomous    int
	share, autonomousPart float64
}

var smallSizes = []windowCap{
	{window: 400_000, budget: 36_000, autonomous: 48_000},
	{window: 200_000, budget: 24_000, autonomous: 32_000},
	{window: 64_000, budget: 20_000, autonomous: 24_000},
	{window: 16_000, budget: 12_000, autonomous: 14_000},
	{share: .65, autonomousPart: .75},
}

var wideSizes = []windowCap{{budget: 128_000, autonomous: 128_000}}

// A quotaBand is the quota of each result of a turn while usage before the turn is below a share of the budget.
type quotaBand struct {
	below   float64
	chars   int
	matches int
}

var plainQuotas = []quotaBand{
	{below: .40, chars: 6_000, matches: 15},
	{below: .60, chars: 3_000, matches: 8},
	{below: .80, chars: 1_500, matches: 5},
	{below: maxShare, chars: 800, matches: 3},
}

// An inflow divides the room of a turn among its results, by what a call does: the share of one result. The room is
// what is left below the high mark. If the turn crosses it, so that a compaction makes room, the room is at least
// turnShare of what the fixed parts leave of the budget.
type inflow struct{ read, search, other float64 }

// leanInflow was chosen on recordings: what a model has just asked for is what it needs next, and a larger share
// makes the window full so early that it costs more than reading again.
var leanInflow = &inflow{read: .25, search: .20, other: .12}

const (
	maxShare     = 1e9    // above any usage
	receiptChars = 500    // of a submission's result under plain quotas, at any usage
	turnShare    = .5     // of the room, for all results of a turn together
	minResult    = 64     // tokens of any result: the room of a pointer with a few words
	leastShare   = .075   // of the budget, for any result under an inflow
	mostOfLeast  = .20    // of what the fixed parts leave: caps leastShare and the next two
	leastInflow  = 320    // tokens of any result under an inflow, if leastShare is less
	leastOfLarge = 750    // tokens of any result under an inflow, if leastShare is more
	mostInflow   = 10_000 // tokens of any result under an inflow
	wholeUpTo    = 1.3    // of its quota: a result that is not larger stays whole
)

// A Level is one step of a ladder, taken while the whole request takes at least At of the budget. It truncates
// results or evicts turns; a step that changes nothing is skipped.
type Level struct {
	Name    string
	At      float64 // share of the budget, 0 to 1
	Over    int     // truncate results of earlier turns longer than this, in characters; 0 means none
	To      int     // to this, in characters, pointer included
	Keep    int     // evict all turns but the last so many; 0 means none
	History bool    // evict exchanges from before the prompt, the oldest first, only as many as needed
}

// plainLadder evicts the history before any turn of the run itself.
var plainLadder = []Level{
	{Name: "L1", At: .60, Over: 2_000, To: 500},
	{Name: "L2", At: .80, History: true},
	{Name: "L2", At: .80, Keep: 2},
	{Name: "L3", At: .95, Keep: 1},
}

// twoMarks is a ladder with two marks: below the high one nothing is edited, and at it one compaction brings the
// request down to the low one. The high mark is a share of the budget, since that is what a request must fit. Other
// shares are of what the fixed parts leave of it: with a long prompt, shares of the budget would leave no room for
// the digest.
type twoMarks struct {
	high      float64
	guess     float64 // the high mark before the provider has counted a request
	low       float64
	again     float64 // the low mark once units were evicted
	least     int     // tokens that the digest may take even if the low mark leaves it less
	keep      int     // newest turns that stay; fewer if they take more than keepShare, but at least one
	keepShare float64 // less in a budget below keepFull
}

// keepFull is the smallest budget in which the newest turns may take the whole keepShare. In a smaller one it shrinks
// in proportion, because the digest needs the room.
const keepFull = 16_000

var (
	leanMarks  = &twoMarks{high: .90, guess: .85, low: .55, again: .30, least: 2_500, keep: 3, keepShare: .25}
	cheapMarks = &twoMarks{high: .90, guess: .85, low: .40, again: .25, least: 1_500, keep: 2, keepShare: .15}
	wideMarks  = &twoMarks{high: .90, guess: .85, low: .60, again: .40, least: 2_500, keep: 5, keepShare: .40}
)

// policyOf returns the policy of a profile, the default for an unknown one. Budgets saved by older versions call
// [Ladder] "seed".
func policyOf(p Profile) *policy {
	if p == "seed" {
		p = Ladder
	}
	at := slices.IndexFunc(policies, func(known policy) bool { return known.name == p })
	return &policies[max(at, 0)]
}

// caps returns the policy's budget for a window and that of an autonomous run, in tokens; 0 means no cap.
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
	if k == toollimit.Receipt && len(p.quotas) > 0 {
		return toollimit.Quota{MaxChars: receiptChars}
	}
	for _, band := range p.quotas {
		if usage < band.below {
			return toollimit.Quota{MaxChars: band.chars, MaxMatches: band.matches}
		}
	}
	return toollimit.Quota{}
}

// A Budget is the room of a window.
type Budget struct {
	Model    string  // as given
	Window   int     // the model's context window in tokens; 0 if no model was named
	Limit    int     // most that a whole request may take, in tokens
	Profile  Profile // "" means Lean
	Source   string  // where the size of the window comes from
	Fallback bool    // the window is assumed, because its size is unknown
	Ratio    float64 // the model's tokens per estimated token until the provider has counted; 0 means 1

	maxOutput int // of the model in tokens; 0 means 8,192 or more
}

const (
	unnamedLimit  = 24_000 // tokens, without window and limit
	assumedWindow = 32_000 // tokens, of a model of unknown size
)

// BudgetOf returns the budget under a profile for a model with a window of so many tokens, whose longest answer has
// maxOutput tokens (0 means 8,192 or more). For a window of 0 it assumes 32,000 tokens and sets Fallback.
func BudgetOf(window, maxOutput int, p Profile) Budget {
	b := Budget{Window: window, Profile: p, Source: "given", maxOutput: maxOutput}
	if window <= 0 {
		b.Window, b.Source, b.Fallback = assumedWindow, "assumed: the model is not known", true
	}
	room, _ := policyOf(p).caps(b.Window)
	return b.capped(room)
}

// Autonomous returns the budget of the same model and profile for an unattended run: where the profile caps the
// budget, the cap is higher. A budget without a window stays as it is.
func (b Budget) Autonomous() Budget {
	if b.Window == 0 {
		return b
	}
	_, room := policyOf(b.Profile).caps(b.Window)
	return b.capped(room)
}

// Beyond returns the budget for a window whose service compacts a request of at least so many tokens by itself: twice
// that, as far as the model's window allows, so that the window's own levels come after the service's. For 0 tokens it
// is the same budget.
func (b Budget) Beyond(tokens int) Budget {
	if tokens <= 0 {
		return b
	}
	if b.Window == 0 {
		b.Limit = 2 * tokens
		return b
	}
	return b.capped(2 * tokens)
}

// capped sets the limit to what the window allows, and to at most room tokens; 0 means no cap.
func (b Budget) capped(room int) Budget {
	b.Limit = min(usable(b.Window, b.maxOutput), cmp.Or(room, b.Window))
	return b
}

// usable is what a request may take of a window: the window less the room of the answer, and less a margin for the
// error of estimates: 2 % but at least 1,024 tokens, or a sixteenth of a small window.
func usable(window, maxOutput int) int {
	return window - outputRoom(window, maxOutput) - max(window/50, min(1_024, window/16))
}

// outputRoom is what is reserved for the answer: at most 8,192 tokens and a quarter of the window.
func outputRoom(window, maxOutput int) int {
	const most = 8_192
	return min(most, window/4, cmp.Or(max(maxOutput, 0), most))
}

func roomOf(room int, share float64) int { return int(share * float64(room)) }
