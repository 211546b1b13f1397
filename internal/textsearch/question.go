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
	parties
	terms    []weighted
	pairs    []pair
	traits   traits
	speakers []bool // by speaker: whether the question names it
	named    int    // how many speakers it names
	days     []days
	onDays   []bool // by element of days: whether a session is on one of them
}

// A pair is two terms that follow each other in a question, by number.
type pair struct {
	first, second int32
	weight        float64
}

// namesOnly reports whether a speaker is the only one that the question names.
func (q *question) namesOnly(speaker int32) bool { return q.named == 1 && q.speakers[speaker] }

// talkWeight is the weight of a word about the talk itself in a question to an assistant.
const talkWeight = .2

// read parses a question that is asked at a time.
func (x *Index) read(text string, at time.Time) question {
	asked := Words(text)
	q := question{parties: x.parties(), traits: traitsOfQuestion(text, asked), speakers: make([]bool, len(x.speakers))}
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
	if q.roles() {
		for i, t := range q.terms {
			if l.talk[t.term] {
				q.terms[i].weight *= talkWeight
			}
		}
	}
	q.pairs = x.pairsOf(terms)
	if q.roles() && !slices.Contains(q.speakers, true) {
		x.pronoun(&q, text)
	}
	for _, named := range q.speakers {
		if named {
			q.named++
		}
	}
	return q
}

// pairsOf returns the pairs of adjacent terms that are both in the index.
func (x *Index) pairsOf(terms []string) (pairs []pair) {
	n := float64(len(x.turns))
	for i := 1; i < len(terms); i++ {
		a, okA := x.postings.numbers[terms[i-1]]
		b, okB := x.postings.numbers[terms[i]]
		if okA && okB {
			rarity := func(t int32) float64 { return Rarity(n, float64(x.postings.lists[t].groups)) }
			pairs = append(pairs, pair{a, b, pairWeight * (rarity(a) + rarity(b)) / 2})
		}
	}
	return pairs
}

// namesSpeaker marks the speakers that a word of a question names: by a part of the name, or by its capitalised
// beginning, as "Mel" for Melanie. Only is false for a run of Chinese, which may contain more than the name.
func (x *Index) namesSpeaker(word, text string, named []bool) (only bool) {
	for i, s := range x.speakers {
		if roleNames.user[s.name] || roleNames.assistant[s.name] {
			continue
		}
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

// Where one speaker is an assistant, a question means it only if it asks what it said; otherwise "I" is the user.
var (
	selfAsked = set("i my me mine we our")
	youSaid   = set("said suggested recommended advised told gave mentioned explained proposed listed described " +
		"provided wrote showed answered offered")
	didYouSay = set("say suggest recommend advise tell give mention explain propose list describe provide write show " +
		"answer offer")
	yourTexts = set("suggestion suggestions recommendation recommendations advice answer answers reply replies response " +
		"responses explanation explanations list plan proposal")
	chineseYouSaid = []string{
		"你说", "你推荐", "你建议", "你提到", "你告诉", "你给我", "你的建议", "你的回答", "您说", "您推荐", "您建议",
	}
)

// asksBack reports whether a question asks what the assistant said: "did you suggest", "you suggested", "your advice".
func asksBack(text string, words []string) bool {
	for i, w := range words {
		next := at(words, i+1)
		if w == "you" && (youSaid[next] || didYouSay[next] && at(words, i-1) == "did") || w == "your" && yourTexts[next] {
			return true
		}
	}
	return containsAny(text, chineseYouSaid)
}

// pronoun marks the party that a question means.
func (x *Index) pronoun(q *question, text string) {
	words := Words(text)
	switch {
	case q.traits&backAsked != 0:
		if q.assistant != unknown {
			q.speakers[q.assistant] = true
		}
	case q.user != unknown && (slices.ContainsFunc(words, func(w string) bool { return selfAsked[w] }) ||
		containsAny(text, chineseSelf)):
		q.speakers[q.user] = true
	}
}
