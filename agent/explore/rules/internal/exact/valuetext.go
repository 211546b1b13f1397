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

var constantValue = lazyregexp.New(`^[-+(]*(?:[\w.:]*(?:[A-Z]\w*|\d)|[\[{][^()]*[\]}])(?:\s*(?:<<|[-+*/|])\s*[\w.:]+)*\)*$`)

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
