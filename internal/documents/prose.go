package documents

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// A Quote is lines of a document that say something in a sentence.
type Quote struct {
	Text       string // a sentence or a command, without markup
	Start, End int    // indexes of its lines
}

// notProse matches lines that are not prose: badges, tables, headings, directives, tags, rules and definitions of
// links.
var notProse = lazyregexp.New(`^\s*(?:$|#{1,6}\s|={1,6}\s|[!|~^]|\[!\[|\[[^\]]+\]:|</?[A-Za-z!]|\.\. |` +
	`:[\w-]+:|--+|==+|\*\*\*|\.[A-Z]{1,2}\b|https?://\S+\s*$|[-*+>•]\s*(?:\[!\[|$)|import |export )`)

// Sentence returns the first sentence of prose among the lines, which begin outside of code blocks. A sentence may end
// with a colon and only point at the next block.
func Sentence(lines []string) (Quote, bool) {
	code, comment := blocks{}, false
	for i, l := range lines {
		l = inFont(l)
		if comment = inComment(l, comment); comment || strings.HasSuffix(strings.TrimSpace(l), "-->") {
			continue
		}
		if code.inside(l) || notProse.MatchString(l) || indented.MatchString(l) || underlining(l) != 0 ||
			i+1 < len(lines) && underlining(lines[i+1]) != 0 {
			continue
		}
		text := Plain(listMark.ReplaceAllString(l, ""))
		if len(strings.Fields(text)) < leastProse || !hasLetters.MatchString(text) {
			continue
		}
		return paragraph(lines, i, text), true
	}
	return Quote{}, false
}

// Prose returns a line of a document without markup and the mark of an item, or "" if it is no prose.
func Prose(l string) string {
	l = inFont(l)
	if notProse.MatchString(l) || request.MatchString(l) || indented.MatchString(l) || field.MatchString(l) ||
		underlining(l) != 0 {
		return ""
	}
	if l = Plain(listMark.ReplaceAllString(l, "")); !hasLetters.MatchString(l) {
		return ""
	}
	return strings.ReplaceAll(l, `\-`, "-")
}

var (
	// request matches a line of a manual page that says how to set the next ones.
	request = lazyregexp.New(`^\.[A-Z][a-z]\b`)
	// field matches a line of what precedes a document for programs.
	field = lazyregexp.New(`^[a-z_]+:\s`)
)

// font matches a line of a manual page that sets its words in a font, or in two in turn, or says what they are: a
// command, a flag, an argument and so on.
var font = lazyregexp.New(`^\.(?:([BIR]|S[BM]|Ar|Cm|Dv|E[mv]|F[ln]|Ic|Li|Nm|Op|Pa|Q[lq]|Sy|Va|Xr)|[BIR]{2})\s+(.+)$`)

// inFont returns the words of a line that sets them in a font, and any other line as it is. Words in two fonts have no
// space between them but what is in quotes: .IR path .
func inFont(l string) string {
	m := font.FindStringSubmatch(l)
	if m == nil {
		return l
	}
	if m[1] == "" {
		return strings.TrimSpace(argument.ReplaceAllString(m[2], "$1$2"))
	}
	words := strings.Fields(strings.ReplaceAll(m[2], `"`, ""))
	if strings.HasPrefix(l, ".Fl") {
		words[0] = "-" + words[0]
	}
	return pause.ReplaceAllString(strings.Join(words, " "), "$1")
}

// argument matches one of a line in two fonts, with the blanks after it. One in quotes keeps its own blanks.
var argument = lazyregexp.New(`(?:"([^"]*)"|(\S+))\s*`)

// pause matches a mark of punctuation that is a word among the words of a line.
var pause = lazyregexp.New(` ([.,;:)])$`)

// Command returns the first lines with a word of the first code block among the lines, at most three up to an empty
// one, except comments. The first of the lines may underline a title.
func Command(lines []string) (q Quote, ok bool) {
	code := blocks{}
	for i, l := range lines {
		if i == 0 && underlining(l) == '~' {
			continue // no fence
		}
		text := strings.TrimSpace(l)
		was := code.closing != ""
		inside := code.inside(l)
		block := was && inside && code.closing != "" || !inside && i > 1 && indented.MatchString(l) &&
			(ok || strings.TrimSpace(lines[i-1]) == "")
		switch {
		case ok && (!block || text == ""):
			return q, true
		case !block || !hasLetters.MatchString(text) || codeComment.MatchString(text):
		case !inside && listMark.MatchString(l):
		case !ok:
			q, ok = Quote{text, i, i}, true
		default:
			q = Quote{q.Text + "\n" + text, q.Start, i}
		}
		if strings.Count(q.Text, "\n") == maxCommand-1 {
			break
		}
	}
	return q, ok
}

const maxCommand = 3 // lines

// Code returns the lines of a quote in backticks, cut to so many characters.
func (q Quote) Code(most int) string {
	return "`" + strings.ReplaceAll(line.Truncate(q.Text, most), "\n", "`, `") + "`"
}

const (
	leastProse    = 3 // words of a sentence
	sentenceLines = 4 // lines after its first that a sentence may fill
)

var (
	indented    = lazyregexp.New(`^(?: {4}|\t)`)
	listMark    = lazyregexp.New(`^\s*(?:[-*+•]|\d+[.)]|>)\s+`)
	hasLetters  = lazyregexp.New(`\pL{2,}`)
	sentenceEnd = lazyregexp.New(`[.!?:](?:["”)]*)(?:\s+["“(]?[\p{Lu}\d]|\s*$)|[。！？]`)
	codeComment = lazyregexp.New(`^(?:#(?:\s|$)|//|:\w+:|<!--|"""|\.\. )`)
)

// blocks follows the fenced code blocks of a text.
type blocks struct{ closing string }

// inside reports whether line l belongs to a code block.
func (b *blocks) inside(l string) bool {
	m := fence.FindStringSubmatch(l)
	switch {
	case m == nil:
		return b.closing != ""
	case b.closing == "":
		b.closing = m[1]
	case strings.HasPrefix(m[1], b.closing):
		b.closing = ""
	}
	return true
}
