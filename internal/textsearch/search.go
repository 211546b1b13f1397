package textsearch

import (
	"cmp"
	"slices"
	"time"
)

// considered is how many turns of each list are scored in full.
const considered = 200

// Search returns at most limit turns that answer a question, best first; of equals, the earlier first. At is when the
// question is asked, which "last week" in it counts from; if it is zero, such words are ignored.
func (x *Index) Search(text string, at time.Time, limit int) []Hit {
	if limit <= 0 || len(x.turns) == 0 {
		return nil
	}
	s := x.newScorer(x.read(text, at))
	var hits []Hit
	for _, r := range s.merge(limit) {
		hits = append(hits, s.hit(r))
	}
	return hits
}

// A ranked is a turn with its best passage.
type ranked struct {
	turn, passage int32
	score         float64
}

func byScore(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.turn, b.turn))
}

// A top keeps the best of many.
type top struct {
	best  []ranked
	limit int
	least float64 // that a further one must exceed
}

func (t *top) add(r ranked) {
	if r.score <= t.least {
		return
	}
	if t.best = append(t.best, r); len(t.best) >= 4*t.limit {
		t.trim()
		t.least = t.best[t.limit-1].score
	}
}

func (t *top) trim() {
	slices.SortFunc(t.best, byScore)
	t.best = t.best[:min(len(t.best), t.limit)]
}

// rank returns the best turns of a list, with their best passages: of the long speaker, or of the others.
func (s *scorer) rank(limit int) (others, long []ranked) {
	scores := make([]float32, len(s.turns)) // by turn
	var found []int32                       // turns with a score
	visit := func(passage int32) {
		turn := s.passages[passage].turn
		if score := float32(s.score(passage, 0)); score > scores[turn] {
			if scores[turn] == 0 {
				found = append(found, turn)
			}
			scores[turn] = score
		}
	}
	for _, i := range s.found {
		visit(i)
	}
	s.visitRest(limit, len(found), visit)
	lists := [2]top{{limit: max(limit, considered)}, {limit: max(limit, considered)}}
	for _, t := range found {
		lists[s.listOf(t)].add(ranked{turn: t, score: float64(scores[t])})
	}
	for i := range lists {
		lists[i].trim()
		for k, r := range lists[i].best {
			lists[i].best[k] = s.ranked(r.turn)
		}
		if s.traits&summaryAsked != 0 {
			s.addCounterparts(lists[i].best)
		}
		slices.SortFunc(lists[i].best, byScore)
	}
	return lists[0].best, lists[1].best
}

// visitRest visits the passages without a term of the question: those of sessions on the days that it names and, if
// few turns were found, all.
func (s *scorer) visitRest(limit, found int, visit func(passage int32)) {
	few := found < max(limit, considered)
	if !few && len(s.question.days) == 0 {
		return
	}
	for i := range s.passages {
		if s.sums[i] == 0 && (few || s.dayBonus(int32(i)) > 0) {
			visit(int32(i))
		}
	}
}

// listOf returns the number of the list that a turn is in.
func (s *scorer) listOf(turn int32) int {
	if s.turns[turn].speaker == s.long {
		return 1
	}
	return 0
}

// ranked returns a turn with its best passage and its score.
func (s *scorer) ranked(turn int32) ranked {
	best := ranked{turn: turn, passage: s.turns[turn].first}
	for i := best.passage; i < s.end(turn); i++ {
		extra := 0.0
		if s.own[i] && len(s.pairs) > 0 {
			extra = s.pairsIn(i)
		}
		if score := s.score(i, extra); score > best.score {
			best.passage, best.score = i, score
		}
	}
	return best
}

// The long speaker gets one place in so many: a long turn has many words of every question, but less often the answer.
const (
	longEvery    = 10
	longSummary  = 3 // for a summary
	longAskedFor = 2 // for what the long speaker said
)

// every returns which places are the long speaker's.
func (s *scorer) every() int {
	switch {
	case s.traits&backAsked != 0:
		return longAskedFor
	case s.traits&summaryAsked != 0:
		return longSummary
	}
	return longEvery
}

// merge returns the best turns of both lists.
func (s *scorer) merge(limit int) (merged []ranked) {
	others, long := s.rank(limit)
	every := s.every()
	for place := 1; place <= limit && len(others)+len(long) > 0; place++ {
		from := &others
		if len(others) == 0 || len(long) > 0 && place%every == 0 {
			from = &long
		}
		merged = append(merged, (*from)[0])
		*from = (*from)[1:]
	}
	return merged
}

// hit returns a turn with the passage that says most of the question itself. The best passage may only be next to it,
// as the beginning of a reply is next to the question.
func (s *scorer) hit(r ranked) Hit {
	most := s.says(r.passage)
	for i := s.turns[r.turn].first; i < s.end(r.turn); i++ {
		if says := s.says(i); says > most {
			r.passage, most = i, says
		}
	}
	return Hit{s.turn(r.turn), s.text(r.passage), r.score}
}

// text returns the text of a passage.
func (x *Index) text(i int32) string {
	p := &x.passages[i]
	text := x.turns[p.turn].text[p.start:]
	if int(i)+1 < len(x.passages) && x.passages[i+1].turn == p.turn {
		text = text[:x.passages[i+1].start-p.start]
	}
	return text
}
