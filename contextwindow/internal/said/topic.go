package said

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// A topic is what a sentence is about, to compare it with a correction in other words.
type topic struct {
	corrects bool // it says that something changed
	denies   bool
	adds     bool // to something that was said before
	unsure   bool // it supposes, doubts or reports
	past     bool // it says what was so
	several  bool // it names one of several things that somebody uses or has
	han      bool
	words    []string // sorted, without empty ones; parts of a name count each
	bits     uint64   // of the hashes of the words, to see at once that a sentence lacks many of another
	plain    uint64   // of those that are no names
	names    []name
	opens    string     // the name that is the first word
	labels   []numbered // the numbers that tell things of a kind apart
}

// A name is a name as written, with its place among the words that are not empty; a verb takes a place, too.
type name struct {
	text string
	at   int
}

// A numbered is a thing that a number or name sets apart from others of its kind, such as "ticket 12".
type numbered struct{ kind, number string }

// Bounds of a correction in other words.
const (
	sharedPart = .75 // of the older sentence's words, besides its value, that the newer one must hold
	sharedMin  = 2   // words
	sharedHan  = 5   // Chinese words
)

func topicOf(tokens []token) topic {
	var t topic
	counts := false // has a number or date: several of those do not hold at once
	capitals, at := !isGerman(tokens), 0
	for i := range tokens {
		word := &tokens[i]
		if word.class&verb != 0 {
			at++
		}
		t.corrects = t.corrects || word.leads&(news|correction) != 0
		t.adds = t.adds || word.leads&addition != 0
		t.unsure = t.unsure || word.leads&unsure != 0
		t.past = t.past || word.leads&past != 0 || word.class&was != 0 && i+1 < len(tokens) && isPlace(&tokens[i+1])
		t.several = t.several || word.leads&several != 0
		t.denies = t.denies || word.class&denial != 0 && !isContrast(tokens, i) && !bounds(tokens, i)
		t.han = t.han || word.han
		if word.class&empty != 0 && !word.han && word.leads&bound == 0 || word.class&(correction|points) != 0 {
			continue
		}
		at++
		labelled := i > 0 && tokens[i-1].class&label != 0 || isLabelled(tokens, i)
		if labelled && isName(word, i == 0) {
			t.labels = append(t.labels, numbered{tokens[i-1].lower, word.lower})
		}
		named := isConcrete(word) || capitals && isName(word, i == 0) || !capitals && looksNamed(tokens, i, false)
		if !word.han && !labelled && named {
			counts = counts || isNumber(word.text) || word.class&date != 0
			if t.names = append(t.names, name{word.text, at}); i == 0 && !isConcrete(word) {
				t.opens = word.text
			}
		}
		for _, part := range parts(word.lower) {
			bit := uint64(1) << (hashOf(part) % 64)
			if t.bits |= bit; word.han || labelled || !named {
				t.plain |= bit
			}
			t.words = append(t.words, part)
		}
	}
	slices.Sort(t.words)
	t.words = slices.Compact(t.words)
	t.several = t.several && !counts
	return t
}

// isPlace reports whether a word begins what was, instead of what was done.
func isPlace(t *token) bool { return isName(t, false) || t.class&(points|determiner) != 0 }

// isContrast reports whether a denial is between two names or numbers, as in "500, not 300".
func isContrast(tokens []token, i int) bool {
	return i > 0 && i+1 < len(tokens) && isName(&tokens[i-1], i == 1) && isName(&tokens[i+1], false)
}

// bounds reports whether a denial sets a bound for the number beside it, as in "must not exceed 5".
func bounds(tokens []token, i int) bool {
	at := slices.IndexFunc(tokens[i:], func(t token) bool { return t.leads&bound != 0 })
	if at < 0 {
		return false
	}
	for j := max(0, i-boundNear); j < min(i+at+1+boundNear, len(tokens)); j++ {
		if !tokens[j].han && isNumber(tokens[j].text) && (j == 0 || tokens[j-1].class&label == 0) {
			return true
		}
	}
	return false
}

const boundNear = 3 // words between a number and the words that make it a bound, at most

