package comments

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// Paragraphs returns what the comment or docstring says that has its first words in line n, a paragraph each, at least
// one: without code, titles, tags of HTML and Javadoc, and what describes a parameter or a result. One with # ends
// where another mark begins, and the other way around. line returns a line by its number, or false where it is not
// known; at most so many are read.
func Paragraphs(line func(n int) (string, bool), n, most int) []string {
	first, _ := line(n)
	marked := Is(first) && !strings.Contains(first, `"""`) && !strings.Contains(first, "'''")
	p := paragraphs{all: []string{""}, open: true}
	for i := range most {
		text, ok := line(n + i)
		if !ok || marked && (!Is(text) || hashed(text) != hashed(first)) {
			break
		}
		ended := end.MatchString(Text(text)) || i > 0 && end.MatchString(text)
		said := unmarked(text)
		if p.add(said, strings.Index(text, said), i == 0); ended {
			break
		}
	}
	return p.all
}

// paragraphs are those of a comment so far.
type paragraphs struct {
	all  []string
	open bool // the next line may continue the last one
	code bool // the next line is code
	tags bool // and this one of what describes a parameter

	at      int  // where the last line of text begins
	example bool // what is set in below it is an example of reStructuredText
}

// add takes a line of a comment, without its mark, which begins so many bytes after that of the line.
func (p *paragraphs) add(text string, at int, first bool) {
	fenced := strings.HasPrefix(text, "```")
	opens := fenced && !p.code || opensCode.MatchString(text)
	closes := fenced && p.code || closesCode.MatchString(text)
	p.tags = !first && text != "" && (p.tags || tagged.MatchString(text))
	text = untagged(text)
	title := !first && text != "" && strings.ContainsAny(text[:1], "#=")
	switch {
	case p.code || opens || p.tags || title || text == "" || p.example && at > p.at:
		p.open = false
	case !p.open:
		p.all, p.open = append(p.all, text), true
	default:
		last := &p.all[len(p.all)-1]
		*last = strings.TrimSpace(*last + " " + text)
	}
	if p.code = (p.code || opens) && !closes; p.open {
		p.at, p.example = at, strings.HasSuffix(text, "::")
	}
}

// untagged returns a line of a comment without the tags of HTML and Javadoc.
func untagged(text string) string {
	text = javadocTag.ReplaceAllString(labelled.ReplaceAllString(text, "$1"), "`$1`")
	return strings.TrimSpace(htmlTag.ReplaceAllString(text, ""))
}

// Ends reports whether a text ends as a sentence does.
func Ends(text string) bool { return sentenceEnds.MatchString(text) }

var (
	tagged = lazyregexp.New(`^[@:\\]|^\S+::(?: |$)|^\w+: {2,}|^(?:Args|Arguments|Param\w*|Returns?|Raises|Yields|` +
		`Options|Attributes|Examples?)\s*:?$`)
	htmlTag      = lazyregexp.New(`(?i)</?(?:p|b|i|em|strong|code|tt|pre|[uod]l|li|d[td]|br|a|h[1-6r])(?: [^<>]*)?/?>`)
	labelled     = lazyregexp.New(`\{@link(?:plain)? [^\s{}]+ ([^{}]+)\}`)
	javadocTag   = lazyregexp.New(`\{@(?:code|link|linkplain|literal|value) ([^{}]*)\}`)
	opensCode    = lazyregexp.New(`<pre\b|^\{@code\b[^}]*$`)
	closesCode   = lazyregexp.New(`</pre>`)
	sentenceEnds = lazyregexp.New(`[.!?:;][)"'` + "`" + `]*$`)
)

func hashed(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }
