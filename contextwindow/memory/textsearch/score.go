package textsearch

import "slices"

// The weights of a score. They were tuned on five conversations of two people; flow adapts them to others.
const (
	lengthWeight    = .2 // how much a long turn counts less, like BM25.B
	turnWeight      = 1.3
	sessionWeight   = .5
	speakerBonus    = .1   // for turns of the only speaker that the question names
	speakerFactor   = 1.05 // for these turns too
	sessionDayBonus = .3   // for turns of a session on the days that the question names
	oneDayBonus     = .5   // the same for a single day
	soonAfterBonus  = .15  // without such a session, for one up to soonAfter days later: people report what happened
	soonAfter       = 10
	turnDayBonus    = .2 // for a turn that mentions the days itself,
	maxTurnDays     = 40 // unless it mentions more days than this
)

// How occurrences saturate in a turn with those around it, and in a session.
var (
	inTurn    = BM25{K1: .7}
	inSession = BM25{K1: 1.2, B: 1}
)

// nearby lists the share of an occurrence that counts in the turns after and before it.
var nearby = []struct {
	by    int
	share float64
}{{1, .3}, {-1, .3}, {2, .15}, {-2, .1}}

// afterQuestion is the share for the turn after a question, which often answers without repeating its words.
const afterQuestion = .8

// passages adds BM25 over turns with their neighbours: an occurrence in a turn counts in part in the turns around it.
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

// spread adds the occurrences of a term to around: all of them to their own turn, less for a long one, and a share to
// the turns nearby in the session. Neighbour and question are the factors of flow.strength.
func (x *Index) spread(s answer, neighbour, question float64, around []float64) {
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
			if near.by == 1 && x.mayAnswer(j) {
				share += question * (afterQuestion - share)
			}
			around[j] += neighbour * share * count
		}
	}
}

// mayAnswer reports whether the turn before is a question of another speaker, and this one is not a question.
func (x *Index) mayAnswer(i int) bool {
	t, before := &x.turns[i], &x.turns[i-1]
	return before.traits&asking != 0 && t.traits&asking == 0 && before.speaker != t.speaker
}

// inSessions adds BM25 over whole sessions to the scores of their turns.
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

// factor returns what the score of a turn is multiplied by.
func (x *Index) factor(q *question, i int) float64 {
	f := favour(q.traits, x.turns[i].traits)
	if q.only(x.turns[i].speaker) {
		f *= speakerFactor
	}
	return f
}

// bonus returns what is added to the score of a turn for its speaker and its days.
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
		case !q.onDays[i] && d.last < day && day <= d.last+soonAfter:
			best = max(best, soonAfterBonus)
		}
	}
	if slices.ContainsFunc(t.days, func(d days) bool {
		return d.last-d.first < maxTurnDays && slices.ContainsFunc(q.days, d.meet)
	}) {
		best += turnDayBonus
	}
	return sum + best
}