// mayReplace reports whether a sentence that says something else about the same as an older one means that the older
// one no longer holds.
func (t *topic) mayReplace(older *topic) bool {
	switch {
	case t.unsure && !older.unsure:
		return false
	case t.corrects:
		return true
	}
	return !t.adds && !t.denies && !older.denies && !t.past && !t.several
}

// isFirm reports whether a sentence says what is so.
func (t *topic) isFirm() bool { return !t.unsure && !t.denies }

const stemBytes = 6 // of a word, beyond which its endings do not count

// parts splits a word at hyphens and takes the endings off; paths, hosts and identifiers stay whole.
func parts(word string) []string {
	if strings.ContainsAny(word, "0123456789/._@") {
		return []string{word}
	}
	all := strings.FieldsFunc(word, func(r rune) bool { return r == '-' })
	for i, part := range all {
		if part[0] < utf8.RuneSelf {
			all[i] = part[:min(len(part), stemBytes)]
		}
	}
	return all
}

// kind is equal for names that may replace each other.
func kind(name string) byte {
	switch {
	case strings.Contains(name, "/"):
		return '/'
	case isNumber(name):
		return '1'
	case strings.ContainsAny(name, "0123456789"):
		return '_'
	}
	return 'A'
}

// replaces returns the values of an older sentence that a newer one corrects in other words, "" for none. One that does
// not say that it corrects something must hold all other words of the older, and differ in one name only.
func (t *topic) replaces(older *topic) string {
	if len(older.names) == 0 || len(t.names) == 0 || t.lacks(older) || !t.mayReplace(older) || t.numbersOthers(older) {
		return ""
	}
	return t.replaced(older)
}

// replaced returns the values of an older sentence that the words of a newer one replace.
func (t *topic) replaced(older *topic) string {
	var newer []byte // kinds of names that the older one lacks
	for _, name := range t.names {
		if !older.holds(name.text) {
			newer = append(newer, kind(name.text))
		}
	}
	var values []string
	own, changed := 0, 0 // words of the older one's values; names that the newer one lacks
	var last name        // of the values
	for _, name := range older.names {
		if t.holds(name.text) {
			continue
		}
		changed++
		if slices.Contains(newer, kind(name.text)) {
			if last.at > 0 && name.at > last.at+1 && kind(name.text) != kind(last.text) {
				return "" // what the sentence is about changed, and not only its value
			}
			last = name
			own += len(parts(strings.ToLower(name.text)))
			values = append(values, name.text)
		}
	}
	shared := 0
	for _, word := range older.words {
		if _, found := slices.BinarySearch(t.words, word); found {
			shared++
		}
	}
	need := sharedMin
	if t.han {
		need = sharedHan
	}
	part := sharedPart
	switch {
	case t.corrects && changed == 1 && len(newer) == 1 && len(t.words) <= len(older.words) && shared == len(older.words)-own:
		need = 1 // nothing but the value differs
	case !t.corrects:
		if part = 1; changed != 1 || len(newer) != 1 || len(values) == 1 && values[0] == older.opens {
			return ""
		}
	}
	if len(values) == 0 || shared < need || float64(shared) < part*float64(len(older.words)-own) {
		return ""
	}
	if len(values) > 1 && older.opens == values[0] { // a capital that only opens the sentence
		values = values[1:]
	}
	return strings.Join(values, " ")
}

// lacks reports that a sentence has too few words of an older one to replace it: a quick answer for most.
func (t *topic) lacks(older *topic) bool {
	most := 0
	if t.corrects {
		most = int((1 - sharedPart) * float64(len(older.words)))
	}
	return bits.OnesCount64(older.plain&^t.bits) > most
}

// numbersOthers reports whether a sentence is about other things of a kind than an older one: ticket 12, not ticket 7.
func (t *topic) numbersOthers(older *topic) bool {
	return slices.ContainsFunc(older.labels, func(o numbered) bool {
		ofKind := func(n numbered) bool { return n.kind == o.kind }
		return slices.ContainsFunc(t.labels, ofKind) && !slices.Contains(t.labels, o)
	})
}

// holds reports whether a name occurs in the sentence.
func (t *topic) holds(name string) bool {
	for _, part := range parts(strings.ToLower(name)) {
		if _, found := slices.BinarySearch(t.words, part); !found {
			return false
		}
	}
	return true
}
