package locate

import "github.com/forayhq/foray/internal/textsearch"

// A term is the hash of a stemmed word, or of a whole identifier of several words, in lower case. Of a tree with a
// million words, two collide with a word of the query in one of four thousand queries, which changes the weight of
// one word.
type term uint32

// Parameters of the 32-bit FNV-1a hash.
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

// A splitter splits identifiers into terms. It reuses its buffers, so that a file costs no allocation per word.
type splitter struct {
	words textsearch.Splitter
	root  []byte
}

// terms calls emit for every word of an identifier, stemmed, and for the whole identifier if it has several words.
func (s *splitter) terms(name []byte, emit func(term)) {
	words := 0
	joined := s.words.Split(name, func(word []byte) {
		if len(word) > 1 && !allDigits(word) {
			s.root = textsearch.Root(append(s.root[:0], word...))
			emit(hash(s.root))
			words++
		}
	})
	if words > 1 {
		emit(hash(joined) ^ whole)
	}
}

// whole distinguishes an identifier of several words, "get_query", from the single word "getquery".
const whole = 0x9e3779b9

func allDigits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// Robertson's defaults for BM25, and the same without regard to the length of a text.
var (
	bm25      = textsearch.BM25{K1: 1.2, B: .75}
	saturated = textsearch.BM25{K1: 1.2}
)

// bm25Weight is the BM25 weight of a term that occurs n times in a text of some length.
func bm25Weight(n uint16, length int, average float64) float64 {
	return bm25.Weight(float64(n), float64(length), average)
}

// idf is the inverse document frequency of a term that df of n texts contain.
func idf(df, n int) float64 { return textsearch.Rarity(float64(n), float64(df)) }

func eachRun(text []byte, visit func(term)) {
	var first, second term
	var word []byte
	n := 0
	textsearch.Names(text, func(from, to int) {
		word = word[:0]
		for _, c := range text[from:to] {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			word = append(word, c)
		}
		t := hash(word)
		if n++; n > 2 {
			visit((first*hashPrime^second)*hashPrime ^ t)
		}
		first, second = second, t
	})
}
