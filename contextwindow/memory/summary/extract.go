package summary

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// extractiveMark is the first line of a summary made by rules.
const extractiveMark = "(extractive: sentences of the conversation, chosen by rules)"

// parts say which share of a summary made by rules each section has, and how many items at most. What the others leave
// goes to the topics.
var parts = []struct {
	heading string
	share   float64
	most    int
}{
	{headTopics, .38, 24},
	{headDecisions, .20, 12},
	{headPreferences, .20, 12},
	{headDetails, .10, 16},
	{headOpen, .12, maxOpen},
}

// The lengths of items, in characters.
const (
	sentenceRunes = 160
	itemRunes     = 320 // of any item
	askRunes      = 140 // of a request or question
	answerRunes   = 120 // of what answered it
	briefRunes    = 80  // of one for which little room is left
)

// extract makes a summary by rules: what the user asked, with what answered it; decisions, preferences and facts;
// paths and names; and what is open. If there is too much, older items are shortened and then dropped.
func extract(old Thread, fresh []Message, most int) string {
	items := sectionsOf(old.Text)
	if len(items) == 0 && old.Text != "" {
		items[headTopics] = []string{speech.Clip(old.Text, sentenceRunes)}
	}
	d := dialogue{items: items}
	begun := false // a turn has begun, or the latest open point was taken up
	for _, m := range fresh {
		switch m.Role {
		case transcript.User:
			begun = true
			d.asked(m.Text)
			extractUser(items, m.Text)
		case transcript.Assistant:
			if !begun {
				d.resume()
			}
			begun = true
			d.replied(m.Text, len(m.Calls) > 0)
			extractAssistant(items, m.Text)
		case transcript.Tool:
		}
	}
	d.close()
	items[headDetails] = details(items[headDetails], fresh)
	return render(items, most)
}

// decidedImportance is that of a statement about the project that was decided; others describe it.
const decidedImportance = 7

// extractUser adds what the user decided, prefers and says of themselves, in place of what no longer holds.
func extractUser(items map[string][]string, text string) {
	statements := stated.Of(text)
	for _, c := range stated.Corrections(text) {
		known := slices.ContainsFunc(statements, func(s stated.Statement) bool { return strings.Contains(c.Text, s.Text) })
		if drop(items, c.Corrects) && !known {
			put(items, headDecisions, c.Text)
		}
	}
	for _, s := range statements {
		drop(items, func(old string) bool { return stated.Supersedes(s.Text, old) })
		switch s.Kind {
		case stated.Context:
			if s.Importance >= decidedImportance {
				put(items, headDecisions, s.Text)
			} else {
				put(items, headDetails, s.Text)
			}
		case stated.Preference, stated.Fact, stated.Skill:
			put(items, headPreferences, s.Text)
		}
	}
	for _, s := range stated.Sentences(text) {
		if drop(items, s.Updates) {
			put(items, headDecisions, s.Text)
			statements = append(statements, stated.Statement{Text: s.Text})
		}
		items[headTopics] = slices.DeleteFunc(items[headTopics], func(topic string) bool { return s.Updates(plain(topic)) })
	}
	for _, sentence := range speech.Sentences(speech.OwnWords(text)) {
		words := wordSet(sentence)
		covered := slices.ContainsFunc(statements, func(s stated.Statement) bool { return covers(words, s.Text) })
		if !covered && isConstraint(sentence) {
			put(items, headDecisions, speech.Clip(sentence, sentenceRunes))
		}
	}
}

// drop removes what no longer holds from the statements of the user, and reports whether there was any.
func drop(items map[string][]string, gone func(string) bool) (any bool) {
	for _, h := range []string{headDecisions, headPreferences, headDetails} {
		n := len(items[h])
		items[h] = slices.DeleteFunc(items[h], gone)
		any = any || len(items[h]) < n
	}
	return any
}

