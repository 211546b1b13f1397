package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/toollimit"
)

// extractiveMark is the first line of a summary made by rules.
const extractiveMark = "(extractive: sentences of the conversation, chosen by rules)"

// parts say which share of a summary made by rules each section has, and how many items at most.
var parts = []struct {
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

var word = regexp.MustCompile(`\pL{2}`)

// extract makes a summary by rules: the first sentence of each turn, decisions and preferences, paths and names, and
// the questions of the latest turn. If there is too much, older items are dropped first.
func extract(old Thread, fresh []Message, most int) string {
	items := sectionsOf(old.Text)
	if len(items) == 0 && old.Text != "" {
		items[headTopics] = []string{speech.Clip(old.Text, sentenceRunes)}
	}
	delete(items, headOpen)
	for _, m := range fresh {
		switch m.Role {
		case transcript.User:
			extractUser(items, m.Text)
		case transcript.Assistant:
			for _, sentence := range speech.Sentences(m.Text) {
				if isDecision(sentence) {
					put(items, headDecisions, sentence)
				}
			}
		case transcript.Tool:
			continue
		}
		for name := range identifier.All(m.Text[:min(len(m.Text), speech.MaxBytes)]) {
			if word.MatchString(name) { // a part of a time or of a number says nothing alone
				put(items, headDetails, name)
			}
		}
		for _, c := range m.Calls {
			for name := range identifier.All(string(c.Args[:min(len(c.Args), spokenTokens)])) {
				put(items, headDetails, name)
			}
		}
	}
	return render(items, most)
}

// extractUser adds one message of the user.
func extractUser(items map[string][]string, text string) {
	items[headOpen] = nil // the questions of earlier turns have been answered
	for i, sentence := range speech.Sentences(text) {
		decided, preferred := isDecision(sentence), isPreference(sentence)
		switch {
		case speech.IsQuestion(sentence):
			put(items, headOpen, sentence)
		case preferred:
			put(items, headPreferences, sentence)
		case decided:
			put(items, headDecisions, sentence)
		}
		if i == 0 && !decided && !preferred && !speech.IsAcknowledgement(text) {
			put(items, headTopics, sentence)
		}
	}
}

// coveredShare is the share of an item's words that a text has if it says the same.
const coveredShare = .7

// withPreferences adds to a model's summary the preferences that it left out, from the old summary and from what the
// user said. Models keep what the latest messages are about and drop rules from long ago. If the preferences do not all
// fit into so many tokens, the latest are added.
func withPreferences(text string, old Thread, fresh []Message, most int) string {
	items := map[string][]string{headPreferences: sectionsOf(old.Text)[headPreferences]}
	for _, m := range fresh {
		if m.Role != transcript.User {
			continue
		}
		for _, sentence := range speech.Sentences(m.Text) {
			if isPreference(sentence) {
				put(items, headPreferences, sentence)
			}
		}
	}
	head, section, found := cutHeading(text, headPreferences)
	if !found {
		return text
	}
	left, said := most-toollimit.Tokens(text)-1, wordSet(text)
	for _, item := range slices.Backward(items[headPreferences]) {
		size := toollimit.Tokens("- "+item+"\n") + 1
		if size > left {
			break
		}
		if !covers(said, item) {
			left -= size
			head += "- " + item + "\n"
			section = strings.TrimPrefix(section, "- none\n")
		}
	}
	return head + section
}

// cutHeading cuts a summary after the line of a heading.
func cutHeading(text, heading string) (before, after string, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		at += len(line)
		if headingOf(strings.TrimSpace(line)) == heading {
			return strings.TrimRight(text[:at], "\n") + "\n", text[at:], true
		}
	}
	return text, "", false
}

// covers reports whether a set of words has most of those of an item.
func covers(said map[string]bool, item string) bool {
	words := wordSet(item)
	n := 0
	for w := range words {
		if said[w] {
			n++
		}
	}
	return float64(n) >= coveredShare*float64(len(words))
}

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words.FindAllString(strings.ToLower(text), -1) {
		set[w] = true
	}
	return set
}

// words matches a word, or one sign of a script without spaces.
var words = regexp.MustCompile(`\p{Han}|[\pL\pN]+`)

// put appends an item to a section, or moves it to the section's end.
func put(items map[string][]string, heading, item string) {
	item = speech.Clip(item, sentenceRunes)
	if item == "" || headingOf(item) != "" {
		return
	}
	list := slices.DeleteFunc(items[heading], func(have string) bool { return have == item })
	items[heading] = append(list, item)
}

// render writes the latest items of each section that fit into its share of so many tokens.
func render(items map[string][]string, most int) string {
	lines := []string{extractiveMark}
	room := most - toollimit.Tokens(extractiveMark+"\n") - 2*len(parts)
	for _, part := range parts {
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

// The phrases of sentences that decide or prefer something.
var (
	decisionWords = []string{
		"decided", "decide to", "we'll use", "we will use", "let's use", "let's go with", "go with", "agreed", "we chose",
		"i choose", "settled on", "the plan is", "must ", "must not", "do not ", "don't ", "never ", "deadline",
		"决定", "确定", "就用", "采用", "选择", "定下", "必须", "不要", "不能", "禁止", "截止",
	}
	preferenceWords = []string{
		"i prefer", "i like", "i love", "i want", "i need", "i hate", "i dislike", "i don't like", "i usually", "i always",
		"my favourite", "my favorite", "prefer ", "please always", "please never", "from now on", "call me", "i am ", "i'm ", "my name",
		"我喜欢", "我不喜欢", "我想", "我要", "我需要", "我偏好", "偏好", "我习惯", "我讨厌", "我通常", "请总是", "从现在起", "从现在开始", "以后都", "请用", "叫我", "我是", "我叫",
	}
)

func isDecision(sentence string) bool {
	return !speech.IsQuestion(sentence) && speech.HasAny(sentence, decisionWords)
}
func isPreference(sentence string) bool {
	return !speech.IsQuestion(sentence) && speech.HasAny(sentence, preferenceWords)
}
