package intent

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A form is a compiled form of the table.
type form []element

// An element is a slot, or one of several sequences of words.
type element struct {
	slot     string
	options  []form
	optional bool
	word     string // a single word; then the other fields are empty
}

// A match is how a form fits: the typos in it, and its slots.
type match struct {
	cost     int
	captures []capture
}

type capture struct {
	slot   string
	tokens []token
}

// Bounds of a match.
const (
	maxCost      = 2   // typos in the words of a form
	maxNameWords = 6   // of a name that is written as words
	maxText      = 400 // bytes of a quoted message; a longer text is an issue
)

var (
	opening = sync.OnceValue(func() []form { return compileAll(courtesies) })
	closing = sync.OnceValue(func() []form { return compileAll(closings) })
)

func compileAll(forms []string) (all []form) {
	for _, s := range forms {
		all = append(all, compile(s))
	}
	return all
}

// compile reads a form. Brackets do not nest.
func compile(s string) (f form) {
	for s != "" {
		switch s[0] {
		case '(', '[':
			end := strings.IndexAny(s, ")]")
			e := element{optional: s[0] == '['}
			for option := range strings.SplitSeq(s[1:end], "|") {
				e.options = append(e.options, words(option))
				e.optional = e.optional || strings.TrimSpace(option) == ""
			}
			f = append(f, e)
			s = s[end+1:]
		default:
			end := strings.IndexAny(s, "([")
			if end < 0 {
				end = len(s)
			}
			f = append(f, words(s[:end])...)
			s = s[end:]
		}
	}
	return f
}

// words reads words and slots without brackets.
func words(s string) (f form) {
	for _, t := range tokenise(s) {
		if isSlot(t.text) {
			f = append(f, element{slot: t.text})
		} else {
			f = append(f, element{word: t.low})
		}
	}
	return f
}

// slots are the words of a form that take words of the question.
var slots = []string{"NAME", "CODE", "OF", "KIND", "TEXT", "REST", "LIMIT", "CLAUSE"}

func isSlot(s string) bool {
	return slices.Contains(slots, s)
}

// match fits the form to all tokens with at most so many typos, the fewest possible.
func (f form) match(tokens []token, most int) (match, bool) {
	best, ok := match{}, false
	f.walk(tokens, match{}, func(m match, rest []token) {
		if len(rest) == 0 && m.cost <= most && (!ok || m.cost < best.cost) {
			best, ok = m, true
		}
	}, most)
	return best, ok
}

// prefix returns how many tokens the form covers at the beginning, the most possible; 0: it does not match. It allows a
// typo unless the first word is so short that a typo makes another word of it.
func (f form) prefix(tokens []token) int {
	most := 0
	if len(tokens) > 0 && len(tokens[0].low) > 3 {
		most = 1
	}
	longest := 0
	f.walk(tokens, match{}, func(_ match, rest []token) { longest = max(longest, len(tokens)-len(rest)) }, most)
	return longest
}

// walk calls end for each way to fit the form to the beginning of tokens.
func (f form) walk(tokens []token, m match, end func(match, []token), most int) {
	if m.cost > most {
		return
	}
	if len(f) == 0 {
		end(m, tokens)
		return
	}
	e, rest := f[0], f[1:]
	switch {
	case e.slot != "":
		for _, n := range e.lengths(tokens) {
			c := append(m.captures[:len(m.captures):len(m.captures)], capture{e.slot, tokens[:n]})
			cost := m.cost
			if e.slot == "TEXT" && tokens[0].code {
				cost++ // a form for a name is likelier meant
			}
			rest.walk(tokens[n:], match{cost, c}, end, most)
		}
	case e.word != "":
		if len(tokens) > 0 && !tokens[0].quoted {
			m.cost += typos(tokens[0].low, e.word)
			rest.walk(tokens[1:], m, end, most)
		}
	default:
		for _, o := range e.options {
			o.walk(tokens, m, func(m match, left []token) { rest.walk(left, m, end, most) }, most)
		}
		if e.optional {
			rest.walk(tokens, m, end, most)
		}
	}
}

// lengths returns how many tokens the slot may take.
func (e element) lengths(tokens []token) (all []int) {
	switch {
	case len(tokens) == 0:
	case e.slot == "TEXT":
		if tokens[0].quoted && len(tokens[0].text) <= maxText {
			all = append(all, 1)
		}
	case e.slot == "CODE":
		if IsCode(tokens[0].text) && (!tokens[0].quoted || tokens[0].code) {
			all = append(all, 1)
		}
	case e.slot == "LIMIT":
		if limits[tokens[0].low] {
			all = append(all, len(tokens))
		}
	case e.slot == "REST", e.slot == "CLAUSE":
		all = append(all, len(tokens))
	case e.slot == "KIND":
		for n := min(len(tokens), 3); n > 0; n-- {
			if _, ok := kindWords[strings.ToLower(joined(tokens[:n]))]; ok && !tokens[0].quoted {
				all = append(all, n)
			}
		}
	case tokens[0].quoted:
		if !strings.ContainsFunc(tokens[0].text, unicode.IsSpace) || len(strings.Fields(tokens[0].text)) <= maxNameWords {
			all = append(all, 1)
		}
	default:
		for n := 1; n <= min(len(tokens), maxNameWords) && nameable(tokens[n-1]); n++ {
			all = append(all, n)
		}
	}
	return all
}

// errorName matches the name of an error, as code writes it: of several words, in capitals, or with such an end.
var errorName = lazyregexp.New(`^(?:\w+(?:\.|::|#|->))*(?:[A-Z]\w*[a-z][A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+|` +
	`err[A-Z]\w*|[a-z]\w*_(?i:err|error|exception)|(?i:err|error)_\w+|[a-z]\w*(?:Error|Exception)|` +
	`[A-Z]\w*(?:[eE]rror|[eE]xception))$`)

// IsCode reports whether a name is written as code writes that of an error or a constant.
func IsCode(name string) bool { return errorName.MatchString(name) }

// limits begin a name of a bound, written as words.
var limits = wordSet(`max maximum min minimum limit timeout`)

// nameable reports whether a word may be part of a name that is written as words.
func nameable(t token) bool {
	return !t.quoted && isWord(t) && !fillers[t.low]
}

// fillers are words that no name has in it, so that "the way to add it" is no name.
var fillers = wordSet(`a an the this that these those it its is are was were be do does did how why when
		where who whom whose what which or and but if then than so of to i you we they my your our their there here
		difference way purpose point idea meaning reason best between about happens happen make makes should would in
		by 's
		der die das ein eine wie warum wann wo wer ist sind und oder zu von für mit`)

func wordSet(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// typos returns the edits between a word and the one that a form expects; more than [maxCost] if it is another word.
// Short words allow fewer, and a swap of two letters counts as one.
func typos(got, want string) int {
	if got == want {
		return 0
	}
	a, b := []rune(got), []rune(want)
	allowed := 0
	switch n := len(b); {
	case unicode.Is(unicode.Han, b[0]):
	case n >= 8:
		allowed = 2
	case n >= 3:
		allowed = 1
	}
	if allowed == 0 || max(len(a), len(b))-min(len(a), len(b)) > allowed {
		return maxCost + 1
	}
	if d := edits(a, b); d <= allowed {
		return d
	}
	return maxCost + 1
}

// edits is the number of letters to insert, drop, replace or swap with their neighbour to make b of a.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				cost = 1 + min(cost, rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cost = min(cost, rows[i-2][j-2]+1)
			}
			rows[i][j] = cost
		}
	}
	return rows[len(a)][len(b)]
}
