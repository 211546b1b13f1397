package compaction

// A tally adds up the requests of one or more trajectories. Sums are over requests, sizes in tokens.
type tally struct {
	Trajectories, Requests              int
	Deps, Seen, Unlisted, Pointed, Cued int
	Far, SeenFar, UnlistedFar           int
	Lines, SeenLines                    int
	FarLines, SeenFarLines              int
	Anchors, SeenAnchors                int
	Pinned                              int
	Invalid                             int
	Broken                              [len(rules)]int // requests that break a rule, by the index of rules
	Over, Largest                       int
	Quarters, PrefixQuarters            int // sent, and the part shared with the previous request
	Read                                int // tokens read by a model that writes summaries
	Compactions, Freed, Refilled        int
	Equal, Compared                     int       // views of the second run
	After                               []float64 // sizes after a compaction, as shares of the budget
	Times                               []float64 // of building views, in milliseconds
	Errors                              []float64 // of the policy's own estimate of its request, as shares
	Irreducible                         int
}

func (y *tally) add(o *tally) {
	for _, sum := range []struct {
		to   *int
		from int
	}{
		{&y.Trajectories, o.Trajectories}, {&y.Requests, o.Requests},
		{&y.Deps, o.Deps}, {&y.Seen, o.Seen}, {&y.Unlisted, o.Unlisted}, {&y.Pointed, o.Pointed}, {&y.Cued, o.Cued},
		{&y.Far, o.Far}, {&y.SeenFar, o.SeenFar}, {&y.UnlistedFar, o.UnlistedFar},
		{&y.Lines, o.Lines}, {&y.SeenLines, o.SeenLines}, {&y.FarLines, o.FarLines}, {&y.SeenFarLines, o.SeenFarLines},
		{&y.Anchors, o.Anchors}, {&y.SeenAnchors, o.SeenAnchors}, {&y.Pinned, o.Pinned}, {&y.Invalid, o.Invalid},
		{&y.Over, o.Over}, {&y.Quarters, o.Quarters}, {&y.PrefixQuarters, o.PrefixQuarters}, {&y.Read, o.Read},
		{&y.Compactions, o.Compactions}, {&y.Freed, o.Freed}, {&y.Refilled, o.Refilled},
		{&y.Equal, o.Equal}, {&y.Compared, o.Compared}, {&y.Irreducible, o.Irreducible},
	} {
		*sum.to += sum.from
	}
	y.Largest = max(y.Largest, o.Largest)
	for i, n := range o.Broken {
		y.Broken[i] += n
	}
	y.After = append(y.After, o.After...)
	y.Times = append(y.Times, o.Times...)
	y.Errors = append(y.Errors, o.Errors...)
}

// The cost of a token, in units of an uncached input token: writing to a prompt cache, and reading from it.
const (
	costNew    = 1.25
	costCached = .10
)

func (y *tally) cost() float64 {
	return costNew*float64(y.Quarters-y.PrefixQuarters)/4 + costCached*float64(y.PrefixQuarters)/4 + float64(y.Read)
}

// share returns part ÷ whole, or 1 if whole is 0.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// part returns n ÷ whole, or 0 if whole is 0.
func part(n, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(n) / float64(whole)
}

// sums returns the tally without its lists, which the bootstrap does not need.
func (y *tally) sums() *tally {
	s := *y
	s.After, s.Times, s.Errors = nil, nil, nil
	return &s
}
