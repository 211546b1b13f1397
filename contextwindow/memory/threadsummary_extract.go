package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// extractiveMark is the first line of a summary that was made by rules.
const extractiveMark = "(extractive: sentences of the conversation, chosen by rules)"

// summaryParts is how a summary made by rules shares its room, and how many items a section holds at most.
var summaryParts = []struct {
	heading string
	share   float64
	most    int
}{
	{headTopics, .30, 24},
	{headDecisions, .25, 16},
	{headPreferences, .20, 16},
	{headDetails, .15, 30},
	{headOpen, .10, 5},
}

// sentenceRunes is how much of a sentence a summary quotes.
const sentenceRunes = 160

// extractSummary makes a summary by rules: of each turn the first sentence, what was decided and preferred, paths and
// names, and the questions of the newest turn. What is older goes first when there is too much.
func extractSummary(old Summary, fresh []ThreadMessage, most int) string {
	items := summarySections(old.Text)
	if len(items) == 0 && old.Text != "" {
		items[headTopics] = []string{clipRunes(old.Text, sentenceRunes)}
	}
	delete(items, headOpen)
	for _, m := range fresh {
		switch m.Role {
		case transcript.User:
			extractUser(items, m.Text)
		case transcript.Assistant:
			for _, sentence := range sentences(m.Text) {
				if isDecision(sentence) {
					put(items, headDecisions, sentence)
				}
			}
		case transcript.Tool:
			continue
		}
		for name := range toollimit.Identifiers(m.Text[:min(len(m.Text), mostLooked)]) {
			put(items, headDetails, name)
		}
		for _, c := range m.Calls {
			for name := range toollimit.Identifiers(string(c.Args[:min(len(c.Args), saidTokens)])) {
				put(items, headDetails, name)
			}
		}
	}
	return renderSummary(items, most)
}

// extractUser takes what one message of the user says into a summary.
func extractUser(items map[string][]string, text string) {
	items[headOpen] = nil // the questions of an earlier turn had their answer
	for i, sentence := range sentences(text) {
		decided, preferred := isDecision(sentence), isPreference(sentence)
		switch {
		case isQuestion(sentence):
			put(items, headOpen, sentence)
		case preferred:
			put(items, headPreferences, sentence)
		case decided:
			put(items, headDecisions, sentence)
		}
		if i == 0 && !decided && !preferred && !isAcknowledgement(text) {
			put(items, headTopics, sentence)
		}
	}
}

// put appends an item to a section, or moves it to its end if it is there.
func put(items map[string][]string, heading, item string) {
	item = clipRunes(item, sentenceRunes)
	if item == "" || headingOf(item) != "" {
		return
	}
	list := slices.DeleteFunc(items[heading], func(have string) bool { return have == item })
	items[heading] = append(list, item)
}

// renderSummary writes the newest items of each section that have room in its share of so many tokens.
func renderSummary(items map[string][]string, most int) string {
	lines := []string{extractiveMark}
	room := most - toollimit.Tokens(extractiveMark+"\n") - 2*len(summaryParts)
	for _, part := range summaryParts {
		lines = append(lines, part.heading)
		left := int(part.share*float64(room)) - toollimit.Tokens(part.heading+"\n")
		list := items[part.heading]
		first := len(list)
		for first > 0 && len(list)-first < part.most {
			size := toollimit.Tokens("- "+list[first-1]+"\n") + 1
			if size > left {
				break
			}
			left -= size
			first--
		}
		if first == len(list) {
			lines = append(lines, "- none")
		}
		for _, item := range list[first:] {
			lines = append(lines, "- "+item)
		}
	}
	return strings.Join(lines, "\n")
}

// The words by which a sentence is known to decide or to prefer something, in English and Chinese.
var (
	decisionWords = []string{
		"decided", "decide to", "we'll use", "we will use", "let's use", "let's go with", "go with", "agreed", "we chose", "i choose",
		"settled on", "the plan is", "must ", "must not", "do not ", "don't ", "never ", "deadline",
		"决定", "确定", "就用", "采用", "选择", "定下", "必须", "不要", "不能", "禁止", "截止",
	}
	preferenceWords = []string{
		"i prefer", "i like", "i love", "i want", "i need", "i hate", "i dislike", "i don't like", "i usually", "i always", "my favourite",
		"my favorite", "prefer ", "please always", "please never", "call me", "i am ", "i'm ", "my name",
		"我喜欢", "我不喜欢", "我想", "我要", "我需要", "我偏好", "偏好", "我习惯", "我讨厌", "我通常", "请总是", "请用", "叫我", "我是", "我叫",
	}
)

func isDecision(sentence string) bool {
	return !isQuestion(sentence) && hasAny(sentence, decisionWords)
}
func isPreference(sentence string) bool {
	return !isQuestion(sentence) && hasAny(sentence, preferenceWords)
}

func isQuestion(sentence string) bool {
	sentence = strings.TrimRight(sentence, " \"'”’)）")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "吗")
}

func hasAny(text string, words []string) bool {
	text = " " + strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool {
		if w[0] < utf8.RuneSelf {
			w = " " + w // English words begin where a word begins
		}
		return strings.Contains(text, w)
	})
}

// mostSentences bounds how many sentences of a message are looked at.
const mostSentences = 40

// sentences parts a text into its first sentences. Points inside of names and numbers end none.
func sentences(text string) []string {
	text = text[:min(len(text), mostLooked/8)]
	var found []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "")) {
		rest := line
		for rest != "" && len(found) < mostSentences {
			end := sentenceEnd(rest)
			if s := strings.TrimSpace(strings.TrimLeft(rest[:end], "-*#> \t")); s != "" {
				found = append(found, s)
			}
			rest = rest[end:]
		}
	}
	return found
}

// sentenceEnd returns the length of the first sentence of a line, its end included.
func sentenceEnd(line string) int {
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；':
			return next
		case '.', '!', '?':
			if after, _ := utf8.DecodeRuneInString(line[next:]); next >= len(line) || unicode.IsSpace(after) {
				return next
			}
		}
	}
	return len(line)
}

// clipRunes returns the first runes of a text, on one line.
func clipRunes(text string, most int) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 4*most+64)]), " ")
	text = strings.ToValidUTF8(text, "")
	if toollimit.Runes(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
