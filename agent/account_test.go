package agent

import (
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestAccountsStayWithinAllLimits takes and gives steps at random in a tree of accounts: none goes over its limit, each
// holds what was taken from it and from those below, and a step that is refused is taken nowhere.
func TestAccountsStayWithinAllLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*account
		limit := rapid.IntRange(-1, 6)
		for i := range rapid.IntRange(1, 5).Draw(t, "accounts") {
			a := &account{limits: Limits{Steps: limit.Draw(t, "limit")}}
			if i > 0 {
				a.above = all[rapid.IntRange(0, i-1).Draw(t, "above")]
			}
			all = append(all, a)
		}
		taken := make(map[*account]int)
		for range 40 {
			a := rapid.SampledFrom(all).Draw(t, "account")
			if taken[a] > 0 && rapid.Bool().Draw(t, "give") {
				a.give()
				taken[a]--
			} else if left := a.left(); a.take() != (left > 0) {
				t.Fatalf("%d are left, but that is not so", left)
			} else if left > 0 {
				taken[a]++
			}
			held := make(map[*account]int)
			for _, a := range all {
				for at := a; at != nil; at = at.above {
					held[at] += taken[a]
				}
			}
			for i, a := range all {
				if a.steps != held[a] || a.limits.Steps > 0 && a.steps > a.limits.Steps {
					t.Fatalf("account %d has %d steps of %d, want %d", i, a.steps, a.limits.Steps, held[a])
				}
			}
		}
	})
}

func TestAccountsSideBySide(t *testing.T) {
	top := &account{limits: Limits{Steps: 100}}
	var wg sync.WaitGroup
	got := make([]int, 8)
	for i := range got {
		wg.Go(func() {
			for a := (&account{above: top, limits: Limits{Steps: 20}}); a.take(); {
				got[i]++
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range got {
		sum += n
		if n > 20 {
			t.Errorf("%d steps of 20", n)
		}
	}
	if sum != 100 || top.steps != 100 || top.left() != 0 {
		t.Errorf("%d steps taken of 100, %d held", sum, top.steps)
	}
}
