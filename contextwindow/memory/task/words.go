package task

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/internal/line"
)

var (
	continuations = []string{
		"continue", "go on", "carry on", "keep going", "go ahead", "proceed", "resume", "ok ", "okay ", "yes ",
	}
	chineseContinuations = []string{"继续", "接着", "请继续", "好的", "往下"}

	constraintWords = []string{
		"must ", "must not", "do not ", "don't ", "never ", "only ", "without ", "at most", "at least", "no more than",
		"make sure",
		"必须", "不要", "不能", "不得", "禁止", "只能", "只用", "至少", "最多", "务必", "不许", "别",
	}
)

// isContinuation reports whether a short message begins with "continue" or the like, and asks nothing.
func isContinuation(message string) bool {
	text := strings.ToLower(strings.TrimSpace(message))
	if !isShort(text) || speech.IsQuestion(text) {
		return false
	}
	for _, c := range continuations {
		rest, ok := strings.CutPrefix(text, c)
		if ok && (rest == "" || strings.HasSuffix(c, " ") || strings.ContainsAny(rest[:1], " ,.!:;")) {
			return true
		}
	}
	return slices.ContainsFunc(chineseContinuations, func(c string) bool { return strings.HasPrefix(text, c) })
}

// The limits of a short message.
const (
	maxWords = 12
	maxRunes = 60
)

// isShort reports whether a message has few words.
func isShort(message string) bool {
	return len(message) <= 4*maxRunes && len(strings.Fields(message)) <= maxWords && line.Runes(message) <= maxRunes
}

// listItem returns the text of a numbered or dashed line.
func listItem(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
		return line[2:], true
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 2 {
		return "", false
	}
	for _, end := range []string{". ", ") ", "、", "．"} {
		if rest, ok := strings.CutPrefix(line[digits:], end); ok {
			return rest, true
		}
	}
	return "", false
}
