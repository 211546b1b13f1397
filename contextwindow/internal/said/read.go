package said

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/toollimit"
)

// A Message is what [Read] found in one message.
type Message struct {
	Sentences []Sentence // candidates, in their order
	Total     int        // of all sentences, candidates or not
}

// A Sentence is one sentence or line of a message.
type Sentence struct {
	Text   string // as written; one of more than 400 bytes keeps its head and its tail
	Number int    // among all sentences of the message, from 0
	Line   int    // of the message, from 0
	Own    bool   // the writer's own words
	Cut    bool   // Text is not the whole sentence
	Tokens int    // of Text
	Value  float64

	inner  bool   // it refers to the one before it on its line
	states bool   // it states something: no question, lead or aside
	weak   bool   // only quoted if it replaces another
	shape  uint64 // equal if only names and numbers differ
	form   form   // of what is in own words
	key    uint64 // what it is about; 0 for nothing that another sentence could replace
	values string // what it says about it
	topic  topic
}

// Bounds of one message.
const (
	mostBytes    = 256 << 10 // that are read: the first and the last half
	ownBytes     = 1_200     // of a message that is all in the writer's own words, at most
	ownLines     = 5         // of the same, and of its end
	openingLines = 3         // of the beginning in the writer's own words
	mostSentence = 400       // bytes of a sentence that stays whole
	ownTokens    = 2_000     // of candidates in the writer's own words
	pastedTokens = 400       // of other candidates
	weakTokens   = 1_000     // of sentences beyond that, which may replace others
	mostAlike    = 4         // candidates of a shape that are pasted
)

// A place is the kind of text that a line of a message belongs to.
type place uint8

const (
	nowhere place = iota // blank
	digest               // a digest of the runtime that was pasted: what it says was said elsewhere
	code                 // code, a log
	prose                // prose that may be pasted
	own                  // the writer's own words
)

var placeValue = [...]float64{code: .08, prose: .25, own: 1}

// Read finds the sentences of a message. All prose counts as the writer's own words if it is an assistant's.
func Read(text string, assistant bool) Message {
	r := reader{shapes: make(map[uint64]int)}
	lines := r.place(text, assistant)
	r.novel = !assistant
	for _, l := range lines {
		r.words.count(l.text)
	}
	clauses := !assistant && !slices.ContainsFunc(lines, func(l placedLine) bool { return l.place != own && l.place != nowhere })
	for i, l := range lines {
		if l.place == nowhere {
			continue
		}
		rest := l.text
		if l.place < prose {
			r.add(rest, i, l.place)
			continue
		}
		for rest != "" {
			end := SentenceEnd(rest)
			if at := strings.Index(rest[:end], "; "); at >= 0 && clauses {
				end = at + 1 // one may be corrected and the other hold
			}
			n := len(r.found)
			r.add(strings.TrimSpace(rest[:end]), i, l.place)
			if len(r.found) > n && l.place == own {
				r.found[n].inner = len(rest) < len(l.text) && len(r.tokens) > 0 && r.tokens[0].class&refers != 0
			}
			rest = rest[end:]
		}
	}
	r.divideByShape()
	return Message{r.bounded(), r.total}
}

// Own returns the lines of a person's message that are in the writer's own words.
func Own(text string) string {
	var kept []string
	for _, l := range new(reader).place(text, false) {
		if l.place == own && !isLog(l.text) && !strings.HasSuffix(l.text, "{") && !strings.HasSuffix(l.text, ";") {
			kept = append(kept, l.text)
		}
	}
	return strings.Join(kept, "\n")
}

var shapeSeed = maphash.MakeSeed() // the hashes never leave the process, and decide nothing but equality

// A placedLine is a line of a message, trimmed, with its place.
type placedLine struct {
	text  string
	place place
}

type reader struct {
	found  []Sentence
	total  int
	shapes map[uint64]int // how often each occurs
	words  wordCounts
	novel  bool    // words count
	tokens []token // of the sentence that is being read
}

