// Package passages finds what documents and comments say on a question: sections of documents, under whatever title,
// with their best paragraph, and one or two sentences of comments that have most of its words.
//
// Start with [New].
package passages

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/symbols"
)

// A Word is one of the question.
type Word struct {
	Pattern string // regular expression of its forms
	Re      *regexp.Regexp
}

// A Passage is one or two sentences of prose.
type Passage struct {
	report.Place         // its paragraph, with the definition around it
	Text         string  // the sentences, without markup
	Quote        string  // a line of them as it is in the file
	Words        int     // of the question in the paragraph
	Share        float64 // of the question, by the worth of its words; less for long sentences
	Amounts      bool    // says what an amount that the question asks for is by default
}

// Number and Time match a sentence that says which number, or which length of time, is the default. Lengths of time
// in it are replaced by aTime before, so that the other numbers can be seen.
var (
	Number = lazyregexp.New(`(?i)\bdefaults?\b.{0,90}\b\d|\b\d.{0,40}\bdefaults?\b`)
	Time   = lazyregexp.New(`(?i)\bdefaults?\b.{0,90}\x00|\x00.{0,40}\bdefaults?\b`)
	times  = lazyregexp.New(`(?i)\d[\d_.,]*[\s-]?(?:[mun]?s|m|h|d|` +
		`(?:milli|micro|nano)?sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|years?)\b`)
)

const aTime = "\x00"

// A Search looks for passages and sections.
type Search struct {
	question string
	words    []Word
	asks     *lazyregexp.Regexp
	results  lookup.Results
}

// New returns the search for a question in English and its words, which asks for a [Number], a [Time] or neither, after
// results.
func New(question string, words []Word, asks *lazyregexp.Regexp, results []rulemodel.Result) *Search {
	return &Search{question, words, asks, lookup.Of(results)}
}

// Steps is how many steps a search has at most.
const Steps = 2

// Bounds of the search, and of a passage.
const (
	leastWords = 2    // of the question in a line
	maxLines   = 2000 // with so many words
	ofFile     = 200  // of them
	around     = 6    // lines before and after one of them
	maxText    = 400  // bytes of two sentences
)

// Calls returns the calls of a step, from 1: for sections; then for what the best of them say, and for the lines that
// have two words of the question.
func (s *Search) Calls(step int) (calls []rulemodel.Call) {
	if step == 1 {
		return append(calls, s.sectionsCall())
	}
	if len(s.words) >= leastWords {
		calls = append(calls, s.wordsCall())
	}
	ranked := s.ranked()
	for _, h := range ranked[:min(len(ranked), readSections)] {
		calls = append(calls, readSection(h))
	}
	return calls
}

func (s *Search) wordsCall() rulemodel.Call {
	all := make([]string, len(s.words))
	for i, w := range s.words {
		all[i] = w.Pattern
	}
	word := "(?:" + strings.Join(all, "|") + ")"
	return rulemodel.Ask("search", map[string]any{"pattern": word + ".*" + word, "before": around, "after": around,
		"limit": maxLines, "max_per_file": ofFile}, "what comments say")
}

// Best returns the passages in comments that have so many words of the question and are not known, each text once:
// those with most of the question first, by the worth of each of its words.
func (s *Search) Best(worths []float64, least int, known func(*Passage) bool) (all []*Passage) {
	r, _ := lookup.Decode[codebase.SearchResult](s.results, s.wordsCall())
	for _, item := range r.Items {
		if documents.Is(item.Path) || documents.Minor(item.Path) || testfile.Is(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			p := s.passage(item.Path, m, worths)
			if p == nil || p.Words < least || known(p) {
				continue
			}
			if p.Amounts = s.settles(p.Text); s.asks != nil && !digit.MatchString(p.Text) {
				p.Share *= vagueShare
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *Passage) int { return cmp.Or(cmp.Compare(b.Share, a.Share), b.Words-a.Words) })
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(p *Passage) bool {
		again := seen[p.Text]
		seen[p.Text] = true
		return again
	})
}

// settles reports whether a sentence of a text says what the amount that the question asks for is by default.
func (s *Search) settles(text string) bool {
	return s.asks != nil && slices.ContainsFunc(comments.Sentences(text), func(one string) bool {
		return s.asks.MatchString(times.ReplaceAllLiteralString(one, aTime))
	})
}

// Factors of a passage.
const (
	secondShare = .9  // with two sentences
	vagueShare  = .6  // without a number, if the question asks for one
	usualText   = 240 // bytes up to which a text is not too long
)

var digit = lazyregexp.New(`\d`)

