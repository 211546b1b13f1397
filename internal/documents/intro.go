package documents

import (
	"regexp"
	"strings"
)

var (
	aside = regexp.MustCompile(`(?i)^(?:please|note|warning|important|caution|tip|sponsor|for (?:more|questions|the|a|help|` +
		`documentation)|follow|visit|join|become|support|donate|we(?:'re| are) hiring|looking for|documentation|docs|see|read|` +
		`thanks?|if you|click here|check out|download|subscribe|get |try |this (?:project|repository|repo|branch|package) (?:is|has) ` +
		`(?:no longer|deprecated|archived|moved|been)|translations?|languages?|latest|current|status|build)\b`)
	asideTitle = regexp.MustCompile(`(?i)install|sponsor|backer|contents|menu|license|licence|getting started|quick|build|` +
		`contribut|usage|support|badge|status|news|change|requirement|thanks|credit|question|issue|development`)
	menu       = regexp.MustCompile(`(?:•|\||·|\s[-–/]\s).*(?:•|\||·|\s[-–/]\s)`)
	linked     = regexp.MustCompile(`\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<a\s[^>]*>.*?</a>`)
	listItem   = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s`)
	directive  = regexp.MustCompile(`^\s*(?:\.\. |:[\w-]+:|\|.*\||\[[^\]]+\]:|={3,}|-{3,}|\*{3,}|!!!|:::|\+{3,}|=\s|~{3,})`)
	letterWord = regexp.MustCompile(`\pL{2,}`)
)

// leastIntro is the least number of words of a sentence that says what a project is.
const leastIntro = 4

// Intro returns the first sentence of a README that says what the project is: prose that is no badge, menu, notice or
// instruction. It looks into tags, and passes over sections on installation, sponsors and the like.
func Intro(lines []string) (Quote, bool) {
	code, passed, inTag, comment := blocks{}, false, false, false
	titles := make(map[int]string)
	for _, h := range markdown(lines) {
		titles[h.line] = h.title
	}
	for i, l := range lines {
		if title, ok := titles[i]; ok || underlining(l) != 0 {
			passed = ok && asideTitle.MatchString(title) || !ok && passed
			continue
		}
		if comment = inComment(l, comment); comment || code.inside(l) || strings.HasSuffix(strings.TrimSpace(l), "-->") {
			continue
		}
		before := inTag
		inTag = strings.LastIndexByte(l, '<') > strings.LastIndexByte(l, '>') && tagStart.MatchString(l) ||
			before && !strings.Contains(l, ">")
		if passed || before || inTag || directive.MatchString(l) || listItem.MatchString(l) || strings.HasPrefix(l, ">") ||
			i+1 < len(lines) && underlining(lines[i+1]) != 0 {
			continue
		}
		rest := linked.ReplaceAllString(image.ReplaceAllString(l, ""), "")
		text := Plain(strings.TrimSpace(l))
		if menu.MatchString(rest) || !letterWord.MatchString(tag.ReplaceAllString(rest, "")) || aside.MatchString(text) {
			continue
		}
		if q := paragraph(lines, i, text); len(letterWord.FindAllString(q.Text, leastIntro)) == leastIntro {
			return q, true
		}
	}
	return Quote{}, false
}

var tagStart = regexp.MustCompile(`<[A-Za-z][^>]*$`)

// paragraph returns the sentence that begins in line i with text.
func paragraph(lines []string, i int, text string) Quote {
	end := i
	for end+1 < len(lines) && end-i < sentenceLines && !sentenceEnd.MatchString(text) && !notProse.MatchString(lines[end+1]) &&
		!listItem.MatchString(lines[end+1]) && !fence.MatchString(lines[end+1]) {
		end++
		text += " " + Plain(lines[end])
	}
	if m := sentenceEnd.FindStringIndex(text); m != nil {
		text = strings.TrimSpace(text[:m[0]+1])
	}
	return Quote{text, i, end}
}
