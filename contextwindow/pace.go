package contextwindow

// The guards against compacting again and again (compaction: against thrash).
const (
	paceShare  = .10 // of the budget that has to be added before the next compaction of a ladder with two marks
	paceRounds = 6   // so many compactions as paceMost in so many rounds halve the quotas,
	paceMost   = 3   // and as many more, one in each round, are ErrThrash
	rereadHold = 5   // rounds for which a result that was asked for again is not folded
)

// A pace is how often a window was compacted of late.
type pace struct {
	rounds   int   // messages of the assistant so far
	last     int   // state.written at the last compaction; 0: there was none
	round    int   // rounds at the last compaction
	at       []int // rounds of compactions since the last time that they came too fast, one entry for all of a round
	halved   bool  // quotas are halved
	thrashed int   // how often compactions came too fast although quotas were halved
}

// compacted takes note of a compaction.
func (p *pace) compacted(written int) {
	first, since := p.last == 0, p.rounds-p.round
	p.last, p.round = written, p.rounds
	if !first && since == 0 {
		return
	}
	if since >= paceRounds {
		p.at, p.halved = nil, false
	}
	p.at = append(p.at, p.rounds)
	if len(p.at) < paceMost {
		return
	}
	within := paceRounds
	if p.halved {
		within = paceMost
	}
	if p.rounds-p.at[0] >= within {
		p.at = p.at[1:]
		return
	}
	if p.halved {
		p.thrashed++
	}
	p.at, p.halved = nil, true
}
