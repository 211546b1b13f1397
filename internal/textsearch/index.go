package textsearch

import (
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
	Turn    Turn
	Passage string  // the part of the text that answers best
	Score   float64 // above 0; comparable only within one search
}

// An Index finds the turns of conversations that answer a question, by words alone. Searches may run concurrently
// with each other, but not with [Index.Add]. The zero Index is empty.
type Index struct {
	turns    []turn
	passages []passage
	sequence []int32 // the terms of the passages, in order
	sessions []session
	speakers []speaker
	words    map[string]word
	postings postings         // of passages, grouped by turn
	days     map[int32][]days // that a passage mentions
	flow     flow
	years    [2]int // first and last year of the sessions
	scratch  []int32
}

// A turn is a [Turn] in the index.
type turn struct {
	id, text string
	at       time.Time
	speaker  int32
	first    int32 // its first passage; the last is before that of the next turn
}

type session struct {
	id    string
	terms float64
	turns int32
	day   int // 0: unknown
}

type speaker struct {
	said  string   // as it was first written
	name  string   // lower case
	parts []string // its words
	turns int32
	terms float64
}

// Add adds turns in their order.
func (x *Index) Add(turns ...Turn) {
	x.turns, x.passages = slices.Grow(x.turns, len(turns)), slices.Grow(x.passages, len(turns))
	for _, t := range turns {
		x.add(t)
	}
}

func (x *Index) add(t Turn) {
	if n := len(x.sessions); n == 0 || x.sessions[n-1].id != t.Session {
		x.flow.begin()
		x.sessions = append(x.sessions, x.newSession(t))
	}
	kept := turn{id: t.ID, text: t.Text, at: t.At, speaker: x.speaker(t.Speaker), first: int32(len(x.passages))}
	x.turns = append(x.turns, kept)
	from := len(x.sequence)
	terms := x.split(t)
	s := &x.sessions[len(x.sessions)-1]
	s.turns++
	s.terms += terms
	x.speakers[kept.speaker].turns++
	x.speakers[kept.speaker].terms += terms
	x.flow.add(kept.speaker, x.sequence[from:])
}

func (x *Index) newSession(t Turn) session {
	at := t.At
	if at.IsZero() {
		return session{id: t.Session}
	}
	if x.years[0] == 0 {
		x.years[0] = at.Year()
	}
	x.years = [2]int{min(x.years[0], at.Year()), max(x.years[1], at.Year())}
	return session{id: t.Session, day: dayOf(at)}
}

// speaker returns the number of a speaker.
func (x *Index) speaker(name string) int32 {
	i := slices.IndexFunc(x.speakers, func(s speaker) bool { return strings.EqualFold(s.name, name) })
	if i < 0 {
		i = len(x.speakers)
		lower := strings.ToLower(name)
		x.speakers = append(x.speakers, speaker{said: name, name: lower, parts: Words(lower)})
	}
	return int32(i)
}

// turn returns a turn as it was added.
func (x *Index) turn(i int32) Turn {
	t := &x.turns[i]
	return Turn{t.id, x.sessions[x.passages[t.first].session].id, x.speakers[t.speaker].said, t.text, t.at}
}

// end returns the passage after the last one of a turn.
func (x *Index) end(turn int32) int32 {
	if int(turn)+1 < len(x.turns) {
		return x.turns[turn+1].first
	}
	return int32(len(x.passages))
}
