package files

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Subject is the file or directory that a question is about.
type Subject struct {
	Path  string   // as the question writes it, without a slash at the end
	Kinds []string // of the definitions that it asks for; nil: any
	// Certain says that the question can only mean a file or a directory: one without that is no answer, and no absence.
	Certain bool
}

// maxQuestion is the longest question about a file, in bytes. A longer one is a story.
const maxQuestion = 200

var (
	// pathForm matches what may be a path: with a slash, with an extension, or one of the names that have none.
	pathForm = lazyregexp.New(`^\.{0,2}/?[\pL\pN_@.+~-]+(?:/[\pL\pN_@.+~-]+)*/?$`)
	hasExt   = lazyregexp.New(`[^./]\.[A-Za-z][A-Za-z0-9]{0,9}$`)
	bareName = lazyregexp.New(`^(?i:readme|makefile|gnumakefile|dockerfile|justfile|rakefile|gemfile|procfile|license|` +
		`licence|copying|changelog|codeowners|jenkinsfile|vagrantfile)$`)
	directory = lazyregexp.New(`(?i)^(?:folders?|director(?:y|ies)|dirs?|packages?|ordner|verzeichnis(?:se)?|paket|目录|文件夹)$`)
	files     = lazyregexp.New(`(?i)^(?:all|the|alle|files|dateien|folders|directories|文件)$`)
	courtesy  = lazyregexp.New(`(?i)^(?:(?:hi|hello|hey|please|pls|ok|so|and|now|bitte|hallo|请问|请|你好)[,!.，]?\s+|` +
		`(?:can|could|would|will) you (?:please )?|(?:tell|show|give) me (?:please )?|(?:i want|i'd like|i would like) to know )+`)
	ending = lazyregexp.New(`(?i)(?:[\s?？!。！,:]|\.$|,? ?(?:please|pls|thanks|thank you|bitte|danke|谢谢)$|吗$|呢$)+$`)
	han    = lazyregexp.New(`(\p{Han})([A-Za-z./_@])|([\w/])(\p{Han})`)
)

// kinds are the kinds of definitions by the words for them.
var kinds = map[string][]string{
	"function": {"func", "method"}, "method": {"func", "method"}, "class": {"class", "struct"},
	"type": {"type", "struct", "interface", "class", "enum", "trait"}, "struct": {"struct"}, "interface": {"interface", "trait"},
	"constant": {"const"}, "variable": {"var"}, "enum": {"enum"}, "section": {"heading"}, "heading": {"heading"},
	"funktion": {"func", "method"}, "methode": {"func", "method"}, "klasse": {"class", "struct"}, "typ": {"type", "struct"},
	"abschnitt": {"heading"}, "函数": {"func", "method"}, "方法": {"func", "method"}, "类": {"class", "struct"},
}

const (
	noun = `(?:(?:source |go |python |test |header )?(?:file|module|script|page|document|doc|package|folder|directory|dir|component|` +
		`crate|datei|modul|ordner|verzeichnis|skript|paket|seite|文件|模块|目录|脚本|文件夹|包) )?`
	the  = `(?:the |this |die |der |das |den |dem |im |in der |in dem |einen |ein )?`
	it   = the + noun + `PATH(?: ` + strings0 + `)?`
	what = `(?P<kind>functions?|methods?|class(?:es)?|types?|structs?|interfaces?|constants?|variables?|enums?|sections?|` +
		`headings?|definitions|symbols|names|exports|things|files|modules|tests|packages|funktionen|methoden|klassen|typen|` +
		`abschnitte|definitionen|dateien|函数|方法|类|文件|定义)`
	strings0 = `(?:file|module|script|page|package|folder|directory|dir|component|datei|modul|ordner|verzeichnis)`
)