// place splits a text into lines and says where each is.
func (r *reader) place(text string, assistant bool) []placedLine {
	if len(text) > mostBytes {
		text = text[:mostBytes/2] + "\n\n" + text[len(text)-mostBytes/2:]
	}
	var lines []placedLine
	written, fenced, pasted := 0, false, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
		p := placeOf(line)
		switch tag := strings.ToLower(line); {
		case tag == "</record>":
			pasted, p = false, digest
		case p != nowhere && (pasted || tag == "<record>"): // and not a tag of another document, such as <records>
			pasted, p = true, digest
		case strings.HasPrefix(line, fence):
			fenced, p = !fenced, code
		case p != nowhere && fenced:
			p = code
		}
		if p != nowhere {
			written++
		}
		lines = append(lines, placedLine{line, p})
	}
	if assistant || written <= ownLines && len(text) <= ownBytes {
		for i := range lines {
			if p := &lines[i].place; !isQuoted(lines[i].text) && (*p == prose || *p == code && !assistant) {
				*p = own
			}
		}
		return lines
	}
	ownEnds(lines)
	return lines
}

const fence = "```" // of code

// ownEnds marks the prose at the beginning and after the last blank line of a long message as the writer's own.
func ownEnds(lines []placedLine) {
	first := 0
	for first < len(lines) && lines[first].place <= digest {
		first++
	}
	for i := first; i < min(first+openingLines, len(lines)) && lines[i].isProse(); i++ {
		lines[i].place = own
	}
	end := len(lines)
	for end > 0 && lines[end-1].place == nowhere {
		end--
	}
	begin := end
	for begin > 0 && lines[begin-1].isProse() && end-begin <= ownLines {
		begin--
	}
	if begin == 0 || end-begin > ownLines {
		return
	}
	if before := lines[begin-1]; before.place <= digest || strings.HasPrefix(before.text, fence) {
		for i := range lines[begin:end] {
			lines[begin+i].place = own
		}
	}
}

// isQuoted reports whether a line is quoted as in a letter: somebody said it, but not the writer now.
func isQuoted(line string) bool { return strings.HasPrefix(line, ">") }

// isProse reports whether a line may be in the writer's own words.
func (l *placedLine) isProse() bool { return l.place == prose && !isQuoted(l.text) }

// placeOf tells prose from code by the line alone.
func placeOf(line string) place {
	if line == "" {
		return nowhere
	}
	for _, comment := range []string{"//", "--", "/*", "*", "#", ">", "-", "•"} {
		line = strings.TrimLeft(strings.TrimPrefix(line, comment), " ")
	}
	if line == "" || isLog(line) {
		return code
	}
	letters, signs, words, unspaced := 0, 0, 0, 0
	blank := true
	for _, r := range line {
		switch {
		case isUnspaced(r):
			unspaced++
		case unicode.IsLetter(r), unicode.IsMark(r):
			letters++
			if blank {
				words++
			}
		case strings.ContainsRune("{}();=<>|\\$&_/[]+*@", r):
			signs++
		}
		blank = unicode.IsSpace(r)
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	switch {
	case strings.ContainsRune("{};\\", last):
		return code
	case unspaced >= 4 && signs*4 <= unspaced,
		words >= 3 && signs*8 <= letters && letters*2 >= utf8.RuneCountInString(line):
		return prose
	}
	return code
}

// isUnspaced reports whether a character is of a script that writes words without spaces.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && (isHan(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar))
}

// logLevels begin or precede what a program logs.
var logLevels = []string{"INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL"}

// clock matches a time with its seconds, or the seconds since 1970. A date or the number of a ticket alone begins what
// people write, too.
var clock = lazyregexp.New(`\d\d:\d\d:\d\d|\d{8}`)

// isLog reports whether a line begins as a log's: with a time, or with a level near the beginning.
func isLog(line string) bool {
	digits := 0
	for i := 0; i < min(len(line), 12); i++ {
		if line[i] >= '0' && line[i] <= '9' {
			digits++
		}
	}
	if digits >= 6 && (line[0] == '[' || clock.MatchString(line[:min(len(line), 48)])) {
		return true
	}
	for _, word := range strings.FieldsFunc(line[:min(len(line), 48)], func(r rune) bool { return r < 'A' || r > 'Z' }) {
		if slices.Contains(logLevels, word) {
			return true
		}
	}
	return false
}

// abbreviations end with a point that ends no sentence.
var abbreviations = []string{
	"e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "ca", "bzw", "z.b", "d.h", "u.a",
	"usw", "ggf", "evtl", "inkl", "approx", "resp", "incl", "fig", "sec", "vol",
}

