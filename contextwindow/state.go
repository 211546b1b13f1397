package contextwindow

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// noteAgain is how many tokens after its last writing the same note is written again (architecture).
const noteAgain = 4_000

// A slot is one unit as the view shows it, or the record, with the notes that were written behind it.
type slot struct {
	step     int // of the unit; 0: the record
	messages []transcript.Message
	sizes    []int // of messages, in tokens
	notes    []shownNote
	tokens   int // of messages and notes
	at       int // of its first message in the view, once rendered

	indexed bool       // whether names are counted in the index
	names   []string   // identifiers of messages and notes
	lines   *slotLines // nil: not in the index of runs
}

// A shownNote is a note with its number among all notes, so that the older of two equal ones is known.
type shownNote struct {
	Note
	number int
}

// state is what a window's entries fold to. It holds nothing that does not follow from them.
type state struct {
	meter
	pace
	facts       func(transcript.ToolCall, transcript.Message) []Fact
	frame       Prefix
	frameTokens int
	units       []*Unit // by step, from 1
	sizes       [][]int // of the messages of each unit as they were received, in tokens
	slots       []slot  // what the view is made of, in its order
	prompt      int     // step of the message that opened the run; 0: none yet
	promptSize  int     // of that message, in tokens
	ledger      ledger  // of all that was folded
	limit       int     // tokens
	written     int     // tokens ever added, for the age of notes
	noted       int     // notes ever written
	live        map[string]liveNote

	stage   int          // step from which on units are of the present stage; 0: all are
	pin     map[int]bool // steps of pinned units
	focus   string       // what the record looks at
	summary summary      // by a model

	folded []int       // steps of all units that were folded, in the order of their folding
	lines  []KeptLines // key lines that the record shows
	names  nameIndex   // nil until it is asked
	count  nameCount
	runs   lineIndex // nil until it is asked

	view     []transcript.Message
	rendered int // slots that stand in view
	handed   int // messages of view that a caller may hold
}

// A liveNote is the newest note of a kind.
type liveNote struct {
	text    string
	number  int
	written int // state.written at its writing
	folds   int // compactions before its writing
}

func newState(limit int, ratio float64, facts func(transcript.ToolCall, transcript.Message) []Fact) state {
	return state{facts: facts, limit: limit, meter: meter{ratio: ratio}, live: make(map[string]liveNote), pin: make(map[int]bool)}
}

// apply folds an entry that has been checked into the state.
func (s *state) apply(e Entry) {
	switch {
	case e.Prefix != nil:
		s.setFrame(*e.Prefix)
	case e.Unit != nil:
		s.addUnit(e.Unit, messageSizes(e.Unit.Messages))
	case e.Edit != nil:
		s.edit(e.Edit)
	case e.Note != nil:
		s.addNote(*e.Note)
	case e.Observed != nil:
		s.observe(*e.Observed)
	}
}

func (s *state) setFrame(f Prefix) {
	tokens := toollimit.Tokens(f.System)
	for _, t := range f.Tools {
		tokens += t.Tokens()
	}
	s.names.add(namesOf(s.frame.System), -1)
	s.names.add(namesOf(f.System), 1)
	s.used += tokens - s.frameTokens
	s.frame, s.frameTokens = f, tokens
	s.fixed = s.frameTokens + s.promptSize
}

// addUnit shows a unit behind all others. The record, if nothing else stands there, goes behind a new prompt.
func (s *state) addUnit(u *Unit, sizes []int) {
	s.units, s.sizes = append(s.units, u), append(s.sizes, sizes)
	tokens := sum(sizes)
	s.grow(tokens)
	s.written += tokens
	s.slots = append(s.slots, slot{step: u.Step, messages: u.Messages, sizes: sizes, tokens: tokens})
	if u.Messages[0].Role == transcript.Assistant {
		s.rounds++
	}
	if !s.opensRun(u.Messages[0]) {
		return
	}
	s.prompt, s.promptSize = u.Step, tokens
	s.fixed = s.frameTokens + s.promptSize
	if last := len(s.slots) - 1; last == 1 && s.slots[0].step == 0 {
		s.unrender(0)
		s.slots[0], s.slots[1] = s.slots[1], s.slots[0]
	}
}

// opensRun reports whether a message opens a run: it says so, or is the first word of the user that is not history.
func (s *state) opensRun(m transcript.Message) bool {
	return m.Role == transcript.User && (m.Origin == transcript.Prompt || m.Origin == "" && s.prompt == 0)
}

func (s *state) addNote(n Note) {
	if len(s.slots) == 0 {
		s.slots = append(s.slots, slot{})
	}
	last := len(s.slots) - 1
	s.unrender(last)
	s.noted++
	s.attach(&s.slots[last], shownNote{n, s.noted})
	s.live[n.Kind] = liveNote{text: n.Text, number: s.noted, written: s.written, folds: s.ledger.compactions}
}

func (s *state) attach(to *slot, n shownNote) {
	tokens := noteTokens(n.Note)
	s.forgetNames(to)
	to.notes = append(slices.Clip(to.notes), n)
	to.tokens += tokens
	s.grow(tokens)
	s.written += tokens
}

// noteStands reports whether a note needs not be written again.
func (s *state) noteStands(note Note) bool {
	n, ok := s.live[note.Kind]
	return ok && n.text == note.Text && n.folds == s.ledger.compactions && s.written-n.written < noteAgain
}

// messageSizes returns the estimate of each message, in tokens.
func messageSizes(messages []transcript.Message) []int {
	sizes := make([]int, len(messages))
	for i := range messages {
		sizes[i] = messages[i].Tokens()
	}
	return sizes
}

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n
	}
	return total
}
