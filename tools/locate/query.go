package locate

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Mode says what kind of text a query is.
type Mode string

// The modes.
const (
	Question Mode = "question" // a sentence or two, such as "where is the cache cleared?"
	Issue    Mode = "issue"    // a change request: a title, prose, code, tracebacks
)

// Bounds of a query. The longest recorded issue has 40,000 bytes.
const (
	maxQuery  = 100_000 // bytes
	leadRunes = 700     // of the beginning, which counts more
	maxFound  = 300     // of names, paths, modules and frames each
)

type query struct {
	mode             Mode
	title, lead, all words
	titleNames       []string        // identifiers in the title that look like code
	names            []string        // and in the whole text
	qualified        []string        // Class.method
	own              map[string]bool // names that code in the text defines
	paths            []string        // mentioned files, except those of tracebacks
	dotted           []string        // a.b.C
	framed           map[string]bool // functions in tracebacks
	runs             map[term]bool   // all runs of three words
	hashes           []string        // candidates for hashes of commits
	numbers          []string        // of issues and pull requests
}

// words are the terms of a text, sorted, with their weights and spellings.
type words struct {
	terms  []term
	weight []float64
	text   map[term]string
}

const fileEndings = `py|pyx|pyi|go|tsx?|jsx?|rs|java|c|h|cc|cpp|hpp|cs|rb|php|kt|swift|scala|sh|` +
	`toml|cfg|ini|ya?ml|rst|md|html|txt`

var (
	commentPattern = lazyregexp.New(`(?s)<!--.*?-->`)
	pathPattern    = lazyregexp.New(`[\w.\-]*(?:/[\w.\-]+)+\.\w{1,5}\b|\b[\w\-]+\.(?:` + fileEndings + `)\b`)
	dottedPattern  = lazyregexp.New(`\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+`)
	namePattern    = lazyregexp.New(`\b[A-Za-z]*_\w+|\b[a-z]+[A-Z]\w+|\b[A-Z]\w+|\b[A-Za-z_]\w+\(`)
	tickPattern    = lazyregexp.New("`([^`\n]{1,80})`")
	ownPattern     = lazyregexp.New(`(?m)^[ \t>.]*(?:async )?` +
		`(?:class|def|func|function|fn|interface|struct)[ \t]+(\w+)`)
	framePattern = lazyregexp.New(`File "([^"\n]+)", line \d+(?:, in (\w+))?`)
	// importPattern also finds short names that are imported: "from django.db.models import Q".
	importPattern = lazyregexp.New(`(?m)^[ \t>.]*from[ \t]+[\w.]+[ \t]+import[ \t]*\(?\s*((?:\w+\s*,\s*)*\w+)`)
	hashPattern   = lazyregexp.New(`\b[0-9a-f]{7,64}\b`)
	numberPattern = lazyregexp.New(`(?:(?:^|[^&\w])#|\b(?i:gh-|issues/|pull/|ticket/|ticket |pr ))(\d{3,7})\b`)
	placePattern  = lazyregexp.New(`([\w./\-]+\.\w{1,4}):\d+`)
)

