package textsearch

import (
	_ "embed" // the lists of words
	"strings"
	"sync"
)

// The lists of words that the search reads texts by, one or more words a line:
//
//   - stop.txt: words that say nothing about what a text is about;
//   - common.txt: words that texts about anything have. Two that share only such a word need not be about one thing;
//   - irregular.txt: a base, then its irregular forms;
//   - alike.txt: words any of which may be asked for by another;
//   - kinds.txt: words that are asked for, a colon, then words that answer them. A question for "pet" is about turns that
//     say "dog".
//
// They are of everyday life and of work with software, in English and Chinese, and written for no collection.
var (
	//go:embed words/stop.txt
	stopList string
	//go:embed words/common.txt
	commonList string
	//go:embed words/irregular.txt
	irregularList string
	//go:embed words/alike.txt
	alikeList string
	//go:embed words/kinds.txt
	kindList string
)

// A lexicon is what the lists say.
type lexicon struct {
	stop     map[string]bool   // words, and characters of Chinese
	longest  int               // characters of the longest Chinese stop word
	common   map[string]bool   // terms
	bases    map[string]string // by irregular form
	answered map[string][]said // by the term that is asked for
}

// said is a term that answers another, and what share of an occurrence one of it counts.
type said struct {
	term  string
	share float64
}

// What an occurrence of another word counts, as a share of one of the word itself.
const (
	alikeShare = .3
	kindShare  = .45
)

var words = sync.OnceValue(readLexicon)

func readLexicon() *lexicon {
	l := &lexicon{stop: make(map[string]bool), common: make(map[string]bool), bases: make(map[string]string), answered: make(map[string][]said)}
	for _, w := range strings.Fields(stopList) {
		l.stop[w] = true
		if r := []rune(w); IsCJK(r[0]) {
			l.longest = max(l.longest, len(r))
		}
	}
	for line := range strings.Lines(irregularList) {
		forms := strings.Fields(line)
		for _, form := range forms[1:] {
			l.bases[form] = forms[0]
		}
	}
	for _, w := range strings.Fields(commonList) {
		l.common[l.term(w)] = true
		for _, r := range w {
			if IsCJK(r) {
				l.common[string(r)] = true // beside the pair
			}
		}
	}
	for line := range strings.Lines(alikeList) {
		l.answer(line, line, alikeShare)
	}
	for line := range strings.Lines(kindList) {
		asked, answers, _ := strings.Cut(line, ":")
		l.answer(asked, answers, kindShare)
	}
	return l
}

// answer notes that every word of asked is answered by those of answers. The first note of a pair stands.
func (l *lexicon) answer(asked, answers string, share float64) {
	for _, a := range strings.Fields(asked) {
		a = l.term(a)
		for _, b := range strings.Fields(answers) {
			if b = l.term(b); a != b && !l.answers(a, b) {
				l.answered[a] = append(l.answered[a], said{b, share})
			}
		}
	}
}

func (l *lexicon) answers(asked, term string) bool {
	for _, s := range l.answered[asked] {
		if s.term == term {
			return true
		}
	}
	return false
}

// term is the one term of a word in the lists: its stem, or its first two characters.
func (l *lexicon) term(word string) string {
	if r := []rune(word); IsCJK(r[0]) {
		return string(r[:min(len(r), 2)])
	}
	return l.stem(word)
}
