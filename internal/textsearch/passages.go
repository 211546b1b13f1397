package textsearch

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of a passage, unless a single piece of its turn has more.
const (
	passageTerms = 50
	passageBytes = 2000
)

// A passage is a part of a turn: sentences and lines that follow each other. Long turns are about many things, so
// passages are scored, and a turn is as good as its best one.
type passage struct {
	turn    int32
	session int32 // of the turn
	speaker int32
	start   int32 // in the text of the turn
	from    int32 // its first term in Index.sequence; the last is before that of the next passage
	traits  traits
}

// split adds the passages of the last turn. It returns the number of its terms.
func (x *Index) split(t Turn) (terms float64) {
	b := passageBuilder{x: x, c: calendar{years: [2]int{t.At.Year(), t.At.Year()}}}
	if s := x.sessions[len(x.sessions)-1]; s.day != 0 {
		b.c.on = s.day
	}
	b.begin(0)
	for start := 0; start < len(t.Text); {
		n := pieceLen(t.Text[start:])
		terms += b.add(t.Text[start:start+n], start)
		start += n
	}
	b.end()
	return terms
}

// A passageBuilder adds pieces of a turn to its last passage, or to a new one if that is full.
type passageBuilder struct {
	x      *Index
	c      calendar
	now    passage
	single []string
	days   []days
}

func (b *passageBuilder) begin(start int) {
	n := len(b.x.turns) - 1
	b.now = passage{
		turn: int32(n), session: int32(len(b.x.sessions) - 1), speaker: b.x.turns[n].speaker,
		start: int32(start), from: int32(len(b.x.sequence)),
	}
	b.single, b.days = b.single[:0], nil
}

// add adds a piece of the turn and returns the number of its terms.
func (b *passageBuilder) add(text string, start int) float64 {
	x := b.x
	from := len(x.sequence)
	words := Words(text)
	seen, dated := x.appendSequence(words)
	n := len(x.sequence) - from
	full := from > int(b.now.from) && from-int(b.now.from)+n > passageTerms
	if full || start-int(b.now.start) >= passageBytes {
		moved := slices.Clone(x.sequence[from:])
		x.sequence = x.sequence[:from]
		b.end()
		b.begin(start)
		x.sequence = append(x.sequence, moved...)
	}
	if n > 0 || strings.TrimSpace(text) != "" {
		b.now.traits = b.now.traits&^asking | seen&^cue | traitsOfText(text, words, seen&cue != 0)
	}
	b.single = append(b.single, characters(words)...)
	if b.c.on != 0 && dated {
		b.days = append(b.days, b.c.find(text, words)...)
	}
	return float64(n)
}

// end adds the passage to the index.
func (b *passageBuilder) end() {
	x := b.x
	number := int32(len(x.passages))
	x.passages = append(x.passages, b.now)
	if len(b.days) > 0 {
		if x.days == nil {
			x.days = make(map[int32][]days)
		}
		x.days[number] = b.days
	}
	terms := x.postings.appendNumbers(append(x.scratch[:0], x.sequence[b.now.from:]...), b.single)
	x.postings.add(b.now.turn, terms, len(b.single))
	x.scratch = terms[:0]
}

// A word is what the index knows of a word that it has seen.
type word struct {
	term   int32 // noTerm for a stop word
	traits traits
	dated  bool // it may be part of a date
}

const noTerm = -1

// appendSequence appends the terms of words to the sequence. It returns the traits that single words show, and whether
// one may be part of a date.
func (x *Index) appendSequence(words []string) (seen traits, dated bool) {
	l := theLexicon()
	for _, w := range words {
		if isRun(w) {
			x.sequence = x.postings.appendNumbers(x.sequence, l.appendTerms(nil, w))
			seen |= traitsOfRun(w)
			dated = true
			continue
		}
		known, ok := x.words[w]
		if !ok {
			known = x.learn(w)
		}
		if known.term != noTerm {
			x.sequence = append(x.sequence, known.term)
		}
		seen |= known.traits
		dated = dated || known.dated
	}
	return seen, dated
}

// learn records a word.
func (x *Index) learn(w string) word {
	w = strings.Clone(w) // w may be a part of a long text
	known := word{term: noTerm, traits: traitsOfWord(w), dated: mayDate(w)}
	if terms := theLexicon().appendTerms(nil, w); len(terms) > 0 {
		known.term = x.postings.number(terms[0])
	}
	if x.words == nil {
		x.words = make(map[string]word)
	}
	x.words[w] = known
	return known
}

// maxPiece is the length of the longest piece, in bytes. A longer sentence, or data without spaces, is cut.
const maxPiece = 500

// pieceLen returns the length of the first sentence or line of a text, with the space after it.
func pieceLen(text string) int {
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		i += n
		switch {
		case r == '\n', r == '。', r == '！', r == '？':
			return i
		case i > maxPiece && r == ' ', i > maxPiece+maxPiece/5:
			return i
		case (r == '.' || r == '!' || r == '?') && i < len(text) && text[i] == ' ':
			return i + 1
		}
	}
	return len(text)
}
