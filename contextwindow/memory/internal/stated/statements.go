package stated

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Kind is what kind of thing a statement says.
type Kind string

// The kinds of statements.
const (
	Preference Kind = "user_preference" // how the user wants things
	Context    Kind = "project_context" // of the project: decisions, tools, dates
	Fact       Kind = "fact"
	Skill      Kind = "skill"
)

func kinds() []Kind { return []Kind{Preference, Context, Fact, Skill} }

// A Statement is what a clause of a message states.
type Statement struct {
	Text       string // a sentence, in the words of the user unless the rule has its own
	Kind       Kind
	Importance int // from 1 to 10
}

// The lengths of clauses that are read, in characters. Longer ones are pasted, not said.
const (
	minClause     = 4
	maxClause     = 300
	maxStatements = 8 // of one message
)

// rememberedImportance is that of what the user asked to remember and no rule knows.
const rememberedImportance = 8

// Of returns what a user's message states that is worth remembering, by the rules.
func Of(text string) []Statement {
	r := &reading{book: book()}
	text = r.shield(normalizeLines(speech.OwnWords(text)))
	for _, sentence := range speech.Sentences(text) {
		sentence, pasted := r.handed(sentence)
		before, rest := len(r.found), r.book.without("retract", sentence)
		if r.read(rest) {
			r.retract(before, rest != sentence)
		} else {
			r.correct(sentence)
		}
		if pasted {
			break
		}
	}
	return r.found[:min(len(r.found), maxStatements)]
}

func normalizeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = normalize(lines[i])
	}
	return strings.Join(lines, "\n")
}

// A reading is the state of reading one message.
type reading struct {
	book   *ruleBook
	quotes []string // the quotations that private-use characters replace in the text
	found  []Statement
	value  string // what the last statement says of its slot
}

// quoted matches quotations and code inside a line: they are read by nobody.
var quoted = regexp.MustCompile(strings.Join([]string{
	`"[^"\n]{2,}"`, `“[^”]*”`, `„[^“”"\n]*[“”"]`, `«[^»\n]*»`, `「[^」]*」`, `『[^』]*』`, "`[^`\n]+`",
}, "|"))

// firstPrivate is the first of the characters that replace quotations.
const firstPrivate = '\uE000'

// shield replaces each quotation by a character that no rule matches by itself.
func (r *reading) shield(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Co, c) {
			return -1
		}
		return c
	}, text)
	return quoted.ReplaceAllStringFunc(text, func(q string) string {
		r.quotes = append(r.quotes, q)
		return string(rune(firstPrivate + len(r.quotes) - 1))
	})
}

// said returns a clause as it was written, as a sentence.
func (r *reading) said(clause string) string {
	var b strings.Builder
	for _, c := range strings.Trim(clause, " ,;:，；：、—–-") {
		if i := int(c - firstPrivate); i >= 0 && i < len(r.quotes) {
			b.WriteString(r.quotes[i])
			continue
		}
		if b.Len() == 0 {
			c = unicode.ToUpper(c)
		}
		b.WriteRune(c)
	}
	text := b.String()
	last, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case strings.ContainsRune(".!…。！", last):
		return text
	case hasHan(text):
		return text + "。"
	}
	return text + "."
}

// handed cuts a sentence before a text that it hands over, as "Translate this: …" does.
func (r *reading) handed(sentence string) (head string, pasted bool) {
	for i, c := range sentence {
		after := sentence[i+utf8.RuneLen(c):]
		if c == '：' || c == ':' && (after == "" || after[0] == ' ') {
			if r.book.is("paste", sentence[:i]) {
				return sentence[:i], true
			}
		}
	}
	return sentence, false
}

// read takes the statements of a sentence, and reports whether it has any.
func (r *reading) read(sentence string) bool {
	before := len(r.found)
	sentence = r.book.withoutLead(sentence)
	rest := r.book.without("remember", sentence)
	remember := rest != sentence
	if rest = r.book.withoutLead(rest); r.book.is("suppose", rest) {
		return false
	}
	asks := false
	for _, clause := range r.book.clauses(rest) {
		if clause = r.book.withoutLead(clause); r.book.is("suppose", clause) {
			break
		}
		if IsQuestion(clause) || r.book.is("request", clause) || r.book.is("doubt", clause) {
			asks = true
			continue
		}
		if rule, value, wording := r.book.first(clause); rule != nil {
			r.keep(Statement{Text: wording, Kind: rule.kind, Importance: rule.importance}, clause, value)
		}
	}
	if remember && !asks && len(r.found) == before {
		r.keep(Statement{Kind: Fact, Importance: rememberedImportance}, rest, "")
	}
	if remember {
		for i := range r.found[before:] {
			r.found[before+i].Importance = max(r.found[before+i].Importance, rememberedImportance)
		}
	}
	return len(r.found) > before
}

