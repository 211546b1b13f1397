package pages

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Topic is what a question wants to read about.
type Topic struct {
	Text string
	need float64 // least score of a section that answers the question
	code bool    // code answers the question as well
}

// Least scores of a section, by how clearly a question asks for documentation. A title that is the topic scores about
// .95, one that contains half of its words .5.
const (
	needDocs  = .42 // the question says that it wants documentation
	needHowTo = .55 // it asks how to do something
	needAbout = .74 // it asks about something that may well be code
	needTitle = .88 // it has no form: only a title that is the question answers it
)

// A form is a way to ask. Its group "topic" is what the question is about.
type form struct {
	need float64
	re   *lazyregexp.Regexp
	name bool // the topic may be a name of code
	code bool // code answers the question as well
}

const topic = `(?P<topic>.+?)`

func asked(need float64, pattern string) form {
	return form{need: need, re: lazyregexp.New(`(?i)^` + pattern + `$`), name: true}
}

func about(pattern string) form { f := asked(needAbout, pattern); f.name = false; return f }

// docs are the words for documentation.
const docs = `(?:docs?|documentation|documentations|readme|manual|guide|doku|dokumentation|handbuch|anleitung)`

// forms are tried in order.
var forms = []form{
	asked(needDocs, `where (?:is|are|can i find) (?:the )?`+topic+` (?:documented|described|explained)`),
	asked(needDocs, `(?:is|are) `+topic+` documented(?: anywhere| somewhere)?`),
	asked(needDocs, `(?:what|where) (?:do|does|is|are) (?:the |your |its )?`+docs+` (?:say|tell(?: us| me)?|mention)s? `+
		`(?:about|on|regarding) `+topic),
	asked(needDocs, `(?:show me |find |where (?:is|are) |give me )?(?:the |any )?`+docs+` (?:on|for|about|of|regarding|to) `+
		topic),
	asked(needDocs, topic+` (?:docs|documentation|doku|dokumentation)`),
	asked(needDocs, `(?:wo (?:ist|sind|wird|steht|finde ich)|ist|wie ist) (?:die |der |das |etwas (?:über|zu) )?`+topic+
		` (?:dokumentiert|beschrieben|erklärt|erläutert)`),
	asked(needDocs, `was (?:sagt|sagen|steht in) (?:die |der |den |dem )?`+docs+` (?:zu|über|zum|zur) `+topic),
	asked(needDocs, `(?:die )?`+docs+` (?:zu|über|zum|zur|für) `+topic),
	asked(needDocs, `(?:文档|说明|手册|README)(?:里|中|上)?(?:面)?(?:是)?(?:怎么说|怎么写|如何说|说了什么|怎么描述|如何描述)的?\s*(?:关于)?`+topic),
	asked(needDocs, `(?:文档|说明|手册)(?:里|中)?(?:关于|对于?)\s*`+topic+`\s*(?:怎么说|怎么写|说了什么|是怎么说的)?`),
	asked(needDocs, topic+`\s*(?:的)?(?:文档|说明)(?:在哪里|在哪儿|在哪)?`),
	asked(needDocs, topic+`\s*在(?:哪里|哪儿|文档(?:的)?哪里)有?(?:文档|说明|记录)`),
	asked(needHowTo, `(?:so |and )?(?:how|hwo) (?:do|does|can|could|should|would|must|might) (?:i|we|you|one|someone|a user|`+
		`people|users|developers) (?:actually |best |properly |go about )?`+topic),
	asked(needHowTo, `(?:how|hwo) (?:to|do) `+topic),
	asked(needHowTo, `(?:what|waht) (?:do|should|must|can) (?:i|we|you) (?:have to |need to )?do (?:in order )?to `+topic),
	asked(needHowTo, `what (?:is|are) the (?:best |right |recommended |correct )?(?:way|ways|steps|procedure|command|commands|`+
		`process) (?:to|for|of) `+topic),
	asked(needHowTo, `(?:steps|instructions|guide|command|commands|howto|tutorial) (?:to|for|on) `+topic),
	asked(needHowTo, `(?:i|we) (?:want|need|would like|have|am trying|try) to `+topic),
	asked(needHowTo, `(?:is there a way|is it possible|can i|can we|can you) (?:to )?`+topic),
	asked(needHowTo, `how (?:is|are|does|do) (?:the )?(?P<topic>.+? (?:installed|built|set up|configured|tested|deployed|`+
		`released|started|compiled|upgraded|get installed|get built))`),
	asked(needHowTo, `wie (?:kann|muss|soll|sollte|könnte|darf|würde) (?:ich|man|wir) (?:das |die |den |der |am besten )?`+topic),
	asked(needHowTo, `wie (?:\pL+e|\pL+t|\pL+en) (?:ich|man|wir) (?:das |die |den |der |ein |eine |einen )?`+topic),
	asked(needHowTo, `was muss (?:ich|man) (?:tun|machen),? um (?:das |die |den )?`+topic+`(?: zu \pL+)?`),
	asked(needHowTo, `(?:请问|请|我想|我要|我该|应该|我们|我)*(?:怎么样|怎么才能|怎样才能|怎么|怎样|如何|咋)(?:才能|去|来|可以|能)?\s*`+topic),
	about(`(?:please )?(?:tell me|explain|describe)(?: more)?(?: about)? (?:the )?` + topic),
	{need: needAbout, code: true, re: lazyregexp.New(`(?i)^(?:how|hwo) (?:does|do|did) (?:the )?` + topic + ` works?$`)},
	about(`what (?:is|are) (?:the |a |an )?` + topic),
	about(`(?:erkläre|erklär|beschreibe|erzähl|erzähle)(?: mir)?(?: etwas)?(?: über| von)? ` + topic),
	about(`(?:介绍|说明|解释)(?:一下)?\s*` + topic),
}

