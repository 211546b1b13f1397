package rules

import (
	"strings"

	"github.com/forayhq/foray/agent/explore/internal/asked"
	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/report"
)

// A talk is the conversation so far.
type talk struct {
	question string
	base     int // steps before the question
	next     int // number of the next step of the question, from 1
	results  []rulemodel.Result
}

// readTalk reads the messages. A user message after an answer in text opens a new question.
func readTalk(messages []transcript.Message) talk {
	at := opening(messages)
	t := talk{base: providers.NextStep(messages[:at]) - 1, next: 1}
	if at < len(messages) {
		t.question = inContext(messages, at)
	}
	for _, m := range messages[at:] {
		if len(m.Calls) > 0 {
			t.next = max(providers.NextStep(messages)-t.base, 1)
		}
	}
	t.results = rulemodel.Results(messages[at:])
	return t
}

// opening returns the index of the message that asks the question, or len(messages).
func opening(messages []transcript.Message) int {
	at, answered := len(messages), true
	for i, m := range messages {
		switch {
		case m.Role == transcript.Assistant:
			answered = len(m.Calls) == 0
		case m.Role != transcript.User || m.Origin == transcript.Runtime:
		case m.Origin == transcript.Prompt, answered:
			at, answered = i, false
		}
	}
	return at
}

// withoutNotes drops the notes that the runtime appended to a message.
func withoutNotes(s string) string {
	s, _, _ = strings.Cut(s, "\n\n<note kind=\"")
	return s
}

// smallTalk are words of messages that ask nothing: greetings, thanks, assent and farewells.
var smallTalk = wordsOf(`
	hello hi hey hiya greetings good morning afternoon evening night day there everyone all
	thanks thank thx ty you very much many a lot cheers appreciated
	ok okay k cool great nice perfect awesome fine sure alright right yes yep no nope got it i see well done lol
	bye goodbye see later ciao
	hallo guten tag morgen abend moin servus danke vielen dank schön sehr gut prima alles klar ja nein tschüss auf wiedersehen
	bonjour salut merci beaucoup au revoir hola gracias adiós
	你好 您好 早上好 晚上好 谢谢 多谢 好的 好 再见 嗨`)

