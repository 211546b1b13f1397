package exact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// fixed reports whether a value says the same wherever it is read: a literal, a constant, or arithmetic with them.
func fixed(value string) bool {
	return plain.MatchString(value) || constantValue.MatchString(value)
}

// plain matches a literal, or arithmetic with numbers; constantValue such a value with constants in it.
var (
	plain = lazyregexp.New(`^(?:[-+]?[\d.][\w.]*(?:\s*[-+*/<]+\s*\(?[\d.][\w.]*\)?)*|` +
		"[\"'`:][^\"']*[\"'`]?|" + `(?i:true|false|none|nil|null|undefined)|\(?[-+]?\d[\w\s*+<-]*\)?)$`)
	constantValue = lazyregexp.New(`^[-+(]*(?:[\w.:]*(?:[A-Z]\w*|\d)|[\[{][^()]*[\]}])` +
		`(?:\s*(?:<<|[-+*/|])\s*[\w.:]+)*\)*$`)
)

// typeWord matches the name of a type that a value may have.
var typeWord = lazyregexp.New(`^(?:str|bool|int|float|list|dict|[A-Z][a-z]+)$`)

// givings match lines that give a name a value, in the order of assigning.
type givings []*regexp.Regexp

func givingsOf(name string) (all givings) {
	for _, p := range assigning(name) {
		all = append(all, regexp.MustCompile(`(?i)`+p))
	}
	return all
}

// valueIn returns the value that a line gives the name and the form in which it does, or "".
func (g givings) valueIn(text string) (value string, form int) {
	for i, re := range g {
		at := re.FindStringIndex(text)
		if at == nil {
			continue
		}
		_, last := utf8.DecodeLastRuneInString(text[:at[1]]) // the first of the value
		if within(text[:at[1]-last]) {
			continue
		}
		rest := text[at[1]-last:]
		switch i {
		case asDefine:
			rest = text[at[1]:]
		case asFallback: // of a getter that takes the type as well
			if args := arguments(rest); len(args) > 1 && typeWord.MatchString(args[0]) {
				rest = args[1]
			}
		case asBraces:
			rest = text[strings.LastIndexByte(text[:at[1]], '{')+1 : at[1]]
		}
		v := firstValue(rest)
		if given := strings.LastIndex(v, " = "); i == asKey && given >= 0 { // after its type
			v = strings.TrimSpace(v[given+3:])
		}
		if inner := formDefault(v); inner != "" && strings.HasSuffix(v, ")") { // Field(default=3)
			v = inner
		}
		if v != "" {
			return v, i
		}
	}
	return "", 0
}

// within reports whether before ends inside a quoted string: a help text that shows how to set something sets nothing.
func within(before string) bool {
	return (strings.Count(before, `"`)-strings.Count(before, `\"`))%2 > 0
}

// firstValue returns the text up to the end of a value, or "" for one that is no value or too long to show.
func firstValue(text string) string {
	v := strings.TrimSpace(text[:valueEnd(text)])
	if len(v) > maxValue || len(v) == 1 && !unicode.IsLetter(rune(v[0])) && !unicode.IsDigit(rune(v[0])) {
		return ""
	}
	return v
}

// valueEnd returns where a value ends: at a comma, semicolon or comment outside of brackets and quotes, or at a bracket
// that closes what is around it.
func valueEnd(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			if depth == 0 && i > 0 && unicode.IsDigit(rune(text[i-1])) && strings.IndexByte(text[i+1:], c) < 0 {
				return i // it ends a text that began before, as of "--depth=3"
			}
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return i
			}
		case depth == 0 && (c == ',' || c == ';'), strings.HasPrefix(text[i:], " //"), strings.HasPrefix(text[i:], " #"),
			strings.HasPrefix(text[i:], "/*"):
			return i
		}
	}
	return len(text)
}

const maxValue = 120 // bytes

// humps matches where a name in camel case begins a word.
var humps = lazyregexp.New(`([a-z0-9])([A-Z])`)

// endings are what a word may end in when it is written as one of several: "connection" for connect_timeout.
var endings = lazyregexp.New(`^(\pL{4,}?)(?:ions?|ing|ed|es|s)$`)

