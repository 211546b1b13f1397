package speech

import (
	"slices"
	"strings"
	"unicode"
)

var (
	// acknowledgements may follow each other: "ok, thanks, go ahead".
	acknowledgements = []string{
		"ok", "okay", "k", "yes", "yeah", "yep", "yup", "y", "no", "nope", "sure", "thanks", "thank you", "thx", "ty",
		"great", "good", "nice", "perfect", "cool", "fine", "right", "correct", "exactly", "alright", "all right",
		"got it", "i see", "understood", "agreed", "sounds good", "looks good", "lgtm", "well done", "done", "please",
		"do it", "do that", "hi", "hello", "continue", "go on", "go ahead", "proceed", "next", "next step", "carry on",
		"keep going", "resume", "more", "and then", "then",
	}
	// chineseAcknowledgements may follow each other without spaces: "好的，继续吧". Longer ones come first.
	chineseAcknowledgements = []string{
		"没有问题", "没问题", "知道了", "明白了", "收到了", "谢谢你", "谢谢您", "辛苦了", "下一步", "接着来", "往下", "可以的", "好的呢", "没错", "同意", "收到", "明白",
		"了解", "谢谢", "多谢", "感谢", "继续", "接着", "然后", "可以", "好的", "好吧", "是的", "对的", "行的", "当然", "不错", "很好", "完美", "你好", "您好",
		"请", "好", "嗯", "行", "对", "是", "不", "哦", "啊", "吧", "呢", "了", "的", "呀", "哈",
	}
)

// maxAcknowledgement is the length of the longest acknowledgement, in bytes.
const maxAcknowledgement = 240

// IsAcknowledgement reports whether a message consists only of acknowledgements, such as "ok, continue" or "好的，继续吧", or
// of signs, such as "👍".
func IsAcknowledgement(message string) bool {
	if len(message) > maxAcknowledgement {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	for len(words) > 0 {
		n := acknowledgement(words)
		if n == 0 && isChineseAcknowledgement(words[0]) {
			n = 1
		}
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return strings.TrimSpace(message) != ""
}

// acknowledgement returns how many of the first words are one acknowledgement, up to three.
func acknowledgement(words []string) int {
	for n := min(3, len(words)); n > 0; n-- {
		if slices.Contains(acknowledgements, strings.Join(words[:n], " ")) {
			return n
		}
	}
	return 0
}

func isChineseAcknowledgement(word string) bool {
	for word != "" {
		i := slices.IndexFunc(chineseAcknowledgements, func(a string) bool { return strings.HasPrefix(word, a) })
		if i < 0 {
			return false
		}
		word = word[len(chineseAcknowledgements[i]):]
	}
	return true
}
