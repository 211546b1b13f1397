package intent

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Kind is what a question asks for.
type Kind string

// The kinds of questions that exact tools answer.
const (
	Definition   Kind = "definition"   // where a name is defined, or what it is
	Callers      Kind = "callers"      // who calls or uses a name
	Difference   Kind = "difference"   // how two names differ
	Raised       Kind = "raised"       // where an error is raised, and when
	Implementers Kind = "implementers" // which types implement or extend a type
	Tests        Kind = "tests"        // which tests use a name
	Message      Kind = "message"      // where a message comes from
	Default      Kind = "default"      // the value of a constant, or the default of a parameter or setting
	Amount       Kind = "amount"       // the same, of a setting that is described; see [MeasureOf]
	Key          Kind = "key"          // where a key of a setting is given its value
	Option       Kind = "option"       // the option that does what is described; see [OptionOf]
)

// An Intent is what a question asks for, and about what.
type Intent struct {
	Kind    Kind
	Name    string   // the slot NAME, TEXT or REST as written, without quotes
	Of      string   // the slot OF, or ""
	Symbols []string // kinds of definitions that the word before the name allows; nil: any
	Quoted  bool     // Name was in quotes or backticks
	Weak    bool     // the question may mean something else if nothing has the name
	Scope   Scope    // of callers and types
}

// A Scope is the part of the project that a question restricts itself to.
type Scope struct {
	Dirs    []string // words that may be a directory, the likeliest first: "in lib"
	NoTests bool     // what is in tests is not asked for
}

// scopeOf returns the scope that a question names.
func scopeOf(question string) (s Scope) {
	s.NoTests = withoutTests.MatchString(question)
	for _, m := range inDirectory.FindAllStringSubmatch(question, -1) {
		s.Dirs = append(s.Dirs, m[1])
	}
	return s
}

// inDirectory matches what may be a directory that a question is about.
var inDirectory = lazyregexp.New("(?i)\\b(?:in|under|inside|within|below|unter|innerhalb von) (?:the |our |dem |der )?`?([\\w.-]+(?:/[\\w.-]+)*)\\b")

// fewestSaid is how many words a message without quotes has at least after a question that may describe what it says.
const fewestSaid = 3

// maxTokens is how many words a question with an intent has at most. A longer one is a story.
const maxTokens = 60

// Parse returns the intent of a question of one line. It reports false for an open question, an issue, and anything
// that no row of the table describes.
func Parse(question string) (Intent, bool) {
	in, ok := parseAll(question)
	if in.Kind == Callers || in.Kind == Implementers {
		in.Scope = scopeOf(question)
	}
	return in, ok
}

func parseAll(question string) (Intent, bool) {
	question = plain(strings.TrimSpace(quoted(question)))
	at := lead.FindStringIndex(question)
	if at != nil && !strings.ContainsAny(question[:at[1]], "?\"“`") && !strings.Contains(question[:at[1]], ": ") {
		if in, ok := parse(question[at[1]:]); ok && !in.Weak {
			return in, true
		}
	}
	if m := busyWith.FindStringSubmatch(question); m != nil {
		if in, ok := parse(m[1]); ok && !in.Weak {
			return in, true
		}
	}
	in, ok := parse(question)
	if rest := aroundMessage.ReplaceAllString(in.Name, ""); in.Kind == Message && len(strings.Fields(rest)) >= fewestSaid {
		in.Name = rest
	}
	if m := remark.FindStringSubmatch(question); m != nil && (!ok || in.Weak) {
		if asked, ok := parse(m[1]); ok && !asked.Weak {
			return asked, true
		}
	}
	if m := inProject.FindStringSubmatch(question); m != nil && (!ok || in.Weak) {
		asked, ok := parse(m[1] + m[2])
		if ok && !asked.Weak && !strings.Contains(asked.Name, " ") && ofNames[asked.Kind] {
			return asked, true
		}
	}
	if m := aside.FindStringSubmatch(question); m != nil && !inName.MatchString(m[2]) && (!ok || in.Weak && !in.Quoted) {
		if asked, ok := parse(m[1]); ok && !asked.Weak {
			return asked, true
		}
	}
	if m := bareName.FindStringSubmatch(question); m != nil && (!ok || in.Weak) && (m[1]+m[3] != "" || IsName(m[2])) {
		return Intent{Kind: Definition, Name: strings.TrimSuffix(m[2], "()"), Weak: true}, true
	}
	return in, ok
}

