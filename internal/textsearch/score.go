package textsearch

import "slices"

// The weights of a score, tuned on five conversations of two people and ten chats with an assistant. flow adapts them
// to other conversations.
const (
	lengthWeight     = .2 // how much an occurrence counts less in a long passage, like BM25.B
	turnWeight       = 1.3
	pairWeight       = .3 // of two terms of the question that follow each other in the passage too
	sessionWeight    = .5
	exchangeWeight   = .5
	sessionTurns     = 30   // the score of a session with more turns counts less, and so do its days
	speakerBonus     = .1   // for turns of the only speaker that the question names
	speakerFactor    = 1.05 // for these turns too
	askingFactor     = .87  // between people, for passages that ask: statements answer more
	standingFactor   = 2.   // for a standing instruction of a user
	preferringFactor = 1.5  // for a preference of a user
	sessionDayBonus  = .3   // for turns of a session on the days that the question names
	oneDayBonus      = .5   // the same for a single day
	soonAfterBonus   = .15  // if no session is on those days, for one up to soonAfter days later, which may report them
	soonAfter        = 10
	turnDayBonus     = .2 // for a passage that mentions the days itself, in a range shorter than maxTurnDays
	maxTurnDays      = 40
)

// How occurrences saturate in a passage with those around it, in an exchange and in a session.
var (
	inTurn     = BM25{K1: .7}
	inExchange = BM25{K1: 1.2, B: .75}
	inSession  = BM25{K1: 1.2, B: 1}
)

// nearby lists the share of an occurrence that counts in the passages after and before it.
var nearby = []struct {
	by    int
	share float32
}{{1, .3}, {-1, .3}, {2, .15}, {-2, .1}}

// afterQuestion is the share for the passage after a question, which often answers without repeating its words.
const afterQuestion = .8

// A scorer scores the passages of an index for one question. Of the many that have nothing in common with the question
// it visits none.
type scorer struct {
	*Index
	question
	rounds
	sums      []float32 // by passage: BM25 over the passage and its neighbours
	own       []bool    // by passage: it says a term of the question itself
	counts    []float32 // by passage: occurrences of the term in progress, shares included
	touched   []int32   // passages with a count
	found     []int32   // passages with a sum
	scale     float64   // of sums
	answers   map[int32]saying
	favours   []favour  // those of the question
	sessions  []float64 // by session: what it adds to its passages
	exchanges []float64 // by round, the same; nil without roles
}

func (x *Index) newScorer(q question) *scorer {
	n := len(x.passages)
	s := &scorer{Index: x, question: q, sums: make([]float32, n), own: make([]bool, n), counts: make([]float32, n)}
	s.answers = make(map[int32]saying)
	for _, v := range favours {
		if q.traits&v.question == v.question {
			s.favours = append(s.favours, v)
		}
	}
	s.scorePassages()
	terms := make([]float64, len(x.sessions))
	for i := range x.sessions {
		terms[i] = x.sessions[i].terms
	}
	s.sessions = s.scoreGroups(inSession, sessionWeight, terms, func(p *passage) int32 { return p.session })
	for i := range s.sessions {
		s.sessions[i] *= x.sessions[i].weight()
	}
	if q.roles() {
		s.rounds = x.roundsOf(q.user)
		of := func(p *passage) int32 { return s.of[p.turn] }
		s.exchanges = s.scoreGroups(inExchange, exchangeWeight, s.rounds.terms, of)
	}
	return s
}

// A saying is what a term adds to a passage: the term of the question that it answers, and its weight.
type saying struct {
	asked  int
	weight float64
}

// says returns how much of the question a passage itself says.
func (s *scorer) says(passage int32) (sum float64) {
	if !s.own[passage] {
		return 0
	}
	said := make([]float64, len(s.question.terms))
	for _, t := range s.termsOf(passage) {
		if a, ok := s.answers[t]; ok {
			sum += max(a.weight-said[a.asked], 0)
			said[a.asked] = max(a.weight, said[a.asked])
		}
	}
	return sum + s.pairsIn(passage)
}

// scorePassages computes BM25 over passages. An occurrence of a term also counts, by a share, in the passages around
// its own: they are often about the same thing.
func (s *scorer) scorePassages() {
	n := float64(len(s.turns))
	total := 0.0
	for k, a := range s.question.terms {
		answers, having := s.postings.answers(a.term)
		weight := a.weight * Rarity(n, min(having, n))
		total += weight
		for _, m := range answers {
			s.spread(m)
			if _, ok := s.answers[m.term]; !ok {
				s.answers[m.term] = saying{k, weight * float64(m.share)}
			}
		}
		for _, i := range s.touched {
			if s.sums[i] == 0 {
				s.found = append(s.found, i)
			}
			s.sums[i] += float32(weight * inTurn.Weight(float64(s.counts[i]), 0, 1)) // spread has adjusted for length
			s.counts[i] = 0
		}
		s.touched = s.touched[:0]
	}
	s.scale = turnWeight / max(total, 1e-9)
}