// extractAssistant adds what the assistant decided.
func extractAssistant(items map[string][]string, text string) {
	for _, sentence := range speech.Sentences(speech.OwnWords(text)) {
		if speech.StartsWith(sentence, decisionStarts) && !speech.IsQuestion(sentence) {
			put(items, headDecisions, speech.Clip(sentence, sentenceRunes))
		}
	}
}

// put appends an item to a section, or moves it to the section's end.
func put(items map[string][]string, heading, item string) {
	item = speech.Clip(item, itemRunes)
	if item == "" || headingOf(item) != "" {
		return
	}
	list := slices.DeleteFunc(items[heading], func(have string) bool { return have == item })
	items[heading] = append(list, item)
}

// render writes the latest items of each section that fit into its share of so many tokens.
func render(items map[string][]string, most int) string {
	room := most - toollimit.Tokens(extractiveMark+"\n") - 2*len(parts)
	lines := make([][]string, len(parts))
	spare := 0
	for i, part := range slices.Backward(parts) { // the topics come last
		left := int(part.share*float64(room)) - toollimit.Tokens(part.heading+"\n")
		if i == 0 {
			left += spare
		}
		shown, unused := fit(items[part.heading], part.most, left)
		lines[i] = append([]string{part.heading}, shown...)
		spare += unused
	}
	return extractiveMark + "\n" + strings.Join(slices.Concat(lines...), "\n")
}

// fit returns the lines of the latest items that fit into so many tokens, in their order, and the tokens left. Items
// that several later ones resemble find room last. Once half of the room is taken, items are shown briefly.
func fit(items []string, most, room int) (lines []string, left int) {
	left = room
	shown := make([]string, len(items))
	n := 0
	for _, i := range byWorth(items) {
		item := items[i]
		if 2*left < room {
			item = brief(item)
		}
		size := toollimit.Tokens("- "+item+"\n") + 1
		if size > left || n == most {
			break
		}
		left -= size
		shown[i] = "- " + item
		n++
	}
	if n == 0 {
		return []string{"- none"}, left
	}
	return slices.DeleteFunc(shown, func(line string) bool { return line == "" }), left
}

// mostAlike is how many items that resemble each other find room before others.
const mostAlike = 4

// byWorth returns the indices of items, the latest first, and those that several later ones resemble after all others.
func byWorth(items []string) (order []int) {
	plainly := make([]string, len(items))
	for i, item := range items {
		plainly[i] = plain(item)
	}
	var last []int
	for i, later := range slices.Backward(said.Repeated(plainly)) {
		if later < mostAlike {
			order = append(order, i)
		} else {
			last = append(last, i)
		}
	}
	return append(order, last...)
}

// bindingWords make a sentence a constraint wherever they occur, and bidding does as its beginning. decisionStarts
// begin sentences in which an assistant decides.
var (
	bindingWords = []string{
		"must", "don't want", "do not want", "no more than", "is required", "has to stay", "darf nicht", "darf kein",
		"müssen", "必须", "不得", "禁止", "务必", "只能",
	}
	bidding = []string{
		"do not ", "don't ", "never ", "always ", "only ", "make sure", "please don't", "please do not", "keep ", "nicht ",
		"bitte nicht", "不要", "别", "不能", "只",
	}
	decisionStarts = []string{
		"decision:", "we decided", "i decided", "i've decided", "i have decided", "we agreed", "we chose", "i chose",
		"let's go with", "we'll go with", "we will go with", "we'll use", "we will use", "i'll use", "i will use",
		"settled on", "the plan is", "entscheidung:", "wir verwenden", "wir nehmen", "决定", "我们决定", "采用", "方案是",
	}
)

func isConstraint(sentence string) bool {
	return (speech.HasAny(sentence, bindingWords) || speech.StartsWith(sentence, bidding)) && !isShort(sentence) &&
		!stated.IsQuestion(sentence) && !stated.IsDoubt(sentence)
}
