package intent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A cue is words that say what is asked about a name, in any order and among others.
type cue struct {
	kind Kind
	says *lazyregexp.Regexp
}

// cues are tried in order: who asks for the tests that use something asks for tests.
var cues = []cue{
	{Tests, lazyregexp.New(`(?i)\b(?:tests?|tested|specs?|unittests?|test coverage|covered|testfälle?|getestet)\b|` +
		`测试|单测`)},
	{Raised, raising},
	{Implementers, lazyregexp.New(`(?i)\b(?:who|what|which|anything|any|all|every|types?|class(?:es)?|wer|was|` +
		`welche\w*|list|show|find|alle|zeig)\b.*` +
		`\b(?:inherit(?:s|ing)?|extends?|extending|implement(?:s|ing)?|implementations?|implementers?|` +
		`subclass(?:es|ing)?|` +
		`deriv(?:es?|ed|ing)|inheriting|built on(?: top of)?|based on|includes? the NAME module|satisf(?:y|ies|ying)|` +
		`conforms?|erbt|erben|erweiter\w+|implementier\w+|ableit\w+|abgeleitet|leite[nt]\b.*\bab|` +
		`binde[nt]\b.*\bein)\b|` +
		`\b(?:to|of|in) the NAME (?:trait|interface|protocol)\b.*\b(?:types|classes|structs|implement\w*)\b|` +
		`\b(?:subclasses|subtypes|implementors|implementers|implementations|inheritors|descendants|unterklassen)\b|` +
		`(?:哪些|谁|什么).*(?:实现了|继承)`)},
	{Callers, lazyregexp.New(`(?i)\b(?:who|what|which|where|anyone|anything|wer|wo|was|welche\w*)\b.*` +
		`\b(?:calls?|calling|callers?|called|invokes?|invoked|uses?|using|used|users?|references?|referenced|` +
		`depends?|relies|rely|go(?:es)? through|breaks?|broken|affected|impacted|touched|consumes?|consumers?|` +
		`ruft|rufen|verwendet|benutzt|nutzt|aufgerufen|gebraucht)\b|` +
		`\bNAME (?:gets?|is|are) (?:called|invoked|used)\b|\b(?:usages?|call ?sites?|callers|references to|` +
		`verwendungen|aufrufer)\b|` +
		`(?:哪里|谁|哪些).*(?:调用|使用|用到|引用)`)},
	{Default, lazyregexp.New(`(?i)\bdefault(?:s|wert)?\b|\binitial value\b|\bout of the box\b|` +
		`\bstandardwert\b|\bvoreingestellt\b|默认`)},
	{Definition, lazyregexp.New(`(?i)\b(?:where|which file|what file|wo|welcher datei)\b.*` +
		`\b(?:defin\w*|declar\w*|implemented|lives?|located?|definiert|deklariert)\b|` +
		`\b(?:what|where) is (?:an? |the |this )?NAME(?:,| in\b|$)|\b(?:definition|meaning)\b|` +
		`\bwas (?:macht|tut|ist)\b|\bNAME\b.*\bwhat (?:is|are) (?:it|that|this)$|定义|是什么`)},
}

// raising matches a question for when a name raises an error.
var raising = lazyregexp.New(`(?i)\b(?:when|condition|circumstances|situations|cases|` +
	`(?:does|do|can|could|may|will) NAME)\b.*` + throws + `|\bwann\b.*\bwirft\b|` +
	`\bNAME (?:gets?|is|are|was) (?:thrown|raised|returned)\b|\bNAME(?: \w+)? ` + throws + `.*\b(?:which|` +
	`what|when|cases)\b|\b(?:what|which)\b.*\bmakes?\b.*` + throws)

// throws matches that something raises an error.
const throws = `\b(?:throws?|raises?|panics?|rejects?|blows? up|aborts?|fails?|returns? an? err(?:or)?|` +
	nothing + `)\b`

// nothing matches that something returns no value.
const nothing = `(?:returns?|gives)(?: (?:me|us|back))? (?:null|nil|none|nullptr|undefined)`

var returnsNothing = lazyregexp.New(`(?i)\b` + nothing + `\b`)

// Nothing is what a question for when something is raised is of if it asks when no value is returned.
const Nothing = "null"

// withoutTests matches what says that tests are not asked for.
var withoutTests = lazyregexp.New(`(?i)[,(]?\s*\b(?:apart from|besides|except(?: for)?|excluding|other than|` +
	`outside(?: of)?|ignoring|` +
	`without|not counting|leaving out|außer|abgesehen von)(?: in)?(?: the| its| any| den)? tests?(?: (?:and|or|` +
	`und) \w+)?[,)]?|` +
	`\b(?:main sources?|production code|non-test code)\b`)

