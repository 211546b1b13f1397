package summary

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/internal/textsearch"
)

// The marks between a request or question and its outcome.
const (
	answeredMark = " — answered: "
	brieflyMark  = " (answered)"
	waitingMark  = " — waits for the user: "
	failedMark   = " — not done: "
)

// maxOpen is how many open points a summary keeps, the latest.
const maxOpen = 6

// A dialogue follows what the user asks through the answers.
type dialogue struct {
	items   map[string][]string
	pending string // what the user said last, until it is answered
	asks    bool   // pending is a request or question, which stays open without an answer
	waiting bool   // the assistant asked back
}

// resume takes up the latest open point, which the next answer is about.
func (d *dialogue) resume() {
	if open := d.items[headOpen]; d.pending == "" && len(open) > 0 {
		d.pending, d.asks = plain(open[len(open)-1]), true
	}
}

// asked takes a message of the user.
func (d *dialogue) asked(text string) {
	for _, sentence := range speech.Sentences(speech.OwnWords(text)) {
		if !speech.IsQuestion(sentence) && (speech.HasAny(sentence, dueWords) || speech.StartsWith(sentence, dueStarts)) {
			d.open(sentence, "")
		}
	}
	topic, asks := topicOf(text)
	asks = asks && !(d.waiting && speech.StartsWith(text, replies))
	if open := d.items[headOpen]; d.pending == "" && len(open) > 0 && strings.Contains(open[len(open)-1], waitingMark) {
		d.pending, d.asks, d.waiting = plain(open[len(open)-1]), true, true
	}
	switch {
	case d.waiting && !asks:
		d.waiting = false // the reply to what the assistant asked back
		return
	case topic == "":
		return
	case d.asks && !d.waiting:
		d.open(d.pending, "")
	}
	d.pending, d.asks, d.waiting = topic, asks, false
}

// replied takes a message of the assistant. One that calls tools is on the way to an answer.
func (d *dialogue) replied(text string, calls bool) {
	if d.pending == "" || calls || strings.TrimSpace(text) == "" {
		return
	}
	gist, back := gistOf(text)
	switch {
	case back != "" && d.asks:
		d.open(d.pending, waitingMark+back)
		d.waiting = true
		return
	case d.asks && speech.HasAny(gist, failureWords):
		d.open(d.pending, failedMark+gist)
	case gist == "", speech.HasAny(gist, failureWords): // that nothing was found says nothing of a remark
		d.settle(d.pending)
		put(d.items, headTopics, d.pending)
	default:
		d.settle(d.pending + "\n" + text)
		put(d.items, headTopics, d.pending+answeredMark+gist)
	}
	d.pending, d.asks, d.waiting = "", false, false
}

// close leaves open what no answer followed.
func (d *dialogue) close() {
	if d.asks && !d.waiting {
		d.open(d.pending, "")
	} else if !d.asks {
		put(d.items, headTopics, d.pending)
	}
	if list := d.items[headOpen]; len(list) > maxOpen {
		d.items[headOpen] = list[len(list)-maxOpen:]
	}
}

// open adds an open point, in place of one that says the same.
func (d *dialogue) open(ask, state string) {
	d.settle(ask)
	put(d.items, headOpen, ask+state)
}

// settle removes the open points that a text says again.
func (d *dialogue) settle(text string) {
	said := wordSet(text)
	d.items[headOpen] = slices.DeleteFunc(d.items[headOpen], func(item string) bool {
		return covers(said, plain(item))
	})
}

// plain returns an item without its outcome.
func plain(item string) string {
	for _, mark := range []string{answeredMark, brieflyMark, waitingMark, failedMark} {
		item, _, _ = strings.Cut(item, mark)
	}
	return item
}

// brief returns an item in few words.
func brief(item string) string {
	short := speech.Clip(plain(item), briefRunes)
	if strings.Contains(item, answeredMark) || strings.Contains(item, brieflyMark) {
		short += brieflyMark
	}
	return short
}

// topicOf returns what a message is about, and whether it asks: its first question or request, which the sentence that
// leads to it precedes if it is short; or else its first sentence that is more than a courtesy.
func topicOf(text string) (topic string, asks bool) {
	if speech.IsAcknowledgement(text) {
		return "", false
	}
	first, ask := "", ""
	for _, sentence := range speech.Sentences(speech.OwnWords(text)) {
		sentence = withoutLead(sentence)
		if isMarkup(sentence) || isShort(sentence) || speech.StartsWith(sentence, courtesies) {
			continue
		}
		first = cmp.Or(first, sentence)
		if ask == "" && isAsk(sentence) {
			ask = sentence
		}
	}
	switch topic = cmp.Or(ask, first); {
	case ask == "" || ask == first || utf8.RuneCountInString(ask) > shortAsk:
	case len(stated.Of(first)) == 0 || isEmptyQuestion(ask):
		topic = speech.Clip(first, askRunes-shortAsk) + " " + ask
	}
	if ask == "" && (isConstraint(first) || len(stated.Of(first)) > 0) {
		return "", false // another section says it
	}
	return strings.TrimRight(speech.Clip(topic, askRunes), ".。\\ "), ask != ""
}

