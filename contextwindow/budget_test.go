package contextwindow

import "testing"

func TestBudgetOf(t *testing.T) {
	if b := BudgetOf(0, 0, Ladder); !b.Fallback || b.Window != 32_000 || b.Limit != 12_000 {
		t.Errorf("an unknown window has the budget %+v", b)
	}
	for window := 500; window < 3_000_000; window += window / 7 {
		for _, p := range Profiles() {
			if b := BudgetOf(window, 0, p); b.Limit <= 0 || b.Limit >= window {
				t.Errorf("a window of %d under %s has a budget of %d", window, p, b.Limit)
			}
		}
	}
}

// TestSeedIsLadder loads budgets that name the profile as older versions did.
func TestSeedIsLadder(t *testing.T) {
	b := BudgetOf(200_000, 0, "seed")
	want := BudgetOf(200_000, 0, Ladder)
	want.Profile = "seed"
	if b != want || New(b, nil).Explain().Profile != Ladder {
		t.Errorf("budget %+v, profile %s", b, New(b, nil).Explain().Profile)
	}
}
