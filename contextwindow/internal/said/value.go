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
	{rule, 3}, {wish, 2}, {decision, 2}, {due, 2}, {state, 1}, {correction, 1}, {limit, 1},
}

const anyCue = rule | wish | decision | due | state | correction | limit

// Bounds and factors of the value.
const (
	mostCues    = 5
	mostNames   = 3
	perName     = .9
	asideValue  = .1
	askedValue  = .15 // of questions and leads
	onceValue   = .2  // of a request for one action
	namelessCut = .25 // of a sentence that names nothing and is pasted, or has no cue
	pastedCues  = .5  // of what cues add in prose that may be pasted: documentation is full of them
	leastStated = .3  // of a sentence that states something and is no aside
	perPerson   = 1.5 // of a sentence that may be pasted and talks to somebody
)

// valueOf is what a sentence is worth before its length and place.
func valueOf(text string, tokens []token, p place) float64 {
	var said class
	asides, names := 0, 0
	for i := range tokens {
		t := &tokens[i]
		said |= t.leads &^ command
		if t.class&aside != 0 {
			asides++
		}
		item := i == 0 && isNumber(t.text) && len(text) > len(t.text) && strings.IndexByte(".)", text[len(t.text)]) >= 0
		if !item && isName(t, i == 0) && (p == own || isConcrete(t)) {
			names++
		}
	}
	v, added := 1.0, 0.0
	for _, c := range cues {
		if said&c.class != 0 {
			added += c.adds
		}
	}
	if p == prose {
		if added *= pastedCues; said&person != 0 {
			added += perPerson
		}
	}
	v += min(mostCues, added) + min(mostNames, perName*float64(names))
	switch {
	case asides == len(tokens):
		return v * asideValue
	case isAsked(text):
		v *= askedValue
	case tokens[0].leads&command != 0 && said&(rule|wish|decision|due) == 0:
		v *= onceValue
	}
	if names == 0 && (p < own || said&anyCue == 0) {
		v *= namelessCut
	}
	return v
}

// states reports whether a sentence says something, instead of asking for it.
func states(text string, tokens []token) bool {
	return len(tokens) > 0 && !isAsked(text) && (tokens[0].leads&command == 0 || tokens[0].leads&anyCue != 0)
}

// codeLine is what a line of code or of a log is worth, 0 without a letter, and a hash that is equal for lines in
// which only names and numbers differ.
func codeLine(text string) (value float64, shape uint64) {
	const offset, prime = 14_695_981_039_346_656_037, 1_099_511_628_211 // FNV-1a
	names, word, named, letters := 0, false, false, false
	hash, before := uint64(offset), uint64(offset) // before: at the beginning of the word
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		upper, digit := c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		if c >= 'a' && c <= 'z' || upper || digit || c >= utf8.RuneSelf || word && strings.IndexByte("_/.-:", c) >= 0 {
			if !word {
				word, named, before = true, false, hash
			} else if upper && !(text[i-1] >= 'A' && text[i-1] <= 'Z') {
				named = true
			}
			named = named || digit || c == '_' || c == '/'
			letters = letters || !digit && c != '.' && c != ':' && c != '-'
		} else if word {
			if word = false; named {
				names++
				hash = (before ^ 1) * prime
			}
		}
		hash = (hash ^ uint64(c)) * prime
	}
	switch {
	case !letters:
		return 0, hash
	case names == 0:
		return namelessCut, hash
	}
	return 1 + min(mostNames, perName*float64(names)), hash
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
		case unicode.IsUpper(r) && (i > 0 || (!first && t.class&empty == 0 || t.class == 0) && len(t.text) > 1):
			return true
		}
	}
	return false
}

// isConcrete reports whether a name is more than a technical term: a number, a date, an amount, a path.
func isConcrete(t *token) bool {
	return t.class&date != 0 || strings.ContainsAny(t.text, "0123456789/@$€£¥")
}

// isNumber reports whether a word is a number, an amount, a time or a version.
func isNumber(word string) bool {
	word = strings.TrimLeft(word, "$€£¥~<>=+-v")
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(r)
}
