package textsearch

import "time"

// An Exchange is what may answer a question: a turn and, in a chat with an assistant, its counterpart, which is the
// reply to a user's turn or the user's turn that was replied to.
type Exchange struct {
	Hits []Hit // one or two, in the order in which they were said
	Best int   // which of them was found; the other is its counterpart
}

// Exchanges returns at most limit exchanges that answer a question, best first, like [Index.Search]. No turn is in two
// of them. A question shares words with what the user said, and few with the reply; so a match on either side returns
// both.
func (x *Index) Exchanges(text string, at time.Time, limit int) []Exchange {
	if limit <= 0 || len(x.turns) == 0 {
		return nil
	}
	s := x.newScorer(x.read(text, at))
	var found []Exchange
	shown := make(map[int32]bool)
	for _, r := range s.merge(2 * limit) { // an exchange has two turns at most
		if shown[r.turn] || len(found) == limit {
			continue
		}
		shown[r.turn] = true
		e := Exchange{Hits: []Hit{s.hit(r)}}
		if other, ok := s.counterpart(r.turn); ok && !shown[other.turn] {
			shown[other.turn] = true
			if other.turn > r.turn {
				e.Hits = append(e.Hits, s.hit(other))
			} else {
				e.Hits, e.Best = []Hit{s.hit(other), e.Hits[0]}, 1
			}
		}
		found = append(found, e)
	}
	return found
}

// rounds divide a chat with an assistant: a turn of the user begins one, and so does a session.
type rounds struct {
	of    []int32   // by turn
	first []int32   // turn, by round
	terms []float64 // by round
}

func (x *Index) roundsOf(user int32) rounds {
	r := rounds{of: make([]int32, len(x.turns))}
	for i := range x.turns {
		t := &x.turns[i]
		if i == 0 || t.speaker == user || x.passages[t.first-1].session != x.passages[t.first].session {
			r.first = append(r.first, int32(i))
			r.terms = append(r.terms, 0)
		}
		round := len(r.first) - 1
		r.of[i] = int32(round)
		for p := t.first; p < x.end(int32(i)); p++ {
			r.terms[round] += float64(x.postings.lengths[p])
		}
	}
	return r
}

// counterpart returns the turn that a turn of a user or an assistant belongs with: the best one of the reply, which may
// have several between the calls of tools, or the user's.
func (s *scorer) counterpart(turn int32) (best ranked, ok bool) {
	if s.exchanges == nil {
		return best, false
	}
	first := s.first[s.of[turn]]
	if first != turn {
		return s.ranked(first), s.turns[first].speaker == s.user && s.turns[turn].speaker == s.assistant
	}
	for i := turn + 1; int(i) < len(s.turns) && s.of[i] == s.of[turn]; i++ {
		if s.turns[i].speaker != s.assistant || s.turns[turn].speaker != s.user {
			continue
		}
		if r := s.ranked(i); !ok || r.score > best.score {
			best, ok = r, true
		}
	}
	return best, ok
}

// addCounterparts adds the scores of the counterparts of turns. A summary covers all that was said.
func (s *scorer) addCounterparts(turns []ranked) {
	for i, r := range turns {
		if other, ok := s.counterpart(r.turn); ok {
			turns[i].score += other.score
		}
	}
}
