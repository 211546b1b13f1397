package textsearch

import "strings"

// stem returns the stem of a lower-case English word by Porter's algorithm (M. F. Porter, An algorithm for suffix
// stripping, 1980). Irregular forms have the stem of their base: "went" has that of "go". Words of one or two letters
// and words of other scripts are returned unchanged.
func (l *lexicon) stem(word string) string {
	if base, ok := l.bases[word]; ok {
		word = base
	}
	if len(word) < 3 || !isLower(word) {
		return word
	}
	w := porter(word)
	w.plurals()
	w.participles()
	if n := len(w); w[n-1] == 'y' && w[:n-1].hasVowel() {
		w[n-1] = 'i'
	}
	w.replace(doubleSuffixes, 0)
	w.replace(singleSuffixes, 0)
	w.replace(lastSuffixes, 1)
	w.finish()
	return string(w)
}

func isLower(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// A porter is a word that is being stemmed. The steps are those of Porter's paper.
type porter []byte

func (w porter) consonant(i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !w.consonant(i-1)
	}
	return true
}

// measure counts the sequences of vowels before a consonant, Porter's m.
func (w porter) measure() int {
	m := 0
	for i := 1; i < len(w); i++ {
		if w.consonant(i) && !w.consonant(i-1) {
			m++
		}
	}
	return m
}

func (w porter) hasVowel() bool {
	for i := range w {
		if !w.consonant(i) {
			return true
		}
	}
	return false
}

func (w porter) ends(suffix string) bool { return strings.HasSuffix(string(w), suffix) }

func (w porter) doubleConsonant() bool {
	n := len(w)
	return n > 1 && w[n-1] == w[n-2] && w.consonant(n-1)
}

// short reports whether the word ends consonant, vowel, consonant other than w, x and y, Porter's *o.
func (w porter) short() bool {
	n := len(w)
	return n > 2 && w.consonant(n-1) && !w.consonant(n-2) && w.consonant(n-3) && !strings.ContainsRune("wxy", rune(w[n-1]))
}

func (w *porter) cut(n int, add string) { *w = append((*w)[:len(*w)-n], add...) }

// plurals is step 1a.
func (w *porter) plurals() {
	switch {
	case w.ends("sses"), w.ends("ies"):
		w.cut(2, "")
	case w.ends("ss"):
	case w.ends("s"):
		w.cut(1, "")
	}
}

// participles is step 1b.
func (w *porter) participles() {
	n := len(*w)
	switch {
	case w.ends("eed"):
		if (*w)[:n-3].measure() > 0 {
			w.cut(1, "")
		}
		return
	case w.ends("ed") && (*w)[:n-2].hasVowel():
		w.cut(2, "")
	case w.ends("ing") && (*w)[:n-3].hasVowel():
		w.cut(3, "")
	default:
		return
	}
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		w.cut(0, "e")
	case w.doubleConsonant() && !w.ends("l") && !w.ends("s") && !w.ends("z"):
		w.cut(1, "")
	case w.measure() == 1 && w.short():
		w.cut(0, "e")
	}
}

// replace replaces the first suffix of a table that the word has, if the measure of the rest is more than m.
func (w *porter) replace(table [][2]string, m int) {
	for _, rule := range table {
		if !w.ends(rule[0]) {
			continue
		}
		left := (*w)[:len(*w)-len(rule[0])]
		if left.measure() > m && (rule[0] != "ion" || left.ends("s") || left.ends("t")) {
			w.cut(len(rule[0]), rule[1])
		}
		return
	}
}

// finish is step 5: it drops a final e and one of two final l.
func (w *porter) finish() {
	if w.ends("e") {
		left := (*w)[:len(*w)-1]
		if m := left.measure(); m > 1 || m == 1 && !left.short() {
			w.cut(1, "")
		}
	}
	if w.ends("ll") && w.measure() > 1 {
		w.cut(1, "")
	}
}

// The suffixes of Porter's steps 2, 3 and 4, each before the suffixes that it ends with.
var (
	doubleSuffixes = [][2]string{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
		{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
		{"iviti", "ive"}, {"biliti", "ble"},
	}
	singleSuffixes = [][2]string{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	lastSuffixes = [][2]string{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
		{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""},
		{"ous", ""}, {"ive", ""}, {"ize", ""},
	}
)
