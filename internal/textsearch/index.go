package textsearch

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A Turn is what one speaker said at a time.
type Turn struct {
	ID      string    // the caller's
	Session string    // a session begins where this changes
	Speaker string    // a name, or a role: "user", "assistant"
	Text    string    // with captions of pictures
	At      time.Time // of the turn or its session; zero if unknown
}

// A Hit is a turn that may answer a question.
type Hit struct {
	Turn  Turn
	Score float64 // above 0; comparable only within one search
}

// An Index finds the turns of conversations that answer a question, by words alone. Searches may run concurrently
// with each other, but not with [Index.Add]. The zero Index is empty.
type Index struct {
	turns    []turn
	sessions []session
	speakers []speaker
	postings postings
	flow     flow
	years    [2]int // first and last year of the sessions
}

// A turn is a [Turn] in the index.
type turn struct {
	Turn
	session int32
	speaker int32
	traits  traits
	days    []days // that it mentions
}

type session struct {
	terms float64
	day   int // 0: unknown
}

type speaker struct {
	name  string   // lower case
	parts []string // its words
}

// Add adds turns in their order.
func (x *Index) Add(turns ...Turn) {
	for _, t := range turns {
		x.add(t)
	}
}

func (x *Index) add(t Turn) {
	if n := len(x.turns); n == 0 || x.turns[n-1].Session != t.Session {
		x.flow.begin()
		x.sessions = append(x.sessions, x.newSession(t.At))
	}
	words := Words(t.Text)
	terms := termsOf(words)
	kept := turn{
		Turn: t, session: int32(len(x.sessions) - 1), speaker: x.speaker(t.Speaker), traits: traitsOfTurn(t.Text, words),
	}
	if s := x.sessions[kept.session]; s.day != 0 {
		kept.days = calendar{years: [2]int{t.At.Year(), t.At.Year()}, on: s.day}.find(t.Text, words)
	}
	x.turns = append(x.turns, kept)
	x.sessions[kept.session].terms += float64(len(terms))
	x.postings.add(terms, characters(words))
	x.flow.add(kept.speaker, terms)
}

func (x *Index) newSession(at time.Time) session {
	if at.IsZero() {
		return session{}
	}
	if x.years[0] == 0 {
		x.years[0] = at.Year()
	}
	x.years = [2]int{min(x.years[0], at.Year()), max(x.years[1], at.Year())}
	return session{day: dayOf(at)}
}

// speaker returns the number of a speaker.
func (x *Index) speaker(name string) int32 {
	name = strings.ToLower(name)
	i := slices.IndexFunc(x.speakers, func(s speaker) bool { return s.name == name })
	if i < 0 {
		i = len(x.speakers)
		x.speakers = append(x.speakers, speaker{name, Words(name)})
	}
	return int32(i)
}

// Len returns the number of turns.
func (x *Index) Len() int { return len(x.turns) }

// Search returns at most limit turns that answer a question, best first; of equals, the earlier first. At is when the
// question is asked, which "last week" in it counts from; if it is zero, such words are ignored.
func (x *Index) Search(text string, at time.Time, limit int) []Hit {
	if limit <= 0 || len(x.turns) == 0 {
		return nil
	}
	q := x.read(text, at)
	scores := make([]float64, len(x.turns))
	x.scoreTurns(q.terms, scores)
	x.scoreSessions(q.terms, scores)
	for i := range scores {
		scores[i] = scores[i]*x.factor(&q, i) + x.bonus(&q, i)
	}
	return x.best(scores, limit)
}

// best returns the turns with the highest scores above 0.
func (x *Index) best(scores []float64, limit int) []Hit {
	order := make([]int32, 0, len(scores))
	for i, s := range scores {
		if s > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	hits := make([]Hit, min(limit, len(order)))
	for i := range hits {
		hits[i] = Hit{x.turns[order[i]].Turn, scores[order[i]]}
	}
	return hits
}
