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
	Fallback bool    // no row of the table knows the model
	Ratio    float64 // the model's tokens for each estimated one, until the provider has counted; 0: 1

	maxOutput int // of the model in tokens; 0: 8,192 or more
}

// unnamedLimit is the budget of a run without a model's name, in tokens (requirements).
const unnamedLimit = 24_000

// BudgetFor returns the budget of a model by name under a profile. An empty name has 24,000 tokens.
func BudgetFor(model string, p Profile) Budget {
	if model == "" {
		return Budget{Limit: unnamedLimit, Profile: p, Source: required}
	}
	size, known := lookupModel(model)
	b := budgetOf(size.Window, size.MaxOutput, p)
	b.Model, b.Source, b.Fallback = model, size.Source, !known
	b.Ratio, _ = StartingRatio(model)
	return b
}

// BudgetOf returns the budget of a window of so many tokens under a profile.
func BudgetOf(window int, p Profile) Budget {
	b := budgetOf(window, 0, p)
	b.Source = "given"
	return b
}

func budgetOf(window, maxOutput int, p Profile) Budget {
	limit := usable(window, maxOutput)
	if room, _ := policyOf(p).caps(window); room > 0 {
		limit = min(limit, room)
	}
	return Budget{Window: window, Limit: limit, Profile: p, maxOutput: maxOutput}
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
