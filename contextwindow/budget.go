package contextwindow

// A Profile names a policy: how much of a model's window a run may use, how results are limited on the way in, and
// when and how the window is compacted.
type Profile string

// The profiles.
const (
	Lean   Profile = "lean"   // the default: a small budget, edited once in a while, at 90 %
	Cheap  Profile = "cheap"  // the same, keeping less
	Wide   Profile = "wide"   // up to 128,000 tokens, keeping more
	Full   Profile = "full"   // the whole window, keeping more
	Ladder Profile = "ladder" // the budgets of lean, with a plain ladder of three levels at 60, 80 and 95 %
	Off    Profile = "off"    // the whole window, no quotas, compaction only when a request would not fit
)

// Profiles returns the names of all profiles, the default first.
func Profiles() []Profile {
	names := make([]Profile, len(policies))
	for i, p := range policies {
		names[i] = p.name
	}
	return names
}

// A Budget is the room of a window.
type Budget struct {
	Model    string  // the model's name, as given
	Window   int     // the model's context window in tokens; 0: no model was named
	Limit    int     // the most that a whole request may take, in tokens
	Profile  Profile // "": Lean
	Source   string  // who says how large the window is
	Fallback bool    // the window is assumed, for nobody knows its size
	Ratio    float64 // the model's tokens for each estimated one, until the provider has counted; 0: 1

	maxOutput int // of the model in tokens; 0: 8,192 or more
}

// unnamedLimit is the limit of a budget that names neither a window nor a limit, in tokens.
const unnamedLimit = 24_000

// assumedWindow is the window of a model that does not say how large it is, in tokens.
const assumedWindow = 32_000

// BudgetOf returns the budget under a profile for a model with a window of so many tokens, whose longest answer has
// maxOutput tokens (0: 8,192 or more). A window of 0 is unknown: 32,000 tokens are assumed and Fallback is set.
func BudgetOf(window, maxOutput int, p Profile) Budget {
	b := Budget{Window: window, Profile: p, Source: "given", maxOutput: maxOutput}
	if window <= 0 {
		b.Window, b.Source, b.Fallback = assumedWindow, "assumed: the model is not known", true
	}
	b.Limit = usable(b.Window, maxOutput)
	if room, _ := policyOf(p).caps(b.Window); room > 0 {
		b.Limit = min(b.Limit, room)
	}
	return b
}

// Autonomous returns the budget of the same model and profile for a run that nobody waits for: where the profile caps
// the budget, the cap is higher. A budget that names no window stays as it is.
func (b Budget) Autonomous() Budget {
	if b.Window == 0 {
		return b
	}
	b.Limit = usable(b.Window, b.maxOutput)
	if _, room := policyOf(b.Profile).caps(b.Window); room > 0 {
		b.Limit = min(b.Limit, room)
	}
	return b
}

// usable is what a request may take of a window: the window less the room of the answer, at most 8,192 tokens and a
// quarter of the window, and less a margin for what an estimate misses, 2 % but at least 1,024 tokens, or a sixteenth
// of a small window.
func usable(window, maxOutput int) int {
	return window - outputRoom(window, maxOutput) - max(window/50, min(1_024, window/16))
}

// outputRoom is what is kept of a window for the answer, in tokens.
func outputRoom(window, maxOutput int) int {
	output := min(8_192, window/4)
	if maxOutput > 0 {
		output = min(output, maxOutput)
	}
	return output
}
