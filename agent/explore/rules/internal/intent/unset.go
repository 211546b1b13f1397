package intent

import (
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// sets matches what somebody does to a setting, in English.
const sets = `(?:configure|set|say|specify|give|pass|change)s?`

// ifUnset matches a condition that says "by default" in other words, in English, German and Chinese.
var ifUnset = lazyregexp.New(`(?i),?\s*\b(?:out of the box|` +
	`unless (?:i|we|you) ` + sets + `(?: (?:so|it|otherwise|anything))*|` +
	`(?:if|when) (?:(?:i|we|you) (?:(?:do not|don't) ` + sets + `(?: (?:it|one|any|anything))?|` + sets + ` nothing)|` +
	`(?:nobody|no one) ` + sets + ` (?:it|one|anything)|nothing is (?:set|configured|given|specified))|` +
	`von haus aus|ohne konfiguration|` +
	`(?:wenn|falls) (?:ich|man|wir) nichts (?:einstelle?|konfiguriere?|angebe?|setze?)[nt]?)` +
	`\b,?|(?:如果|若)?(?:我)?(?:什么都)?(?:没有?|不)(?:设置|配置|指定)(?:的话|时)?[，,]?`)

// ByDefault returns a question with "by default" in place of what says the same in other words.
func ByDefault(question string) string { return ifUnset.ReplaceAllString(question, " by default ") }

var (
	// unset matches a question about what holds if nobody sets something, in words that no form of the table has.
	unset = lazyregexp.New(`(?i)\bby default\b|\bdefaults?(?: value)?\s*\??$|\bdefault (?:of|for)\b`)
	// unsetIf matches the same said by a condition, and asksWay a question for what happens then.
	unsetIf = lazyregexp.New(`(?i)\b(?:if|when|while|unless)\b.*` +
		`\b(?:not|never|nothing|nobody|null|omit\w*|unset|left|only|without)\b`)
	asksWay = lazyregexp.New(`(?i)^\W*(?:how|why|where|who|(?:which|what) (?:file|function|method|class|code))\b`)
	// fileName matches a name that is one of a file.
	fileName = lazyregexp.New(`(?i)\.(?:json|ya?ml|toml|xml|ini|cfg|lock|md|txt|html|css|` +
		`[jt]sx?|py|rb|go|rs|c|h|cc|java|php)$`)
	// settingName matches a name as projects write it, and what it belongs to: two words joined or in camel case, with
	// dashes before it, or a symbol.
	settingName = lazyregexp.New(`(?:^|[\s("` + "`" + `])((?:--?|:)?[A-Za-z]\w*(?:(?:[._-]|::)\w+)+|` +
		`--?[a-z]\w*|:[a-z]\w*|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*)(?:(?: of| in| for)(?: the| an?)? ([A-Z]\w+))?`)
)

// ofUnset returns the weak intent of a question about what a setting is if nobody sets it, if it names exactly one.
func ofUnset(question string) (Intent, bool) {
	names := settingName.FindAllStringSubmatch(question, -1)
	asks := unset.MatchString(question) || unsetIf.MatchString(question) && !asksWay.MatchString(question)
	if _, amount := MeasureOf(question); amount || len(names) != 1 || !asks || fileName.MatchString(names[0][1]) {
		return Intent{}, false
	}
	return Intent{Kind: Default, Name: strings.TrimPrefix(names[0][1], ":"), Of: names[0][2], Weak: true}, true
}
