package listing

import "github.com/forayhq/foray/internal/lazyregexp"

// nouns are the words for what is listed. The first that matches the end of a noun phrase decides.
var nouns = []struct {
	group group
	re    *lazyregexp.Regexp
}{
	{variables, noun(`(?:env(?:ironment)?|shell)[ -](?:var(?:iable)?s?|settings)|umgebungsvariablen?|环境变量`)},
	{flags, noun(`(?:command[- ]?line|cli|cmdline|startup) (?:options?|arguments?|args|switches|parameters)|` +
		`flags?|switches|kommandozeilen\w*|命令行(?:选项|参数|标志)`)},
	{commands, noun(`sub-?commands?|unterbefehle|子命令`)},
	{endpoints, noun(`(?:(?:https?|rest|api|web) )*(?:endpoints|routes|urls)|endpunkte|routen|(?:接口|路由|端点)`)},
	{events, noun(`(?:\w+ )?events|ereignisse|事件`)},
	{packages, noun(`(?:(?:runtime|external|third[- ]party|npm|python|go) )?(?:dependenc(?:y|ies)|requirements)|` +
		`(?:(?:other|npm|external|third[- ]party) )+(?:packages|libraries|crates|gems|modules)|` +
		`abhängigkeiten|依赖(?:项|包)?`)},
	{features, noun(`(?:(?:cargo|feature|optional|build|crate)[- ])?(?:features?|extras)|feature flags?|` +
		`dependency groups`)},
	{methods, noun(`(?:member )?(?:methods?|functions)|methoden|funktionen|方法|函数`)},
	{parameters, noun(`param(?:eter)?s?|arguments?|args|kwargs|keywords?|parametern?|argumente|参数`)},
	{fields, noun(`fields?|propert(?:y|ies)|attributes?|attrs|members?|columns|knobs?|felder|attribute|eigenschaften|` +
		`字段|属性|成员`)},
	{values, noun(`values?|(?:possible|valid|allowed) settings|variants?|cases|constants|choices|enumerators|` +
		`werte|varianten|konstanten|` +
		`值|取值|常量|变体`)},
	{bases, noun(`(?:base |super-?|parent )class(?:es)?|parents?|basisklassen?|oberklassen?|基类|父类`)},
}

func noun(re string) *lazyregexp.Regexp { return lazyregexp.New(`(?i)(?:^|\s|\p{Han})(?:` + re + `)$`) }

// after are the words that may follow a noun phrase.
const after = `are|is|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|decide|control|` +
	`affect|configure|switch|turn|set|of|in|on|for|to|at|by|with|from|that|why|which|who|when|there|exist|` +
	`exists|belong|` +
	`i|we|you|it|hat|haben|gibt|wird|werden|kann|kennt|nimmt|akzeptiert|unterstützt|versteht|liest|sind|ist|im|am|` +
	`bei|beim|von|der|des|für|zu`

