package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/toollimit"
)

// The words by which a message of the user is known to acknowledge, to continue or to demand something.
var (
	// acknowledgements may stand together: "ok, thanks, go ahead".
	acknowledgements = []string{
		"ok", "okay", "k", "yes", "yeah", "yep", "yup", "y", "no", "nope", "sure", "thanks", "thank you", "thx", "ty", "great", "good",
		"nice", "perfect", "cool", "fine", "right", "correct", "exactly", "alright", "all right", "got it", "i see", "understood", "agreed",
		"sounds good", "looks good", "lgtm", "well done", "done", "please", "do it", "do that", "hi", "hello",
		"continue", "go on", "go ahead", "proceed", "next", "next step", "carry on", "keep going", "resume", "more", "and then", "then",
	}
	// chineseAcknowledgements may stand together without blanks: "好的，继续吧". Longer ones come first.
	chineseAcknowledgements = []string{
		"没有问题", "没问题", "知道了", "明白了", "收到了", "谢谢你", "谢谢您", "辛苦了", "下一步", "接着来", "往下", "可以的", "好的呢", "没错", "同意",
		"收到", "明白", "了解", "谢谢", "多谢", "感谢", "继续", "接着", "然后", "可以", "好的", "好吧", "是的", "对的", "行的", "当然", "不错", "很好",
		"完美", "你好", "您好", "请", "好", "嗯", "行", "对", "是", "不", "哦", "啊", "吧", "呢", "了", "的", "呀", "哈",
	}
	continuations        = []string{"continue", "go on", "carry on", "keep going", "go ahead", "proceed", "resume", "ok ", "okay ", "yes "}
	chineseContinuations = []string{"继续", "接着", "请继续", "好的", "往下"}

	constraintWords = []string{
		"must ", "must not", "do not ", "don't ", "never ", "only ", "without ", "at most", "at least", "no more than", "make sure",
		"必须", "不要", "不能", "不得", "禁止", "只能", "只用", "至少", "最多", "务必", "不许", "别",
	}
)

// What a continuation and a short answer have at most.
const (
	mostWords = 12
	mostRunes = 60
)

// isAcknowledgement reports whether a message is made of nothing but acknowledgements, as in "ok, continue" or "好的，继续吧".
// A message of signs alone, as in "👍", is one.
func isAcknowledgement(message string) bool {
	if len(message) > 4*mostRunes {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	for i := 0; i < len(words); {
		n := acknowledging(words[i:])
		if n == 0 && chineseAcknowledging(words[i]) {
			n = 1
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return strings.TrimSpace(message) != ""
}

// acknowledging returns how many words at the beginning are an acknowledgement, the longest first.
func acknowledging(words []string) int {
	for n := min(3, len(words)); n > 0; n-- {
		if slices.Contains(acknowledgements, strings.Join(words[:n], " ")) {
			return n
		}
	}
	return 0
}

func chineseAcknowledging(word string) bool {
	for word != "" {
		i := slices.IndexFunc(chineseAcknowledgements, func(a string) bool { return strings.HasPrefix(word, a) })
		if i < 0 {
			return false
		}
		word = word[len(chineseAcknowledgements[i]):]
	}
	return true
}

// isContinuation reports whether a short message begins with a word that goes on with what is there, and asks nothing.
func isContinuation(message string) bool {
	text := strings.ToLower(strings.TrimSpace(message))
	if !fewWords(text) || isQuestion(text) {
		return false
	}
	for _, c := range continuations {
		if rest, ok := strings.CutPrefix(text, c); ok && (rest == "" || strings.HasSuffix(c, " ") || strings.ContainsAny(rest[:1], " ,.!:;")) {
			return true
		}
	}
	return slices.ContainsFunc(chineseContinuations, func(c string) bool { return strings.HasPrefix(text, c) })
}

// fewWords reports whether a message is short.
func fewWords(message string) bool {
	return len(message) <= 4*mostRunes && len(strings.Fields(message)) <= mostWords && toollimit.Runes(message) <= mostRunes
}

// listItem returns the text of a numbered or dashed line.
func listItem(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "- "); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(line, "* "); ok {
		return rest, true
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