// alsoTests matches what says that tests are asked for, too.
var alsoTests = lazyregexp.New(`(?i)\bnot (?:only|just) (?:in )?(?:the )?tests?\b`)

// whereWe matches a question for the places that call something, which otherAsks would match.
var whereWe = lazyregexp.New(`(?i)\b(where|which \w+) (?:do|does|did) (?:we|you|i|one) (call|use|invoke|reference)\b`)

// howMuch matches a question for the value of a setting that otherAsks matches, too.
var howMuch = lazyregexp.New(`(?i)\bhow (?:much|long|often|large|big|deep|high)\b|` +
	`\bif (?:i|we|you) (?:do not|don['’]?t) (?:set|pass|give|specify) (?:it|one|NAME)\b`)

// otherAsks matches a question for a way or a reason, for what the name itself does, and what somebody does with it.
var otherAsks = lazyregexp.New(`(?i)\b(?:how|why|wie|warum|wieso|(?:does|do|did) NAME|` +
	`with (?:their|its) meanings?|(?:i|we|you|one) (?:can |could |may |never |always )?(?:call|use|invoke|` +
	`implement|extend)|tests? (?:fails?|` +
	`failed|crash\w*)|NAME:)|` +
	`怎么|为什么|如何`)

// mostAround is how many words a question has at most besides the name: a longer one says more than a cue.
const mostAround = 24

// ofCues returns the intent of a question with one name as code writes it and words that say what is asked about
// it, in an order that no form has: "I want to rename NAME, who would break?" A second name may say of what the first
// is a setting, or which error it throws.
func ofCues(question string, tokens []token) (Intent, bool) {
	in := Intent{}
	names, around, ok := namesIn(tokens)
	if !ok {
		return in, false
	}
	if m := subtypesOf.FindStringSubmatch(question); m != nil && (len(names) == 0 || m[3]+m[4] != "") {
		return Intent{Kind: Implementers, Name: cmp.Or(m[1], m[2], m[3], m[4])}, true
	}
	if m := getsError.FindStringSubmatch(question); m != nil && IsName(m[1]) {
		return Intent{Kind: Raised, Name: m[1], Weak: true}, true
	}
	if len(names) == 0 || len(names) > 2 || around > mostAround {
		return in, false
	}
	text := alsoTests.ReplaceAllString(withoutTests.ReplaceAllString(joined(tokens), " "), " ")
	text = whereWe.ReplaceAllString(text, "$1 $2")
	if in.Name, in.Of = askedOf(question, text, names); in.Name == "" {
		return in, false
	}
	text = strings.ReplaceAll(text, in.Name, "NAME")
	many := strings.Contains(text, "how many ")
	text = strings.ReplaceAll(text, "how many ", "which ")
	at := slices.IndexFunc(cues, func(c cue) bool { return c.says.MatchString(text) })
	switch other := otherAsks.MatchString(text); {
	case at >= 0 && (!other || cues[at].kind == Raised):
		in.Kind = cues[at].kind
	case len(names) == 2 && in.Of != "" && unsetIf.MatchString(text) && !asksWay.MatchString(text):
		in.Kind = Default
	case (many || howMuch.MatchString(text)) && !typeName.MatchString(in.Name):
		in.Kind = Default
	}
	if in.Kind == Definition {
		question = alsoWhere.ReplaceAllString(question, "")
	}
	unsaid := len(names) == 2 && in.Kind != Default && in.Kind != Raised
	if unsaid || twoClauses.MatchString(question) {
		return in, false
	}
	if in.Kind == Raised {
		in.Of = ""
		if returnsNothing.MatchString(text) {
			in.Of = Nothing
		}
	}
	// Documents may say more of a name, and of a type it may be a default that it has, not its own.
	in.Weak = in.Kind == Definition || in.Kind == Default && typeName.MatchString(in.Name)
	return in, in.Kind != ""
}

// subtypesOf matches a question for the subtypes of a type whose name is one word.
var subtypesOf = lazyregexp.New(`\b(?:[sS]ub-?class(?:es)?|[sS]ubtypes?|[iI]mplementations?|[iI]mplement[eo]rs?|` +
	`[iI]nheritors|` +
	`[dD]escendants|Unterklassen|Ableitungen) (?:of|von|for) (?:the |class |trait |` +
	`interface )*(\p{Lu}\w*\p{Ll}\w*)\b|` +
	`\b(?:inherits?|derived?s?|extends?|erben|erbt|abgeleitet)(?: from| von)? (?:the |class )*(\p{Lu}\w*\p{Ll}\w*)\b|` +
	`\b(?:[iI]mplement|[sS]atisf)(?:s|y|ies)? (?:the )?(?:unexported |private |internal )?(\w{4,}) (?:trait|` +
	`interface|protocol)\b|` +
	`\b(?:everything|anything|[a-z]{2,}s) (?:that|which) (?:directly )?(?:implements?|extends?|inherits?(?: from)?|` +
	`derives? from|satisf(?:y|ies)) (?:the |class )*([\w.:\\]*\p{Lu}\w*\p{Ll}\w*)`)

