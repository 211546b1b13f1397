package textsearch

import (
	"math"
	"slices"
)

// A flow measures whether neighbouring turns of a conversation are about the same thing, so that neighbours count only
// where they belong together. It compares runs, consecutive turns of one speaker: in a coherent conversation a run
// shares more words with the run just before it than with those five to eight before. Where people talk past each
// other, or turns are unordered, it does not.
type flow struct {
	runs           []run // the last ones of the session
	near, far      float64
	nears, fars    int
	pairs, changes int // pairs of neighbouring turns, and those in which the speaker changes
}

type run struct {
	speaker int32
	terms   []int32 // of all runs but the last: ascending, each once
}

// The distances in runs that count as far.
const farFrom, farTo = 5, 8

// begin starts a session.
func (f *flow) begin() {
	f.end()
	f.runs = f.runs[:0]
}

// add takes the next turn of the session.
func (f *flow) add(speaker int32, terms []int32) {
	n := len(f.runs)
	if n > 0 {
		f.pairs++
		if f.runs[n-1].speaker != speaker {
			f.changes++
		}
	}
	if n == 0 || f.runs[n-1].speaker != speaker {
		f.end()
		if n > farTo {
			f.runs = slices.Delete(f.runs, 0, 1)
		}
		f.runs = append(f.runs, run{speaker: speaker})
	}
	last := &f.runs[len(f.runs)-1]
	last.terms = append(last.terms, terms...)
}

// end compares the last run, now complete, with those before it.
func (f *flow) end() {
	k := len(f.runs) - 1
	if k < 0 {
		return
	}
	slices.Sort(f.runs[k].terms)
	f.runs[k].terms = slices.Compact(f.runs[k].terms)
	if k < 1 {
		return
	}
	f.near += likeness(f.runs[k].terms, f.runs[k-1].terms)
	f.nears++
	for d := farFrom; d <= min(farTo, k); d++ {
		f.far += likeness(f.runs[k].terms, f.runs[k-d].terms)
		f.fars++
	}
}

// likeness returns the cosine of two sets of terms.
func likeness(a, b []int32) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	return float64(shared) / math.Sqrt(float64(len(a))*float64(len(b)))
}

const (
	wholeFlow = .8 // near runs that are more alike than far ones by this share have strength 1
	flowGuess = .7 // the strength assumed before any run is measured
	flowPrior = 20 // how many measured runs that guess weighs
)

// strength returns two factors from 0 to 1: one for the words of neighbouring turns, one for the extra weight of a
// question just before a turn. Where speakers seldom change, the turn after a question is seldom its answer, and the
// second factor is near 0.
func (f *flow) strength() (neighbour, question float64) {
	runs := float64(min(f.nears, f.fars))
	measured := 0.0
	if runs > 0 {
		near, far := f.near/float64(f.nears), f.far/float64(f.fars)
		measured = min(max((near-far)/max(far, .01)/wholeFlow, 0), 1)
	}
	neighbour = (runs*measured + flowPrior*flowGuess) / (runs + flowPrior)
	changing := (float64(f.changes) + flowPrior) / (float64(f.pairs) + flowPrior)
	return neighbour, max(2*changing-1, 0)
}
