package textsearch

import (
	_ "embed" // for the word lists
	"slices"
	"strings"
	"sync"
)

// The word lists, with one or more words a line:
//
//   - stop.txt: words that say nothing about the subject of a text;
//   - talk.txt: words about a conversation itself, which its turns do not say;
//   - common.txt: words of texts about any subject. Two texts that share only such words may be about different things;
//   - irregular.txt: a base, then its irregular forms;
//   - alike.txt: words that answer each other;
//   - kinds.txt: words of a question, a colon, then words that answer them, such as "dog" for "pet".
//
// They are words of everyday life and of software work, in English and Chinese. None was chosen for a test collection.
var (
	//go:embed words/stop.txt
	stopList string
	//go:embed words/talk.txt
	talkList string
	//go:embed words/common.txt
	commonList string
	//go:embed words/irregular.txt
	irregularList string
	//go:embed words/alike.txt
	alikeList string
	//go:embed words/kinds.txt
	kindList string
)

// A lexicon holds the lists.
type lexicon struct {
	stop     map[string]bool     // words, and characters of Chinese
	longest  int                 // characters of the longest Chinese stop word
	talk     map[string]bool     // terms
	common   map[string]bool     // terms
	bases    map[string]string   // by irregular form
	answered map[string][]answer // by the term of the question
}

// An answer is a term that answers the term of a question. Each of its occurrences counts as that share of one.
type answer struct {
	term  string
	share float64
}

// The shares of words of alike.txt and kinds.txt.
const (
	alikeShare = .3
	kindShare  = .45
)

var theLexicon = sync.OnceValue(readLexicon)

func readLexicon() *lexicon {
	l := &lexicon{
		stop: make(map[string]bool), talk: make(map[string]bool), common: make(map[string]bool),
		bases: make(map[string]string), answered: make(map[string][]answer),
	}
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
	for _, w := range strings.Fields(talkList) {
		l.talk[l.term(w)] = true
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
		l.addAnswers(line, line, alikeShare)
	}
	for line := range strings.Lines(kindList) {
		asked, answers, _ := strings.Cut(line, ":")
		l.addAnswers(asked, answers, kindShare)
	}
	return l
}

// addAnswers records that each word of answers answers each word of asked. A pair keeps its first share.
func (l *lexicon) addAnswers(asked, answers string, share float64) {
	for _, a := range strings.Fields(asked) {
		a = l.term(a)
		for _, b := range strings.Fields(answers) {
			b = l.term(b)
			if a != b && !slices.ContainsFunc(l.answered[a], func(s answer) bool { return s.term == b }) {
				l.answered[a] = append(l.answered[a], answer{b, share})
			}
		}
	}
}

// term returns the term of a word in the lists: its stem, or its first two characters.
func (l *lexicon) term(word string) string {
	if r := []rune(word); IsCJK(r[0]) {
		return string(r[:min(len(r), 2)])
	}
	return l.stem(word)
}
