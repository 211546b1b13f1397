package tokens

import "testing"

// A context may raise the cost of what follows by less than two tokens, whatever follows: the states of the two readings
// meet, and until then the difference is bounded. So it is checked for all texts, over the pairs of states.
func TestContextAddsLessThanTwoTokens(t *testing.T) {
	type pair struct{ in, alone int }
	weight := func(s, c int) int { return int(steps[s*classes+c] >> 16) }
	gain := map[pair]int{}
	for s := range allStates {
		gain[pair{s, afterLine}] = 0
	}
	most := 0
	for round := 0; ; round++ {
		if round == 2*allStates {
			t.Fatal("the difference grows without end")
		}
		changed := false
		for p, g := range gain {
			for c := range classes {
				g := g + weight(p.in, c) - weight(p.alone, c)
				most = max(most, g)
				q := pair{next(p.in, c), next(p.alone, c)}
				if old, ok := gain[q]; q.in != q.alone && (!ok || g > old) {
					gain[q], changed = g, true
				}
			}
		}
		if !changed {
			break
		}
	}
	if most >= 2*PerToken || most == 0 {
		t.Errorf("a context adds up to %d thousandths; more than 0 and less than %d expected", most, 2*PerToken)
	}
}
