package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/terms"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// formsOf returns a pattern for the forms of a word in lower case. A short stem matches only at the start of a word or
// of a part of a name, so that "fit" does not match "profit".
func formsOf(w string) string {
	s := stem(w)
	forms := alternatives[s]
	if forms == nil {
		forms = spellings(s)
	}
	forms = slices.Concat(forms, sameThing()[s])
	var long, short []string
	for _, f := range forms {
		if len(f) > 5 {
			long = append(long, `(?i:`+f+`)`)
		} else {
			_, n := utf8.DecodeRuneInString(f)
			short = append(short, `(?:\b|_)(?i:`+f+`)`, `[a-z0-9]`+strings.ToUpper(f[:n])+f[n:])
		}
	}
	return strings.Join(append(long, short...), "|")
}

// spelledTwice are stems as in British and in American English. Stems in -is and -iz are so by rule.
var spelledTwice = [][2]string{
	{"colour", "color"}, {"behaviour", "behavior"}, {"favour", "favor"}, {"neighbour", "neighbor"}, {"honour", "honor"},
	{"centr", "center"}, {"licenc", "licens"}, {"catalogu", "catalog"}, {"dialogu", "dialog"}, {"grey", "gray"},
}

// spellings returns the spellings of a stem, and what the end of one in -y becomes.
func spellings(s string) []string {
	for _, pair := range spelledTwice {
		if s == pair[0] || s == pair[1] {
			return pair[:]
		}
	}
	const least = 5 // letters: "seris" and not "dis"
	if base, ok := strings.CutSuffix(s, "is"); ok && len(s) > least {
		return []string{s, base + "iz"}
	}
	if base, ok := strings.CutSuffix(s, "iz"); ok && len(s) > least {
		return []string{s, base + "is"}
	}
	if base, ok := strings.CutSuffix(s, "y"); ok && base != "" && !strings.ContainsAny(base[len(base)-1:], "aeiou") {
		return []string{s, base + "ie"} // retry: retries, retried
	}
	return []string{s}
}

// stopWords say nothing about the subject of a question.
var stopWords = set(`
a none about above actually after again all along also although always an and another any anybody anyone anything are
around as at away be because been before behind being below between both but by can cannot could did do does doesn
doing don done during call called caller callers calls give given gives see each either else etc even ever every
everybody everyone everything explain for from had has have having here how however i if in instead into is isn
it its itself just let like ll look main may me might more most much must my need needs no nor not now of off on once
one only or other our out over own part please project codebase repo repository s same shall she should show
since so some somebody someone something source still such t take tell than that the their them then there these they
thing things this those through to too under until up upon us want was way we well were what whatever when where
whether which while who whom whose why will with within without won would yes you your unless say says said often
describe given during internally code point happens happen happening exactly fully entirely completely wholly really
actually simply easily properly somehow whole responsible involved place find found located locate live lives relevant
related understand overview summary work works working does using use used uses via got goes going gone come comes
coming came pls plz thx thanks`)

// weakWords are words of questions that are common in all code: they help to choose, but do not decide.
var weakWords = set(`
add detect detects detected detecting case change changed changes check checks choose chooses chosen class classes
create created creates decide decided decides decision define defined defines defining different do file files first
function functions get gets getting go handle handled handles handling implement implementation implemented implements
input kind last list long logic make makes making mechanism method methods module name names new next number object
objects output package perform reading reads writing writes process processed read result results return returned
returns right run running runs set sets setting start started starts stop support supported supports system test tests
time type types update updated user users value values variable write written pass passed behavior behaviour happens
kinds line lines internally structure design pick picks picked compute computed computes calculate calculated
calculates generate generated produce produced apply applied exist exists ensure ensures determine determines
determined never inside outside role approach specific certain multiple single purpose various already several know
knows known two three second third times passes passing turn turns turned turning told meantime`)

// overviewWords are the words of a question that asks for an overview only.
var overviewWords = set(`
overview summary architecture structure about project repo repository codebase program application tour introduction
layout`)

