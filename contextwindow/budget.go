package contextwindow

import "cmp"

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