// nameForms returns a pattern for the name, however its words are joined, with and without "default" before it.
func nameForms(name string) string {
	var parts []string
	spoken := strings.Contains(name, " ")
	name = humps.ReplaceAllString(leafOf(name), "${1}_$2")
	for _, w := range strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" _-", c) }) {
		part := regexp.QuoteMeta(w)
		low := strings.ToLower(w)
		if low == "maximum" || low == "minimum" {
			part = low[:3] + "(?:imum)?"
		} else if m := endings.FindStringSubmatch(low); m != nil && spoken {
			part = regexp.QuoteMeta(m[1]) + "(?:ions?|ing|ed|es|s|e)?"
		}
		parts = append(parts, part)
	}
	if len(parts) > 1 && strings.EqualFold(parts[0], "default") && spoken {
		parts[0] = "(?:default[_-]?)?"
		return parts[0] + strings.Join(parts[1:], "[_-]?")
	}
	return "(?:default[_-]?)?" + strings.Join(parts, "[_-]?")
}

// The patterns of [assigning] that need a word about their value.
const (
	asKey = iota + 3
	asDefine
	asBraces
	asFallback
	asDeclared
	asSet
	asMember
)

// assigning returns patterns of lines that give the name a value: constants and assignments, macros, keys, what a
// getter returns without a value, and a declaration with a default.
func assigning(name string) []string {
	forms := nameForms(name)
	n := `(?:^|[^\pL\pN_])[_$@]*(?:k|m_?)?` + forms + `_?`
	return []string{
		n + `["'\]]?\s*(?::\s*[^=,;(){}]{1,60}?|\{[^{}]*\})?\s*(?::=|\?=|\|\|=|=)\s*[^=\s>]`,
		n + `\s+[\w*\[][\w.*\[\]<>:]{0,40}\s+=\s*[^=\s]`,
		`#\s*define\s+` + forms + `\s+\S`,
		asKey:    n + `["']?\s*(?::|=>)(?:\s*[^\s:=]|\s+:)`,
		asDefine: `\b(?:define|DEFINE_\w+)\(\s*\w*["']?,?\s*` + forms + `["']?\s*,`,
		asBraces: n + `\s*\{[^{}]+\}\s*;`,
		asFallback: `(?:(?:\b|_)(?:get|pop|fetch|env)\w*|(?-i:\w+(?:Get|Fetch|Env)\w*))` +
			`\(\s*(?:[\w.]+,\s*)?[:"']?(?:\w+[._])*` + forms + `["']?,\s*[^\s,]`,
		asDeclared: `[:"']` + forms + `["']?\s*,.*\bdefault\w*["']?\s*(?:=>|[=:])\s*[^\s,]`,
		asSet:      `\bset(?:_?default)?\(\s*[:"']` + forms + `["']?,\s*[^\s,]`,
		asMember:   `\b` + forms + `\(\)\s+default\s+\S`, // of an annotation
	}
}

var (
	// defaultForm matches what gives the default in other calls and tables: default=5, defaultValue: 5, .default(5),
	// .default_num = 5.
	defaultForm = lazyregexp.New(`\b[Dd]efault\w*["']?\s*(?:=>|[=:(])\s*`)
	// noDefault matches names that begin alike and give something else, such as the value of a flag without one.
	noDefault = lazyregexp.New(`^(?i)default_?(?:missing|desc|text|info|type|override)`)
)

// formDefault returns the default that a text gives by [defaultForm], or "".
func formDefault(text string) string {
	at := defaultForm.FindStringIndex(text)
	if at != nil && !noDefault.MatchString(text[at[0]:]) && !strings.HasPrefix(text[at[1]-1:], "::") {
		return firstValue(text[at[1]:])
	}
	return ""
}

// arguments splits a list of arguments at its commas, up to the closing bracket.
func arguments(text string) (all []string) {
	for text != "" {
		n := valueEnd(text)
		all = append(all, strings.TrimSpace(text[:n]))
		if n == len(text) || text[n] != ',' {
			break
		}
		text = text[n+1:]
	}
	return all
}