// The forms of questions for a list.
var (
	// asks matches what comes before the noun phrase for what is listed, and phrase that phrase and what follows it.
	asks = lazyregexp.New(`(?i)(?:(?:^|[\s,.;:-])(?:which|what|list|name|enumerate|welche[rnsm]?|was für|` +
		`(?:full|complete|entire|whole|exhaustive) (?:set|list) of)|` +
		`^(?:all|every|gimme|(?:give|show|get|tell|print) (?:me|us)?|(?:zeig|nenn|liste)e?(?: mir)?))\s+` +
		`(?:(?:are|is|all|of|the|other|different|possible|valid|available|supported|allowed|predefined|built-?in|` +
		`kinds?|types?|sorts?|every|gibt es|alle|die|den|der)\s+)*`)
	phrase = lazyregexp.New(`(?i)^((?:[\pL\pN_/.'"+-]+\s+){0,3}?[\pL\pN_/'"+-]+)(?:\s*[?.!,;:(]|\s+(?:` + after +
		`)\b|\s*[?.!]*$)`)
	// bare matches a noun phrase without a verb.
	bare = lazyregexp.New(`(?i)^(?:all |the |list |show |give me )*((?:[\w-]+ ){0,2}?[\w-]+) (?:of|for|in|on) .{1,60}$`)
	// nounOnly matches a question that is nothing but a noun phrase: "log levels?"
	nounOnly = lazyregexp.New(`(?i)^(?:(?:all|the|our|supported|available|possible|valid|known|allowed)\s+)*` +
		`((?:[\w-]+ ){0,2}[\w-]+s)(?: (?:of|in) \w+)?(?: (?:please|plz|pls|here))?\s*[?.!]*$`)
	// whichMay matches a noun phrase and what says that it is for all that may be used: "events I can hook into".
	whichMay = lazyregexp.New(`(?i)^(?:(?:all|every|the|please|list|show|give|me)\s+)*((?:[\w-]+ ){0,2}[\w-]+s) ` +
		`(?:(?:that |which )?(?:i|we|you|one) (?:can|could|may)|(?:(?:that|which) )?(?:are )?(?:accepted|` +
		`supported|allowed|recogni[sz]ed|` +
		`understood|known|predefined)(?: by)?)\b`)
	// asking matches the first word of a question that asks something else.
	asking = lazyregexp.New(`(?i)^\s*(?:how|why|who|where|when|is|are|do|does|did|can|could|should|will|if)\b`)
	// maybeDone matches one whose first word is often a verb: "sort options".
	maybeDone = lazyregexp.New(`(?i)\b(?:options|commands|methods|functions|events|tests)\W*$`)
	// ofTheProgram matches a question for what belongs to the program that needs no verb: "flags?", "env vars it
	// reads".
	ofTheProgram = lazyregexp.New(`(?i)^(?:(?:all|any|the|list|show|give|get|print|me|available|supported|valid|` +
		`possible|` +
		`what|which|are|of|its|known)\s+)*((?:(?:command[- ]?line|cli)\s+)?(?:flags|options|switches|arguments|args|` +
		`commands)|sub-?commands|env(?:ironment)?\s+var(?:iable)?s|\w+\s+(?:cli\s+(?:flags|options|commands)|flags|` +
		`sub-?commands|env(?:ironment)?\s+var(?:iable)?s))(?:\s+(?:please|are there|exist|are (?:available|` +
		`supported)|` +
		`it (?:reads|takes|has|accepts|supports|understands|uses)|` +
		`(?:does|can|do) \w+ (?:have|take|accept|support|read|understand|use)|used(?: by \w+)?|of \w+|` +
		`in \w+))?\s*[?.!]*$`)
	// ownNoun matches the name of a type and what it has: "Promise methods", "Config's fields".
	ownNoun = lazyregexp.New(`^(?:all |list |show |the |public )*((?:\w+(?:\.|::))*(?:\p{Lu}\w*|` +
		`\p{Ll}+\p{Lu}\w*|\w+_\w+))(?:'s)? ` +
		`(?:constructor )?(methods|functions|fields|properties|attributes|members|values|variants|cases|constants|` +
		`parameters|params|arguments|args|events)[?.! ]*$`)
	// afterWhich and beforeWhich match a Chinese noun phrase after, or before, the words that ask for a list.
	afterWhich  = lazyregexp.New(`(?:哪些|什么|几种|哪几种)\s*([^?？。，,\s][^?？。，,]{0,20})`)
	beforeWhich = lazyregexp.New(`([\p{Han}A-Za-z /]{1,16})(?:都?有哪些|有什么|有几种)`)

	// The following match questions without a noun: for parameters, bases, values, packages, and all that a thing has.
	callsOn = lazyregexp.New(`(?i)\bwhat (?:all )?(?:can|could|may) (?:i|we|you|one) (?:call|invoke|do) (?:on|with) `)
	passes  = lazyregexp.New(`(?i)\bwhat(?: all)? (?:can|could|may|do) (?:i|we|you|one) (?:pass|give|hand)\b|` +
		`\bwhat does .{1,60} (?:take|accept|expect)\b|\bwith(?: no|out(?: any)?) (?:arg(?:ument)?s|param(?:eter)?s)\b`)
	extends = lazyregexp.New(`(?i)\bwh(?:at|ich (?:class|type|classes))\b.{0,20}\b(?:does|do|is|are)\b.{1,60}\b` +
		`(?:extend|inherits?(?:ed)?(?: from)?|derive[sd]?(?: from)?|subclass(?: of)?)\b|` +
		`\bwhat (?:interfaces? )?does [\w.]+ (?:implement|embed)\b|` +
		`(?:wovon|von (?:was|welcher klasse)|was) erbt|继承(?:自|了)?(?:哪|什么)`)
	becomes = lazyregexp.New(`(?i)\bwhat (?:can|could|may) (?:the |a )?.{1,60}? be(?: set to)?\b`)
	depends = lazyregexp.New(`(?i)\b(?:what|which (?:other )?(?:packages|libraries|crates|gems|modules|jars)) ` +
		`(?:does (?:the )?(?P<of>.{1,40}?)(?: (?:module|package|crate|library|project))? (?:depend on|require|need)|` +
		`.{0,40}\b` +
		`(?:pulls? in|brings? in|(?:get|gets|are) (?:pulled in|installed|brought in)))\b`)
	itself = lazyregexp.New(`(?i)^(?:it|this|that|project|repo|repository|library|package|program|app|tool)?$`)
	holds  = lazyregexp.New(`(?i)\bwhat(?: all)? (?:can|could|do|may|must) (?:i|we|you|one) ` +
		`(?:put|set|configure|specify)\b|\bwhat(?: is|'s| are)? (?:in|inside)\b|` +
		`\bwhat does .{1,60} (?:contain|consist of|look like)\b`)

	// limits matches what may follow a noun phrase in a question that asks for less than a list: "which fields are
	// checked before …?", "which methods are called on restart?", and states what a list may be of.
	limits = lazyregexp.New(`(?i)^.{0,80}\b(?:when|before|after|while|if|during|because|without|unless)\b|` +
		`^\s*(?:should|must|are|is|get|gets|were|can be|must be)\s+(?:i\s+)?\w*(?:ed|en|t|st|den)\b`)
	states = lazyregexp.New(`(?i)^\s*(?:are|is|can be)\s+(?:not|supported|allowed|accepted|predefined|defined|` +
		`declared|` +
		`emitted|provided|exposed|registered|included|implemented|documented|listed|built|shipped|published|` +
		`fired|left|` +
		`present|loaded|enabled|installed|known|in use)\b`)
	// procedure matches a question for how to do something: "how do I see which workers run?"
	procedure  = lazyregexp.New(`(?i)\bhow (?:do|can|could|would|should|to)\b|\bwie (?:kann|muss|sehe|finde)\b|怎么|如何`)
	implements = lazyregexp.New(`(?i)\bimplement\b`)
	// isOptions matches a word for options, which are flags if the question is about a program.
	isOptions = lazyregexp.New(`(?i)^(?:\w+ )?(?:options|arguments|switches|parameters)$`)
	ofProgram = lazyregexp.New(`(?i)\.sh\b|\b(?:command|cli|executable|script|binary|terminal)\b`)
	// aFlag matches a flag with its dashes, and asksFlag a question for what it does or where it is declared.
	aFlag    = lazyregexp.New("[\\s`\"'(]((?:--|-[A-Za-z])[\\w.-]*\\w|-[A-Za-z])(?:[\\s`\"')?.,]|$)")
	asksFlag = lazyregexp.New(`(?i)^(?:hi|hey|hello|ok|so|and|[\s,])*(?:(?:explain|describe)\b|` +
		`(?:what|whats|what's|where|was|wo|wofür)\b.{0,60}\b(?:do|does|mean|means|for|is|are|defined|declared|macht|` +
		`bewirkt|bedeutet|ist|definiert)\b)|(?:是什么|做什么|干什么|有什么用|什么意思)`)
	// twoFlags matches two flags, and differ a question for how they do.
	twoFlags = lazyregexp.New("(?i)(?:^|\\s)`?(--?[a-z][\\w-]*)`? (?:vs\\.?|versus|or|and|und|oder|instead of|over) " +
		"`?(--?[a-z][\\w-]*)`?(?:\\W|$)")
	differ = lazyregexp.New(`(?i)\b(?:differ\w*|vs|versus|unterschied\w*|compared?|same|instead of|over|which)\b|` +
		`^\S+ or \S+$|区别|不同`)
	// reader matches who reads a variable of the environment: the project.
	reader = lazyregexp.New(`(?i)\b(?:does|do|can|liest|nutzt|kennt|verwendet)\s+(?:the\s+)?[\w.-]+`)
)

// Names in a question.
var (
	word   = lazyregexp.New("`[^`]+`|\"[^\"]+\"|[\\pL\\pN_$][\\pL\\pN_$.:/'-]*")
	aType  = lazyregexp.New(`(?i)^(?:class|struct|structure|interface|enum|trait|type|object|klasse)$`)
	isType = lazyregexp.New(`^\p{Lu}\w*\p{Ll}`)
	code   = lazyregexp.New(`\p{Ll}\p{Lu}|[_.]\w|::|^\p{Lu}{2,}$`)
	han    = lazyregexp.New(`\p{Han}$`)
)
