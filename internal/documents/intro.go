package documents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	aside = lazyregexp.New(`(?i)^(?:please|note|warning|important|caution|tip|sponsor|for (?:more|questions|the|a|help|` +
		`documentation)|follow|visit|join|become|support|donate|we(?:'re| are) hiring|looking for|documentation|docs|see|read|` +
		`thanks?|if you|click here|check out|download|subscribe|get |try |this (?:project|repository|repo|branch|package) (?:is|has) ` +
		`(?:no longer|deprecated|archived|moved|been)|translations?|languages?|latest|current|status|build|` +
		`(?:dual-?|multi-?)?licen[sc]ed|(?:api )?(?:documentation|docs?) (?:is|are|can)|[\w.]+ documentation (?:is|can))\b`)
	asideTitle = lazyregexp.New(`(?i)install|sponsor|backer|contents|menu|license|licence|getting started|quick|build|` +
		`contribut|usage|support|badge|status|news|change|requirement|thanks|credit|question|issue|development`)
	menu       = lazyregexp.New(`(?:•|\||·|\s[-–/]\s).*(?:•|\||·|\s[-–/]\s)`)
	linked     = lazyregexp.New(`\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<a\s[^>]*>.*?</a>`)
	listItem   = lazyregexp.New(`^\s*(?:[-*+•]|\d+[.)]|[\w-]+ ::)\s`)
	directive  = lazyregexp.New(`^\s*(?:\.\. |:[\w-]+:|\|.*\||\[[^\]]+\]:|={3,}|-{3,}|\*{3,}|!!!|:::|\+{3,}|=\s|~{3,})`)
	motto      = lazyregexp.New(`^(?:\.\.|…)`) // continues the title
	letterWord = lazyregexp.New(`\pL{2,}`)
)

// leastIntro is the minimum number of words in an introduction.
const leastIntro = 4

// Intro returns the sentence of a README that describes the project. It skips badges, menus, notices, instructions, and
// sections such as installation and sponsors, and looks inside HTML tags.
//
// A sentence that begins with the project's name, as its title gives it, and "is a" comes before an earlier one: "HTTP
// is how applications talk. Zap is an HTTP client."
func Intro(lines []string) (Quote, bool) {
	all := intros(lines)
	if len(all) == 0 {
		return Quote{}, false
	}
	if m := titleName.FindStringSubmatch(strings.Join(lines[:min(len(lines), titleLines)], "\n")); m != nil {
		is := regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(m[1]+m[2]) + `(?:\.js)?,? (?:is (?:an?|the|one)|are|provides) `)
		for _, q := range all {
			if is.MatchString(q.Text) {
				return q, true
			}
		}
	}
	return all[0], true
}

// reference matches the mark of a link in reStructuredText, analyser_, and of a word that RDoc must not link, \Rails.
var reference = lazyregexp.New("(\\pL)`?_(\\s|$)|\\\\(\\p{Lu})")

// note matches a quoted line that is a notice, not what the project says of itself.
var note = lazyregexp.New(`(?i)^>\s*(?:\[!|[*_]*(?:note|warning|important|tip|caution)\b)`)

// titleLines are the first lines of a README, which may hold its title.
const titleLines = 12

// rdocTitle matches the mark of a title in RDoc and AsciiDoc.
var rdocTitle = lazyregexp.New(`^=+ `)

// titleName matches the first word of a title.
var titleName = lazyregexp.New("(?m)^[#=] +[`*]*([\\w.-]+)|^([\\w.-]+)[^\\n]*\\n==")

// maxIntros limits the sentences of [intros].
const maxIntros = 4

// intros returns the first sentences of the paragraphs that may describe the project.
func intros(lines []string) (all []Quote) {
	code, passed, inTag, comment := blocks{}, false, false, false
	lines = slices.Clone(lines)
	for i, l := range lines {
		if mark := rdocTitle.FindString(l); mark != "" {
			lines[i] = strings.Repeat("#", len(mark)-1) + l[len(mark)-1:]
		}
	}
	titles := make(map[int]string)
	heads := markdown(lines)
	for _, h := range heads {
		titles[h.line] = h.title
	}
	prose, noted := true, false // a paragraph may begin here; the quote is a notice
	for i, l := range lines {
		begins := prose
		noted = strings.HasPrefix(l, ">") && (noted || note.MatchString(l))
		prose = strings.TrimSpace(l) == "" || titles[i] != "" || underlining(l) != 0 || tag.ReplaceAllString(l, "") == ""
		if code.inside(l) { // first: a fence looks like the line below a title
			continue
		}
		if title, ok := titles[i]; ok || underlining(l) != 0 {
			passed = ok && i > heads[0].line && asideTitle.MatchString(title) || !ok && passed // the first may be BadgerDB
			continue
		}
		if comment = inComment(l, comment); comment || strings.HasSuffix(strings.TrimSpace(l), "-->") {
			continue
		}
		before := inTag
		inTag = strings.LastIndexByte(l, '<') > strings.LastIndexByte(l, '>') && tagStart.MatchString(l) ||
			before && !strings.Contains(l, ">")
		if passed || before || inTag || directive.MatchString(l) || listItem.MatchString(l) ||
			strings.HasPrefix(l, ">") && (len(all) > 0 || noted) ||
			i+1 < len(lines) && underlining(lines[i+1]) != 0 {
			continue
		}
		rest := linked.ReplaceAllString(image.ReplaceAllString(l, ""), "")
		text := reference.ReplaceAllString(Plain(strings.TrimSpace(strings.TrimPrefix(l, ">"))), "$1$2$3")
		if menu.MatchString(rest) || !letterWord.MatchString(tag.ReplaceAllString(rest, "")) || aside.MatchString(text) ||
			motto.MatchString(text) {
			continue
		}
		if q := paragraph(lines, i, text); len(letterWord.FindAllString(q.Text, leastIntro)) == leastIntro &&
			(begins || len(all) == 0) && len(all) < maxIntros {
			all = append(all, q)
		}
	}
	return all
}

var tagStart = lazyregexp.New(`<[A-Za-z][^>]*$`)

// quoteMark matches what begins a line of a quotation in Markdown.
var quoteMark = lazyregexp.New(`^\s*(?:>\s?)+`)

// paragraph returns the sentence that begins in line i with text.
func paragraph(lines []string, i int, text string) Quote {
	end := i
	for end+1 < len(lines) && end-i < sentenceLines && !sentenceEnd.MatchString(text) {
		l := lines[end+1]
		next := inFont(l)
		if next == l && (notProse.MatchString(l) || listItem.MatchString(l) || fence.MatchString(l)) {
			break
		}
		end++
		text += " " + Plain(quoteMark.ReplaceAllString(next, ""))
	}
	if m := sentenceEnd.FindStringIndex(text); m != nil {
		text = strings.TrimSpace(text[:m[0]+1])
	}
	return Quote{text, i, end}
}