// forms are what a question about a file says around its path.
var forms = func() (all []*lazyregexp.Regexp) {
	for _, f := range []string{
		`(?:the )?` + noun + `PATH`,
		`what (?:does|do|did|is|are)(?: in| inside| there in)? ` + it + `(?: (?:do|contain|define|hold|export|provide|have|cover|` +
			`say|describe|include|implement|for|about|good for|used for|there for|all about))?`,
		`what (?:is|are) (?:in|inside|(?:the )?(?:purpose|role|job|point|task|responsibility|contents?|structure|idea) of|` +
			`defined in|contained in|happening in|going on in) ` + it,
		`(?:explain|describe|summari[sz]e|outline|show|open|read|print|cat|view|display|see|look at|walk me through|` +
			`list|go through|inspect)(?: me)?(?: (?:what is in|what(?: is)? inside|the (?:contents?|code|source|outline|` +
			`structure|purpose) of))? ` + it + `(?: (?:to|for) me)?(?: does)?`,
		`(?:tell me |what do you know |what can you (?:say|tell me) )?about ` + it,
		`(?:explain|describe)(?: to me)? what ` + it + ` (?:does|is for|contains|is about|defines)`,
		`how (?:does|do) ` + it + ` work`,
		`how (?:many lines|long|big|large) (?:has|does|is|are)(?: there)?(?: in)? ` + it + `(?: have)?`,
		`how (?:is|are) ` + it + ` (?:structured|organi[sz]ed|laid out)`,
		`why (?:does|do|is) ` + it + ` (?:exist|there|needed)`,
		`(?:which|what|list|show|find)(?: all)?(?: of)?(?: the)? ` + what + ` (?:are |is |does |do )?(?:there )?(?:defined |declared |` +
			`contained |exported |implemented |located )?(?:in|inside|by|of|from|under|within)? ?` + it +
			`(?: (?:define|contain|export|have|declare|provide|hold|implement|include))?`,
		`(?:give me )?(?:an? )?(?:short )?(?:overview|outline|summary|description|contents?|explanation) (?:of|for) ` + it,
		`was (?:macht|tut|enthält|ist|steht|liegt|definiert|beschreibt)(?: in)? ` + it + `(?: zuständig| drin)?`,
		`(?:wofür|wozu|warum) (?:ist|gibt es|dient|brauchen wir) ` + it + `(?: da| zuständig| gut)?`,
		`(?:erkläre?|beschreibe?|zeige?|öffne|lies|fasse)(?: mir)? ` + it + `(?: zusammen)?`,
		`welche ` + what + ` (?:sind|gibt es|stehen|liegen|enthält|definiert|hat) ?(?:in |im )?` + it + `(?: definiert)?`,
		`(?:解释|介绍|总结|概括|说明|看看|打开|显示|读|描述|讲讲)(?: ?一下)? ` + it,
		it + ` (?:这个文件|文件|模块|目录|里面|里|中)? ?(?:是做什么的|是干什么的|是什么|有什么用|做什么|干什么|的作用(?:是什么)?|有什么|` +
			`包含什么|包含哪些内容|有哪些内容|写了什么|负责什么)`,
		it + ` (?:文件|模块|目录)?(?:里面?|中)?(?:定义了?|有|包含)(?:哪些|什么)` + what,
	} {
		all = append(all, lazyregexp.New(`(?i)^`+f+`$`))
	}
	return all
}()

// Ask returns the file or directory that a question is about. It reports false if the question names none, or asks for
// something beyond what the file is and holds.
func Ask(question string) (Subject, bool) {
	q := strings.TrimSpace(question)
	if q == "" || len(q) > maxQuestion || strings.Contains(q, "\n") {
		return Subject{}, false
	}
	q = han.ReplaceAllString(han.ReplaceAllString(q, "$1$3 $2$4"), "$1$3 $2$4")
	q = ending.ReplaceAllString(courtesy.ReplaceAllString(q, ""), "")
	words := strings.Fields(strings.NewReplacer("what's", "what is", "What's", "what is", "’s", "'s").Replace(q))
	at, certain := pathOf(words)
	if at < 0 {
		return Subject{}, false
	}
	s := Subject{Path: strings.TrimSuffix(strings.TrimPrefix(unquoted(words[at]), "./"), "/"), Certain: certain}
	words[at] = "PATH"
	rest := strings.Join(words, " ")
	for _, f := range forms {
		m := f.FindStringSubmatch(rest)
		if m == nil {
			continue
		}
		if i := f.SubexpIndex("kind"); i >= 0 {
			s.Kinds = kindsOf(m[i])
		}
		return s, s.Path != ""
	}
	return Subject{}, false
}

// kindsOf returns the kinds of definitions that a word in the plural means, or nil.
func kindsOf(word string) []string {
	word = strings.ToLower(word)
	for _, suffix := range []string{"", "s", "es", "n", "en", "e"} {
		if all, ok := kinds[strings.TrimSuffix(word, suffix)]; ok {
			return all
		}
	}
	return nil
}

// pathOf returns the index of the only word that is a path, or may be one because it is next to a word for a directory;
// -1 without one. It is certain if the word can be nothing else.
func pathOf(words []string) (at int, certain bool) {
	at = -1
	for i, w := range words {
		w = unquoted(w)
		if !pathForm.MatchString(w) || strings.Trim(w, "./") == "" {
			continue
		}
		if strings.Contains(w, "/") || hasExt.MatchString(w) || bareName.MatchString(w) {
			if at >= 0 {
				return -1, false
			}
			at = i
		}
	}
	if at >= 0 {
		w := unquoted(words[at])
		return at, strings.Contains(w, "/") && (hasExt.MatchString(w) || strings.HasSuffix(w, "/"))
	}
	i := slices.IndexFunc(words, directory.MatchString)
	switch {
	case i < 0:
		return -1, false
	case i+1 < len(words) && pathForm.MatchString(unquoted(words[i+1])) && i+2 >= len(words):
		return i + 1, false
	case i > 0 && pathForm.MatchString(unquoted(words[i-1])) && !files.MatchString(words[i-1]):
		return i - 1, false
	}
	return -1, false
}

// unquoted returns a word without quotes around it and marks of sentences after it.
func unquoted(w string) string {
	return strings.TrimRight(strings.Trim(w, "`\"'“”„«»‘’「」()"), ",;:")
}