// SentenceEnd returns the length in bytes of the first sentence of a line.
func SentenceEnd(line string) int {
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；':
			return next
		case '.', '!', '?':
			after, _ := utf8.DecodeRuneInString(line[next:])
			if next < len(line) && !unicode.IsSpace(after) && !isHan(after) {
				continue
			}
			if r != '.' || next >= len(line) || !abbreviated(line[:i]) && !isGermanDay(line[:i], line[next:]) {
				return next
			}
		}
	}
	return len(line)
}

// germanMonths follow the number of a day and its point.
var germanMonths = []string{
	"januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember",
}

// isGermanDay reports whether the point between two texts belongs to the number of a day, as in "9. März".
func isGermanDay(before, after string) bool {
	day := before[strings.LastIndexByte(before, ' ')+1:]
	if len(day) > 2 || !isNumber(day) {
		return false
	}
	after = strings.ToLower(strings.TrimLeft(after[:min(len(after), 16)], " "))
	return slices.ContainsFunc(germanMonths, func(month string) bool { return strings.HasPrefix(after, month) })
}

// abbreviated reports whether a text ends with an abbreviation, or is the letter or number of an item.
func abbreviated(text string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	return slices.Contains(abbreviations, word) ||
		len(word) == len(text) && (len(word) <= 1 || len(word) <= 3 && isNumber(word))
}

// add values a sentence.
func (r *reader) add(text string, line int, p place) {
	if text == "" {
		return
	}
	s := Sentence{Text: text, Number: r.total, Line: line, Own: p == own}
	r.total++
	var v float64
	switch p {
	case nowhere, digest:
	case code:
		v, s.shape = codeLine(text)
	case prose, own:
		r.tokens = scan(r.tokens[:0], text)
		v, s.shape = valueOf(text, r.tokens, p), shapeOf(r.tokens)
		if p == own {
			s.form = formOf(r.tokens)
		}
		s.states = v >= leastStated && !isAsked(text)
		if v > 0 && states(text, r.tokens) {
			tokens := withoutPrefix(text, r.tokens)
			s.key, s.values = keyOf(tokens)
			s.topic = topicOf(tokens)
			s.topic.corrects = topicOf(r.tokens).corrects
		}
	}
	if v == 0 {
		return
	}
	if r.shapes[s.shape]++; r.shapes[s.shape] > mostAlike && p != own {
		return
	}
	if len(text) > mostSentence {
		s.Text, s.Cut = headAndTail(text), true
	}
	s.Tokens = toollimit.Tokens(s.Text)
	s.Value = placeValue[p] * v / float64(s.Tokens+6)
	if p == prose && r.novel {
		n := r.words.novelty(text)
		s.Value *= leastNovelty + (1-leastNovelty)*n*n
	}
	r.found = append(r.found, s)
}

// headAndTail keeps both ends of a sentence that is too long, each to the end of a word if one is near.
func headAndTail(text string) string {
	head, tail := text[:mostSentence*5/8], text[len(text)-mostSentence/4:]
	if i := strings.LastIndexByte(head, ' '); i > len(head)*3/4 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, ' '); i >= 0 && i < len(tail)/4 {
		tail = tail[i+1:]
	}
	return strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, "")
}

// divideByShape divides the value of pasted lines by how often their shape occurs.
func (r *reader) divideByShape() {
	for i := range r.found {
		if s := &r.found[i]; !s.Own {
			s.Value /= float64(r.shapes[s.shape])
		}
	}
}

// bounded keeps the sentences that are worth most, in their order.
func (r *reader) bounded() []Sentence {
	order := make([]int, len(r.found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.found[b].Value, r.found[a].Value) })
	left := map[bool]int{true: ownTokens, false: pastedTokens}
	weak := weakTokens
	keep := make([]bool, len(r.found))
	n := 0
	for _, i := range order {
		s := &r.found[i]
		switch {
		case left[s.Own] >= s.Tokens:
			left[s.Own] -= s.Tokens
		case weak >= s.Tokens && len(s.topic.names) > 0:
			weak -= s.Tokens
			s.weak = true
		default:
			continue
		}
		keep[i] = true
		n++
	}
	kept := make([]Sentence, 0, n) // releases the others
	for i := range r.found {
		if keep[i] {
			kept = append(kept, r.found[i])
		}
	}
	return kept
}
