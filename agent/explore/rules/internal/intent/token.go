package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A token is a word, a Chinese character, or a text in quotes.
type token struct {
	text, low string
	quoted    bool
	code      bool // quoted in backticks, and a name of several parts: no message
	space     bool // a space precedes it
}

// quotes are the pairs of marks around a text. An apostrophe only counts between words.
var quotes = map[rune]rune{
	'`': '`', '"': '"', '\'': '\'', '“': '”', '”': '”', '„': '“', '«': '»', '‘': '’', '「': '」', '『': '』',
}

// contractions are written out, so that the forms need not know them.
var contractions = []struct {
	re *lazyregexp.Regexp
	to string
}{
	{lazyregexp.New(`(?i)\b(what|where|who|how|when|why|that)['’]s\b`), "$1 is"},
	{lazyregexp.New(`(?i)\b(what|where|who)s\b`), "$1 is"},
	{lazyregexp.New(`(?i)\b(what|where|who|why)['’]re\b`), "$1 are"},
	{lazyregexp.New(`(?i)\bi['’]m\b`), "i am"},
	{lazyregexp.New(`(?i)\bstandard-(\pL)`), "default $1"},
	{lazyregexp.New(`(?i)\b(i|we)['’]d\b`), "$1 would"},
	{lazyregexp.New(`(?i)^((?:\S+\s+){0,3})(do|does|did|can|could|is)n['’]t\b`), "$1$2 not"}, // later it may be quoted
}

// possessive matches what follows the owner in "open's callers". It is a token of its own.
var possessive = lazyregexp.New(`^['’]s(?:\s|$)`)

// negation matches the rest of a word like "couldn't".
var negation = lazyregexp.New(`^['’]t\b`)

// endsInMark matches the name of a method of Ruby, or the call of a macro.
var endsInMark = lazyregexp.New(`^[a-z]\w*_\w+!`)

// parts matches a name of several parts: with a point, or with a capital after a small letter.
var parts = lazyregexp.New(`^[\w.:]*(?:\w[.:]\w|[a-z][A-Z])[\w.:]*$`)

// tokenise splits a question.
func tokenise(s string) []token {
	for _, c := range contractions {
		if at := strings.IndexAny(s, "`\"“„「"); at < 0 {
			s = c.re.ReplaceAllString(s, c.to)
		} else {
			s = c.re.ReplaceAllString(s[:at], c.to) + s[at:]
		}
	}
	var all []token
	before := ' '
	for len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		text, size, quoted := "", n, false
		switch end := quotes[c]; {
		case (wordRune(before) || before == '`' || before == ')') && possessive.MatchString(s):
			text, size = "'s", len(possessive.FindString(s))
		case end != 0 && !wordRune(before):
			text, size = quotedText(s[n:], end)
			quoted = size > 0
			size += n
		case unicode.Is(unicode.Han, c):
			text = s[:n]
		case wordRune(c) || c == '@' || c == '-' && before == ' ':
			size = nameLength(s)
			size += len(negation.FindString(s[size:]))
			size = max(size, len(endsInMark.FindString(s)))
			text = strings.TrimRight(s[:size], ".-/#:>")
		}
		if text != "" {
			low := strings.ToLower(strings.TrimSuffix(text, "()"))
			all = append(all, token{text, low, quoted, quoted && c == '`' && parts.MatchString(text), before == ' '})
		}
		before, _ = utf8.DecodeLastRuneInString(s[:size])
		s = s[size:]
	}
	return all
}

// quotedText returns the text up to the closing mark, and how long it is with that mark; 0 if nothing closes it. A mark
// that is also an apostrophe closes only at the end of a word.
func quotedText(s string, end rune) (string, int) {
	for i, c := range s {
		if c != end || i == 0 {
			continue
		}
		rest := s[i+utf8.RuneLen(c):]
		next, _ := utf8.DecodeRuneInString(rest)
		if (end == '\'' || end == '"' || end == '’') && rest != "" && wordRune(next) && !unicode.Is(unicode.Han, next) {
			continue
		}
		return strings.TrimSpace(s[:i]), i + utf8.RuneLen(c)
	}
	return "", 0
}

func wordRune(c rune) bool {
	return c == '_' || c == '$' || (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c)
}

var nameForm = lazyregexp.New(`^(?:--?|@)?[^\s\p{Han}\pP\pS]*` +
	`(?:(?:[_$.#/@-]|::|->)+[^\s\p{Han}\pP\pS]+|_|\$)*(?:\(\))?`)

// nameLength returns how many bytes of s are one name, with the names around it: a.b, a::b.
func nameLength(s string) int {
	if n := len(nameForm.FindString(s)); n > 0 {
		return n
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// joined writes tokens as one text.
func joined(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.space || isWord(t) && isWord(tokens[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimSuffix(t.text, "()"))
	}
	return b.String()
}

// isWord reports whether a token is a word in an alphabet.
func isWord(t token) bool {
	c, _ := utf8.DecodeRuneInString(t.text)
	return t.quoted || !unicode.Is(unicode.Han, c)
}
