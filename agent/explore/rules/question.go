package rules

import (
	"cmp"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/listing"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/agent/explore/rules/internal/terms"
	"github.com/forayhq/foray/agent/explore/rules/internal/testtitles"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// mode returns the mode in which locate ranks for the question.
func (q *question) mode() string {
	if q.issue {
		return "issue"
	}
	return "question"
}

// patterns returns a pattern for each name and word of the question, as many as one search takes.
func (q *question) patterns() []string {
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	for _, w := range q.byWeight() {
		all = append(all, w.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// quotes returns the patterns of the texts that the issue quotes.
func (q *question) quotes() []string {
	var all []string
	for _, l := range q.literals {
		all = append(all, l.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// names returns a list of one pattern, which matches any name of the question; nil without names.
func (q *question) names() []string {
	if len(q.idents) == 0 {
		return nil
	}
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	return []string{strings.Join(all, "|")}
}

// byWeight returns the words, heaviest first.
func (q *question) byWeight() []word {
	words := slices.Clone(q.words)
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return words
}

// A question is the user's question, taken apart into things to search for.
type question struct {
	text     string
	more     bool     // has a second part: what to do
	tested   bool     // has a second part: which tests cover it
	testsOf  string   // the name that these are of, if the question says so
	asked    string   // as the user asked, where text is what it is about
	others   []string // questions that the message asks besides
	message  string   // of a program, that the question is about
	idents   []ident
	paths    []string // files and directories that it names
	words    []word
	phrases  []phrase
	issue    bool // see [isIssue]
	literals literals
	tests    bool // asks for tests, or names one
	docs     bool // asks for documentation
	how      bool // asks how something is done
	german   bool // asks in German
	overview bool // asks for nothing in particular, or about the project as a whole
	long     bool // has more words than longQuestion
	part     overview.Part
	also     []overview.Part // that a question about the whole project asks for besides
	measure  intent.Measure  // that it asks for, if amount
	amount   bool            // asks for an amount
}

// An ident is an identifier as the question writes it.
type ident struct {
	text string // as written, as Window.Fit
	last string // its last part, as Fit
	re   *regexp.Regexp
}

// A word is something that a question is about.
type word struct {
	text     string // as written
	pattern  string // regular expression that finds its forms
	re       *regexp.Regexp
	forms    []form // what re matches; nil: it also matches something else
	keyword  bool   // it may be in a keyword
	weight   float64
	proper   bool // a name of something, by its capitals
	optional bool // may be absent from the tree: a second translation, a part of an identifier
	foreign  bool // Chinese that the table lacks
	number   bool // of several digits
	part     bool // only a part of an identifier of the question
}

// A phrase is two adjacent words of the question.
type phrase struct {
	re            *regexp.Regexp
	stems         [2]string // in lower case: re matches no text without both, in this order
	first, second int       // words
}

// in reports whether a text contains p. It runs the regular expression only on a text with both stems.
func (p *phrase) in(text string) bool {
	_, rest, ok := strings.Cut(strings.ToLower(text), p.stems[0])
	return ok && strings.Contains(rest, p.stems[1]) && p.re.MatchString(text)
}

// Bounds of a question, set by how much one step can search for, and the weights of its words.
const (
	maxIdents   = 8
	maxPaths    = 4
	maxWords    = 8
	maxQuestion = 4000 // bytes to take apart

	longQuestion = 13  // words
	weakWeight   = .35 // factor of a weak word
	lowerWeight  = .4  // weight of a word below the first line
	partWeight   = .5  // weight of a part of an identifier or path
)

var (
	linkPattern  = lazyregexp.New(`[a-z]+://\S+`)
	quotePattern = lazyregexp.New("`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|「([^」\n]{2,80})」")
	tokenPattern = lazyregexp.New(`[\pL_$][\pL\pN_$]*(?:(?:\.|::|#|->|/|-)[\pL\pN_$]+)*(?:\(\))?|/?[.\w-]+/[\w./-]+`)
	pathPattern  = lazyregexp.New(`^[\w./@+-]*\.(?:go|py|pyi|js|jsx|ts|tsx|mjs|cjs|java|rs|c|h|cc|cpp|hpp|cs|rb|php|kt|swift|scala|sh|md|rst|txt|toml|ya?ml|json|mod|sum|cfg|ini|html|css|sql|proto|vue|svelte)$`)
	camelPattern = lazyregexp.New(`\p{Ll}\p{Lu}|\p{Lu}{2,}\p{Ll}{2,}`)
	identPattern = lazyregexp.New(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*$`)
	splitPattern = lazyregexp.New(`\.|::|#|->`)
	howPattern   = lazyregexp.New(`(?i)\b(?:how|wie)\b|怎么|如何|怎样`)
	// howMuch matches words that ask for an amount and say nothing about its subject.
	howMuch       = lazyregexp.New(`(?i)\bhow (?:many|much|long|often|large|big|high|deep|wide|small|old|soon)\b`)
	properName    = lazyregexp.New(`^\p{Lu}\p{Ll}{3,}$`)
	acronym       = lazyregexp.New(`^[A-Z]{2,8}[0-9]?$`)
	numberPattern = lazyregexp.New(`^\d+$`)
	numberToken   = lazyregexp.New(`\b\d{3,5}\b`)
)

// Subject returns what a message is about: the question in it without what is pasted beside that, or what is pasted if
// the question points there, or the whole message. It also returns the questions that are asked after that one.
func Subject(message string) (subject string, others []string) {
	q := parseQuestion(message)
	return q.text, q.others
}

// parseQuestion finds the question of a message and takes it apart. What is pasted beside a question that says what it
// means says nothing about the subject: in a long log any word is as frequent as that of the question.
func parseQuestion(text string) *question {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	m := takeApart(text)
	if m.Rest == "" && (len(m.Others) == 0 || len(overview.Cued(text)) > 1) {
		return newQuestion(text, isIssue(text))
	}
	q, message, named := newQuestion(m.Question, false), messageOf(m.Rest), withDefined(m)
	switch {
	case m.Rest == "":
	case named != "":
		q = newQuestion(named, false)
	case q.isBare(m.Points):
		q = newQuestion(m.Rest, isIssue(m.Rest))
		if q.message = message; q.issue {
			q = newQuestion(strings.TrimSpace(message+"\n"+m.Rest), true)
			q.message = message
		}
	case m.Points && message != "":
		q = newQuestion(m.Question+"\n\n"+m.Rest, true)
	}
	q.asked, q.others = m.Title, m.Others
	q.tested = q.tested || alsoTests.MatchString(q.asked)
	if len(q.others) > 0 {
		if in, ok := intent.Parse(q.others[0]); ok && in.Kind == intent.Tests {
			q.tested, q.testsOf, q.others = true, in.Name, q.others[1:]
		}
	}
	return q
}

// changeIt matches what a question for a value adds: the place of the value says how to change it.
var changeIt = lazyregexp.New(`(?i),? (?:and|or) (?:how|where) ` +
	`(?:(?:do|can|could|would|should) (?:i|we|you|one) |to )` +
	`(?:(?:change|set|configure|override|adjust|increase|raise|lower|modify|enable|disable) (?:it|that|this|them)|` +
	`turn (?:it|that|this|them) (?:on|off))\s*\?*\s*$`)

// asksMore matches a question with a second part, which is about what to do.
var asksMore = lazyregexp.New(`(?i)(?:,|;| and| -) (?:how (?:do|can|to|should)|what (?:can|should|do) i|why|can i)\b`)

// alsoTests matches the second part of a question that asks for the tests of the first.
var alsoTests = lazyregexp.New(`(?i)(?:[,;.?]+\s*(?:and |oder |und )?|\s+(?:and|or|und)\s+)(?:` +
	`(?:which|what|welche) (?:unit |integration )?(?:tests?|specs?)\b[^?]{0,40}|` +
	`(?:(?:where|how) )?(?:is|are) (?:that|it|this|those|they)(?: [a-z]+)? (?:tested|covered)\b[^?]{0,40}|` +
	`(?:is|are) there (?:a |an |any )?(?:unit |integration )?(?:tests?|specs?)\b[^?]{0,30}|` +
	`(?:ist|wird|wo wird) das (?:auch )?getestet)\s*\?*\s*$`)

// toDo matches how a question for what somebody has to do begins that asks where to start with it.
var toDo = lazyregexp.New(`(?i)^\s*where (?:should|do|would|could|can) (?:i|we|you) (?:start|begin|look)` +
	`(?: looking| reading)? (?:if|when) (?:i|we|you) (?:want|need|have|would like) to `)

// understand matches a question for where to start with something. Its group is that.
var understand = lazyregexp.New(`(?i)^\s*(?:i|we) (?:want|need|would like|am trying|try) to ` +
	`(?:understand|know|see|learn) ((?:how|where|why|when|what)\b.*?),? (?:and )?` +
	`where (?:should|do|would|could|can) (?:i|we) (?:start|begin|look)\b.*$`)

// testsThat matches the verb: "where does the pool test whether a connection is alive?" asks for no test. "Does any
// test check that …?" does, as aTest says.
var (
	testsThat = lazyregexp.New(`(?i)\b((?:do(?:es)?|did|will)(?: the)? [a-z]+|it|we|they|to) tests? (that|if|whether)\b`)
	aTest     = lazyregexp.New(`(?i)\b(?:any|some|no|every|each|an?|the|this|which|one|unit|add|write) tests?\b`)
)

// newQuestion takes a text apart, as an issue or as a question.
func newQuestion(text string, issue bool) *question {
	q := &question{text: text, asked: text, issue: issue}
	if !issue {
		q.takeParts()
		q.long = len(strings.Fields(q.text)) > longQuestion
	}
	q.german = !q.issue && terms.IsGerman(q.text)
	rest := q.text[:min(len(q.text), maxQuestion)]
	rest = strings.ToValidUTF8(linkPattern.ReplaceAllString(rest, " "), " ")
	if q.measure, q.amount = intent.MeasureOf(q.text); q.amount {
		rest = intent.ByDefault(rest)
	}
	title, body, _ := strings.Cut(rest, "\n")
	if title = howMuch.ReplaceAllString(title, " "); !aTest.MatchString(title) {
		title = testsThat.ReplaceAllString(title, "$1 check $2")
	}
	q.takeQuoted(title)
	title, code := q.phrasesOf(title)
	for i, t := range tokenPattern.FindAllString(title, -1) {
		q.noteSubject(t)
		n := len(q.words)
		q.take(t, 1)
		if i > 0 && !q.issue && !q.german && len(q.words) == n+1 && properName.MatchString(t) {
			q.words[n].proper = true
		}
	}
	if !q.issue {
		q.words = append(q.words, wordsOfPairs(title)...)
		for _, n := range numberToken.FindAllString(title, -1) {
			if !slices.ContainsFunc(q.words, func(w word) bool { return w.text == n }) {
				q.words = append(q.words, numberWord(n))
			}
		}
	}
	for _, words := range code {
		for i, w := range strings.Fields(words) {
			q.addWord(w, 1/float64(1+i), true)
		}
	}
	q.takeQuoted(body)
	for _, t := range tokenPattern.FindAllString(body, -1) {
		q.take(t, lowerWeight)
	}
	for _, t := range terms.Chinese(rest) {
		q.takeTerm(t)
	}
	if q.issue {
		q.literals = findLiterals(q.text)
	}
	q.how = howPattern.MatchString(q.text)
	if testtitles.Asks(q.text) {
		q.words = slices.DeleteFunc(q.words, func(w word) bool { return testVerbs[w.text] })
	}
	q.trim()
	q.joinWords()
	q.part, q.also = partsOf(q)
	in, named := intent.Parse(q.text)
	q.more = q.more || in.Kind == intent.Difference // which documents may say
	q.overview = q.part != overview.None || len(q.idents)+len(q.paths) == 0 && !listing.NamesFlag(q.text) &&
		(len(q.words) == 0 || q.vague()) && (!named || in.Weak)
	return q
}

// partsOf returns the parts of an overview that a question asks for, which does not name the project.
func partsOf(q *question) (part overview.Part, also []overview.Part) {
	if part = overview.PartOf(q.text); part == overview.None && len(q.idents) == 0 {
		if name, parts := overview.PartsOf(q.text); name == "" && len(parts) > 1 {
			return parts[0], parts[1:]
		}
		isFile := func(p string) bool { return path.Ext(p) != "" && !manifestName[strings.ToLower(path.Base(p))] }
		if parts := overview.Cued(q.text); len(parts) > 0 && !slices.ContainsFunc(q.paths, isFile) {
			return parts[0], parts[1:]
		}
	}
	return part, nil
}

// manifestName are manifests that a question may name as what says it.
var manifestName = set(`package.json go.mod composer.json pyproject.toml cargo.toml pom.xml setup.py gemfile`)

// pairOfSmall matches two small words that say something together: code refuses "too many" of something, and what has
// "the same name".
var pairOfSmall = lazyregexp.New(`(?i)\b(too|same) ([a-z]{3,})\b`)

// wordsOfPairs returns such pairs in a text as words.
func wordsOfPairs(text string) (words []word) {
	for _, m := range pairOfSmall.FindAllStringSubmatch(strings.ToLower(text), -1) {
		words = append(words, newWord(m[0], `(?i)\b`+m[1]+`[\s_-]?`+stem(m[2]), 1, true))
	}
	return words
}

// takeParts notes what a question asks for besides, and leaves what that is about.
func (q *question) takeParts() {
	q.more = asksMore.MatchString(q.text) || changeIt.MatchString(q.text)
	q.text = understand.ReplaceAllString(q.text, "$1?")
	if at := alsoTests.FindStringIndex(q.text); at != nil && len(strings.Fields(q.text[:at[0]])) > 1 {
		if in, _ := intent.Parse(q.text); in.Kind != intent.Tests {
			q.text, q.tested = q.text[:at[0]]+"?", true
		}
	}
	q.text = changeIt.ReplaceAllString(toDo.ReplaceAllString(q.text, "how do I "), "?")
}

// language names the language of a question that the tables translate, or returns "".
func (q *question) language() string {
	switch {
	case q.issue:
	case q.german && q.english(q.text) != strings.Join(strings.Fields(q.text), " "):
		return "German"
	case len(terms.Chinese(q.text)) > 0:
		return "Chinese"
	}
	return ""
}

// english returns a text of the question with the Chinese and German words that the tables know in English. An issue
// stays as it is.
func (q *question) english(text string) string {
	if q.issue {
		return text
	}
	english := terms.FromChinese(text)
	if q.german {
		english = fromGerman(english)
	}
	return cmp.Or(english, text)
}

// phrasesOf returns a text without its phrases of small words, and the words that code has for them. A text that quotes
// something, and an issue, stay as they are.
func (q *question) phrasesOf(text string) (rest string, code []string) {
	if q.issue || q.german || quotePattern.MatchString(text) {
		return text, nil
	}
	return terms.Phrases(text)
}

// query returns the question in the words of code.
func (q *question) query() string {
	rest, code := q.phrasesOf(q.text)
	return strings.Join(append([]string{q.english(rest)}, code...), " ")
}

// fromGerman translates the words of a text that are not in quotes and do not look like names or paths.
func fromGerman(text string) string {
	quoted := quotePattern.FindAllStringIndex(text, -1)
	var b strings.Builder
	end := 0
	for _, at := range tokenPattern.FindAllStringIndex(text, -1) {
		b.WriteString(text[end:at[0]])
		end = at[1]
		t := text[at[0]:end]
		within := func(q []int) bool { return q[0] <= at[0] && end <= q[1] }
		if !slices.ContainsFunc(quoted, within) && !looksLikeName(t) && !strings.ContainsAny(t, "_./:#()") {
			t = terms.FromGerman(t)
		}
		b.WriteString(t)
	}
	return strings.Join(strings.Fields(b.String()+text[end:]), " ")
}

// takeQuoted takes the names in quotes.
func (q *question) takeQuoted(s string) {
	for _, m := range quotePattern.FindAllStringSubmatch(s, -1) {
		if quoted := strings.TrimSuffix(m[1]+m[2]+m[3]+m[4], "()"); identPattern.MatchString(quoted) {
			q.addIdent(quoted)
		}
	}
}

// joinWords finds the phrases of the question.
func (q *question) joinWords() {
	low := strings.ToLower(q.text)
	for i := range len(q.words) - 1 {
		a, b := q.words[i].text, q.words[i+1].text
		if strings.Contains(low, a+" "+b) || strings.Contains(low, a+"-"+b) || strings.Contains(low, a+"_"+b) {
			stems := [2]string{stem(a), stem(b)}
			pattern := `(?i)` + regexp.QuoteMeta(stems[0]) + `[a-z]{0,4}[\s_.-]?` + regexp.QuoteMeta(stems[1])
			q.phrases = append(q.phrases, phrase{regexp.MustCompile(pattern), stems, i, i + 1})
			q.words[i].alsoIn(a + stem(b))
			q.words[i+1].alsoIn(a + stem(b))
		}
	}
}

// vague reports whether the question has only words that ask for an overview, like "architecture".
func (q *question) vague() bool {
	for _, w := range q.words {
		if !overviewWords[strings.ToLower(w.text)] {
			return false
		}
	}
	return true
}

// noteSubject notes whether a word of the first line asks for tests or documentation.
func (q *question) noteSubject(t string) {
	low := strings.ToLower(t)
	q.tests = q.tests || testWords[low]
	q.docs = q.docs || docWords[low]
}

// take adds a token as a path, a name or words, with the weight of its position.
func (q *question) take(t string, weight float64) {
	called := strings.HasSuffix(t, "()")
	t = strings.TrimSuffix(t, "()")
	low := strings.ToLower(t)
	ascii := strings.IndexFunc(t, func(c rune) bool { return c > unicode.MaxASCII }) < 0
	if q.german && !called && !looksLikeName(t) && q.takeGerman(t, weight) {
		return
	}
	switch {
	case strings.HasPrefix(t, "../"): // a value, and no path of the tree
	case pathPattern.MatchString(t), ascii && strings.Count(t, "/") > 1:
		q.addPath(t)
	case !ascii:
		q.takeForeign(t, weight)
	case looksLikeName(t) || called:
		q.addIdent(t)
	case acronym.MatchString(t):
		q.addAcronym(t, weight)
	default:
		if strings.Contains(t, "/") && t == low && ascii {
			q.paths = append(q.paths, strings.Trim(t, "/."))
		}
		for part := range strings.FieldsFuncSeq(low, func(c rune) bool { return strings.ContainsRune("-./", c) }) {
			q.addWord(part, weight, weight < 1)
		}
	}
}

// takeGerman adds the words for a German token. It reports false for a token that the table lacks, unless it is a verb
// or the like, as its first letter shows: German writes nouns with a capital. Code need not have such a word.
func (q *question) takeGerman(t string, weight float64) bool {
	low := strings.ToLower(t)
	if english, ok := terms.German(low); ok {
		for w := range strings.FieldsSeq(english) {
			q.addWord(w, weight, false)
		}
		return true
	}
	if parts := strings.Split(t, "-"); len(parts) > 1 && !strings.ContainsAny(t, "./") {
		for _, part := range parts {
			q.take(part, weight)
		}
		return true
	}
	if t != low || strings.ContainsAny(t, "./") {
		return false
	}
	q.addWord(low, weight, true)
	return true
}

// takeForeign adds a token with letters beyond ASCII: the parts between Chinese characters, or the whole as a word.
func (q *question) takeForeign(t string, weight float64) {
	han := func(c rune) bool { return unicode.Is(unicode.Han, c) }
	if !strings.ContainsFunc(t, han) {
		q.words = append(q.words, newWord(t, "(?i:"+regexp.QuoteMeta(t)+")", weight, false))
		return
	}
	for part := range strings.FieldsFuncSeq(t, han) {
		q.take(strings.Trim(part, "./-"), weight)
	}
}

// looksLikeName reports whether a token is written like a name in code: with an underscore, capitals inside, or dots.
func looksLikeName(t string) bool {
	if !identPattern.MatchString(t) {
		return false
	}
	if strings.ContainsAny(t, "_$") || camelPattern.MatchString(t) || strings.ContainsAny(t, "#:>") {
		return true
	}
	parts := strings.Split(t, ".")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return len(p) < 2 })
}

func (q *question) addPath(p string) {
	p = strings.Trim(p, "./")
	if p != "" && !slices.Contains(q.paths, p) && len(q.paths) < maxPaths {
		q.paths = append(q.paths, p)
	}
	base := p[strings.LastIndexByte(p, '/')+1:]
	name, _, _ := strings.Cut(base, ".")
	for _, part := range identParts(name) {
		q.addWord(part, partWeight, true)
	}
}

func (q *question) addIdent(t string) {
	if slices.ContainsFunc(q.idents, func(i ident) bool { return i.text == t }) || len(q.idents) == maxIdents {
		return
	}
	parts := splitPattern.Split(t, -1)
	last := parts[len(parts)-1]
	q.tests = q.tests || testName.MatchString(t)
	id := ident{text: t, last: last}
	end := `(?:[^\w$]|$)`
	if id.begins() {
		end = ""
	}
	id.re = regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(last) + end)
	q.idents = append(q.idents, id)
	for _, p := range parts {
		for _, part := range identParts(p) {
			if q.addWord(part, partWeight, true); len(q.words) > 0 && q.words[len(q.words)-1].text == part {
				q.words[len(q.words)-1].part = true
			}
		}
	}
}

func (q *question) takeTerm(t terms.Term) {
	if t.Text == "测试" {
		q.tests = true
	}
	for i, e := range t.English {
		q.addWord(e, 1/float64(1+i), i > 0)
	}
	if len(t.English) == 0 {
		w := newWord(t.Text, regexp.QuoteMeta(t.Text), 1, true)
		w.foreign = true
		q.words = append(q.words, w)
	}
}

// trim keeps the heaviest words, in the order of the question.
func (q *question) trim() {
	for len(q.words) > maxWords {
		least := 0
		for i, w := range q.words {
			if w.weight <= q.words[least].weight {
				least = i
			}
		}
		q.words = slices.Delete(q.words, least, least+1)
	}
}

// begins reports whether the identifier is what several names begin with: FORMAT_, or FORMAT_*.
func (id ident) begins() bool {
	return strings.HasSuffix(id.last, "_") && len(strings.Trim(id.last, "_")) >= leastPrefix
}

const leastPrefix = 3 // letters

// names reports whether the identifier means the symbol with this qualified name.
func (id ident) names(symbol string) bool {
	if last := lastPart(symbol); last != id.last && !(id.begins() && strings.HasPrefix(last, id.last)) {
		return false
	}
	owner := strings.TrimSuffix(strings.TrimSuffix(id.text, id.last), ".")
	return owner == "" || !strings.Contains(symbol, ".") || strings.EqualFold(lastPart(owner), ownerOf(symbol))
}

// addWord adds a word in lower case. It drops stop words and numbers, and merges words of the same stem.
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

// numberWord returns a number of several digits as a word. If it is the status of a failed request in HTTP, it also
// matches the name of that (net/http): 404 is NotFound, too.
func numberWord(n string) word {
	pattern := `(?:\b|_)` + n + `(?:\b|_)`
	if code, err := strconv.Atoi(n); err == nil && code >= http.StatusBadRequest {
		if name := http.StatusText(code); name != "" {
			pattern += `|(?i:` + strings.ReplaceAll(regexp.QuoteMeta(name), " ", `[_-]?`) + `)`
		}
	}
	w := newWord(n, pattern, 1, true)
	w.number = true
	return w
}

// addAcronym adds a word in capitals, which has no other forms: QUIC does not match "quick".
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
