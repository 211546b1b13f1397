package speech

import (
	"slices"
	"strings"
	"unicode"
)

// The words by which a message of the user is known to acknowledge.
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
)

// IsAcknowledgement reports whether a message is made of nothing but acknowledgements, as in "ok, continue" or "好的，继续吧".
// A message of signs alone, as in "👍", is one.
func IsAcknowledgement(message string) bool {
	if len(message) > longestAcknowledgement {
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

const longestAcknowledgement = 240 // bytes
