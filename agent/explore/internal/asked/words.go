package asked

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	fenceMark = lazyregexp.New("^(?:```+|~~~+)")
	// marker begins an item of a list, a quotation or a heading.
	marker      = lazyregexp.New(`^(?:[-*+>]|\d+[.)]|#+)\s+`)
	quoted      = lazyregexp.New("`[^`]*`|\"[^\"]*\"|“[^”]*”|「[^」]*」")
	sentenceEnd = lazyregexp.New(`[?!]["'”’)]*\s+|[\pL\pN)\]"'` + "`" + `]{3}\.\s+|[。？！]\s*`)
	begins      = lazyregexp.New("^[\\pL`\"'“„「¿(]")
	// codeMarks matches what a typed sentence has in quotes only.
	codeMarks = lazyregexp.New(`[{}|\\]|;$|\w=\S|&&|[:+]=|=>`)
	// logged matches the beginning of a line that a program wrote.
	logged = lazyregexp.New(`^(?:E? *)(?:[A-Z]{4,}\b|Traceback |[\w.]*(?:Error|Exception|Warning)\b|` +
		`(?:panic|fatal|goroutine|Caused by)\b)|` +
		`\d:\d\d:\d\d`)
	// prefixed matches what a program writes before its messages.
	prefixed = lazyregexp.New(`^[\w./-]+(?::\w+|\s?\[\w*\])*: `)
	// label announces or numbers a question.
	label = lazyregexp.New(`(?i)^(?:(?:(?:my |meine )?(?:question|frage)|q|问题)\s*[:：]\s*|\d{1,2}[.)]\s+)`)
	// leaning matches words that refer to the question before.
	leaning = lazyregexp.New(`(?i)\b(?:its?|it's|they|them|theirs?|this|these|those|the same|if so|if not|otherwise|` +
		`ih[nmr]|sie|es|er|dies\w*|dort|dabei|davon|dafür|damit|daran|darin)\b|\b(?:that|das)\W*$|` +
		`\b(?:is|are|was|does|do|did) that\b|[它这那]`)
	clause = lazyregexp.New(`[,;，；]`)
	// heading matches a line of a document with parts.
	heading   = lazyregexp.New(`^(?:#{2,6} |<!--)`)
	closed    = lazyregexp.New(`[?？]["'”’)]*$`)
	plainWord = lazyregexp.New(`^\pL+(?:['’-]\pL+)*$`)
	// suggestion matches a question that programs ask.
	suggestion = lazyregexp.New(`(?i)^(?:did you (?:mean|forget)|(?:perhaps|maybe) you|is the .* running\?$|meinten sie)`)
	// opening matches the beginning of a question that yes or no does not answer, after words of courtesy; in Chinese a
	// word that asks.
	opening = lazyregexp.New(`(?i)^` + courtesy +
		`(?:(?:where|what|which|who|whose|whom|why|how|when (?:do|does|did|is|are|will|should|can)|` +
		`wo|woher|wohin|wer|wen|welche[rsnm]?|warum|wieso|weshalb|wie|wann|` +
		`was (?:ist|sind|macht|bedeutet|heißt|passiert|geschieht|tut|soll|kann|wird|muss))\b)|` +
		`[哪谁吗几]|什么|怎么|怎样|如何|为何|多少`)
	// request matches the beginning of a question that is put as a request.
	request = lazyregexp.New(`(?i)^` + courtesy +
		`(?:(?:show|tell) (?:me|us)\b|(?:explain|describe|show|find|list|tell|summari[sz]e|erklär\pL*|zeig\pL*|finde?|beschreib\pL*)(?: me| us| mir| uns| out)? ` +
		`(?:the|this|these|that|all|each|where|what|which|who|why|how|wo|was|wie|warum|wer|d[aei][sre]|diese[nrsm]?|welche[rsnm]?|alle)\b|` +
		`(?:find|show|list|explain) (?:\x60[^\x60]+\x60|\w*(?:_\w|\p{Ll}\p{Lu})[\w.]*)$)|解释|说明`)
	// pointing matches words that point at what is pasted.
	pointing = lazyregexp.New(`(?i)\b(?:this|these|that|those)(?:\W*$|` +
		`\s+(?:` + pastedNouns + `)\b)|` +
		`\b(?:this|these)\s+(?:is|are|was|were|does|do|did|has|have|happens?|means?|comes?|fails?|from|about|here|one)\b|` +
		`\b(?:does|do|did|is|are|was|were|can|could|would|should|what's|gets?|got|see|fix|cause[sd]?) (?:this|these|that|those)\b\W*` +
		`(?:$|(?:mean|come|happen|fail|from|about|caused|thrown|raised|logged|printed|coming|not|so|work)\b)|` +
		`\b(?:this|these|that|those) (?:\w+ed|read|set|thrown|written|sent|made|built)\W*$|` +
		`\b(?:above|below|following)\b|` +
		`\b(?:das|dies|dies hier|das hier)\W*$|\b(?:das|dies|es) (?:passiert|geschieht|auftritt|fehlschlägt)|` +
		`\b(?:bedeutet|heißt|soll|kommt|verursacht|passiert|geschieht|ist|bekomme ich|sagt) (?:das|dies)\b(?:\W*$|\s+(?:her|hier|nicht|mir)\b)|` +
		`\bdiese[nrsm]?\s+(?:` + pastedGerman + `)|\b(?:oben|unten|obige[nrsm]?|folgende[nrsm]?)\b|` +
		`这(?:个|段|条|些|行|句|里的?)?\s*(?:错误|报错|异常|日志|消息|信息|提示|代码|输出|堆栈|警告|问题|函数|方法|配置|请求|响应|测试|$|[？?是说])|这(?:样|里)|` +
		`上面|下面|以下|上述|如下|(?:抛|报)(?:出)?这`)
)

// courtesy are words before what is asked.
const courtesy = `(?:(?:hi|hello|hey|ok|okay|so|and|but|now|also|then|please|und|aber|bitte|hallo)[,!]? |` +
	`(?:(?:can|could|would|will) you|kannst du|könntest du) (?:please |bitte |mir )?)*`

// pastedNouns and pastedGerman name what people paste.
const (
	pastedNouns = `errors?|messages?|exceptions?|warnings?|failures?|panics?|crash|crashes|traces?|tracebacks?|backtraces?|stacks?|` +
		`stacktraces?|logs?|lines?|outputs?|dumps?|code|snippets?|examples?|tests?|responses?|requests?|payloads?|json|yaml|` +
		`configs?|configuration|diffs?|patch|changes?|functions?|methods?|class|struct|type|interface|trait|quer(?:y|ies)|calls?|text`
	pastedGerman = `(?:fehler|meldung|ausnahme|warnung|absturz|trace|stack|log|zeile|ausgabe|code|beispiel|test|antwort|anfrage|` +
		`konfiguration|diff|änderung|funktion|methode|klasse|schnittstelle|abfrage|aufruf|text)`
)

// smallWords are those of every sentence; true: those that code does not have.
var smallWords = func() map[string]bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields(`the a an of to we i you it its this that these those my our your are was were be been have has
		had do does did when but so there which should would could can will because after before than into on at by i'm it's
		der die das den dem ein eine einen einem einer ist sind war wird werden ich wir sie es mein unser nicht und oder aber
		wenn dass auf bei von zu zum zur mit im hat haben kann`) {
		words[w] = true
	}
	for _, w := range strings.Fields(`is in for with as from if and or not then while where what how why who`) {
		words[w] = false
	}
	return words
}()
