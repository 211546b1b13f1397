package stated

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Correction is a sentence that names the value which no longer holds: "the fix ships on 21 May, not on 14 May". No
// rule need know what it is about: an older statement with the old value and the same subject says that.
type Correction struct {
	Text  string   // a sentence, in the words of the user
	Was   string   // the old value
	old   string   // the old value as it was written
	now   string   // the new value; "": not known
	was   []string // terms of the old value
	about []string // the terms of the other words that say something
}

// Corrections returns the corrections of a user's message.
func Corrections(message string) (found []Correction) {
	r := &reading{book: book()}
	for _, sentence := range speech.Sentences(r.shield(normalizeLines(speech.OwnWords(message)))) {
		pattern := r.book.kinds["instead"]
		if hasHan(sentence) {
			pattern = r.book.kinds["instead+"]
		}
		at := pattern.FindStringSubmatchIndex(sentence)
		n := utf8.RuneCountInString(sentence)
		if at == nil || n < minClause || n > maxClause || IsQuestion(sentence) || IsDoubt(sentence) || IsRequest(sentence) {
			continue
		}
		group := 2 * pattern.SubexpIndex("was")
		was := sentence[at[group]:at[group+1]]
		_, about := r.book.read(sentence[:at[group]])
		c := Correction{Text: r.said(sentence), Was: r.said(was), was: textsearch.Terms(was)}
		c.old = strings.TrimSpace(was)
		c.now = like(c.old, sentence[:at[group]])
		for word := range about {
			c.about = append(c.about, textsearch.Terms(word)...)
		}
		if r.book.isValue(was) && len(c.was) > 0 && !IsSecret(c.Text) {
			found = append(found, c)
		}
	}
	return found[:min(len(found), maxStatements)]
}

// A Sentence states a value, whatever it is about.
type Sentence struct {
	Text string       // in the words of the user, without those that only say that it corrects
	said said.Message // with them
}

// Sentences returns the sentences of a user's message that state a value, so that they may update an older statement.
func Sentences(message string) (found []Sentence) {
	r := &reading{book: book()}
	for _, sentence := range speech.Sentences(r.shield(normalizeLines(speech.OwnWords(message)))) {
		sentence, pasted := r.handed(sentence)
		n := utf8.RuneCountInString(sentence)
		if n >= minClause && n <= maxClause && !IsQuestion(sentence) && !IsDoubt(sentence) && !IsRequest(sentence) {
			text := r.said(sentence)
			read := said.Read(text, false)
			if read.HasValues() && !IsSecret(text) {
				found = append(found, Sentence{r.said(r.book.withoutLead(r.book.without("retract", sentence))), read})
			}
		}
		if pasted {
			break
		}
	}
	return found
}

// Updates reports whether a sentence gives another value for what an older statement says, as [Updates] does.
func (s *Sentence) Updates(before string) bool {
	older := said.Read(before, false)
	return s.said.Compare(&older) == said.Replacing
}

// SaysNew reports whether the sentence can be understood without an older statement: it names the new value in the form
// of the old one, and says that this is new. "It returns 3, not 4" reports a fault.
func (c *Correction) SaysNew() bool { return c.now != "" && isNew.MatchString(c.Text) }

// isNew matches what says that something holds from now on.
var isNew = lazyregexp.New(`(?i)\b(?:now|these days|no longer|any ?more|correction|moved|changed|from now|jetzt|inzwischen|ab sofort|` +
	`nicht mehr|korrektur|geändert)\b|现在|改|不再`)

// Renew returns an older statement with the new value in place of the old one, or "" if the new value is not known or
// the statement does not have the old one once.
func (c *Correction) Renew(before string) string {
	if c.now == "" || strings.Contains(before, c.now) {
		return ""
	}
	for _, in := range [][2]string{{c.old, c.now}, {turned(c.old), turned(c.now)}} { // "May 14" for "14 May"
		if hasValue(before, in[0]) {
			return strings.Replace(before, in[0], in[1], 1)
		}
	}
	return ""
}

// hasValue reports whether a text has a value once, and not as a part of another one.
func hasValue(text, value string) bool {
	before, after, ok := strings.Cut(text, value)
	return ok && !strings.Contains(after, value) && !touches(before, true) && !touches(after, false)
}

// turned returns a value of two words in the other order, and any other one as it is.
func turned(value string) string {
	first, second, two := strings.Cut(value, " ")
	if !two || strings.Contains(second, " ") {
		return value
	}
	return second + " " + first
}

// like returns the only text that has the form of a value: numbers where it has numbers, or a name of several parts if
// it is one. It returns "" if there is another such text, or none.
func like(was, text string) string {
	var form string
	switch {
	case number.MatchString(was):
		form = number.ReplaceAllLiteralString(regexp.QuoteMeta(was), number.String())
	case compound.MatchString(was) && !strings.ContainsFunc(was, unicode.IsSpace):
		form = `[\pL\pN]+(?:[-_./@:][\pL\pN]+)+`
	default:
		return ""
	}
	found := regexp.MustCompile(form).FindAllStringIndex(text, 2)
	if len(found) != 1 || touches(text[:found[0][0]], true) || touches(text[found[0][1]:], false) {
		return ""
	}
	return text[found[0][0]:found[0][1]]
}

// touches reports whether a text ends, or begins, in what continues a word, a number or a name.
func touches(text string, ends bool) bool {
	c, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[min(size, len(text)):])
	if ends {
		c, size = utf8.DecodeLastRuneInString(text)
		next, _ = utf8.DecodeLastRuneInString(text[:len(text)-size])
	}
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	return size > 0 && (inWord(c) || strings.ContainsRune("-_./@:,", c) && inWord(next))
}

// number matches a number, with points, commas and colons inside.
var number = lazyregexp.New(`\d+(?:[.,:]\d+)*`)

// compound matches a name of several parts, such as that of a host, a file or a bucket.
var compound = lazyregexp.New(`[\pL\pN][-_./@:][\pL\pN]`)

// isValue reports whether a text is a value: it has a name, a number or a word of a class of values.
func (b *ruleBook) isValue(text string) bool {
	values, _ := b.read(text)
	return len(values) > 0 || strings.ContainsFunc(text, unicode.IsUpper) || compound.MatchString(text)
}

// Corrects reports whether an older statement says the old value of the same subject.
func (c *Correction) Corrects(before string) bool {
	terms := textsearch.Terms(before)
	in := func(term string) bool { return slices.Contains(terms, term) }
	subject := func(term string) bool { return in(term) && !slices.Contains(c.was, term) }
	return !slices.ContainsFunc(c.was, func(term string) bool { return !in(term) }) && slices.ContainsFunc(c.about, subject)
}
