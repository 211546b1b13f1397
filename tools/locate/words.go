package locate

import "unicode/utf8"

// A term is the hash of a stemmed word, or of a whole identifier of several words, in lower case. Two of a million words
// of a tree share a hash with a query's word once in four thousand queries, which moves one word's weight.
type term uint32

// FNV-1a, 32 bits.
const (
	hashOffset = 2166136261
	hashPrime  = 16777619
)

func hash(word []byte) term {
	h := uint32(hashOffset)
	for _, c := range word {
		h = (h ^ uint32(c)) * hashPrime
	}
	return term(h)
}

// longestWord is where an identifier ends that has no end: a line of data, in bytes.
const longestWord = 64

// A splitter takes identifiers apart. It keeps its buffers, so that a file costs no allocation a word.
type splitter struct {
	lower []byte
	stem  []byte
}

// terms calls emit for every word of an identifier, stemmed, and for the identifier as a whole when it has several.
func (s *splitter) terms(id []byte, emit func(term)) {
	s.lower = s.lower[:0]
	parts, from := 0, 0
	flush := func() {
		if word := s.lower[from:]; len(word) > 1 && !allDigits(word) {
			s.stem = stem(append(s.stem[:0], word...))
			emit(hash(s.stem))
			parts++
		}
		from = len(s.lower)
	}
	for i, c := range id {
		if c == '_' || c == '$' {
			flush()
			continue
		}
		if i > 0 && starts(id, i) {
			flush()
		}
		s.lower = append(s.lower, lowered(c))
	}
	flush()
	if parts > 1 {
		emit(hash(s.lower) ^ whole)
	}
}

// whole tells an identifier of several words, "get_query", from the one word that is written alike, "getquery".
const whole = 0x9e3779b9

// starts reports whether a word of camel case begins at i: an upper-case letter behind a lower-case one or a digit, or
// before one at the end of a run, as the second S of HTTPSServer.
func starts(id []byte, i int) bool {
	if !isUpper(id[i]) {
		return false
	}
	if prev := id[i-1]; !isUpper(prev) {
		return prev != '_'
	}
	return i+1 < len(id) && id[i+1] >= 'a' && id[i+1] <= 'z'
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lowered(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

func allDigits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || isUpper(c) || c == '_' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// identifiers calls visit for each identifier of text, a number left out.
func identifiers(text []byte, visit func(from, to int)) {
	for i := 0; i < len(text); {
		if !isWordByte(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isWordByte(text[i]) {
			i++
		}
		if c := text[from]; i-from > 1 && i-from <= longestWord && (c < '0' || c > '9') {
			visit(from, i)
		}
	}
}

// stem takes the ending off a lower-case word, so that "serializer", "serialized" and "serialization" are one.
func stem(w []byte) []byte {
	for _, s := range endings {
		if n := len(w) - len(s); n >= 3 && string(w[n:]) == s {
			if s == "s" && (w[n-1] == 's' || w[n-1] == 'u' || w[n-1] == 'i') {
				continue
			}
			w = w[:n]
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		w = w[:n-1]
	}
	if n := len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

// endings are tried in this order.
var endings = []string{
	"ization", "isation", "ations", "ation", "ition", "izers", "izer", "izing", "ized", "izes", "ize", "ators", "ator",
	"ating", "ated", "ates", "ate", "ments", "ment", "ness", "ities", "ity", "ables", "able", "ible", "ives", "ive", "ings",
	"ing", "ers", "er", "ors", "or", "ions", "ion", "als", "al", "ies", "ied", "ed", "es", "ly", "s", "y", "e",
}