var (
	courtesy = lazyregexp.New(`(?i)^(?:hi|hello|hey|please|pls|excuse me|sorry|bitte|hallo|请问|你好)[,!.，]?\s+|` +
		`^(?:can|could|would) you (?:please )?(?:tell|show|explain to) me\s+|^(?:do you know|i wonder|i'd like to know)\s+`)
	ending   = lazyregexp.New(`(?i)(?:[\s?？!.。！,]|,? ?(?:please|pls|thanks|thank you|bitte|danke|谢谢)|吗|呢)+$`)
	trailing = lazyregexp.New(`(?i)\s+(?:(?:in|with|for|of|to) (?:this|the) (?:project|repo|repository|library|package|codebase|` +
		`tool)|here|in diesem projekt|im projekt|hier)$`)
	quotation = lazyregexp.New("^[\"'“”„«»「『`](.+?)[\"'“”«»」』`]$")
	codeName  = lazyregexp.New(`\p{Ll}\p{Lu}|[_\x60]|::|\(\)|->|^\S*\w\.\w\S*$|/`)
)

// maxTopic is the longest question about documents, in bytes. A longer one is a story.
const maxTopic = 240

// Ask returns the topic of a question that documents may answer. It reports false for an empty question, an issue, and
// a question about a name of code that does not ask for documentation.
func Ask(question string) (Topic, bool) {
	q := strings.TrimSpace(question)
	if q == "" || len(q) > maxTopic || strings.Contains(q, "\n") {
		return Topic{}, false
	}
	for cut := courtesy.FindStringIndex(q); cut != nil; cut = courtesy.FindStringIndex(q) {
		q = q[cut[1]:]
	}
	bare := ending.ReplaceAllString(q, "")
	for _, f := range forms {
		m := f.re.FindStringSubmatch(bare)
		if m == nil {
			continue
		}
		text := trailing.ReplaceAllString(strings.TrimSpace(m[f.re.SubexpIndex("topic")]), "")
		if inner := quotation.FindStringSubmatch(text); inner != nil {
			text = inner[1]
		}
		if !f.name && codeName.MatchString(text) && !strings.Contains(text, " ") {
			return Topic{}, false
		}
		return Topic{text, f.need, f.code}, text != ""
	}
	words := strings.Fields(bare)
	return Topic{Text: bare, need: needTitle}, len(words) > 1 && !slices.ContainsFunc(words, codeName.MatchString)
}

// Bare reports whether the question has no form, so that it is probably no question about documents.
func (t Topic) Bare() bool { return t.need == needTitle }
