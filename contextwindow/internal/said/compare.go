package said

import (
	"slices"
	"strings"
)

// A Relation is how what was said later bears on what was said before.
type Relation uint8

// The relations.
const (
	Unrelated Relation = iota // they say the same, or are about something else
	Beside                    // another value for the same, but both can hold: "never write to /a", "never write to /b"
	Replacing                 // the older no longer holds
)

// Compare compares a message with an older one, sentence by sentence, as a [Pool] does.
func (m *Message) Compare(older *Message) Relation {
	found := Unrelated
	for i := range m.Sentences {
		for j := range older.Sentences {
			found = max(found, m.Sentences[i].compare(&older.Sentences[j]))
		}
	}
	return found
}

// HasValues reports whether a message says anything that may replace something else.
func (m *Message) HasValues() bool {
	return slices.ContainsFunc(m.Sentences, func(s Sentence) bool { return s.key != 0 || len(s.topic.names) > 0 })
}

// Names reports whether a message names everything that an older one names, numbers included.
func (m *Message) Names(older *Message) bool {
	for i := range older.Sentences {
		o := &older.Sentences[i].topic
		lacks := func(n name) bool {
			return !slices.ContainsFunc(m.Sentences, func(s Sentence) bool { return s.topic.holds(n.text) })
		}
		others := func(s Sentence) bool { return s.topic.numbersOthers(o) }
		if slices.ContainsFunc(o.names, lacks) || slices.ContainsFunc(m.Sentences, others) {
			return false
		}
	}
	return true
}

func (s *Sentence) compare(older *Sentence) Relation {
	about := s.key != 0 && s.key == older.key
	switch {
	case older.Own && !s.Own, about && s.values == older.values:
		return Unrelated
	case about && s.mayReplace(older), !about && s.corrects(older) != "":
		return Replacing
	case about:
		return Beside
	}
	return Unrelated
}

// MayReplace reports whether a message could mean that what an older one says no longer holds: it does not add to it,
// deny something else, suppose or report, and is about no other thing of a kind.
func (m *Message) MayReplace(older *Message) bool {
	for i := range m.Sentences {
		for j := range older.Sentences {
			t, o := &m.Sentences[i].topic, &older.Sentences[j].topic
			if !t.mayReplace(o) || t.numbersOthers(o) {
				return false
			}
		}
	}
	return true
}

// mayReplace reports whether a sentence with other values than an older one about the same means that the older one no
// longer holds. A denial may name the older value: "not $300 but $500".
func (s *Sentence) mayReplace(older *Sentence) bool {
	names := s.topic.denies && !older.topic.denies && s.namesValues(older)
	return names && !s.topic.unsure || s.topic.mayReplace(&older.topic)
}

// namesValues reports whether the values of an older sentence are among those of a newer one: $30 is not part of $300.
func (s *Sentence) namesValues(older *Sentence) bool {
	if s.topic.han {
		return strings.Contains(s.values, older.values) // joined without blanks
	}
	return strings.Contains(" "+s.values+" ", " "+older.values+" ")
}

// corrects returns the values of an older sentence that a newer one corrects in other words, "" for none. Only what is
// in the writer's own words does so without saying that it corrects.
func (s *Sentence) corrects(older *Sentence) string {
	if older.Own && !s.Own || !s.Own && !s.topic.corrects {
		return ""
	}
	return s.topic.replaces(&older.topic)
}
