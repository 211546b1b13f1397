package textsearch

import "slices"

// The weights of a score, tuned on five conversations of two people. flow adapts them to other conversations.
const (
	lengthWeight    = .2 // how much an occurrence counts less in a long turn, like BM25.B
	turnWeight      = 1.3
	sessionWeight   = .5
	speakerBonus    = .1   // for turns of the only speaker that the question names
	speakerFactor   = 1.05 // for these turns too
	sessionDayBonus = .3   // for turns of a session on the days that the question names
	oneDayBonus     = .5   // the same for a single day
	soonAfterBonus  = .15  // if no session is on those days, for one up to soonAfter days later, which may report them
	soonAfter       = 10
	turnDayBonus    = .2 // for a turn that mentions the days itself, in a range shorter than maxTurnDays
	maxTurnDays     = 40
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

// scoreTurns adds BM25 over turns to their scores. An occurrence of a term also counts, by a share, in the turns around
// its own: they are often about the same thing.
func (x *Index) scoreTurns(asked []weighted, scores []float64) {
	n := float64(len(x.turns))
	neighbour, question := x.flow.strength()
	counts := make([]float64, len(x.turns)) // occurrences of a term, shares included
	sum := make([]float64, len(x.turns))
	total := 0.0
	for _, a := range asked {
		answers, documents := x.postings.answers(a.term)
		weight := a.weight * Rarity(n, documents)
		total += weight
		if len(answers) == 0 {
			continue
		}
		clear(counts)
		for _, s := range answers {
			x.spread(s, neighbour, question, counts)
		}
		for i, count := range counts {
			if count > 0 {
				sum[i] += weight * inTurn.Weight(count, 0, 1) // spread has adjusted for length already
			}
		}
	}
	for i := range scores {
		scores[i] += turnWeight * sum[i] / max(total, 1e-9)
	}
}

// spread counts the occurrences of a term: fully in their own turn, less if it is long, and by a share in nearby turns
// of the session. Neighbour and question are the factors of flow.strength.
func (x *Index) spread(s answer, neighbour, question float64, counts []float64) {
	average := x.postings.total / float64(len(x.turns))
	for _, p := range x.postings.lists[s.term] {
		i := int(p.document)
		count := s.share * float64(p.count) / (1 - lengthWeight + lengthWeight*x.postings.lengths[i]/average)
		counts[i] += count
		for _, near := range nearby {
			j := i + near.by
			if j < 0 || j >= len(x.turns) || x.turns[j].session != x.turns[i].session {
				continue
			}
			share := near.share
			if near.by == 1 && x.mayAnswer(j) {
				share += question * (afterQuestion - share)
			}
			counts[j] += neighbour * share * count
		}
	}
}

// mayAnswer reports whether a turn may answer the one before: it is no question, but follows one of another speaker.
func (x *Index) mayAnswer(i int) bool {
	t, before := &x.turns[i], &x.turns[i-1]
	return before.traits&asking != 0 && t.traits&asking == 0 && before.speaker != t.speaker
}

// scoreSessions adds BM25 over whole sessions to the scores of their turns.
func (x *Index) scoreSessions(asked []weighted, scores []float64) {
	n := float64(len(x.sessions))
	average := x.postings.total / n
	counts := make([]float64, len(x.sessions))
	sum := make([]float64, len(x.sessions))
	total := 0.0
	for _, a := range asked {
		clear(counts)
		having := 0.0
		for _, p := range x.postings.lists[a.term] {
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
	if q.namesOnly(x.turns[i].speaker) {
		f *= speakerFactor
	}
	return f
}

// bonus returns what is added to the score of a turn for its speaker and its days.
func (x *Index) bonus(q *question, i int) (sum float64) {
	t := &x.turns[i]
	if q.namesOnly(t.speaker) {
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
