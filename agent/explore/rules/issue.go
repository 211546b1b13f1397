package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/internal/asked"
	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/overview"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// A literal is text that the issue quotes, as a pattern that finds it in source: words of a message, or a line of code.
type literal struct {
	text, pattern string
	code          bool
}

// Bounds of what is taken from an issue.
const (
	issueBytes   = 300 // length from which a text in several lines is an issue
	maxMessages  = 5
	maxCodeLines = 8
	messageWords = 6  // words of a message to search for: source may break a longer one across lines
	leastMessage = 12 // bytes of a message that identify it
	leastCode    = 16 // bytes of a line of code that identify it
	longestCode  = 100
)

var (
	// framePattern matches a frame of a Python traceback. The line after it is code.
	framePattern   = lazyregexp.New(`File "[^"\n]{3,300}", line \d+`)
	messagePattern = lazyregexp.New(`(?m)^[ \t>E]*(?:[\w.]*(?:Error|Exception|Warning|Failure|panic|fatal|` +
		`FAIL))\b[^:\n]{0,40}:[ \t]*(\S.{8,300})$`)
	// variablePattern matches the parts of a message that vary: quoted text, numbers, paths, values in brackets.
	variablePattern = lazyregexp.New("'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^>\n]*>|\\{[^}\n]*\\}|\\[[^\\]\n]*\\]|\\([^)\n]*\\)|\\S*[\\d_/\\\\=%]\\S*|\\w+\\.\\w+\\S*")
	quotedPattern   = lazyregexp.New("`([^`\n]{12,200})`|\"([^\"\n]{12,200})\"|'([^'\n]{12,200})'")
	notSource       = lazyregexp.New(`^(?:>>>|\.\.\.|In \[|Out\[|\$ |# |//|Traceback|import |from \w+ import|@@|` +
		`index |diff --git|--- |\+\+\+ |\w+(?:Error|Exception|Warning))`)
	sourceLike   = lazyregexp.New(`[=(.\[{]`)
	diffMark     = lazyregexp.New(`^[-+](?:\s|$)`)
	spaces       = lazyregexp.New(`\s+`)
	wordsPattern = lazyregexp.New(`[A-Za-z]+(?:['-][A-Za-z]+)*(?:[ ,:;]+[A-Za-z]+(?:['-][A-Za-z]+)*)+`)
)

// isIssue reports whether a text is an issue rather than a question: several lines that report something.
func isIssue(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, "\n") &&
		(len(text) > issueBytes || messagePattern.MatchString(text) || !strings.HasSuffix(text, "?"))
}

// Words of a question that say no more than that something is wrong, and words for what people paste.
var (
	troubleWords = set(`mean means meaning wrong went problem problems issue issues hint idea ideas know fail fails
		failed failing failure break breaks broken bug bugs cause causes caused causing reason fix fixed solve solved resolve
		解决 回事 avoid prevent remove rid occur occurs occurred appear appears trouble explain erklären someone following`)
	pastedWords = set(`error errors message messages exception exceptions warning warnings panic panics crash crashes crashed
		trace traces traceback backtrace stack log logs logged line lines output code snippet trigger triggers triggered throw
		throws thrown raise raised raises print prints printed report reported show shown`)
)

// isBare reports whether a question has no subject of its own, so that it is about what is pasted beside it. Words for
// what is pasted are no subject if it points there.
func (q *question) isBare(points bool) bool {
	trouble := false
	for _, w := range q.words {
		trouble = trouble || troubleWords[w.text]
		if !troubleWords[w.text] && !weakWords[w.text] && !(points && pastedWords[w.text]) {
			return false
		}
	}
	return len(q.idents)+len(q.paths) == 0 && (points || trouble || len(q.words) == 0 && q.part == overview.None)
}

var (
	// logPrefix matches what loggers write before a message: the time, the level, a number.
	logPrefix = lazyregexp.New(`^(?:[\[(<]?(?:[\d:.,/TZ+-]+|\d+:\w|[A-Z]{4,}|\d{1,2} [A-Z][a-z]{2} \d{4})[\])>]?:? +|[*#!-]+ )+`)
	// alarming matches a word of a message that something is wrong.
	alarming = lazyregexp.New(`(?i)\b(?:\w*(?:error|exception)|fatal|panic|fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|` +
		`unable|denied|refused|invalid|unexpected|warn(?:ing)?|abort(?:ed|ing)?|timed? ?out|missing|not found)\b`)
)

// messageOf returns the first message of a text that says that something is wrong, without what loggers write before it
// and values: the words by which its place is found. It returns "" for a text without one.
func messageOf(text string) string {
	for l := range strings.Lines(text) {
		if l = logPrefix.ReplaceAllString(strings.TrimSpace(l), ""); !alarming.MatchString(l) || framePattern.MatchString(l) {
			continue
		}
		if run := longestRun(l); len(strings.Fields(run)) > 2 {
			return run
		}
	}
	return ""
}

// joint matches where a second question of a sentence begins.
var joint = lazyregexp.New(`(?i)(?:[,;]?\s+(?:and|und|&)\s+|，\s*)((?:(?:who|where|what|which|how|why|when|is|are|wer|wo|was|` +
	`welche[rsnm]?|wie|warum|wann)\b|[谁哪]|怎么|如何|什么).*)$`)