// parse parses a text, whatever its bytes.
func parse(text string, mode Mode) *query {
	text = commentPattern.ReplaceAllString(strings.ReplaceAll(text[:min(len(text), maxQuery)], "\r\n", "\n"), " ")
	text = strings.TrimSpace(text)
	title, _, _ := strings.Cut(text, "\n")
	q := &query{
		mode: mode, title: wordsOf(title), lead: wordsOf(firstRunes(text, leadRunes)), all: wordsOf(text),
		titleNames: namesIn(title), names: namesIn(text),
		own: make(map[string]bool), framed: make(map[string]bool), runs: make(map[term]bool),
	}
	for _, m := range ownPattern.FindAllStringSubmatch(text, maxFound) {
		q.own[m[1]] = true
	}
	q.dotted = distinct(dottedPattern.FindAllString(strings.ReplaceAll(text, "::", "."), maxFound))
	for _, d := range q.dotted {
		parts := strings.Split(d, ".")
		for n := 2; n <= len(parts); n++ {
			q.qualified = append(q.qualified, strings.Join(parts[n-2:n], "."))
		}
	}
	q.qualified = distinct(q.qualified)
	q.takePaths(strings.ReplaceAll(text, `\`, "/"))
	q.hashes = distinct(hashPattern.FindAllString(text, maxFound))
	q.numbers = numbersIn(text)
	eachRun([]byte(text), func(t term) { q.runs[t] = true })
	return q
}

// takePaths finds the paths in a text and the functions in its tracebacks.
func (q *query) takePaths(text string) {
	passed := make(map[string]bool)
	for _, m := range framePattern.FindAllStringSubmatch(text, maxFound) {
		passed[m[1]] = true
		q.framed[m[2]] = true
	}
	for _, m := range placePattern.FindAllStringSubmatch(text, maxFound) {
		passed[m[1]] = true
	}
	for _, p := range distinct(pathPattern.FindAllString(text, maxFound)) {
		if !passed[p] {
			q.paths = append(q.paths, strings.TrimLeft(p, "./"))
		}
	}
}

// numbersIn lists the issues and pull requests in a text: #123, gh-123, issues/123, ticket 123.
func numbersIn(text string) (numbers []string) {
	for _, m := range numberPattern.FindAllStringSubmatch(text, maxFound) {
		numbers = append(numbers, strings.Clone(m[1])) // do not keep the whole text
	}
	return distinct(numbers)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func distinct(list []string) []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// namesIn finds identifiers that look like code.
func namesIn(text string) []string {
	var found []string
	for _, m := range tickPattern.FindAllStringSubmatch(text, maxFound) {
		textsearch.Names([]byte(m[1]), func(from, to int) { found = append(found, m[1][from:to]) })
	}
	for _, m := range namePattern.FindAllString(text, maxFound) {
		found = append(found, strings.TrimSuffix(m, "("))
	}
	found = slices.DeleteFunc(distinct(found), func(s string) bool { return len(s) < 3 || stopWords[strings.ToLower(s)] })
	for _, m := range importPattern.FindAllStringSubmatch(text, maxFound) {
		for name := range strings.FieldsFuncSeq(m[1], func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
			if len(name) < 3 && name[0] >= 'A' && name[0] <= 'Z' {
				found = append(found, name)
			}
		}
	}
	return distinct(found)
}

// wordsOf returns the words of a text without stop words. Two that stand side by side also count as a compound: "thread
// pool" is threadpool in code.
func wordsOf(text string) words {
	var sp splitter
	raw := []byte(text)
	counts, w := make(map[term]int), words{text: make(map[term]string)}
	add := func(from, to int, name []byte) {
		sp.terms(name, func(t term) {
			if counts[t]++; counts[t] == 1 {
				w.terms = append(w.terms, t)
				w.text[t] = text[from:to]
			}
		})
	}
	start, end := 0, 0 // of the word before
	textsearch.Names(raw, func(from, to int) {
		word := bytes.ToLower(raw[from:to])
		if stopWords[string(word)] {
			return
		}
		add(from, to, raw[from:to])
		if gap := text[end:from]; end > 0 && (gap == " " || gap == "-") && isPlain(raw[start:end]) && isPlain(raw[from:to]) {
			add(start, to, append(bytes.ToLower(raw[start:end]), word...))
		}
		start, end = from, to
	})
	slices.Sort(w.terms)
	for _, t := range w.terms {
		w.weight = append(w.weight, saturated.Weight(float64(counts[t]), 0, 1))
	}
	return w
}

// isPlain reports whether a word has only letters, and capitals only at its beginning.
func isPlain(word []byte) bool {
	return !bytes.ContainsFunc(word[:1], func(c rune) bool { return !unicode.IsLetter(c) }) &&
		!bytes.ContainsFunc(word[1:], func(c rune) bool { return c < 'a' || c > 'z' })
}

// stopWords say nothing about code.
var stopWords = setOf(`a an and are as at be been but by can could do does doing done for from had has have he
	how i if in into is it its just like may me more my no not of on one only or our out over same she should so some
	such than that the their them then there these they this those to too up us use used using was we were what when where
	which while who why will with would you your also about after all any because before between both each here now
	other own very`)