// isWhole reports whether a text ends like a sentence: with a full stop or its like, or with a citation in brackets.
// Headings, and marks of who answers, do not.
func isWhole(sentence string) bool {
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(sentence, "\"')”’）` "))
	return strings.ContainsRune(".!…。！]", end)
}

// withoutLead drops a courtesy from the beginning of a Chinese sentence, which continues after a comma.
func withoutLead(sentence string) string {
	if first, _ := utf8.DecodeRuneInString(sentence); textsearch.IsCJK(first) {
		return stated.WithoutLead(sentence)
	}
	return sentence
}

// shortAsk is the length up to which a question needs the sentence that leads to it, in characters.
const shortAsk = 60

// isAsk reports whether a sentence is a question or a request, which is a wish or a sentence without a subject.
func isAsk(sentence string) bool {
	switch {
	case stated.IsQuestion(sentence):
		return true
	case stated.IsReminder(sentence):
		return false
	case speech.HasAny(sentence, wishWords):
		return true
	case isConstraint(sentence), len(stated.Of(sentence)) > 0:
		return false
	}
	if first, _ := utf8.DecodeRuneInString(sentence); unicode.IsLetter(first) && !unicode.Is(unicode.Latin, first) {
		return stated.IsRequest(sentence)
	}
	return !speech.StartsWith(sentence, subjects)
}

// isShort reports whether a sentence has too few words to say something, unless it asks.
func isShort(sentence string) bool {
	return len(strings.Fields(sentence)) < 3 && utf8.RuneCountInString(sentence) < 2*shortRunes &&
		(sentence[0] < utf8.RuneSelf || utf8.RuneCountInString(sentence) < shortRunes) && !speech.IsQuestion(sentence)
}

const shortRunes = 6

// markup matches what a program put into a message: tags, and notes in brackets.
var markup = regexp.MustCompile(`^(?:</?[A-Za-z][\w-]*[ >]|\[[^\]]*\]$|Caveat:)`)

func isMarkup(sentence string) bool { return markup.MatchString(sentence) }

// isEmptyQuestion reports whether a question says nothing of what it is about: "can you help me with that?"
func isEmptyQuestion(sentence string) bool {
	return utf8.RuneCountInString(sentence) < shortAsk && speech.HasAny(sentence, emptyQuestions)
}

// gistOf returns the first sentence of an answer that says something, or what it asks the user for. A sentence of prose
// comes before the beginning of a list and before lines that are not whole.
func gistOf(text string) (gist, back string) {
	prose, item, lead := "", "", ""
	for _, sentence := range speech.Sentences(withoutCode(text)) {
		sentence = withoutLead(plainText(sentence))
		bare := listMark.ReplaceAllString(sentence, "")
		switch leads := strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "："); {
		case speech.HasAny(bare, backWords):
			if prose == "" || speech.IsQuestion(bare) {
				return "", speech.Clip(bare, answerRunes)
			}
		case leads && prose == "" && item == "":
			lead = cmp.Or(lead, bare+" ")
		case isMarkup(bare), isShort(bare), speech.IsAcknowledgement(bare), speech.StartsWith(bare, courtesies):
		case leads:
		case speech.IsQuestion(bare):
			back = cmp.Or(back, bare)
		case bare != sentence, label.MatchString(bare), !isWhole(bare):
			item = cmp.Or(item, bare)
		default:
			prose = cmp.Or(prose, bare)
		}
	}
	if gist = cmp.Or(prose, lead+item); gist != "" {
		return speech.Clip(gist, answerRunes), ""
	}
	return "", speech.Clip(back, answerRunes)
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(?:```|$)")
	heading   = regexp.MustCompile(`(?m)^\s*(?:#{1,6} .*|\*\*[^*\n]+\*\*:?|\|.*|[-=*_]{3,}|[A-Z_ ]+:)$`)
	listMark  = regexp.MustCompile(`^(?:\d{1,2}[.)]|[-*•])\s+`)
	bullet    = regexp.MustCompile(`(?m)^\s*[-*+]\s+`)
	label     = regexp.MustCompile(`^\p{Lu}[\p{L}\d ()/-]{0,28}: `)
	link      = regexp.MustCompile(`\[([^\]\n]+)\]\([^)\n]*\)`)
	emphasis  = strings.NewReplacer("**", "", "__", "")
)

// readBytes is how much of an answer is read: what it says first.
const readBytes = 8 << 10

// withoutCode returns the beginning of an answer without its code, headings and tables.
func withoutCode(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), readBytes)], "")
	text = heading.ReplaceAllString(codeBlock.ReplaceAllString(text, "\n"), "")
	return bullet.ReplaceAllString(text, "• ")
}

