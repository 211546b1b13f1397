package said

import (
	_ "embed" // the words
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A class is what words say of their sentence, as a set of bits.
type class uint32

const (
	rule class = 1 << iota
	wish
	decision
	due
	state
	correction
	aside
	command
	empty
	label
	unit
	date
	points
	condition
	verb
	person
	limit
	determiner
	news
	denial
	addition
	unsure
	bound
	several
	past
	was
	refers
	german // of a list of German words
)

var classNames = map[string]class{
	"rule": rule, "wish": wish, "decision": decision, "due": due, "state": state, "correction": correction,
	"aside": aside, "command": command, "empty": empty, "label": label, "unit": unit, "date": date, "points": points,
	"condition": condition, "verb": verb, "person": person, "limit": limit, "determiner": determiner,
	"news": news, "denial": denial, "addition": addition, "unsure": unsure, "bound": bound,
	"several": several, "past": past, "was": was, "refers": refers,
}

//go:embed words.txt
var wordList string

// A phrase is one or more words, or Chinese characters, with their classes.
type phrase struct {
	words []string // in lower case; a Chinese phrase is one word
	class class
}

// phrases are by their first word, Chinese ones by their first character, the longest first.
var phrases = parsePhrases(wordList)

func parsePhrases(list string) map[string][]phrase {
	all, english := make(map[string]class), make(map[string]bool)
	for line := range strings.Lines(list) {
		name, items, found := strings.Cut(line, ":")
		name, language, _ := strings.Cut(name, "-")
		if !found || classNames[name] == 0 {
			continue
		}
		for item := range strings.SplitSeq(items, ",") {
			item = strings.TrimSpace(item)
			if all[item] |= classNames[name]; language == "de" {
				all[item] |= german
			} else {
				english[item] = true
			}
		}
	}
	for item := range english {
		all[item] &^= german
	}
	found := make(map[string][]phrase)
	for text, class := range all {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		first := words[0]
		if r, size := utf8.DecodeRuneInString(first); isHan(r) {
			first = first[:size]
		}
		found[first] = append(found[first], phrase{words, class})
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b phrase) int {
			if c := len(b.words) - len(a.words); c != 0 {
				return c
			}
			if c := len(b.words[0]) - len(a.words[0]); c != 0 {
				return c
			}
			return strings.Compare(strings.Join(a.words, " "), strings.Join(b.words, " "))
		})
	}
	return found
}

func isHan(r rune) bool { return r >= 0x3400 && unicode.Is(unicode.Han, r) }

// A token is a word without the punctuation around it, or a Chinese phrase or character.
type token struct {
	text  string // as written
	lower string
	class class // of the word alone
	leads class // of the phrases that begin with it
	words int   // of the longest of them
	han   bool
}

// scan splits a sentence into tokens and appends them to a slice.
func scan(tokens []token, s string) []token {
	from := len(tokens)
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case isHan(r):
			t := hanToken(s)
			tokens, s = append(tokens, t), s[len(t.text):]
		case inWord(r):
			end := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) || isHan(r) })
			if end < 0 {
				end = len(s)
			}
			if word := strings.Trim(s[:end], trimmed); word != "" {
				tokens = append(tokens, token{text: word, lower: lower(word)})
			}
			s = s[end:]
		default:
			s = s[size:]
		}
	}
	for i := range tokens[from:] {
		t := &tokens[from+i]
		if single := i > 0 && len(t.text) == 1 && startsUpper(t.text) && t.text != "I"; !t.han && !single { // "server A"
			t.classify(tokens[from+i:])
		}
		if besideNumber(tokens[from:], i) && (t.text == "March" || t.text == "May") { // and no verb
			t.class, t.leads = date, date
		}
	}
	return tokens
}

func besideNumber(tokens []token, i int) bool {
	return i > 0 && isNumber(tokens[i-1].text) || i+1 < len(tokens) && isNumber(tokens[i+1].text)
}

const trimmed = ".,:;!?'\"-*_`~()[]{}<>|#"

// inWord reports whether a rune can be part of a word, a number, a path or a host.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && !strings.ContainsRune(",;!?\"()[]{}<>|", r)
	}
	return r != utf8.RuneError && !unicode.IsSpace(r) && !unicode.IsPunct(r) || r == '’'
}

func lower(word string) string {
	if strings.Contains(word, "’") {
		word = strings.ReplaceAll(word, "’", "'")
	}
	return strings.ToLower(word)
}

func hanToken(s string) token {
	_, size := utf8.DecodeRuneInString(s)
	for _, p := range phrases[s[:size]] {
		if strings.HasPrefix(s, p.words[0]) {
			return token{text: p.words[0], lower: p.words[0], class: p.class, leads: p.class, words: 1, han: true}
		}
	}
	return token{text: s[:size], lower: s[:size], words: 1, han: true}
}

// classify looks up the word and the phrases that begin with it; tokens begins with the word.
func (t *token) classify(tokens []token) {
	for _, p := range phrases[t.lower] {
		n := len(p.words)
		if n > len(tokens) {
			continue
		}
		same := true
		for i := 1; i < n && same; i++ {
			same = tokens[i].lower == p.words[i]
		}
		if !same {
			continue
		}
		t.leads, t.words = t.leads|p.class, max(t.words, n)
		if n == 1 {
			t.class = p.class
		}
	}
}