// spread counts the occurrences of a term: fully in their own passage, less if it is long, and by a share in nearby
// passages of the session.
func (s *scorer) spread(m matching) {
	neighbour, question := s.flow.strength()
	perTerm := float32(lengthWeight / s.postings.average())
	for _, p := range m.postings {
		i := p.document()
		count := m.share * p.count() / (1 - lengthWeight + perTerm*s.postings.lengths[i])
		s.count(i, count)
		s.own[i] = true
		session := s.passages[i].session
		for _, near := range nearby {
			j := i + int32(near.by)
			if j < 0 || int(j) >= len(s.passages) || s.passages[j].session != session {
				continue
			}
			share := near.share
			if near.by == 1 && s.mayAnswer(j) {
				share += float32(question) * (afterQuestion - share)
			}
			s.count(j, float32(neighbour)*share*count)
		}
	}
}

func (s *scorer) count(i int32, by float32) {
	if s.counts[i] == 0 {
		s.touched = append(s.touched, i)
	}
	s.counts[i] += by
}

// mayAnswer reports whether a passage may answer the one before: it is not a question, but follows one of another
// speaker.
func (x *Index) mayAnswer(i int32) bool {
	p, before := &x.passages[i], &x.passages[i-1]
	return before.traits&asking != 0 && p.traits&asking == 0 && before.speaker != p.speaker
}

// scoreGroups returns BM25 over groups of turns, such as sessions, as what it adds to the scores of their passages.
func (s *scorer) scoreGroups(m BM25, factor float64, terms []float64, of func(*passage) int32) []float64 {
	n := float64(len(terms))
	average := max(s.postings.total/n, 1)
	scores, counts := make([]float64, len(terms)), make([]float64, len(terms))
	var touched []int32
	total := 0.0
	for _, a := range s.question.terms {
		for _, p := range s.postings.list(a.term).postings {
			i := of(&s.passages[p.document()])
			if counts[i] == 0 {
				touched = append(touched, i)
			}
			counts[i] += float64(p.count())
		}
		weight := a.weight * Rarity(n, float64(len(touched)))
		total += weight
		for _, i := range touched {
			scores[i] += weight * m.Weight(counts[i], terms[i], average)
			counts[i] = 0
		}
		touched = touched[:0]
	}
	for i := range scores {
		scores[i] *= factor / max(total, 1e-9)
	}
	return scores
}

// weight is how much a session counts. One of many turns is about many things.
func (s *session) weight() float64 { return min(1, sessionTurns/float64(s.turns)) }

// score returns the score of a passage, with extra added to its BM25.
func (s *scorer) score(i int32, extra float64) float64 {
	p := &s.passages[i]
	base := s.scale*(float64(s.sums[i])+extra) + s.sessions[p.session]
	if s.exchanges != nil {
		base += s.exchanges[s.of[p.turn]]
	}
	f := 1.0
	for _, v := range s.favours {
		if p.traits&v.turn != 0 {
			f *= v.factor
		}
	}
	switch {
	case !s.roles():
		if p.traits&asking != 0 {
			f *= askingFactor
		}
	case p.speaker == s.user && s.own[i]:
		if p.traits&standing != 0 {
			f *= standingFactor
		} else if p.traits&preferring != 0 {
			f *= preferringFactor
		}
	}
	sum := 0.0
	if s.namesOnly(p.speaker) {
		f *= speakerFactor
		sum += speakerBonus
	}
	if len(s.question.days) > 0 {
		sum += s.dayBonus(i)
	}
	return base*f + sum
}

// dayBonus returns what is added to the score of a passage for its days.
func (s *scorer) dayBonus(passage int32) float64 {
	session := s.passages[passage].session
	best := 0.0
	for i, d := range s.question.days {
		switch day := s.Index.sessions[session].day; {
		case day == 0:
		case d.first == day && day == d.last:
			best = max(best, oneDayBonus)
		case d.first <= day && day <= d.last:
			best = max(best, sessionDayBonus)
		case !s.onDays[i] && d.last < day && day <= d.last+soonAfter:
			best = max(best, soonAfterBonus)
		}
	}
	best *= s.Index.sessions[session].weight()
	if slices.ContainsFunc(s.Index.days[passage], func(d days) bool {
		return d.last-d.first < maxTurnDays && slices.ContainsFunc(s.question.days, d.meet)
	}) {
		best += turnDayBonus
	}
	return best
}

// termsOf returns the terms of a passage in order.
func (x *Index) termsOf(passage int32) []int32 {
	from, to := x.passages[passage].from, int32(len(x.sequence))
	if int(passage)+1 < len(x.passages) {
		to = x.passages[passage+1].from
	}
	return x.sequence[from:to]
}

// pairsIn returns the weight of the pairs of the question that a passage says.
func (s *scorer) pairsIn(passage int32) (weight float64) {
	terms := s.termsOf(passage)
	for _, p := range s.pairs {
		for i := 1; i < len(terms); i++ {
			if terms[i-1] == p.first && terms[i] == p.second {
				weight += p.weight
				break
			}
		}
	}
	return weight
}
