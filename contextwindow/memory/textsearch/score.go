package textsearch

import "slices"

// The weights of a score. They were tuned on five conversations of two people and hold for others as far as searchflow.go
// says.
const (
	lengthWeight    = .2 // BM25's b, of turns
	turnWeight      = 1.3
	sessionWeight   = .5
	speakerBonus    = .1   // for the turns of the one speaker that is named,
	speakerFactor   = 1.05 // which also count so much more
	sessionDayBonus = .3   // for the turns of a session on the days that are named
	oneDayBonus     = .5   // if it is one day
	soonAfterBonus  = .15  // or, if there is none on them, up to soonAfter days after: people tell what happened
	soonAfter       = 10
	turnDayBonus    = .2 // for a turn that speaks of them itself
	longestDays     = 40 // but not if it speaks of more days than this
)

// How occurrences saturate in a turn with those around it, and in a session.
var (
	inTurn    = BM25{K1: .7}
	inSession = BM25{K1: 1.2, B: 1}
)

// nearby says what share of an occurrence in a turn counts in the one that is by turns from it.
var nearby = []struct {
	by    int
	share float64
}{{1, .3}, {-1, .3}, {2, .15}, {-2, .1}}

// afterQuestion is what share of the words of a question counts in the turn after it, which is often the answer and says
// them no more.
const afterQuestion = .8

// passages adds to scores how far turns say what is asked, each together with its neighbours: an occurrence in a turn
// counts in part in those around it, and is then one of BM25's.
func (x *Index) passages(asked []weighted, scores []float64) {
	n := float64(len(x.turns))
	neighbour, question := x.flow.strength()
	around := make([]float64, len(x.turns))
	sum := make([]float64, len(x.turns))
	total := 0.0
	for _, a := range asked {
		answers, documents := x.said.answers(a.term)
		weight := a.weight * Rarity(n, documents)
		total += weight
		if len(answers) == 0 {
			continue
		}
		clear(around)
		for _, s := range answers {
			x.spread(s, neighbour, question, around)
		}
		for i, count := range around {
			if count > 0 {
				sum[i] += weight * inTurn.Weight(count, 0, 1) // spread counts the lengths
			}
		}
	}
	for i := range scores {
		scores[i] += turnWeight * sum[i] / max(total, 1e-9)
	}
}

// spread adds the occurrences of a term to around, in the turns that say it and, in part, in those beside them.
func (x *Index) spread(s said, neighbour, question float64, around []float64) {
	average := x.said.total / float64(len(x.turns))
	for _, p := range x.said.lists[s.term] {
		i := int(p.document)
		count := s.share * float64(p.count) / (1 - lengthWeight + lengthWeight*x.said.lengths[i]/average)
		around[i] += count
		for _, near := range nearby {
			j := i + near.by
			if j < 0 || j >= len(x.turns) || x.turns[j].session != x.turns[i].session {
				continue
			}
			share := near.share
			if near.by == 1 && x.answers(j) {
				share += question * (afterQuestion - share)
			}
			around[j] += neighbour * share * count
		}
	}
}

// answers reports whether a turn may answer the question of another speaker before it.
func (x *Index) answers(i int) bool {
	t, before := &x.turns[i], &x.turns[i-1]
	return before.traits&asking != 0 && t.traits&asking == 0 && before.speaker != t.speaker
}

// inSessions adds to the scores how far whole sessions say what is asked, by BM25 with full weight on length.
func (x *Index) inSessions(asked []weighted, scores []float64) {
	n := float64(len(x.sessions))
	average := x.said.total / n
	counts := make([]float64, len(x.sessions))
	sum := make([]float64, len(x.sessions))
	total := 0.0
	for _, a := range asked {
		clear(counts)
		having := 0.0
		for _, p := range x.said.lists[a.term] {
			s := x.turns[p.document].session
			if counts[s] == 0 {
				having++
			}
			counts[s] += float64(p.count)
		}
		weight := a.weight * Rarity(n, having)
		total += weight
		for s, count := range counts {
			if count > 0 {
				sum[s] += weight * inSession.Weight(count, x.sessions[s].terms, max(average, 1))
			}
		}
	}
	for i := range scores {
		scores[i] += sessionWeight * sum[x.turns[i].session] / max(total, 1e-9)
	}
}

// factor is what the score of a turn is multiplied by.
func (x *Index) factor(q *question, i int) float64 {
	f := favour(q.traits, x.turns[i].traits)
	if q.only(x.turns[i].speaker) {
		f *= speakerFactor
	}
	return f
}

// bonus is what a turn gets for who says it and for the days it is of.
func (x *Index) bonus(q *question, i int) (sum float64) {
	t := &x.turns[i]
	if q.only(t.speaker) {
		sum += speakerBonus
	}
	if len(q.days) == 0 {
		return sum
	}
	best := 0.0
	for i, d := range q.days {
		switch day := x.sessions[t.session].day; {
		case day == 0:
		case d.first == day && day == d.last:
			best = max(best, oneDayBonus)
		case d.first <= day && day <= d.last:
			best = max(best, sessionDayBonus)
		case !q.held[i] && d.last < day && day <= d.last+soonAfter:
			best = max(best, soonAfterBonus)
		}
	}
	if slices.ContainsFunc(t.days, func(d days) bool { return d.last-d.first < longestDays && slices.ContainsFunc(q.days, d.meet) }) {
		best += turnDayBonus
	}
	return sum + best
}
