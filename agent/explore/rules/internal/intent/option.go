package intent

import "github.com/forayhq/foray/internal/lazyregexp"

// optionNoun matches a word for an option.
const optionNoun = `(?:options?|flags?|settings?|switch(?:es)?|parameters?|propert(?:y|ies)|arguments?|keywords?|` +
	`toggles?|knobs?|env(?:ironment)? var(?:iable)?s?|config(?:uration)?(?: (?:key|value|entry|option))?)\b`

var (
	// namesOption matches a question for an option by what it does: "which flag hides colours?", "is there a flag that …".
	// In "which value does a flag get?" the flag is what the question is about.
	namesOption = lazyregexp.New(`(?i)(?:\b(?:which|what)|\bis there|` +
		`\bare there)\s+(?:\w+\s+){0,2}?` + optionNoun + `|` +
		`\b(?:any|an?|one)\s+(?:\w+\s+){0,2}?` + optionNoun + `\s+(?:to|that|which|for|so|with)\b|` +
		`\bwelche[rsnm]? (?:option|schalter|einstellung|parameter|argument)\b|` +
		`(?:哪个|什么)(?:选项|参数|设置|配置|标志)`)
	// wantsOption matches a question for how to make a program do something, which an option often is the answer to.
	wantsOption = lazyregexp.New(`(?i)\bhow (?:do|can|could|would|should) (?:i|we|one|you)\b|\bhow to\b|` +
		`\b(?:can|could) (?:i|we|one|you|it)\b|\bis (?:there|it) (?:a way|possible)\b|\bi (?:want|need|would like)\b|` +
		`\bwie (?:kann|könnte|muss) (?:ich|man)\b|(?:我想|能不能|可不可以|是否可以)|` +
		`(?:怎么|如何)(?:才能|让|使|把|关|禁|开启|启用|设置|指定|忽略|避免|修改|更改|隐藏)`)
)

// supposes matches what comes before an option that a question only supposes: what happens when a flag is set twice?
var supposes = lazyregexp.New(`(?i)\b(?:what happens|when|if|once|why|was passiert|wenn|warum)\b|(?:如果|为什么|什么时候)`)

// ofFile matches what makes the word before it no option: which configuration file is read?
var ofFile = lazyregexp.New(`(?i)^ (?:files?|director(?:y|ies)|folders?|class(?:es)?)\b`)

// wantsLess matches a question for how to keep a program from doing something.
var wantsLess = lazyregexp.New(`(?i)\b(?:off|disable|without|stop|prevent|avoid|skip|hide|suppress|never|not|no|` +
	`from)\b|\b(?:ohne|nicht|kein\w*|aus|ab)\b|[关禁不]`)

// OptionOf reports whether a question of one line may be answered by an option or a setting that it describes, whether
// it says that it asks for one, and whether for one that keeps the program from something.
func OptionOf(question string) (may, says, less bool) {
	at := namesOption.FindStringIndex(question)
	says = at != nil && !supposes.MatchString(question[:at[0]]) && !ofFile.MatchString(question[at[1]:])
	return says || wantsOption.MatchString(question), says, wantsLess.MatchString(question)
}
