package intent

import (
	"cmp"
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
	`(?:wenn|falls) (?:ich|man|wir) (?:\S+ ){0,4}?nichts (?:einstelle?|konfiguriere?|angebe?|setze?)[nt]?)` +
	`\b,?|(?:如果|若)?(?:我)?(?:什么都)?(?:没有?|不)(?:设置|配置|指定)(?:的话|时)?[，,]?`)

// ByDefault returns a question with "by default" in place of what says the same in other words.
func ByDefault(question string) string { return ifUnset.ReplaceAllString(question, " by default ") }

var (
	// unset matches a question about what holds if nobody sets something, in words that no form of the table has.
	unset = lazyregexp.New(`(?i)\bby default\b|\bdefaults?(?: value)?\s*\??$|\bdefault (?:of|for)\b`)
	// unsetIf matches the same said by a condition, and asksWay a question for what happens then.
	unsetIf = lazyregexp.New(`(?i)\b(?:if|when|while|unless)\b.*` +
		`\b(?:not|never|nothing|nobody|null|omit\w*|unset|left|only|without|dont|don['’]t|(?:set|pass|give|` +
		`specify|configure)s? no)\b`)
	asksWay = lazyregexp.New(`(?i)^\W*(?:how|why|where|who|what happens|(?:which|what) (?:file|function|method|class|code))\b`)
	// fileName matches a name that is one of a file.
	fileName = lazyregexp.New(`(?i)\.(?:json|ya?ml|toml|xml|ini|cfg|lock|md|txt|html|css|` +
		`[jt]sx?|py|rb|go|rs|c|h|cc|java|php)$`)
	// settingName matches a name as projects write it, and what it belongs to: two words joined or in camel case, with
	// dashes before it, or a symbol.
	settingName = lazyregexp.New(`(?:^|[\s("` + "`" + `])((?:--?|:)?[A-Za-z]\w*(?:(?:[._-]|::)\w+)+|` +
		`--?[a-z]\w*|:[a-z]\w*|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z]\w*[A-Z]\w*)(?:(?: of| in| for)(?: the| an?)? ([A-Z]\w+))?`)
)

// setter matches the name of one.
const setter = `((?-i:[sS]et[A-Z]|set_)\w+)`

var (
	// ofSetter matches a question for what holds if nobody calls a setter, and field the name of what it sets.
	ofSetter = lazyregexp.New(`(?i)\b(?:(?:unless|until|without|before) (?:\w+ ){0,2}call(?:s|ing)?|` +
		`(?:not|never|don['’]?t|nobody|no one) (?:ever )?calls?) (?:\w+(?:\.|::|#|->))*` + setter + `|` +
		`\b(?:if|when|while|as long as) (?:\w+(?:\.|::|#|->))*` + setter + `(?:\(\))? (?:is|was|gets) (?:not|` +
		`never) (?:called|used)\b`)
	field = lazyregexp.New(`^(?:[sS]et_?)(\w)(\w*)$`)
	// whose matches a question for what something of a type is if nobody sets it.
	whose = lazyregexp.New(`(?i)^(?:(?:what is|the|default|initial|of|what) )*([a-z]+(?: [a-z]+){0,2}) (?:of|in|` +
		`for|on) (?:the |an? )?@?` +
		`((?-i:[A-Z][\w:.]*\w))(?:\s*=\s*\?*$|,? (?:when|if|by default|unless|out of the box).*$)`)
	// plainOf matches the same of a type and a word after it.
	plainOf = lazyregexp.New(`(?i)^@?((?-i:[A-Z]\w*(?:(?:::|` +
		`\.)[A-Z]\w*)*)) ([a-z]\w+(?: [a-z]\w+)?),? (?:(?:when|if) (?:\w+ ){0,2}` +
		`(?:not|nobody|nothing|omitted|unset|unspecified)|by default|unless|out of the box)\b`)
	omitted = lazyregexp.New(`(?i)\b(?:not|never|nothing|nobody|omit\w*|unset|without|default|unspecified|` +
		`unless|dont|don't|out of the box)\b|=\s*\?*$`)
)

// ofOwner returns the intent of a question for the default of what a setter sets, or of a plain word of a type.
func ofOwner(question string) (Intent, bool) {
	in := Intent{Kind: Default}
	if !omitted.MatchString(question) {
		return in, false
	}
	if m := ofSetter.FindStringSubmatch(question); m != nil {
		called := cmp.Or(m[1], m[2])
		f := field.FindStringSubmatch(called)
		in.Name = strings.ToLower(f[1]) + f[2]
		for _, other := range ownerName.FindAllString(question, -1) {
			if other != called {
				in.Of = other
			}
		}
		return in, true
	}
	if m := notPassed.FindStringSubmatch(question); m != nil {
		for _, other := range codeNames.FindAllString(question, -1) {
			if IsName(other) && other != m[1] {
				in.Name, in.Of = m[1], strings.TrimSuffix(other, "()")
				return in, true
			}
		}
	}
	if m := whose.FindStringSubmatch(question); m != nil {
		in.Name, in.Of = m[1], m[2]
		return in, true
	}
	if m := plainOf.FindStringSubmatch(question); m != nil {
		in.Name, in.Of = m[2], m[1]
		return in, true
	}
	return in, false
}

var (
	// notPassed matches what says which parameter nobody passes, and codeNames what may be the name of the function.
	notPassed = lazyregexp.New(`(?i)\b(?:if|when) (?:i|we|you|one) (?:do not|dont|don['’]t) (?:pass|give|` +
		`specify|provide|set) ` +
		`(?:any |an? |the |it )?((?-i:[a-z][a-z_]{3,}))\b(?:\s*[?.,]|$)`)
	codeNames = lazyregexp.New(`[\w.:]+(?:\(\))?`)
)

// ownerName matches the name of a type of two words.
var ownerName = lazyregexp.New(`\b[A-Z][a-z]+[A-Z]\w*`)

// ofUnset returns the weak intent of a question about what a setting is if nobody sets it, if it names exactly one.
func ofUnset(question string) (Intent, bool) {
	names := settingName.FindAllStringSubmatch(question, -1)
	asks := unset.MatchString(question) || unsetIf.MatchString(question) && !asksWay.MatchString(question)
	if _, amount := MeasureOf(question); amount || len(names) != 1 || !asks || fileName.MatchString(names[0][1]) {
		return Intent{}, false
	}
	return Intent{Kind: Default, Name: strings.TrimPrefix(names[0][1], ":"), Of: names[0][2], Weak: true}, true
}
