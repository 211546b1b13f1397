package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms returns the terms of a text as often as they occur: the stems of its words without stop words and, of Chinese,
// Japanese and Korean, pairs of characters between stop words. After all these come the single characters.
func Terms(text string) []string {
	words := Words(text)
	return append(termsOf(words), characters(words)...)
}

// termsOf returns the stems and pairs of words in order. A single character between two stop words is a term too.
func termsOf(said []string) []string {
	var terms []string
	for _, w := range said {
		terms = theLexicon().appendTerms(terms, w)
	}
	return terms
}

// appendTerms appends the terms of one word, or of one run of characters.
func (l *lexicon) appendTerms(terms []string, word string) []string {
	if !isRun(word) {
		if !l.stop[word] {
			terms = append(terms, l.stem(word))
		}
		return terms
	}
	for _, part := range l.between([]rune(word)) {
		if len(part) == 1 {
			terms = append(terms, string(part))
		}
		for i := range len(part) - 1 {
			terms = append(terms, string(part[i:i+2]))
		}
	}
	return terms
}

// characters returns the single characters of all pairs: two texts may pair the same characters differently.
func characters(said []string) []string {
	var single []string
	for _, w := range said {
		if !isRun(w) {
			continue
		}
		for _, part := range theLexicon().between([]rune(w)) {
			if len(part) > 1 {
				single = append(single, strings.Split(string(part), "")...)
			}
		}
	}
	return single
}

// between returns the parts of a run of characters between stop words. At each place the longest stop word counts.
func (l *lexicon) between(r []rune) (parts [][]rune) {
	start := 0
	for i := 0; i < len(r); {
		n := min(l.longest, len(r)-i)
		for n > 0 && !l.stop[string(r[i:i+n])] {
			n--
		}
		if n == 0 {
			i++
			continue
		}
		if i > start {
			parts = append(parts, r[start:i])
		}
		i += n
		start = i
	}
	if start < len(r) {
		parts = append(parts, r[start:])
	}
	return parts
}

// Words returns the words of a text in lower case, and its runs of Chinese, Japanese or Korean characters. A word
// consists of letters, digits and marks.
func Words(text string) []string {
	const (
		none = iota
		word
		run
	)
	var found []string
	text = strings.ToLower(text)
	start, open := 0, none
	for i, r := range text {
		kind := none
		switch {
		case Unspaced(r):
			kind = run
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			kind = word
		}
		if kind == open {
			continue
		}
		if open != none {
			found = append(found, text[start:i])
		}
		start, open = i, kind
	}
	if open != none {
		found = append(found, text[start:])
	}
	return found
}

// isRun reports whether a word is a run of characters without spaces between words.
func isRun(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return Unspaced(r)
}

// Unspaced reports whether a character is of a script that has no spaces between words.
func Unspaced(r rune) bool {
	return r >= 0x0e00 && (IsCJK(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// IsCJK reports whether a character is Chinese, Japanese or Korean.
func IsCJK(r rune) bool {
	return r >= 0x3040 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