// lead matches a sentence before a question that says why it is asked.
var lead = lazyregexp.New(`^[A-Za-z][^.!]*(?:\.\w+[^.!]*)*[.!] +`)

// busyWith matches what somebody is doing, and a question after it.
var busyWith = lazyregexp.New(`(?i)^(?:I|we)(?:'m|'re| am| are) [a-z]+ing\b[^,?"“` + "`" + `]*, +(.*)$`)

// remark matches a question and a sentence after it that says why it is asked.
var remark = lazyregexp.New(`^([^?\n]*\?) +((?:I|We|It|The|My|Our|Just|Because|Need|Asking|Want)\b[^?\n]*)$`)

// aside matches a remark in brackets at the end of a question.
var aside = lazyregexp.New(`^(.*\w)\s+\(([^()]*)\)\s*[?.!]*$`)

// bareName matches a question that is nothing but a name, maybe as it is declared.
var bareName = lazyregexp.New(`^(?:where |(?:(?:can|could) you )?point me to )?(def |func |fn |function |class |` +
	`struct |type |` +
	`interface |module |trait |enum )?([\w$]+(?:(?:\.|::|#|->)[\w$?!]+)*(?:\(\))?)` +
	`( class| function| struct| method| trait| enum| interface)?(?: where)?\s*\?*$`)

// plain returns a question with the name that it is about where it asks: "NAME - who calls it?" asks "who calls NAME?",
// and "the NAME method of Type" is Type.NAME.
func plain(question string) string {
	question = namespaced.ReplaceAllString(question, "$1::$2")
	question = oath.ReplaceAllString(ampersand.ReplaceAllString(question, " and $1"), "")
	if m := whatIsIt.FindStringSubmatch(question); m != nil {
		question = "what is " + m[1] + "?"
	}
	if m := before.FindStringSubmatch(question); m != nil && IsName(m[1]) && len(strings.Fields(m[2])) <= mostAfter {
		switch at := pronoun.FindStringIndex(m[2]); {
		case at != nil:
			question = m[2][:at[0]] + m[1] + m[2][at[1]:]
		case len(strings.Fields(m[2])) <= fewestSaid:
			question = m[1] + " " + strings.TrimPrefix(m[2], "any ")
		}
	}
	return memberOf.ReplaceAllStringFunc(question, func(text string) string {
		m := memberOf.FindStringSubmatch(text)
		if fillers[strings.ToLower(m[1])] {
			return text
		}
		return m[2] + "." + m[1]
	})
}

var (
	// before matches a name and what is asked about it.
	before = lazyregexp.New(`^(?:\w+'s )?([\w$.:#>-]*\w[?!]?(?:\(\))?)(?: [-–—]|:|,) +(?:(?:so|and) )?(.*)$`)
	// ampersand matches one before a second question.
	ampersand = lazyregexp.New(`(?i) & ((?:who|what|where|which|how|why|when)\b)`)
	// namespaced matches where PHP joins the parts of a name.
	namespaced = lazyregexp.New(`(\w)\\(\p{Lu})`)
	// oath matches what says only how much somebody wonders.
	oath     = lazyregexp.New(`(?i) (?:on earth|the heck|the hell|in the world)\b`)
	whatIsIt = lazyregexp.New(`(?i)^([\w$]+(?:(?:\.|::)\w+)*)(?: class| struct| function| method|` +
		` type)?(?: [-–—]|:|,) ` +
		`(?:what(?: is|'s|'re| does)? (?:it|this|that)(?: do)?(?: and where(?: is it)?)?|` +
		`(?:what|which) (?:kind|sort) of (?:thing|class|type) is (?:it|this|that)|what (?:is it|is this class) for|` +
		`was ist das)\s*\?*$`)
	pronoun = lazyregexp.New(`\b(?:it|this|that)\b`)

	memberOf = lazyregexp.New(`\b(?:the )?([\w?!]+) (?:method|function|field|property|attribute|member|constant) ` +
		`(?:of|on|in|from) (?:the )?(?:class |struct |type |module )?([A-Z][\w:.]*)\b`)
	aName  = lazyregexp.New(`^[\w$]+(?:(?:\.|::|#|->)[\w$?!]+)*!?(?:\(\))?$`)
	inName = lazyregexp.New(`\p{Ll}\p{Lu}|\w_\w|\.|::|#|->|\(\)|^\p{Lu}\p{Lu}+$`)
)

// mostAfter is how many words ask about a name before them; more are a message or a story.
const mostAfter = 8

