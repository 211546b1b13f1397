package locate

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Mode says what kind of text a query is.
type Mode string

// The modes. The zero value is Question.
const (
	Question Mode = "question" // a sentence or two: what does, where is
	Issue    Mode = "issue"    // a report of something to be changed: a title, prose, code, tracebacks
)

// maxQuery is how much of a query is read, in bytes: the longest issue of the recorded ones has 40,000.
const maxQuery = 100_000

// A query is a text taken apart.
type query struct {
	mode                   Mode
	title                  words
	lead                   words // its first leadRunes
	all                    words
	names                  []string        // identifiers that look like code, as they are written, the most certain first
	paths                  []string        // files mentioned, "/" between
	dotted                 []string        // a.b.C
	frames                 []frame         // of tracebacks, as they come
	own                    map[string]bool // names that the text's own code defines
	titleNames, titleWords []string
	imports                []string         // modules that its code imports, as paths
	runs                   map[term]float64 // hashes of three words in a row
}

// A frame is a line of a traceback.
type frame struct {
	path string
	line int
	name string
}

// words are the terms of a text, sorted, each with its weight.
type words struct {
	terms  []term
	weight []float64
}

const leadRunes = 700

var (
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	filePath  = regexp.MustCompile(`[\w.\-]*(?:[/\\][\w.\-]+)+\.\w{1,5}\b|\b[\w\-]+\.(?:py|pyx|go|ts|tsx|js|jsx|rs|java|c|h|cc|cpp|hpp|cs|rb|php|kt|swift|scala|sh|toml|cfg|rst|md|html|txt)\b`)
	dottedRef = regexp.MustCompile(`\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+`)
	codeName  = regexp.MustCompile(`\b[A-Za-z]*_\w+|\b[a-z]+[A-Z]\w+|\b[A-Z]+[a-z]+[A-Z]\w*|\b[A-Z]\w+|\b[A-Za-z_]\w+\(`)
	ticked    = regexp.MustCompile("`([^`\n]{1,80})`")
	frameLine = regexp.MustCompile(`File "([^"\n]+)", line (\d+)(?:, in (\S+))?`)
)

// parse takes a text apart. It reads any bytes.
func parse(text string, mode Mode) *query {
	if len(text) > maxQuery {
		text = text[:maxQuery]
	}
	text = comment.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), " ")
	text = strings.TrimSpace(text)
	title, _, _ := strings.Cut(text, "\n")
	q := &query{mode: mode, title: wordsOf(title), lead: wordsOf(firstRunes(text, leadRunes)), all: wordsOf(text)}
	q.names = namesIn(text)
	q.own = ownNames(text)
	q.titleNames = namesIn(title)
	identifiers([]byte(title), func(from, to int) {
		if w := title[from:to]; len(w) > 3 && !stop[strings.ToLower(w)] {
			q.titleWords = append(q.titleWords, w)
		}
	})
	q.frames = framesIn(text)
	q.imports = importsOf("query.py", []byte(undent.ReplaceAllString(text, "")))
	q.runs = runsIn(text)
	q.paths = distinct(filePath.FindAllString(strings.ReplaceAll(text, `\`, "/"), -1))
	q.dotted = distinct(dottedRef.FindAllString(strings.ReplaceAll(text, "::", "."), -1))
	return q
}

var undent = regexp.MustCompile(`(?m)^[ \t]*(?:>>>|\.\.\.|\$|In ?\[\d+\]:)?[ \t]*`)

var definition = regexp.MustCompile(`(?m)^[ \t>.]*(?:async )?(?:class|def|func|function|fn|interface|struct)[ \t]+(\w+)`)

func ownNames(text string) map[string]bool {
	own := map[string]bool{}
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		own[m[1]] = true
	}
	return own
}

var otherFrame = regexp.MustCompile(`([\w./\\\-]+\.\w{1,4}):(\d+)`)

func framesIn(text string) []frame {
	var out []frame
	for _, m := range frameLine.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2])
		out = append(out, frame{strings.ReplaceAll(m[1], `\`, "/"), n, m[3]})
	}
	for _, m := range otherFrame.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2])
		out = append(out, frame{path: strings.ReplaceAll(m[1], `\`, "/"), line: n})
	}
	return out
}

// runsIn hashes every three words in a row.
func runsIn(text string) map[term]float64 {
	runs := map[term]float64{}
	eachRun([]byte(text), func(t term) { runs[t] = 1 })
	return runs
}

func eachRun(text []byte, visit func(term)) {
	var a, b term
	var buf []byte
	n := 0
	identifiers(text, func(from, to int) {
		buf = buf[:0]
		for _, c := range text[from:to] {
			buf = append(buf, lowered(c))
		}
		t := hash(buf)
		if n++; n > 2 {
			visit(a*31*hashPrime ^ b*hashPrime ^ t)
		}
		a, b = b, t
	})
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
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// namesIn finds what looks like an identifier of code rather than a word.
func namesIn(text string) []string {
	var found []string
	for _, m := range ticked.FindAllStringSubmatch(text, -1) {
		identifiers([]byte(m[1]), func(from, to int) { found = append(found, m[1][from:to]) })
	}
	for _, m := range codeName.FindAllString(text, -1) {
		found = append(found, strings.TrimSuffix(m, "("))
	}
	return slices.DeleteFunc(distinct(found), func(s string) bool { return len(s) < 3 || stop[strings.ToLower(s)] })
}

// wordsOf counts the terms of a text; the weight of a term grows with the root of its count...
func wordsOf(text string) words {
	var s splitter
	counts := map[term]int{}
	raw := []byte(text)
	identifiers(raw, func(from, to int) {
		if stop[string(bytes.ToLower(raw[from:to]))] {
			return
		}
		s.terms(raw[from:to], func(t term) { counts[t]++ })
	})
	w := words{}
	for t := range counts {
		w.terms = append(w.terms, t)
	}
	slices.Sort(w.terms)
	for _, t := range w.terms {
		w.weight = append(w.weight, saturated(float64(counts[t])))
	}
	return w
}

// saturated is the weight of a query's term that stands there n times: 1, 1.6, 1.9 … below 2.2.
func saturated(n float64) float64 { return n * 2.2 / (n + 1.2) }

var stop = setOf(`a an and are as at be been but by can could do does doing done for from had has have he how i if in into
is it its just like may me more my no not of on one only or our out over same she should so some such than that the their
them then there these they this those to too up us use used using was we were what when where which while who why will
with would you your also about after all any because before between both each here now other own very`)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, s := range strings.Fields(list) {
		set[s] = true
	}
	return set
}
