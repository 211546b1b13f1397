package said

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the classes of words add to the value of their sentence, each once.
var cues = []struct {
	class class
	adds  float64
}{
	{rule, 3}, {wish, 2}, {decision, 2}, {due, 2}, {state, 1}, {correction, 1},
}

// Bounds and factors of the value.
const (
	mostCues    = 5
	mostNames   = 3
	perName     = .9
	asideValue  = .1
	askedValue  = .3 // of questions and leads
	onceValue   = .4 // of a request for one action
	namelessCut = .5 // of a pasted sentence that names nothing
)

// valueOf is what a sentence is worth before its length and place, 0 for one without a word, and whether it is an
// aside.
func valueOf(text string, tokens []token, p place) (float64, bool) {
	if len(tokens) == 0 {
		return 0, false
	}
	var said class
	asides, names := 0, 0
	for i := range tokens {
		t := &tokens[i]
		said |= t.leads &^ command
		if t.class&aside != 0 {
			asides++
		}
		if isName(t, i == 0) {
			names++
		}
	}
	v, added := 1.0, 0.0
	for _, c := range cues {
		if said&c.class != 0 {
			added += c.adds
		}
	}
	if p == code { // its words are no instructions
		added = min(added, 1)
	}
	v += min(mostCues, added) + min(mostNames, perName*float64(names))
	switch {
	case asides == len(tokens):
		return v * asideValue, true
	case isAsked(text):
		v *= askedValue
	case tokens[0].leads&command != 0 && said&(rule|wish|decision|due) == 0:
		v *= onceValue
	}
	if p < own && names == 0 {
		v *= namelessCut
	}
	return v, false
}

// isAsked reports whether a sentence is a question, or only leads to what follows.
func isAsked(text string) bool {
	text = strings.TrimRight(text, " \"'”’)）*_")
	for _, end := range []string{"?", "？", "吗", ":", "："} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// isName reports whether a word names something: it holds a digit, an inner sign or capital, or is capitalised inside
// a sentence.
func isName(t *token, first bool) bool {
	if t.han {
		return t.class&date != 0
	}
	if t.class&date != 0 {
		return true
	}
	for i, r := range t.text {
		switch {
		case unicode.IsDigit(r), strings.ContainsRune("_/@$€£¥", r), i > 0 && r == '.':
			return true
		case unicode.IsUpper(r) && (i > 0 || !first && t.class&empty == 0 && len(t.text) > 1):
			return true
		}
	}
	return false
}

// isNumber reports whether a word is a number, an amount, a time or a version.
func isNumber(word string) bool {
	word = strings.TrimLeft(word, "$€£¥~<>=+-v")
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(r)
}
