package said

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyOf returns what a sentence is about, as a hash of its words without values and empty words, and its values. The
// key is 0 if it has no value or nothing else. Of values with other words between them, the last is what the sentence
// says, and the others are what it is about: "invoice 17 costs $50".
func keyOf(tokens []token) (uint64, string) {
	capitals := !isGerman(tokens)
	var words, values []string
	apart := false // a word stands between the last value and what follows
	for i := range tokens {
		t := &tokens[i]
		if isValue(tokens, i, capitals) {
			if apart {
				words, values = append(words, values...), nil
			}
			apart, values = false, append(values, t.text)
			continue
		}
		if t.leads&bound != 0 ||
			t.class&empty == 0 && (t.class&(rule|state|correction|unit|points) == 0 || !t.han && t.class&rule != 0) {
			apart, words = true, append(words, stem(t.lower))
		}
		apart = apart || t.class&verb != 0
	}
	if len(values) == 0 || len(words) == 0 || !tokens[0].han && len(words) == 1 && len(words[0]) < 3 {
		return 0, ""
	}
	slices.Sort(words)
	var h maphash.Hash
	h.SetSeed(shapeSeed)
	for _, word := range slices.Compact(words) {
		h.WriteString(word)
		h.WriteByte(0)
	}
	return max(h.Sum64(), 1), joinValues(tokens, values)
}

func joinValues(tokens []token, values []string) string {
	if tokens[len(tokens)-1].han {
		return strings.Join(values, "")
	}
	return strings.Join(values, " ")
}

// isGerman reports whether a sentence is German, so that a capital says nothing.
func isGerman(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.class&german != 0 })
}

// stem takes the genitive off a word.
func stem(word string) string { return strings.TrimSuffix(word, "'s") }

// mostPrefix is how many words before a colon only introduce a sentence: "Correction: the budget is $500".
const mostPrefix = 4

// withoutPrefix drops words that say that a correction follows: "forget that", and those before a colon. Other words
// before a colon may say what the sentence is about: "Staging: the port is 8080".
func withoutPrefix(text string, tokens []token) []token {
	if n := tokens[0].words; tokens[0].leads&correction != 0 && 1 < n && n < len(tokens) {
		return tokens[n:]
	}
	at := strings.IndexAny(text, ":：")
	if at < 0 {
		return tokens
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	prefix, rest := scan(nil, text[:at]), scan(nil, text[at+size:])
	corrects := slices.ContainsFunc(prefix, func(t token) bool { return t.leads&(correction|state) != 0 })
	if len(rest) == 0 || len(prefix) > mostPrefix || !corrects {
		return tokens
	}
	return rest
}

// isValue reports whether a word of a sentence is what a later sentence may replace.
func isValue(tokens []token, i int, capitals bool) bool {
	t := &tokens[i]
	var before class
	if i > 0 {
		before = tokens[i-1].class
	}
	switch {
	case t.class&date != 0:
		return true
	case !t.han && isNumber(t.text):
		return before&label == 0 && !isLabelled(tokens, i)
	case t.class&unit != 0 && i > 0 && isNumber(tokens[i-1].text):
		return true
	case i > 0 && t.class&condition != 0 && allEmpty(tokens[i+1:]):
		return true
	case i > 0 && !t.han && looksNamed(tokens, i, capitals) && namesToEnd(tokens, i, capitals):
		return pointedAt(tokens, i, capitals)
	case t.han:
		return endsChinese(tokens, i)
	}
	return false
}

const mostTail = 4 // Chinese words after one that points, to the end of a sentence, that are what it says

// endsChinese reports whether a Chinese word belongs to the last few words of a sentence after one that points.
func endsChinese(tokens []token, i int) bool {
	n := len(tokens)
	for at := n - 1; at >= max(0, n-1-mostTail); at-- {
		if t := &tokens[at]; !t.han || t.class&points != 0 {
			return t.han && at < i && at > 0
		}
	}
	return false
}

// isLabelled reports whether a number follows a word that it tells from others of its kind: "sensor 12 has", or "the
// port of service 17 in the cluster is 8080", where what the sentence says comes after the verb.
func isLabelled(tokens []token, i int) bool {
	if i == 0 || i+1 == len(tokens) {
		return false
	}
	word := &tokens[i-1]
	if word.han || word.class&(empty|points|unit|date) != 0 || isNumber(word.text) {
		return false
	}
	if tokens[i+1].class&verb != 0 {
		return true
	}
	at := slices.IndexFunc(tokens[i:], func(t token) bool { return t.class&verb != 0 })
	return at >= 0 && slices.ContainsFunc(tokens[i+at:], func(t token) bool { return !t.han && isConcrete(&t) })
}

// looksNamed reports whether a word can be a path, a host, an identifier or the name of somebody. In German, where
// nouns have capitals too, that is one without a determiner.
func looksNamed(tokens []token, i int, capitals bool) bool {
	t := &tokens[i]
	switch {
	case isConcrete(t) || strings.ContainsAny(t.text, "_."):
		return true
	case capitals:
		return isName(t, false) || strings.Contains(t.text, "-") || startsUpper(t.text)
	}
	return i > 0 && startsUpper(t.text) && tokens[i-1].class&determiner == 0
}

func startsUpper(word string) bool { return strings.IndexFunc(word, unicode.IsUpper) == 0 }

// namesToEnd reports whether nothing but names and empty words follows to the end of the sentence, so that the first
// is what the sentence says.
func namesToEnd(tokens []token, from int, capitals bool) bool {
	for i := from; i < len(tokens); i++ {
		if t := &tokens[i]; t.class&verb != 0 || !looksNamed(tokens, i, capitals) && t.class&empty == 0 {
			return false // what precedes a verb is what the sentence is about
		}
	}
	return true
}

// pointedAt reports whether only names and empty words are between a word that points and the name i.
func pointedAt(tokens []token, i int, capitals bool) bool {
	for i--; i > 0 && tokens[i].class&points == 0 && (looksNamed(tokens, i, capitals) || tokens[i].class&empty != 0); {
		i--
	}
	return i >= 0 && tokens[i].class&points != 0
}

func allEmpty(tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return t.class&empty == 0 })
}

// shapeOf is equal for sentences in which only names and numbers differ.
func shapeOf(tokens []token) uint64 {
	var h maphash.Hash
	h.SetSeed(shapeSeed)
	for i := range tokens {
		if t := &tokens[i]; isName(t, i == 0) {
			h.WriteByte(1)
		} else {
			h.WriteString(t.lower)
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}
