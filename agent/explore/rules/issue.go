package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
)

// A literal is text that the issue quotes, as a pattern that finds it in source: words of a message, or a line of code.
type literal struct {
	text, pattern string
	code          bool
}

// Bounds of what is taken from an issue.
const (
	issueBytes   = 300 // from which a text in several lines is an issue
	maxMessages  = 5
	maxCodeLines = 8
	messageWords = 6  // of one message: a longer one may be broken across lines of source
	leastMessage = 12 // bytes of a message that identify it
	leastCode    = 16 // the same for a line of code
	longestCode  = 100
)

var (
	// framePattern is a line of a traceback of Python: a line of code follows it.
	framePattern   = regexp.MustCompile(`File "[^"\n]{3,300}", line \d+`)
	messagePattern = regexp.MustCompile(`(?m)^[ \t>E]*(?:[\w.]*(?:Error|Exception|Warning|Failure|panic|fatal|` +
		`FAIL))\b[^:\n]{0,40}:[ \t]*(\S.{8,300})$`)
	// variablePattern is what a program puts into a message: what is quoted, numbers, paths, values in brackets.
	variablePattern = regexp.MustCompile("'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^>\n]*>|\\{[^}\n]*\\}|\\[[^\\]\n]*\\]|\\([^)\n]*\\)|\\S*[\\d_/\\\\=%]\\S*|\\w+\\.\\w+\\S*")
	quotedPattern   = regexp.MustCompile("`([^`\n]{12,200})`|\"([^\"\n]{12,200})\"|'([^'\n]{12,200})'")
	notSource       = regexp.MustCompile(`^(?:>>>|\.\.\.|In \[|Out\[|\$ |# |//|Traceback|import |from \w+ import|@@|` +
		`index |diff --git|--- |\+\+\+ |\w+(?:Error|Exception|Warning))`)
	sourceLike   = regexp.MustCompile(`[=(.\[{]`)
	diffMark     = regexp.MustCompile(`^[-+](?:\s|$)`)
	spaces       = regexp.MustCompile(`\s+`)
	wordsPattern = regexp.MustCompile(`[A-Za-z]+(?:['-][A-Za-z]+)*(?:[ ,:;]+[A-Za-z]+(?:['-][A-Za-z]+)*)+`)
)

// isIssue reports whether a text is a report of something, in several lines, rather than a question.
func isIssue(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, "\n") &&
		(len(text) > issueBytes || messagePattern.MatchString(text) || !strings.HasSuffix(text, "?"))
}

// literals are what an issue quotes.
type literals []literal

// quotedBy finds the messages and the lines of code that an issue quotes.
func quotedBy(text string) (all literals) {
	for _, m := range messagePattern.FindAllStringSubmatch(text, -1) {
		all.addMessage(m[1])
	}
	for _, m := range quotedPattern.FindAllStringSubmatch(text, -1) {
		all.addMessage(m[1] + m[2] + m[3])
	}
	for _, line := range codeLines(text) {
		all.add(line, true, maxCodeLines)
	}
	return all
}

// addMessage adds the longest run of words of a message that no variable interrupts.
func (all *literals) addMessage(message string) {
	longest := ""
	for _, part := range variablePattern.Split(message, -1) {
		for _, run := range wordsPattern.FindAllString(part, -1) {
			if len(run) > len(longest) {
				longest = run
			}
		}
	}
	words := strings.Fields(longest)
	if len(words) > 2 {
		all.add(strings.Join(words[:min(len(words), messageWords)], " "), false, maxMessages)
	}
}

// add adds a text, unless it is too short, known, or one of too many of its sort.
func (all *literals) add(text string, code bool, most int) {
	least, n := leastMessage, 0
	if code {
		least = leastCode
	}
	for _, l := range *all {
		if l.text == text {
			return
		}
		if l.code == code {
			n++
		}
	}
	if len(text) < least || n == most {
		return
	}
	pattern := spaces.ReplaceAllLiteralString(regexp.QuoteMeta(text), `\s+`)
	*all = append(*all, literal{text, pattern, code})
}

// codeLines returns the lines of an issue that may occur in the source, the most specific first: what a
// traceback or a diff shows, then definitions, then the longer ones.
func codeLines(text string) []string {
	var shown, defined, other []string
	fenced, framed := false, false
	for text := range strings.Lines(text) {
		bare := strings.TrimSpace(text)
		if strings.HasPrefix(bare, "```") {
			fenced = !fenced
			continue
		}
		after := framed
		framed = framePattern.MatchString(text)
		change := diffMark.FindString(bare)
		inside := fenced || strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "\t")
		if !inside || framed || strings.HasPrefix(change, "+") || notSource.MatchString(bare) || !sourceLike.MatchString(bare) {
			continue
		}
		bare = line.Truncate(strings.TrimSpace(bare[len(change):]), longestCode)
		switch {
		case strings.Contains(bare, "…"):
		case after || change != "":
			shown = append(shown, bare)
		case definition.MatchString(bare):
			defined = append(defined, bare)
		default:
			other = append(other, bare)
		}
	}
	slices.SortStableFunc(other, func(a, b string) int { return len(b) - len(a) })
	return slices.Concat(shown, defined, other)
}
