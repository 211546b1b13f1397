package rules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// addWord adds a word in lower case, unless it says nothing or another of its stem is there.
func (q *question) addWord(w string, weight float64, optional bool) {
	if len(w) < 2 || stopWords[w] || numberPattern.MatchString(w) {
		return
	}
	if weakWords[w] {
		weight *= weakWeight
	}
	n := newWord(w, formsOf(w), weight, optional)
	for i, o := range q.words {
		if o.pattern == n.pattern {
			q.words[i].weight = max(o.weight, weight)
			q.words[i].optional = o.optional && optional
			return
		}
	}
	q.words = append(q.words, n)
}

// addAcronym adds a word in capitals, which has no other forms: QUIC is not in "quick".
func (q *question) addAcronym(t string, weight float64) {
	low := strings.ToLower(t)
	if stopWords[low] || slices.ContainsFunc(q.words, func(w word) bool { return w.text == low }) {
		return
	}
	title := t[:1] + low[1:]
	pattern := `(?:\b|_)(?i:` + low + `)(?:s?\b|_|\d)|` + t + `[A-Z_]|` + title + `(?:\b|[A-Z_])|\b` + low + `[A-Z]`
	w := newWord(low, pattern, weight, weight < 1)
	w.proper = true
	q.words = append(q.words, w)
}

func newWord(text, pattern string, weight float64, optional bool) word {
	return word{text: text, pattern: pattern, re: regexp.MustCompile(pattern), weight: weight, optional: optional}
}

// formsOf is a pattern for the forms of a word in lower case. Short beginnings must begin a word or a part of a name,
// so that "fit" is not found in "profit".
func formsOf(w string) string {
	s := stem(w)
	forms := alternatives[s]
	if forms == nil {
		forms = []string{s}
	}
	var long, short []string
	for _, f := range forms {
		if len(f) > 5 {
			long = append(long, `(?i:`+f+`)`)
		} else {
			short = append(short, `(?:\b|_)(?i:`+f+`)`, `[a-z0-9]`+strings.ToUpper(f[:1])+f[1:])
		}
	}
	return strings.Join(append(long, short...), "|")
}

// identParts splits a name at underscores and where its case changes, in lower case.
func identParts(name string) []string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		afterLow := i > 0 && !unicode.IsUpper(r[i-1])
		beforeLow := i+1 < len(r) && unicode.IsLower(r[i+1])
		if i > 0 && unicode.IsUpper(c) && (afterLow || beforeLow) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}