// IsName reports whether a word is written as only code writes names.
func IsName(word string) bool { return aName.MatchString(word) && inName.MatchString(word) }

// inProject matches a question that names the project, before or after what it asks: "who uses NAME in glow?"
var inProject = lazyregexp.New(`(?i)^(?:(.*\S) (?:in|inside) [a-z][\w./-]*[?.! ]*|(?:in|inside) [a-z][\w./-]*,? (.*))$`)

// ofNames are the kinds of questions about a name that may say in which project it is. A default may be that of a
// setting in something.
var ofNames = map[Kind]bool{Definition: true, Callers: true, Implementers: true, Tests: true}

func parse(question string) (Intent, bool) {
	if strings.Contains(question, "\n") {
		return Intent{}, false
	}
	tokens := tokenise(question)
	if len(tokens) == 0 || len(tokens) > maxTokens {
		return Intent{}, false
	}
	if in, ok := ofOwner(question); ok {
		return in, true
	}
	found := byForm(tokens)
	if found.Kind == Default && asksValues.MatchString(question) {
		found = Intent{}
	}
	if found.Kind == Callers && raisesOne.MatchString(question) { // and not "raised"
		found.Kind = Raised
	}
	if noName(tokens, found) {
		found = Intent{}
	}
	if found.Kind == "" {
		found, _ = ofUnset(question)
	}
	if in, ok := ofMessage(tokens); ok && (found.Kind == "" || found.Weak && !found.Quoted) {
		found = in
	}
	open := found.Kind == "" || found.Weak || found.Kind == Message && !found.Quoted
	if m := beforeDash.FindStringSubmatch(question); m != nil && open && !strings.ContainsAny(m[1], "\"“`") {
		found = Intent{Kind: Message, Name: m[1], Weak: true, Quoted: true}
	}
	if m := failsWith.FindStringSubmatch(question); m != nil && found.Kind == "" {
		found = Intent{Kind: Message, Name: m[1], Weak: true}
	}
	long := found.Kind != Difference || strings.Contains(found.Name+found.Of, " ")
	if in, ok := ofDifference(question, tokens); ok && (found.Kind == "" || found.Weak && long) {
		found = in
	}
	message := found.Kind == Message && found.Weak && !found.Quoted
	if in, ok := ofError(question, tokens); ok && (found.Kind == "" || message) {
		found = in
	}
	if in, ok := ofKey(tokens); ok && (found.Kind == "" || found.Weak && found.Name != in.Name) {
		found = in
	}
	if found.Kind == Default && IsName(found.Name) && !IsError(found.Name) {
		found.Weak = false
	}
	in, ok := ofCues(question, tokens)
	vague := found.Weak || strings.Contains(found.Name, " ") && (in.Of != "" || in.Kind != Default)
	if ok && (found.Kind == "" || vague && !found.Quoted && found.Name != in.Name) {
		found = in
	}
	if found.Kind == Message && !found.Quoted {
		found.Name = asksAfter.ReplaceAllString(found.Name, "$1")
	}
	if found.Kind == "" && mayQuote(tokens) && !isNoMessage(question) {
		found = Intent{Kind: Message, Name: strings.TrimRight(question, "?.! "), Weak: true}
	}
	return found, found.Kind != ""
}

// noName reports whether what a form took for a name is what is done, or a flag.
func noName(tokens []token, in Intent) bool {
	done := in.Weak && !in.Quoted && tokens[0].low == "where" && isDone.MatchString(in.Name)
	flag := strings.HasPrefix(in.Name, "-") && (in.Kind == Definition || in.Kind == Difference)
	return in.Kind == Definition && done || flag
}

// byForm returns the intent of the form that fits best.
func byForm(tokens []token) (found Intent) {
	best := match{cost: maxCost + 1}
	for _, from := range slices.Backward(starts(tokens)) { // without words of courtesy first
		for _, to := range slices.Backward(ends(tokens, from)) {
			if to <= from {
				continue
			}
			for _, r := range table() {
				for _, f := range r.forms {
					m, ok := f.match(tokens[from:to], best.cost-1)
					if in, filled := m.intent(r.kind, r.weak); ok && filled {
						best, found = m, in
					}
				}
			}
		}
	}
	return found
}

