package textsearch

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A question is a query of the index, parsed.
type question struct {
	terms    []weighted
	traits   traits
	speakers []bool // by speaker: whether the question names it
	named    int    // how many speakers it names
	days     []days
	onDays   []bool // by element of days: whether a session is on one of them
}

// namesOnly reports whether a speaker is the only one that the question names.
func (q *question) namesOnly(speaker int32) bool { return q.named == 1 && q.speakers[speaker] }

// read parses a question that is asked at a time.
func (x *Index) read(text string, at time.Time) question {
	asked := Words(text)
	q := question{traits: traitsOfQuestion(text, asked), speakers: make([]bool, len(x.speakers))}
	c := calendar{years: x.years}
	if !at.IsZero() {
		c.on = dayOf(at)
	}
	q.days = c.find(text, asked)
	for _, d := range q.days {
		meets := func(s session) bool { return d.meet(days{s.day, s.day}) }
		q.onDays = append(q.onDays, slices.ContainsFunc(x.sessions, meets))
	}
	var terms []string
	l := theLexicon()
	for _, w := range asked {
		if !x.namesSpeaker(w, text, q.speakers) {
			terms = l.appendTerms(terms, w)
		}
	}
	q.terms = query(terms, characters(asked))
	if !slices.Contains(q.speakers, true) {
		x.pronoun(text, q.speakers)
	}
	for _, named := range q.speakers {
		if named {
			q.named++
		}
	}
	return q
}

// namesSpeaker marks the speakers that a word of a question names: by a part of the name, or by its capitalised
// beginning, as "Mel" for Melanie. Only is false for a run of Chinese, which may contain more than the name.
func (x *Index) namesSpeaker(word, text string, named []bool) (only bool) {
	for i, s := range x.speakers {
		for _, part := range s.parts {
			switch r, _ := utf8.DecodeRuneInString(part); {
			case word == part:
				only = true
			case IsCJK(r):
				if !strings.Contains(word, part) {
					continue
				}
			case len(word) < 3 || !strings.HasPrefix(part, word) || !strings.Contains(text, capital(word)):
				continue
			default:
				only = true
			}
			named[i] = true
		}
	}
	return only
}

func capital(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[n:]
}

// Where speakers are roles, the user's "I" is the user and "you" the assistant.
var (
	roles = []struct {
		speaker  string
		pronouns []string
	}{
		{"user", []string{"i", "my", "我"}},
		{"assistant", []string{"you", "your", "你", "您"}},
	}
	// reminders are openings whose "you" names nobody.
	reminders = []string{
		"do you remember", "do you still remember", "do you know", "can you tell me", "could you tell me",
		"你还记得", "你记得", "你知道", "您还记得", "请你告诉", "你能告诉",
	}
)

// pronoun marks the role that the first pronoun of a question means.
func (x *Index) pronoun(text string, named []bool) {
	text = strings.ToLower(text)
	for _, r := range reminders {
		text = strings.ReplaceAll(text, r, " ")
	}
	for _, w := range Words(text) {
		first, role := len(w), -1
		for i, r := range roles {
			for _, p := range r.pronouns {
				if at := strings.Index(w, p); at >= 0 && at < first && (w == p || w[0] >= utf8.RuneSelf) {
					first, role = at, i
				}
			}
		}
		if role < 0 {
			continue
		}
		for i, s := range x.speakers {
			named[i] = s.name == roles[role].speaker
		}
		return
	}
}