// itself matches what means the name of the question before.
var itself = lazyregexp.New(`(?i)\b(?:it|they|them|ihn|ihm|es|sie)\b|它们?`)

// takeApart reads a message. A sentence with two questions, the first about a name that exact tools find, has the name
// in the second as well: where is `load` defined and who calls it?
func takeApart(message string) asked.Message {
	m := asked.Read(message)
	if m.Rest != "" && !strings.Contains(message, "\n") && len(message) <= maxQuestion {
		if in, _ := intent.Parse(message); in.Kind == intent.Message && in.Quoted {
			return asked.Message{Title: message, Question: message} // what it is about is beside the question
		}
	}
	if m.Rest != "" || len(m.Others) > 0 || strings.Contains(message, "\n") {
		return m
	}
	at := joint.FindStringSubmatchIndex(message)
	if at == nil {
		return m
	}
	if whole, ok := intent.Parse(message); ok && !whole.Weak {
		return m
	}
	switch in, _ := intent.Parse(message[:at[0]]); in.Kind {
	case intent.Definition, intent.Callers, intent.Implementers, intent.Tests:
		if (!in.Weak || intent.IsName(in.Name)) && identPattern.MatchString(in.Name) {
			second := itself.ReplaceAllLiteralString(message[at[2]:], "`"+in.Name+"`")
			return asked.Message{Title: message, Question: message[:at[0]], Others: []string{second}}
		}
	}
	return m
}

var (
	// defining matches the beginning of code that defines something, after comments, annotations, imports and the mark
	// of a diff.
	defining = lazyregexp.New("\\A(?:[ \\t+]*(?:(?:```|~~~|//|/\\*|\\*|#|@|--|(?:import|from|package|using?) ).*)?\n)*[ \\t+]*" +
		`(?:func\s+\(\s*\w*\s*\*?(\w+)[^)\n]*\)\s*(\w+)|` + // a method of Go, with its receiver
		`(?:[\w()]+[ \t]+){0,4}?(?:func|def|fn|fun|function\*?|class|struct|interface|trait|enum|type)\s+(?:self\.)?(\w+[?!]?)|` +
		`(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\b\s*)?(?:function\b|\()|` +
		`(?:[\w<>\[\],:*&]+[ \t*&]+){1,6}?((?:\w+::)*~?\w+)\s*\([^;={}\n]*\)?[^;=()\n]*(?:\n|\z))`)
	// thisCode matches words for code beside a question.
	thisCode = lazyregexp.New(`(?i)\b(?:this|that|the)(?: (?:following|above|pasted))? (?:` + codeNouns + `)\b(?: (?:below|above|here))?|` +
		`\b(?:this|that)\b(?: here)?|\bdiese[nrsm]?\s+(?:Funktion|Methode|Klasse|Schnittstelle|Code)\b|\b(?:das|dies)(?: hier)?\b|` +
		`这(?:个|段|里的?)?\s*(?:函数|方法|类|接口|代码)?`)
)

const codeNouns = `function|method|class|struct|type|interface|trait|code|snippet|one`

// withDefined returns a question about what is pasted beside it with the name that this defines: who calls `load`? It
// returns "" for a question that needs no name, and beside what is no definition.
func withDefined(m asked.Message) string {
	name, at := defining.FindStringSubmatch(m.Rest), thisCode.FindStringIndex(m.Question)
	if !m.Points || name == nil || at == nil {
		return ""
	}
	full := strings.TrimPrefix(name[1]+"."+strings.Join(name[2:], ""), ".")
	named := m.Question[:at[0]] + "`" + full + "`" + m.Question[at[1]:]
	switch in, _ := intent.Parse(named); in.Kind {
	case intent.Callers, intent.Tests, intent.Implementers:
		return named
	}
	return ""
}

// literals are the texts that an issue quotes.
type literals []literal

// findLiterals finds the messages and the lines of code that an issue quotes.
func findLiterals(text string) (all literals) {
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

// longestRun returns the longest run of words in a message that contains no variable part.
func longestRun(message string) (longest string) {
	for _, part := range variablePattern.Split(message, -1) {
		for _, run := range wordsPattern.FindAllString(part, -1) {
			if len(run) > len(longest) {
				longest = run
			}
		}
	}
	return longest
}

// addMessage adds the longest run of words in a message that contains no variable part.
func (all *literals) addMessage(message string) {
	words := strings.Fields(longestRun(message))
	if len(words) > 2 {
		all.add(strings.Join(words[:min(len(words), messageWords)], " "), false, maxMessages)
	}
}

// add adds a text, unless it is too short or a duplicate, or its kind already has most texts.
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

// codeLines returns the lines of an issue that may occur in the source, the most specific first: lines of a traceback
// or a diff, then definitions, then the others by length.
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
		case comments.Definition.MatchString(bare):
			defined = append(defined, bare)
		default:
			other = append(other, bare)
		}
	}
	slices.SortStableFunc(other, func(a, b string) int { return len(b) - len(a) })
	return slices.Concat(shown, defined, other)
}