// passage returns what the paragraph around a line says, or nil if the line is not prose.
func (s *Search) passage(file string, m search.Match, worths []float64) *Passage {
	lines := slices.Concat(m.Before, []string{m.Text}, m.After)
	at := len(m.Before)
	if prose(file, m.Text) == "" {
		return nil
	}
	from, to := at, at+1
	for from > 0 && !isItem(file, lines[from]) && prose(file, lines[from-1]) != "" {
		from--
	}
	for to < len(lines) && !isItem(file, lines[to]) && prose(file, lines[to]) != "" {
		to++
	}
	texts := make([]string, 0, to-from)
	for _, l := range lines[from:to] {
		texts = append(texts, prose(file, l))
	}
	first := m.Line - at
	p := &Passage{Place: report.Place{Path: file, Start: first + from, End: first + to - 1, Symbol: m.Symbol,
		Why: "a sentence on it"}, Quote: m.Text}
	sentences := comments.Sentences(strings.Join(strings.Fields(strings.Join(texts, " ")), " "))
	bare := !comments.Is(m.Text) // in a document or a text, where what is around a paragraph is empty
	cut := from == 0 && at == around || from > 0 && bare && !parts(lines[from-1])
	if letter, _ := utf8.DecodeRuneInString(sentences[0]); cut && unicode.IsLower(letter) && !isItem(file, lines[from]) {
		sentences = sentences[1:] // its beginning is no prose, or out of sight
	}
	cut = to-at > around || to < len(lines) && bare && !parts(lines[to])
	if cut && len(sentences) > 0 && !ends.MatchString(texts[len(texts)-1]) {
		sentences = sentences[:len(sentences)-1]
	}
	p.say(s.words, sentences, worths)
	return p
}

// parts reports whether a line that is no prose lies between two paragraphs, and not within one: it is empty, a mark of
// a comment or a title, a request of a manual page, or an item.
func parts(l string) bool {
	return strings.TrimSpace(l) == "" || comments.Is(l) || strings.HasPrefix(l, ".") || item.MatchString(l)
}

// ends matches the end of a sentence.
var ends = lazyregexp.New(`[.!?:。！？]["”')` + "`" + `]*$`)

// item matches a line that begins an item of a list, or the description of a parameter.
var item = lazyregexp.New(`^\s*(?:[-*+•]|\d+[.)]|[@:]\w[^:]*:?)\s`)

// isItem reports whether a line begins an item of a list. The star of a comment does not.
func isItem(file, l string) bool {
	if !documents.Is(file) && comments.Is(l) {
		l = comments.Text(l)
	}
	return item.MatchString(l)
}

// statement matches a line of code in an example.
var statement = lazyregexp.New(`[;{}(]\s*$|=>|\s:?=\s|^\s*[\w.]+\(.*\)`)

// inline matches code within a sentence.
var inline = lazyregexp.New("`[^`]*`")

// noCode matches a line without the signs of code.
var noCode = lazyregexp.New(`^[^;{}=<>|]*$`)

// wordy matches a line with several words in a row.
var wordy = lazyregexp.New(`(?:[\pL'’-]{2,},? +){4}[\pL'’-]{2,}`)

// set matches a line that is set in, as code is.
var set = lazyregexp.New(`^(?: {4}|\t)[^;{}=<>|]*$`)

// parameter matches the description of a parameter or a result, which says little in fewer words than leastParameter.
var parameter = lazyregexp.New(`^[\s*/]*(?:@\w+|:\w[^:]*:)\s`)

const leastParameter = 12

// prose returns what a line says if it is prose, else "".
func prose(file, l string) string {
	said := inline.ReplaceAllLiteralString(l, "")
	switch {
	case statement.MatchString(said), parameter.MatchString(l) && len(strings.Fields(l)) < leastParameter:
	case documents.Is(file) && set.MatchString(l) && wordy.MatchString(l): // a warning, or below an item
		return documents.Prose(strings.TrimSpace(l))
	case documents.Is(file):
		return documents.Prose(l)
	case comments.Is(l):
		return strings.Trim(comments.Text(l), " */'\"")
	case symbols.Language(file) != "" && noCode.MatchString(l) && wordy.MatchString(l):
		return strings.TrimSpace(l)
	}
	return ""
}

// say takes the sentence, or the two in a row, with most of the question. It adds the next one if that has a word of
// it, too, and those before, without which it may say something else.
func (p *Passage) say(words []Word, sentences []string, worths []float64) {
	whole, first, last := 0.0, 0, 0
	for _, w := range worths {
		whole += w
	}
	for i := range sentences {
		for n := 1; n <= 2 && i+n <= len(sentences); n++ {
			text := strings.Join(sentences[i:i+n], " ")
			share := worthIn(words, text, worths) * math.Pow(secondShare, float64(n-1)) / max(whole, 1e-9)
			share *= min(1, math.Pow(usualText/float64(max(len(text), 1)), .25))
			if share > p.Share && (n == 1 || len(text) <= maxText) {
				p.Share, first, last = share, i, i+n
			}
		}
	}
	join := func(from, to int) string { return strings.Join(sentences[from:to], " ") }
	if last < len(sentences) && worthIn(words, sentences[last], worths) > 0 && len(join(first, last+1)) <= maxText {
		last++
	}
	if len(join(0, last)) <= maxText {
		first = 0
	}
	p.Text = join(first, last)
	for _, w := range words {
		if w.Re.MatchString(strings.Join(sentences, " ")) {
			p.Words++
		}
	}
}

// worthIn returns the worth of the words in a text.
func worthIn(words []Word, text string, worths []float64) (sum float64) {
	for i, w := range words {
		if w.Re.MatchString(text) {
			sum += worths[i]
		}
	}
	return sum
}