// keep takes a statement that a clause makes, unless it is too long or holds a credential.
func (r *reading) keep(s Statement, clause, value string) {
	n := utf8.RuneCountInString(clause)
	if n < minClause || n > maxClause {
		return
	}
	if s.Text == "" {
		s.Text = r.said(clause)
	}
	same := func(o Statement) bool { return o.Text == s.Text }
	if utf8.RuneCountInString(s.Text) > maxClause+100 || IsSecret(s.Text) ||
		slices.ContainsFunc(r.found, same) {
		return
	}
	r.found, r.value = append(r.found, s), strings.TrimRight(value, ".!。！ ")
}

// retract drops the statements before an index that a later one contradicts: all of them if it takes them back in words,
// and otherwise only preferences, since the user means the last one.
func (r *reading) retract(from int, inWords bool) {
	var kept []Statement
	for _, s := range r.found[:from] {
		if !slices.ContainsFunc(r.found[from:], func(now Statement) bool {
			return (inWords || s.Kind == Preference && now.Kind == Preference) && Supersedes(now.Text, s.Text)
		}) {
			kept = append(kept, s)
		}
	}
	r.found = append(kept, r.found[from:]...)
}

// correct replaces the value of the last statement if a sentence corrects it, as "no, Monday" does.
func (r *reading) correct(sentence string) {
	pattern := r.book.kinds["correct"]
	m := pattern.FindStringSubmatch(sentence)
	if m == nil || m[0] != sentence || len(r.found) == 0 {
		return
	}
	now, last := m[pattern.SubexpIndex("value")], &r.found[len(r.found)-1]
	if at := strings.LastIndex(last.Text, r.value); r.value != "" && at >= 0 && kindOf(now) == kindOf(r.value) {
		last.Text = last.Text[:at] + now + last.Text[at+len(r.value):]
		r.value = now
		return
	}
	last.Text = r.book.withValue(last.Text, now)
}

// kindOf returns what a value is: Chinese, a name or number, or other words. Only one of the same kind corrects it.
func kindOf(value string) int {
	switch c, _ := utf8.DecodeRuneInString(value); {
	case textsearch.IsCJK(c):
		return 1
	case unicode.IsUpper(c), unicode.IsDigit(c):
		return 2
	}
	return 3
}

// without drops what begins a text as a kind says, up to the group "rest" if it has one.
func (b *ruleBook) without(kind, text string) string {
	pattern := b.kinds[kind]
	at := pattern.FindStringSubmatchIndex(text)
	if at == nil && hasHan(text) {
		pattern = b.kinds[kind+"+"]
		at = pattern.FindStringSubmatchIndex(text)
	}
	if at == nil {
		return text
	}
	end := at[1]
	if n := pattern.SubexpIndex("rest"); n > 0 && at[2*n] >= 0 {
		end = at[2*n]
	}
	return text[end:]
}

// withoutLead drops greetings and the like from the beginning of a text.
func (b *ruleBook) withoutLead(text string) string {
	for {
		rest := strings.TrimSpace(b.without("lead", text))
		if rest == text || rest == "" {
			return text
		}
		text = rest
	}
}

// clauses splits a sentence where another statement, a question or a request begins. A clause that says more about the
// subject of the one before it gets that subject.
func (b *ruleBook) clauses(sentence string) []string {
	var found []string
	subject, from := "", 0
	breaks := b.kinds["break"].FindAllStringIndex(sentence, -1)
	for i, at := range breaks {
		end := len(sentence)
		if i+1 < len(breaks) {
			end = breaks[i+1][0]
		}
		next := sentence[at[1]:end]
		bare := b.withoutLead(next)
		carried := b.carried(strings.TrimSpace(b.withoutLead(subject+sentence[from:at[0]])), bare)
		word := strings.TrimSpace(sentence[at[0]:at[1]])
		joined := word != "" && word[0] >= 'a' && word[0] <= 'z' // "and" without a comma
		switch {
		case joined && !hasVerb.MatchString(sentence[from:at[0]]):
			continue
		case carried == "" && !b.is("start", bare) &&
			(joined || !IsQuestion(next) && !b.is("request", bare) && !b.is("suppose", bare)):
			continue
		}
		found = append(found, subject+sentence[from:at[0]])
		subject, from = carried, at[1]
	}
	return append(found, subject+sentence[from:])
}

// carried returns the subject of a clause if it continues the one before, which states something too, without
// naming it again.
func (b *ruleBook) carried(before, next string) string {
	for subject, pattern := range b.carry {
		if !strings.HasPrefix(strings.ToLower(before), strings.ToLower(subject)) || !pattern.MatchString(next) {
			continue
		}
		if r, _, _ := b.first(before); r != nil {
			if textsearch.IsCJK([]rune(subject)[0]) {
				return subject
			}
			return subject + " "
		}
	}
	return ""
}

// hasVerb matches what makes a clause of the words before "and": its subject or an auxiliary verb.
var hasVerb = re(`\b(?:i|i'm|i've|i'd|we|we're|we've|is|are|was|has|have|'s|must|should|always|never|don't|please|`,
	`ich|wir|ist|sind|hat|bitte)\b`)