// plainText returns a sentence without emphasis and links.
func plainText(sentence string) string {
	return strings.TrimSpace(link.ReplaceAllString(emphasis.Replace(sentence), "$1"))
}

// The words that sort sentences, in lower case.
var (
	// courtesies begin sentences that say nothing of a subject.
	courtesies = []string{
		"hello", "hi ", "hi!", "hi,", "hey", "thanks", "thank you", "sure", "certainly", "absolutely",
		"of course", "great", "got it",
		"i see", "ok,", "okay,", "ok!", "perfect", "awesome", "sounds good", "you're welcome", "no problem",
		"glad", "happy to help", "let me know", "just let me know", "i will ",
		"i'd be happy", "i'm happy", "i'll help", "let's break", "let's go through", "let me ", "i'll ",
		"here's", "here is", "here are",
		"below", "good luck", "feel free", "nice to meet", "yeah", "hmm", "alright", "i understand",
		"to help you", "let's ",
		"you're absolutely", "you're right", "good morning", "good evening", "that sounds", "that's great",
		"that's a great", "good question", "great question",
		"hallo", "danke", "gerne", "klar", "natürlich", "guten ",
		"你好", "您好", "谢谢", "非常感谢", "感谢", "我会", "好的", "当然", "没问题", "不客气", "不用谢", "很高兴", "哈哈", "嗯", "是的", "我明白",
		"我理解",
	}
	// subjects begin sentences that report and ask nothing.
	subjects = []string{
		"i ", "i'", "we ", "we'", "my ", "our ", "it ", "it'", "the ", "this ", "that", "there", "he ", "she ",
		"they ", "you ", "yes",
		"no,", "no ", "so ", "but ", "and ", "because", "maybe", "today", "yesterday", "recently", "in ", "on ",
		"at ", "a ", "an ",
		"ich ", "wir ", "mein", "das ", "der ", "die ", "es ", "heute",
	}
	// wishWords make a request of a sentence about its speaker.
	wishWords = []string{
		"i need", "i want you", "i'd like you", "i would like you", "i want to book", "i'd like to",
		"i would like to", "i'm trying to",
		"i am trying to", "i want to", "we need to", "i'm looking for", "i am looking for", "help me", "please ",
		"ich brauche", "ich möchte", "ich hätte", "ich will", "我想", "我需要", "我要", "帮我", "请",
	}
	// replies begin the user's answers to what the assistant asked back.
	replies = []string{
		"yes", "no", "ok", "sure", "please go ahead", "go ahead", "please do", "that", "the ", "it", "ja",
		"nein", "是", "好", "对", "不",
	}
	// emptyQuestions ask for help with what the sentences before say.
	emptyQuestions = []string{
		"help me with that", "help me with this", "can you help me?", "what do you think", "is that right",
		"any ideas",
		"any tips", "got any advice", "any advice", "does that make sense", "is that ok", "right?", "怎么办",
		"你觉得呢", "你呢",
	}
	// backWords ask the user for what an answer needs.
	backWords = []string{
		"could you please provide", "could you provide", "can you provide", "please provide", "please confirm",
		"please share",
		"please tell me", "please specify", "could you tell me", "could you share", "could you clarify",
		"can you clarify",
		"do you want to proceed", "would you like to proceed", "would you like me to proceed", "do you confirm",
		"(yes/no)",
		"which one do you", "please let me know which", "please let me know what", "let me know which",
		"i need you to", "i need more information", "kannst du mir sagen", "bitte bestätige",
		"请提供", "请确认", "请告诉我", "请问您", "能否提供", "是否继续",
	}
	// failureWords say that something was not done.
	failureWords = []string{
		"i couldn't", "i could not", "i can't", "i cannot", "i'm unable", "i am unable", "unable to",
		"i'm sorry", "sorry,",
		"i apologize", "i don't know", "i do not know", "i don't have", "no place in", "none of",
		"not possible", "failed", "nothing relevant was found", "this is no question about",
		"transferred to a human", "konnte nicht", "kann ich nicht", "leider", "weiß ich nicht",
		"无法", "抱歉", "对不起", "没有找到", "不知道", "做不到", "失败",
	}
	// dueWords and dueStarts say that something is left to do.
	dueWords = []string{
		"still need to", "still have to", "still has to", "not done yet", "left to do", "remind me to",
		"noch zu tun", "muss noch", "müssen noch", "待办", "还需要", "还没做", "还没有完成", "提醒我",
	}
	dueStarts = []string{"todo:", "to do:", "open:", "offen:", "待办"}
)