// getsError matches a question for when somebody gets an error.
var getsError = lazyregexp.New(`(?i)\b(?:when|why) (?:do|would|will|did|am) (?:i|we|you|one) (?:get|getting|see|` +
	`seeing|hit) ` +
	`(?:an? |the )?([\w.:\\]*\w)`)

// namesIn returns the names as code writes them among some words, and how many other words there are. It reports false
// if a text is quoted.
func namesIn(tokens []token) (names []string, around int, ok bool) {
	for i, t := range tokens {
		// "the class Registry", "new Registry()", "the Registry trait"
		isKind := i > 0 && !beginning[t.low] && typeName.MatchString(t.text) &&
			(kindWords[tokens[i-1].low] != nil || tokens[i-1].low == "new" ||
				i+1 < len(tokens) && contracts[tokens[i+1].low])
		text := strings.TrimSuffix(t.text, "()")
		other := noNames[text] || allCapitals.MatchString(text) || fileName.MatchString(text)
		switch {
		case other || !IsName(t.text) && !t.code && !isKind:
			around++
		case t.quoted && !t.code:
			return nil, 0, false
		case !slices.Contains(names, text):
			names = append(names, text)
		}
	}
	return names, around, true
}

// beginning are words that begin a sentence after one that ends in a word for a type.
var beginning = wordSet(`what which who where when how why is are does do can the a an it this that i we`)

// contracts are the words for a type after its name.
var contracts = wordSet(`trait interface protocol`)

// ofType matches the name of a member, or one in camel case, and not that of a project.
var ofType = lazyregexp.New(`\.|::|#|\p{Ll}\p{Lu}`)

// noNames are abbreviations that are written like names.
var noNames = wordSet(`i.e e.g z.b d.h`)

// askedOf returns which of one or two names is asked about: the one that throws the other, which is an error, or the
// setting of the other; "" if two names are neither.
func askedOf(question, text string, names []string) (name, of string) {
	if len(names) == 1 {
		return names[0], ""
	}
	for i, name := range names {
		throws := IsError(names[1-i]) && !IsError(name) && ofType.MatchString(name)
		if throws && raising.MatchString(strings.ReplaceAll(text, name, "NAME")) {
			return name, ""
		}
	}
	return settingOf(question, names)
}

// settingOf returns which of two names is asked about, and of what: "NAME in OF", "OF's NAME", and "OF()" that throws
// NAME. The names are empty if neither is said.
func settingOf(question string, names []string) (name, of string) {
	one, other := names[0], names[1]
	switch first, second := strings.Contains(question, one+"()"), strings.Contains(question, other+"()"); {
	case first && !second:
		return one, other
	case second && !first, strings.Contains(question, one+"'s "+other), strings.HasPrefix(question, one+": "):
		return other, one
	}
	for _, m := range inOwner.FindAllStringSubmatch(question, -1) {
		if m[1] == other {
			return one, other
		}
	}
	return "", ""
}

// inOwner matches where a question says of what a name is a setting.
var inOwner = lazyregexp.New(`(?i) (?:in|of|on|for|from|im|von|bei|beim|für) (?:the |a |an |der |die |das |dem |` +
	`den )?(?:class |type |function )?` +
	`([\w.:#$]+)`)

var (
	// alsoWhere matches the question for a place after another one, which an answer has anyway.
	alsoWhere = lazyregexp.New(`(?i)[,;]? (?:and|und) (?:where|wo) (?:(?:is|does|can|do|ist|liegt|finde|steht|` +
		`lebt) )+` +
		`(?:it|this|that|i|you|sie|er|es|ich|man)?(?: (?:live|defined|located|find it|be found|come from|` +
		`definiert))?[?.! ]*$`)
	// twoClauses matches two questions in one sentence.
	twoClauses = lazyregexp.New(`(?i)^(?:who|what|where|which|how|why|is|does|wer|was|wo|welche\w*|wie)\b.*` +
		`(?:\band|\bund|[,，;]) ?(?:who|what|where|which|how|why|is|does|wer|was|wo|welche\w*|wie)\b|哪.*谁|谁.*哪`)

	allCapitals = lazyregexp.New(`^\p{Lu}+$`)            // an abbreviation
	typeName    = lazyregexp.New(`^\p{Lu}\p{Ll}[^._]*$`) // has no value
)
