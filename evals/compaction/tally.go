package compaction

// A tally adds up the requests of one or more trajectories. Sums are over requests, sizes in tokens.
type tally struct {
	Trajectories, Requests int

	// What calls refer to, how much of it the view shows, and how much of that outside lists of identifiers.
	Identifiers, SeenIdentifiers, UnlistedIdentifiers int
	LongRange, SeenLongRange, UnlistedLongRange       int // of the identifiers, those last seen at least five turns before
	PointedAt, Named                                  int // identifiers that a pointer leads to, or that the view names
	Lines, SeenLines                                  int
	LongRangeLines, SeenLongRangeLines                int

	Near, UnlistedNear           int
	NearLines, SeenNearLines     int
	Anchors, SeenAnchors         int
	Pinned                       int
	Invalid                      int
	Broken                       map[string]int // requests that break a rule
	Over, Largest                int
	Quarters, PrefixQuarters     int // sent, and the part shared with the previous request
	Read                         int // tokens read by a model that writes summaries
	Rereads                      int // sources that must be read again
	RereadCost                   float64
	GoesOn                       int               // requests after the run would have ended
	Sight                        [numClasses]sight // by size
	Roles                        [len(roleNames)]sight
	Compactions, Freed, Refilled int
	Equal, Compared              int       // views of the second run
	After                        []float64 // sizes after a compaction, as shares of the budget
	Times                        []float64 // of appending and building views, in milliseconds
	Errors                       []float64 // of the policy's own estimate of its request, as shares
	Irreducible                  int

	lost []lost // by request; not added up
}

func (y *tally) add(o *tally) {
	for _, sum := range []struct {
		to   *int
		from int
	}{
		{&y.Trajectories, o.Trajectories}, {&y.Requests, o.Requests},
		{&y.Identifiers, o.Identifiers}, {&y.SeenIdentifiers, o.SeenIdentifiers},
		{&y.UnlistedIdentifiers, o.UnlistedIdentifiers}, {&y.PointedAt, o.PointedAt}, {&y.Named, o.Named},
		{&y.LongRange, o.LongRange}, {&y.SeenLongRange, o.SeenLongRange}, {&y.UnlistedLongRange, o.UnlistedLongRange},
		{&y.Near, o.Near}, {&y.UnlistedNear, o.UnlistedNear},
		{&y.NearLines, o.NearLines}, {&y.SeenNearLines, o.SeenNearLines},
		{&y.Rereads, o.Rereads}, {&y.GoesOn, o.GoesOn},
		{&y.Lines, o.Lines}, {&y.SeenLines, o.SeenLines},
		{&y.LongRangeLines, o.LongRangeLines}, {&y.SeenLongRangeLines, o.SeenLongRangeLines},
		{&y.Anchors, o.Anchors}, {&y.SeenAnchors, o.SeenAnchors}, {&y.Pinned, o.Pinned}, {&y.Invalid, o.Invalid},
		{&y.Over, o.Over}, {&y.Quarters, o.Quarters}, {&y.PrefixQuarters, o.PrefixQuarters}, {&y.Read, o.Read},
		{&y.Compactions, o.Compactions}, {&y.Freed, o.Freed}, {&y.Refilled, o.Refilled},
		{&y.Equal, o.Equal}, {&y.Compared, o.Compared}, {&y.Irreducible, o.Irreducible},
	} {
		*sum.to += sum.from
	}
	y.RereadCost += o.RereadCost
	for i := range y.Sight {
		y.Sight[i].add(&o.Sight[i])
	}
	for i := range y.Roles {
		y.Roles[i].add(&o.Roles[i])
	}
	y.Largest = max(y.Largest, o.Largest)
	for rule, n := range o.Broken {
		y.breaks(rule, n)
	}
	y.After = append(y.After, o.After...)
	y.Times = append(y.Times, o.Times...)
	y.Errors = append(y.Errors, o.Errors...)
}

// breaks counts requests that break a rule.
func (y *tally) breaks(rule string, requests int) {
	if y.Broken == nil {
		y.Broken = make(map[string]int)
	}
	y.Broken[rule] += requests
}

// The cost of a token, in units of an uncached input token: writing to a prompt cache, and reading from it.
const (
	costNew    = 1.25
	costCached = .10
)

func (y *tally) cost() float64 {
	return costNew*float64(y.Quarters-y.PrefixQuarters)/4 + costCached*float64(y.PrefixQuarters)/4 + float64(y.Read)
}

// effective returns the cost with all that must be read again.
func (y *tally) effective() float64 { return y.cost() + y.RereadCost }

// larger adds up the results of more than rolesBeyond tokens.
func (y *tally) larger() *sight {
	var s sight
	for i := range y.Roles {
		s.add(&y.Roles[i])
	}
	return &s
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
