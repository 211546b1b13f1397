package contextwindow

import (
	"encoding/json"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// edit folds an Edit into the state: the view changes, the units do not. What a quota takes was not counted yet; what
// a compaction takes counts as counted.
func (s *state) edit(e *Edit) {
	used, unseen := s.used, s.unseen
	s.change(e)
	if s.unseen = unseen; e.Cause == causeQuota {
		s.unseen += s.used - used
	} else if s.used != used {
		s.changed = true
	}
	if isLevel(e.Cause) || isRung(e.Cause) {
		s.compacted(s.written)
	}
}

func (s *state) change(e *Edit) {
	switch e.Op {
	case OpCut:
		s.cut(e)
	case OpFold:
		s.fold(e)
	case OpStage:
		s.foldUnits(func(*slot) bool { return true })
		s.slots, s.prompt, s.promptSize, s.fixed = nil, 0, 0, s.frameTokens
		clear(s.live)
		clear(s.pin)
		s.stage, s.focus, s.summary = len(s.units)+1, "", summary{}
		s.setRecord(e.Record)
		s.lines = e.Lines
		s.ledger.compactions++
	case OpLimit:
		s.limit = min(s.limit, e.Limit)
	case OpPin:
		s.pinUnits(e)
	case OpUnpin:
		for _, step := range e.Steps {
			delete(s.pin, step)
		}
	case OpSummary:
		s.summary = summary{e.Steps, e.Text}
	case OpUndo: // the fold goes without the entries that it names
	}
}

// cut shows parts of units shortened. The cuts are in the order of their steps, and so are the slots.
func (s *state) cut(e *Edit) {
	if len(e.Cuts) == 0 {
		return
	}
	at := len(s.slots) - 1
	for at >= 0 && s.slots[at].step != e.Cuts[0].Step {
		at--
	}
	if at < 0 {
		return
	}
	first := at
	s.unrender(first)
	for _, c := range e.Cuts {
		for at < len(s.slots) && s.slots[at].step != c.Step {
			at++
		}
		if at < len(s.slots) {
			s.replace(&s.slots[at], c)
		}
	}
	if e.Cause == causeQuota {
		return
	}
	s.dropSuperseded(first)
	s.ledger.compactions++
}

// replace shows one part of a slot shortened. A message that is edited loses its opaque part.
func (s *state) replace(sl *slot, c Cut) {
	s.own(sl)
	index := partIndex(c)
	m := &sl.messages[index]
	if c.Args {
		m.Calls = slices.Clone(m.Calls)
		m.Calls[c.Part-1].Args = json.RawMessage(c.Text)
	} else {
		m.Text = c.Text
	}
	m.ProviderData = nil
	s.resize(sl, index)
}

// own gives a slot messages that may be changed.
func (s *state) own(sl *slot) {
	if &sl.messages[0] == &s.units[sl.step-1].Messages[0] {
		sl.messages = slices.Clone(sl.messages)
		sl.sizes = slices.Clone(sl.sizes)
	}
	s.forget(sl)
}

// resize counts a message of a slot again.
func (s *state) resize(sl *slot, index int) {
	size := sl.messages[index].Tokens()
	sl.tokens += size - sl.sizes[index]
	s.used += size - sl.sizes[index]
	sl.sizes[index] = size
}

// dropMerged drops the opaque part of the message of the assistant that begins a slot, if it now stands right behind
// another: providers that merge the two would not find it where they wrote it.
func (s *state) dropMerged(i int) {
	if i == 0 || i >= len(s.slots) {
		return
	}
	before, sl := &s.slots[i-1], &s.slots[i]
	if len(before.messages) == 0 || len(sl.messages) == 0 || sl.messages[0].ProviderData == nil {
		return
	}
	if len(before.notes) > 0 || before.messages[len(before.messages)-1].Role != transcript.Assistant {
		return
	}
	s.own(sl)
	sl.messages[0].ProviderData = nil
	s.resize(sl, 0)
}

// fold takes units out of the view and puts the record in their place. Notes that still hold move on to the newest
// message that stays.
func (s *state) fold(e *Edit) {
	steps := e.Steps
	if e.Focus != "" {
		s.focus = e.Focus
	}
	carried := s.foldUnits(func(sl *slot) bool {
		if len(steps) == 0 || sl.step != steps[0] {
			return false
		}
		steps = steps[1:]
		return true
	})
	s.setRecord(e.Record)
	s.lines = e.Lines
	s.dropSuperseded(0)
	if e.Quiet {
		s.dropNotes(0, func(shownNote) bool { return true })
		clear(s.live)
	} else if len(s.slots) > 0 {
		for _, n := range carried {
			s.attach(&s.slots[len(s.slots)-1], n)
		}
	}
	for i := range s.slots {
		s.dropMerged(i)
	}
	s.ledger.compactions++
}

// foldUnits removes the slots that gone picks, adds their units to the ledger and returns their live notes.
func (s *state) foldUnits(gone func(*slot) bool) []shownNote {
	s.unrender(0)
	var carried []shownNote
	late := false // a unit leaves the view after a newer one
	kept := make([]slot, 0, len(s.slots))
	for i := range s.slots {
		sl := &s.slots[i]
		if sl.step == 0 {
			s.used -= sl.tokens
			s.forget(sl)
			carried = append(carried, s.liveNotes(sl)...)
			continue
		}
		if !gone(sl) {
			kept = append(kept, *sl)
			continue
		}
		s.used -= sl.tokens
		s.forget(sl)
		carried = append(carried, s.liveNotes(sl)...)
		s.folded = append(s.folded, sl.step)
		delete(s.pin, sl.step)
		late = late || sl.step < s.ledger.last
		s.ledger.add(s.units[sl.step-1], s.facts)
	}
	s.slots = kept
	if late {
		s.ledger = s.ledgerOf(s.folded)
	}
	return carried
}

// setRecord puts the record behind the prompt, or at the very front while older messages stand before the prompt.
func (s *state) setRecord(text string) {
	if text == "" {
		return
	}
	m := transcript.Message{Role: transcript.User, Text: text, Origin: transcript.Runtime}
	size := m.Tokens()
	at := 0
	if len(s.slots) > 0 && s.slots[0].step == s.prompt {
		at = 1
	}
	s.used += size
	s.slots = slices.Insert(s.slots, at, slot{messages: []transcript.Message{m}, sizes: []int{size}, tokens: size})
}

// liveNotes returns the notes of a slot that no newer note of their kind has superseded.
func (s *state) liveNotes(sl *slot) []shownNote {
	var live []shownNote
	for _, n := range sl.notes {
		if s.live[n.Kind].number == n.number {
			live = append(live, n)
		}
	}
	return live
}

// dropSuperseded removes superseded notes from the slots from an index on, which a compaction changes anyway.
func (s *state) dropSuperseded(from int) {
	s.dropNotes(from, func(n shownNote) bool { return s.live[n.Kind].number != n.number })
}

func (s *state) dropNotes(from int, gone func(shownNote) bool) {
	for i := from; i < len(s.slots); i++ {
		sl := &s.slots[i]
		if !slices.ContainsFunc(sl.notes, gone) {
			continue
		}
		s.forgetNames(sl)
		sl.notes = slices.DeleteFunc(slices.Clone(sl.notes), gone)
		tokens := sum(sl.sizes)
		for _, n := range sl.notes {
			tokens += noteTokens(n.Note)
		}
		s.used += tokens - sl.tokens
		sl.tokens = tokens
		s.dropMerged(i + 1)
	}
}