// aroundMessage matches what is pasted around a message: the class of the error before it, and a line of the stack.
var aroundMessage = lazyregexp.New(`^(?:(?:i |we )?(?:got|get|keep getting|see|saw)(?: this| the following)?:? +)?` +
	`(?:[\w$]+\.)*[A-Z]\w*(?:Exception|Error|Warning|Failure): +|\s+at [\w.$<>]+ \(.*\)$|\s+\([\w./]+:\d+(?::\d+)?\)$`)

// raisesOne matches a question for when something raises an error.
var raisesOne = lazyregexp.New(`(?i)\bdoes \S+ (?:raise|throw|panic|reject)\W*$`)

// asksValues matches a question for all values that something may have.
var asksValues = lazyregexp.New(`(?i)^(?:(?:which|what|list|all|the|possible|valid|allowed|welche|die)\s+)*` +
	`(?:values|werte)\b`)

// isDone matches what is no name but says what is done: "where are [lint rules registered]?" Few names of three words
// read so, and looking for one takes as long as two searches of the tree.
var isDone = lazyregexp.New(`^(?:[a-z]+ ){2,}[a-z]+[^e]ed$`)

// beforeDash matches a message without quotes, a dash, and what is asked about it.
var beforeDash = lazyregexp.New(`(?i)^((?:\S+\s+){3,30}?\S+)\s+[-–—]+\s*(?:so |and )?` +
	`(?:where|why|when|what|who|how come)\b.*` +
	`\b(?:this|that|it|error|message|warning|exception|from|thrown|raised|made|mean|means|printed|cause|causes)\b`)

// failsWith matches what is said to fail, a message of three words without quotes, and what is asked about it.
var failsWith = lazyregexp.New(`(?i)\b(?:fail|crash|die|exit|abort|break|panic)(?:s|es|ed|ing)? with ` +
	`(?:(?:the|an?|this) )?(?:(?:error|message|exception|warning) )?((?:[^\s"“\x60]+ ){2,}?[^"“\x60]+?)` +
	`(?:[,;] (?:and )?(?:why|how|what|where|who|is|can|do|does)\b.*)?[?.! ]*$`)

// asksAfter matches a message of three words at least without quotes, and what is asked about it. A message may have a
// "why" of its own.
var asksAfter = lazyregexp.New(`(?i)^((?:\S+ ){2,}?\S+?)(?:[,;.] (?:(?:and|so) )?why\b.*| (?:(?:and|so) )?` +
	`(?:why(?: (?:do|does|did|am|is|are|would) (?:i|we|it|this|that)\b.*)?|how come|` +
	`what does (?:it|this|that) mean|where does (?:it|this|that) come from)[?.! ]*)$`)

// ofMessage returns the weak intent of a question that quotes a message and says that it is one, in words that no form
// has: "I get TEXT when I log in, where is it thrown and what do I have to set?"
func ofMessage(tokens []token) (Intent, bool) {
	in, says := Intent{Kind: Message, Weak: true, Quoted: true}, false
	for _, t := range tokens {
		switch {
		case !t.quoted:
			says = says || ofMessages[t.low]
			if t.low == "how" && in.Name == "" {
				return in, false
			}
		case in.Name != "" || t.code:
			return in, false
		default:
			in.Name = t.text
		}
	}
	return in, says && len(in.Name) <= maxText && len(strings.Fields(in.Name)) >= fewestSaid
}

// ofMessages are the words that say that what is quoted is a message.
var ofMessages = wordSet(`thrown throws throw raised raises raise error errors message warning exception get got getting
	see saw seeing says said fail fails failed failing printed prints logged logs shown shows comes coming mean means
	triggers come origin panicked
	hint hints suggestion prompt banner
	fehler meldung fehlermeldung warnung bekomme sehe`)