// testWords and docWords in a question ask for tests and for documentation; testVerbs say what tests do.
var (
	testWords = set(`test tests tested testing fixture fixtures spec specs benchmark`)
	testVerbs = set(`anything ensure ensures cover covers covered covering check checks checked checking verify verifies
		verified exercise exercises`)
	docWords = set(`doc docs documentation documented readme changelog guide tutorial manual example examples`)
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// alternatives are the forms of a word in code, by its stem. Each is the start of a word.
var alternatives = map[string][]string{
	"choos": {"choos", "chose", "choice", "pick", "select"}, "configur": {"config"}, "configurat": {"config"},
	"decision": {"decid", "decis"}, "config": {"config"},
	"initializ": {"init"}, "initialis": {"init"}, "authenticat": {"auth"}, "authoriz": {"auth"},
	"director": {"director", "dir"}, "repositor": {"repo"}, "argument": {"arg"},
	"environ": {"env"}, "databas": {"database", "db"}, "connect": {"conn"}, "decid": {"decid", "decis"},
	"permiss": {"permi"}, "delet": {"delet", "remov"}, "remov": {"remov", "delet"}, "retr": {"retr"},
	"serializ": {"seriali", "marshal", "encod"}, "deserializ": {"deseriali", "unmarshal", "decod"},
	"asynchronous": {"async"}, "synchroniz": {"sync"}, "concurren": {"concurren", "parallel"}, "middlewar": {"middleware"},
	"suggest": {"suggest"}, "shorten": {"short", "trunc", "cut"}, "truncat": {"trunc"}, "execut": {"exec"},
	"calculat": {"calc", "comput"}, "comput": {"comput", "calc"}, "complet": {"complet"}, "express": {"expr"},
	"specif": {"spec"}, "command": {"command", "cmd"}, "messag": {"message", "msg"}, "document": {"doc"},
	"regular": {"regular", "regex"}, "temporar": {"temp", "tmp"},
	"dependenc": {"depend", "deps"}, "resolut": {"resol"}, "redirect": {"redirect"}, "identif": {"ident"},
	"valu": {"value", "val"}, "descript": {"desc"}, "abbreviat": {"abbr"}, "generat": {"gen"}, "length": {"len"},
	"previous": {"prev"}, "memor": {"mem"}, "buffer": {"buf"}, "initial": {"init"},
	"nest": {"nest", "depth"}, "certificat": {"cert"}, "password": {"password", "passwd"}, "pars": {"pars"},
}

// sameThing returns, by the stem of a word, the stems of others of one origin, or that code uses for the same thing.
var sameThing = sync.OnceValue(func() map[string][]string {
	others := make(map[string][]string)
	for _, group := range slices.Concat(terms.Groups(), textsearch.Kin()) {
		for _, a := range group {
			for _, b := range group {
				if s := stem(a); a != b && !slices.Contains(others[s], stem(b)) {
					others[s] = append(others[s], stem(b))
				}
			}
		}
	}
	return others
})

// sharedStart is how many first letters the forms of a word share.
const sharedStart = 3

// otherIn returns the word by which texts mean w, if w itself is in none of them: "delete" for "removed".
func (w word) otherIn(texts []string) (other string) {
	for _, text := range texts {
		for _, part := range identParts(text) {
			switch {
			case !w.re.MatchString(part):
			case strings.HasPrefix(part, w.text[:min(len(w.text), sharedStart)]):
				return ""
			case other == "":
				other = part
			}
		}
	}
	return other
}

// sameness is 1 if a name has w itself, and less for another word that code uses for the same thing.
func (w word) sameness(name string) float64 {
	if w.otherIn([]string{lastPart(name)}) != "" {
		return otherShare
	}
	return 1
}

const otherShare = .6

// stem returns the start that the forms of an English word in lower case share. It serves search, not grammar, and is
// too long rather than too short.
func stem(w string) string {
	for _, rule := range stemRules {
		if base, ok := strings.CutSuffix(w, rule.suffix); ok && len(base) >= rule.least && hasVowel(base) {
			return tidy(base+rule.put, rule.double)
		}
	}
	return tidy(w, false)
}

// stemRules are tried in order.
var stemRules = []struct {
	suffix, put string // put replaces suffix
	least       int    // least length of the word without suffix
	double      bool   // the suffix doubled the consonant before it, as in "running"
}{
	{"ization", "iz", 3, false}, {"isation", "is", 3, false}, {"izations", "iz", 3, false},
	{"ations", "at", 3, false}, {"ation", "at", 3, false}, {"uration", "ur", 4, false},
	{"ssions", "ss", 4, false}, {"ssion", "ss", 4, false}, {"ctions", "ct", 3, false}, {"ction", "ct", 3, false},
	{"utions", "ut", 4, false}, {"ution", "ut", 4, false}, {"ptions", "pt", 4, false}, {"ption", "pt", 4, false},
	{"encies", "enc", 3, false}, {"ency", "enc", 3, false}, {"ories", "or", 4, false}, {"ory", "or", 5, false},
	{"ies", "", 3, false}, {"ings", "", 3, true}, {"ing", "", 3, true},
	{"ied", "", 3, false}, {"eed", "eed", 1, false}, {"ed", "", 3, true},
	{"ches", "ch", 2, false}, {"shes", "sh", 2, false}, {"sses", "ss", 2, false}, {"xes", "x", 2, false},
	{"ments", "", 5, false}, {"ment", "", 5, false}, {"ability", "abl", 3, false}, {"ly", "", 5, false},
	{"ss", "ss", 1, false}, {"us", "us", 1, false}, {"is", "is", 1, false}, {"s", "", 3, false}, {"y", "", 5, false},
}

func tidy(w string, double bool) string {
	n := len(w)
	if double && n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	if n > 4 && w[n-1] == 'e' {
		return w[:n-1]
	}
	return w
}

func hasVowel(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// identParts returns the words of a name in lower case.
func identParts(name string) (parts []string) {
	var s textsearch.Splitter
	s.Split([]byte(name), func(word []byte) { parts = append(parts, string(word)) })
	return parts
}

// alsoIn makes w match a compound in one word, too: "shut down" is shutdown in code.
func (w *word) alsoIn(compound string) {
	w.find(w.pattern + `|(?i:` + regexp.QuoteMeta(compound) + `)`)
}

func newWord(text, pattern string, weight float64, optional bool) word {
	w := word{text: text, weight: weight, optional: optional}
	w.find(pattern)
	return w
}

// find makes w match a pattern.
func (w *word) find(pattern string) {
	w.pattern, w.re, w.forms = pattern, regexp.MustCompile(pattern), formsIn(pattern)
	w.keyword = w.forms == nil ||
		slices.ContainsFunc(w.forms, func(f form) bool { return strings.Contains(leading, f.text) })
}

// A form is one that a word has in code, in lower case.
type form struct {
	text  string
	start bool // only at the start of a word or of a part of a name
}

// oneForm matches a form of a word in a pattern, as [formsOf] writes it.
var oneForm = lazyregexp.New(`\(\?:\\b\|_\)\(\?i:([a-z0-9]+)\)\|\[a-z0-9\][A-Z0-9][a-z0-9]*|\(\?i:([\pL\pN]+)\)`)

// formsIn returns the forms in a pattern, or nil if it has any other part.
func formsIn(pattern string) (forms []form) {
	if strings.Trim(oneForm.ReplaceAllString(pattern, ""), "|") != "" {
		return nil
	}
	for _, m := range oneForm.FindAllStringSubmatch(pattern, -1) {
		forms = append(forms, form{text: strings.ToLower(m[1] + m[2]), start: m[1] != ""})
	}
	return forms
}

// in reports whether a text contains w. It mostly does without the regular expression, which is slow.
func (w *word) in(text string) bool {
	low := strings.ToLower(text)
	if w.forms == nil || len(low) != len(text) {
		return w.re.MatchString(text)
	}
	return slices.ContainsFunc(w.forms, func(f form) bool { return f.in(text, low) })
}

// in reports whether a text, here also in lower case, contains f.
func (f form) in(text, low string) bool {
	for at := 0; ; at++ {
		i := strings.Index(low[at:], f.text)
		if i < 0 {
			return false
		}
		if at += i; !f.start || at == 0 || !isAlnum(text[at-1]) {
			return true
		}
		camel := strings.ToUpper(f.text[:1]) + f.text[1:]
		if text[at:at+len(camel)] == camel && text[at-1] == low[at-1] {
			return true
		}
	}
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// leading matches words of languages at the beginning of a line: "what I typed" is not about `type Item`.
const leading = `^\s*(?:(?:pub(?:\([\w ]+\))?|public|private|protected|internal|static|final|abstract|` +
	`export|default|async|unsafe|override|type|match|case|import|use|class|struct|enum|interface|package|module|` +
	`namespace|func|function|def|fn|fun|select|switch|const|return|let|var|val|if|else|for|while)\b:?\s*)+|` +
	`[=(]\s*(?:match|switch|select|new)\b`

var leadingKeywords = lazyregexp.New(leading)

// inCode reports whether a line of code contains w, and not only as a keyword.
func (w *word) inCode(text string) bool {
	return w.in(text) && (!w.keyword || w.in(leadingKeywords.ReplaceAllLiteralString(text, "")))
}
