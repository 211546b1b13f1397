package planner

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A frame is a line of a traceback: where in which file, and in which function.
type frame struct{ path, name string }

// A literal is words of a message that the issue quotes, as a pattern that finds them in source.
type literal struct {
	text, pattern string
	re            *regexp.Regexp
}

// Bounds of what is taken from an issue.
const (
	issueBytes   = 300 // from which a text in several lines is an issue
	maxFrames    = 40
	maxLiterals  = 4
	literalWords = 6  // of one literal: a longer one may be broken across lines of source
	leastLiteral = 12 // bytes that tell one message from another
)

var (
	// framePatterns are lines of tracebacks: of Python, of JavaScript, and path:line as Go, Rust and compilers write it.
	framePatterns = []*regexp.Regexp{
		regexp.MustCompile(`File "([^"\n]{3,300})", line \d+(?:, in (\w+))?`),
		regexp.MustCompile(`(?m)^\s*at (?:(?:async )?([\w.$<>]+) )?\(?([^\s():]+\.\w+):\d+`),
		regexp.MustCompile(`(?m)^\s*(?:--> )?([\w./@+-]+\.(?:go|rs|py|c|cc|cpp|h|java|ts|js|rb)):\d+`),
	}
	messagePattern = regexp.MustCompile(`(?m)^[ \t>E]*(?:[\w.]*(?:Error|Exception|Warning|Failure|panic|fatal|FAIL))\b[^:\n]{0,40}:[ \t]*(\S.{8,300})$`)
	// variablePattern is what a program puts into a message: what is quoted, numbers, paths, values in brackets.
	variablePattern = regexp.MustCompile("'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^>\n]*>|\\{[^}\n]*\\}|\\[[^\\]\n]*\\]|\\([^)\n]*\\)|\\S*[\\d_/\\\\=%]\\S*|\\w+\\.\\w+\\S*")
	wordsPattern    = regexp.MustCompile(`[A-Za-z]+(?:['-][A-Za-z]+)*(?:[ ,:;]+[A-Za-z]+(?:['-][A-Za-z]+)*)+`)
)

// isIssue reports whether a text is a report of something, in several lines, rather than a question.
func isIssue(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, "\n") && (len(text) > issueBytes || messagePattern.MatchString(text) || !strings.HasSuffix(text, "?"))
}

// takeIssue finds the tracebacks and the messages that an issue quotes.
func (q *question) takeIssue(text string) {
	for i, p := range framePatterns {
		for _, m := range p.FindAllStringSubmatch(text, maxFrames) {
			f := frame{path: m[1]}
			switch i {
			case 0:
				f.name = m[2]
			case 1:
				f = frame{m[2], lastPart(m[1])}
			}
			q.frames = append(q.frames, f)
		}
	}
	q.frames = q.frames[max(0, len(q.frames)-maxFrames):]
	for _, m := range messagePattern.FindAllStringSubmatch(text, -1) {
		q.addLiteral(m[1])
	}
}

// addLiteral adds the longest run of words of a message that no variable interrupts.
func (q *question) addLiteral(message string) {
	longest := ""
	for _, part := range variablePattern.Split(message, -1) {
		for _, run := range wordsPattern.FindAllString(part, -1) {
			if len(run) > len(longest) {
				longest = run
			}
		}
	}
	words := strings.Fields(longest)
	text := strings.Join(words[:min(len(words), literalWords)], " ")
	known := slices.ContainsFunc(q.literals, func(l literal) bool { return l.text == text })
	if len(text) < leastLiteral || len(q.literals) == maxLiterals || known {
		return
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(text), " ", `\s+`)
	q.literals = append(q.literals, literal{text, pattern, regexp.MustCompile(pattern)})
}

// at reports whether a frame is in the file p, which may be installed elsewhere.
func (f frame) at(p string) bool {
	framed := strings.ReplaceAll(f.path, `\`, "/")
	return framed == p || strings.HasSuffix(framed, "/"+p) || strings.Contains(p, "/") && strings.HasSuffix(framed, "/"+tail(p)) ||
		!strings.Contains(framed, "/") && path.Base(p) == framed
}