// ofDifference returns the weak intent of a question with two names as code writes them, in any words that ask how they
// differ.
func ofDifference(question string, tokens []token) (Intent, bool) {
	var names []string
	for _, t := range tokens {
		name := strings.TrimSuffix(t.text, "()")
		if (IsCode(name) || ofParts.MatchString(t.text) || name != t.text) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if m := versus.FindStringSubmatch(question); m != nil && len(names) < 2 {
		names = m[1:]
	}
	if len(names) != 2 || !differs.MatchString(question) && !oneOr.MatchString(question) {
		return Intent{}, false
	}
	return Intent{Kind: Difference, Name: names[0], Of: names[1], Weak: true}, true
}

var (
	ofParts = lazyregexp.New(`^(?:\w+(?:\.|::|#|->))*[\pL_]\w*(?:[a-z][A-Z]|_\w)\w*(?:\(\))?$|` +
		`^\w+(?:\.|::|#|->)\w+(?:\(\))?$`)
	versus  = lazyregexp.New(`(?i)^([\w.$:#]{4,}) (?:vs\.?|versus) ([\w.$:#]{4,})\b(?:[,:;?.! ]|$)`)
	oneOr   = lazyregexp.New(`^\S+ or \S+(?:\?|$)`)
	differs = lazyregexp.New(`(?i)\b(?:diff\w*|unterscheide\w*|the same as|distinguish\w*|vs|versus|instead of|` +
		`rather than|` +
		`compared?|unterschied\w*|statt)\b|` +
		`\bwhich (?:one )?(?:should|do|is|of)\b|\bwhen which\b|\bwhich when\b|区别|不同|差别`)
)

// ofError returns the weak intent of a question with the name of one error that asks why or when it comes, in words
// that no form has: "my job fails with CartFullError since today, what can trigger it?"
func ofError(question string, tokens []token) (Intent, bool) {
	in := Intent{Kind: Raised, Weak: true}
	for _, t := range tokens {
		switch {
		case !IsCode(t.text) || t.text == in.Name:
		case in.Name != "":
			return in, false
		default:
			in.Name = t.text
		}
	}
	asks, said := whyError, strings.Contains(question, in.Name+" error")
	if IsError(in.Name) || said || strings.Contains(question, in.Name+" exception") {
		asks = whenError
	}
	pasted := strings.Contains(question, in.Name+": ") // with its message
	return in, in.Name != "" && asks.MatchString(question) && !otherwise.MatchString(question) && !pasted
}

// IsError reports whether a name says that it is that of an error.
func IsError(name string) bool { return saysError.MatchString(name) && !ofErrors.MatchString(name) }

// ofErrors matches the name of what does something with errors.
var ofErrors = lazyregexp.New(`(?:Handler|Renderer|Transformer|Reporter|Formatter|Listener|Middleware|Factory|` +
	`Builder|` +
	`Boundary|Logger|Filter|Wrapper|Mapper|Parser|Serializer)s?$`)

var (
	saysError = lazyregexp.New(`(?:^|[^\pL])[eE]rr|Err(?:[A-Z]|or|$)|ERR|EXCEPTION|[eE]xception|_err(?:or)?$|` +
		`Failure|Fault`)
	// whyError matches a question for the cause of something, whenError also one for when it comes, and otherwise one
	// about what to do with an error.
	whyError = lazyregexp.New(`(?i)\b(?:why|how come|warum|wieso|weshalb|raise[sd]?|throws?|thrown|fail(?:s|ed|ing)?|` +
		`dies|died|crash(?:es|ed)?|triggers?|causes?|caused|reports?|geworfen|ausgelöst)\b|为什么|为何|原因|抛出`)
	whenError = lazyregexp.New(whyError.String() + `|(?i:\bwhen(?: do| does| is| are| exactly|\W*$)|` +
		`\b(?:do|did|am|are|keep|kept) (?:i|we|you)?\b.*\b(?:get|getting|see|seeing|hit)\b|` +
		`\b(?:i|we) (?:get|got|see|saw)\b|` +
		`\bcomes? (?:up|from)\b|\bmeans?\b|\boccurs?\b|\b(?:cases|situations)\b|\bwann\b|\bwoher\b|\bkommt\b|` +
		`\bbekomme\b)|什么时候|何时|收到|出现`)
	otherwise = lazyregexp.New(`(?i)\b(?:handle[sd]?|handling|catch(?:es)?|caught|rescue[sd]?|avoid|suppress|` +
		`ignore[sd]?|defined?|definition|` +
		`documented|tests?|tested|subclass(?:es)?|extends?|implements?|inherits?|difference|called?|` +
		`calls|happens|should|do about|fields?|retr(?:y|ies|ied)|wrap(?:s|ped)?|convert(?:s|ed)?|log(?:s|ged)?)\b`)
)

// ofKey returns the weak intent of a question that names the key of a setting and asks where, what or which it is.
func ofKey(tokens []token) (Intent, bool) {
	in, asks := Intent{Kind: Key, Weak: true}, false
	for _, t := range tokens {
		switch {
		case t.low == "where" || t.low == "what" || t.low == "which":
			asks = true
		case t.low == "how" || t.low == "why":
			return in, false
		case !strings.Contains(strings.Trim(t.text, "."), ".") || strings.Contains(t.text, " "):
		case in.Name != "" || fileName.MatchString(t.text) || !IsKey(t.text):
			return in, false
		default:
			in.Name = t.text
		}
	}
	return in, asks && in.Name != ""
}

// IsKey reports whether a name is that of a key of a setting with points in it.
func IsKey(name string) bool { return settingKey.MatchString(name) }

var settingKey = lazyregexp.New(`^[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+$`)

// mayQuote reports whether a question without a form may be the bare text of a message.
func mayQuote(tokens []token) bool {
	denies := len(tokens) >= 2 && tokens[1].low == "not" // "could not open it" asks nothing
	return len(tokens) >= 2 && len(tokens) <= maxBare && (!asking[tokens[0].low] || denies) && isWord(tokens[0])
}

// isNoMessage reports whether a question asks something: few messages end in a question mark, and those have quotes,
// something before a colon, or a dash before what is asked.
func isNoMessage(question string) bool {
	before, _, dash := strings.Cut(question, " - ")
	quotes := strings.ContainsAny(question, "\"'“") || strings.Contains(question, ": ") ||
		dash && len(strings.Fields(before)) > fewestSaid
	return strings.HasSuffix(question, "?") && !quotes || asksValues.MatchString(question)
}

const maxBare = 20 // words of a message without quotes around it

// asking are the words that open a question.
var asking = wordSet(`how why what where which who when is are does do did can could should would will explain describe
	list show find tell give wie warum was wo welche welcher welches wer wann kann zeig`)

// starts returns where the question may begin, after words of courtesy.
func starts(tokens []token) []int {
	all := []int{0}
	for i := 0; i < len(all); i++ {
		for _, f := range opening() {
			if n := f.prefix(tokens[all[i]:]); n > 0 && !slices.Contains(all, all[i]+n) {
				all = append(all, all[i]+n)
			}
		}
	}
	return all
}

// ends returns where the question may end, before words of courtesy.
func ends(tokens []token, from int) []int {
	all := []int{len(tokens)}
	for i := 0; i < len(all); i++ {
		for at := max(from+1, all[i]-maxClosing); at < all[i]; at++ {
			for _, f := range closing() {
				if f.prefix(tokens[at:all[i]]) == all[i]-at && !slices.Contains(all, at) {
					all = append(all, at)
				}
			}
		}
	}
	return all
}

const maxClosing = 4 // words of a courtesy at the end

// onlyName returns which of several words is the only one that is written as a name.
func onlyName(tokens []token) (at int, ok bool) {
	names := 0
	for i, t := range tokens {
		if IsName(t.text) && !t.quoted && !allCapitals.MatchString(t.text) && !fileName.MatchString(t.text) {
			at = i
			names++
		}
	}
	return at, names == 1 && len(tokens) > 1
}

// gerund matches what is done, and is no name of a function.
var gerund = lazyregexp.New(`^[a-z]{3,}ing$`)

// intent fills the slots. It reports false if a form has no name, or a name that can be none.
func (m match) intent(kind Kind, weak bool) (Intent, bool) {
	in := Intent{Kind: kind, Weak: weak}
	for _, c := range m.captures {
		text := joined(c.tokens)
		switch c.slot {
		case "NAME", "CODE", "TEXT", "REST", "LIMIT":
			in.Name, in.Quoted = text, len(c.tokens) == 1 && c.tokens[0].quoted
			at, ok := onlyName(c.tokens)
			switch last := at == len(c.tokens)-1; {
			case !ok || kind == Message:
			case last && at == 1: // after the name of the project, say
				in.Name = joined(c.tokens[at:])
			case !last && kind == Default && in.Of == "":
				in.Name, in.Of = joined(c.tokens[at+1:]), joined(c.tokens[at:at+1])
				if in.Name == "initial" { // "NAME initial value"
					in.Name, in.Of = in.Of, ""
				}
			}
			if kind == Message && weak && len(c.tokens) < fewestSaid {
				return in, false
			}
		case "OF":
			in.Of = text
			if in.Name == "number" || kind == Default && gerund.MatchString(text) {
				return in, false // "the default number of retries" and "… timeout for connecting" describe a setting
			}
		case "KIND":
			if allowed, ok := kindWords[c.tokens[0].low]; ok && len(c.tokens) == 1 {
				in.Symbols = allowed
			} else if allowed, ok := kindWords[text]; ok {
				in.Symbols = allowed
			}
		}
	}
	return in, in.Name != ""
}