func wordsOf(list string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// asksNothing reports whether a message consists of small talk.
func asksNothing(message string) bool {
	words := strings.FieldsFunc(strings.ToLower(message), func(c rune) bool {
		return strings.ContainsRune(" \t\n.,;:!?'。，！？~", c)
	})
	for _, w := range words {
		if !smallTalk[w] {
			return false
		}
	}
	return len(words) > 0
}

var (
	// greeting matches a greeting before what is asked, with those who are greeted.
	greeting = lazyregexp.New(`(?i)^[\s¡!"']*(?:hello|hi|hiya|hey|greetings|good (?:morning|afternoon|evening)|` +
		`hallo|moin|servus|guten (?:morgen|tag|abend)|bonjour|salut|hola|你好|您好)(?:\s+(?:there|everyone|everybody|all|zusammen))?` +
		`(?:\s*[,;:.!，。！~-]+\s*|\s+|$)`)
	// asking opens what is asked after a greeting without a mark.
	asking = lazyregexp.New(`(?i)^(?:what|how|where|who|which|why|when|can|could|does|do|is|are|please|i|we|` +
		`was|wie|wo|wer|wann|kannst)\b`)
)

// withoutGreeting drops a greeting before a question.
func withoutGreeting(message string) string {
	greeted := greeting.FindString(message)
	rest := message[len(greeted):]
	if rest == "" || !strings.ContainsAny(greeted, ",;:.!，。！~-") && !asking.MatchString(rest) {
		return message
	}
	return rest
}

// standing begins a statement that is meant for a memory and asks for no code.
var standing = lazyregexp.New(`(?i)^\W*(?:(?:please|bitte|kindly)\s+)?(?:from now on|keep in mind|remember|note that|bear in mind|` +
	`fyi|for your information|my name is|call me|i (?:always|never|prefer|like)|` +
	`ab jetzt|von jetzt an|merk dir|denk dr?an|ich heiße|ich mag|请记住|记住|我叫)(?:\b|\p{Han})`)

// inquiry matches a word that asks, anywhere.
var inquiry = lazyregexp.New(`(?i)\b(?:where|how|what|which|who|why|wo|wie|was|welche\w*|wer|warum)\b|[哪谁什怎]|如何`)

// states reports whether a message is such a statement.
func states(message string) bool {
	if strings.ContainsAny(message, "?？") || inquiry.MatchString(message) || !standing.MatchString(message) {
		return false
	}
	q := parseQuestion(message)
	return len(q.idents)+len(q.paths) == 0
}

// whatToAsk answers small talk.
const whatToAsk = "Ask about the code in this directory: what it is, how something works, where a name is defined, " +
	"what calls, tests or implements it, or where a message comes from."

// Words that refer to what was talked about.
var (
	// back always refers back.
	back = lazyregexp.New(`(?i)\b(?:it|its|them|ihn|ihm)\b|它们?`)
	// pointing refers back at the end of a question, or before a verb. Elsewhere it may point at the next word.
	pointing = lazyregexp.New(`(?i)\b(?:that|this|these|those|das|dies|diese|es)\b(\W*$|\s+(?:is|are|was|does|do|gets?|` +
		`called|tested|used|defined|works?|fails?|comes?|from|in|with|for|by|ist|wird|sind|getestet|definiert|auf|benutzt|verwendet)\b)|` +
		`(?:这个|那个|这|那)(函数|方法|类|$|\W*$)?`)
	// onward opens a question that continues the last one.
	onward = lazyregexp.New(`(?i)^\W*(?:and|und|what about|how about|那么?|还有)(?:\b|\p{Han})`)
	// code is a name in a text.
	code = lazyregexp.New("`([^`\\s]{2,80})`")
)

// mostWords is the length of a question that may refer to what was talked about: a longer one says what it means.
const mostWords = 10

// inContext returns the question of messages[at], with the name of what was talked about before in place of a word that
// refers to it.
func inContext(messages []transcript.Message, at int) string {
	text := withoutGreeting(withoutNotes(contextbuilder.Input(messages[at].Text)))
	if len(strings.Fields(text)) > mostWords || asked.Read(text).Rest != "" { // it points at what is pasted
		return text
	}
	if q := parseQuestion(text); len(q.idents)+len(q.paths) > 0 {
		return text
	}
	pronoun := back.FindStringIndex(text)
	if m := pointing.FindStringSubmatchIndex(text); pronoun == nil && m != nil {
		pronoun = []int{m[0], m[1]}
		if m[2] >= 0 {
			pronoun[1] = m[2]
		} else if m[4] >= 0 {
			pronoun[1] = m[4]
		}
	}
	if pronoun == nil && !onward.MatchString(text) {
		return text
	}
	name, sure := subject(messages[:at])
	if name == "" {
		return text
	}
	named := strings.TrimRight(text, " ?？!.") + " `" + name + "`?"
	if pronoun != nil {
		named = text[:pronoun[0]] + "`" + name + "`" + text[pronoun[1]:]
	}
	if _, exact := intent.Parse(named); !sure && !exact { // it may mean the thing that was asked about
		return text
	}
	return named
}

// subject returns the name that the last question of a conversation was about: the one that it named, else the first of
// the answer. It is not sure if that answer was no more than a choice of places.
func subject(messages []transcript.Message) (name string, sure bool) {
	at := opening(messages)
	if at == len(messages) {
		return "", false
	}
	if q := parseQuestion(inContext(messages, at)); len(q.idents) > 0 {
		return q.idents[0].text, true
	}
	for _, m := range messages[at:] {
		if name := code.FindStringSubmatch(m.Text); m.Role == transcript.Assistant && len(m.Calls) == 0 && name != nil {
			return name[1], !strings.Contains(m.Text, "| "+report.OneOfThese+" |")
		}
	}
	return "", false
}

// content searches for patterns, and returns the lines that match.
func content(patterns []string, limit, perFile int, why string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "context": 0, "limit": limit,
		"max_per_file": perFile}, why)
}

// pathGlob returns a glob for files whose path is, or ends in, one of paths.
func pathGlob(paths []string) string {
	return "**/{" + strings.Join(lookup.Globs(paths), ",") + "}"
}
