package explore

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// An opposite is words that a question negates, and words that code has for what is left: flags that cannot be used
// together are mutually exclusive.
type opposite struct {
	negated string // also in German and Chinese
	means   string
	lowers  bool // names with a negated word are about the contrary; else they may be about both
}

// opposites is the table.
var opposites = []opposite{
	{"together both combined simultaneously jointly alongside compatible zusammen gleichzeitig beide 同时 一起 共存",
		"exclusive mutually exclude conflict incompatible forbid", true},
	{"sensitive", "insensitive fold ignorecase", true},
	{"allow permit accept may erlaubt zulässig akzeptiert 允许 接受",
		"forbid forbidden deny reject disallow refuse prohibit", false},
	{"enable enabled active aktiviert 启用", "disable disabled skip ignore", false},
	{"found exist exists known gefunden existiert bekannt 找到 存在", "missing unknown absent undefined notfound", false},
	{"valid correct gültig korrekt 有效", "invalid malformed illegal bad", false},
	{"same equal identical gleich identisch 相同 相等", "different differ unequal mismatch distinct", false},
	{"show shown print printed visible display angezeigt sichtbar ausgegeben 显示 打印 输出",
		"hide hidden silence silent suppress quiet", false},
	{"change changed modify modified write writable mutable geändert schreibbar 修改 更改",
		"readonly immutable frozen const", false},
	{"wait block blocking warten blockiert 等待 阻塞", "nonblocking immediate immediately try async", false},
	{"required needed mandatory nötig erforderlich 必需 必须", "optional omitempty", false},
	{"supported support unterstützt 支持", "unsupported unimplemented", false},
	{"escape escaped maskiert 转义", "raw unescaped verbatim safe", false},
	{"cache cached 缓存", "nocache bypass fresh uncached", false},
}

// Negations, and the words that end what they negate. A negation reaches at most negationReach words.
var (
	negation = lazyregexp.New(`^(?:not|cannot|cant|never|no|without|neither|nor|\w+n['’]t|(?:forbid|prevent|disallow|` +
		`prohibit|avoid|refus|reject)\w*|nicht|kein\w*|ohne|nie|niemals|verhinder\w*|verbiet\w*|vermeid\w*)$`)
	clause = lazyregexp.New(`^(?:when|if|because|but|although|while|which|who|unless|until|after|before|` +
		`wenn|falls|weil|aber|obwohl|während|bevor|nachdem)$`)
	hanNegation = lazyregexp.New(`(?:不能|不可|不得|不许|不会|不要|不|没有|没|未|禁止|无法|避免|防止)(\p{Han}{0,10})`)
	wordOrMark  = lazyregexp.New(`[\pL\pN]+(?:['’][\pL\pN]+)*|[,;:.!?]`)
)

const negationReach = 8

// negated returns the words that a question negates, as roots in lower case.
func negated(question string) (roots []string) {
	left := 0
	for _, w := range wordOrMark.FindAllString(strings.ToLower(question), -1) {
		switch {
		case negation.MatchString(w):
			left = negationReach
		case !unicode.IsLetter([]rune(w)[0]) && !unicode.IsDigit([]rune(w)[0]), clause.MatchString(w):
			left = 0
		case left > 0:
			left--
			roots = append(roots, rootOf(w))
		}
	}
	return roots
}

// rootOf returns a word without its ending, in lower case.
func rootOf(word string) string { return string(textsearch.Root([]byte(strings.ToLower(word)))) }

// A twist is what the negations of a question change: names with these roots match less, and these words are meant.
type twist struct {
	lowered []string
	means   []string
}

// twistOf looks up what a question negates.
func twistOf(question string) (t twist) {
	roots := negated(question)
	han := hanNegation.FindAllStringSubmatch(question, -1)
	for _, row := range opposites {
		hit := false
		for word := range strings.FieldsSeq(row.negated) {
			inHan := slices.ContainsFunc(han, func(m []string) bool { return strings.Contains(m[1], word) })
			hit = hit || inHan || slices.Contains(roots, rootOf(word))
		}
		if !hit {
			continue
		}
		for word := range strings.FieldsSeq(row.negated) {
			if row.lowers {
				t.lowered = append(t.lowered, rootOf(word))
			}
		}
		t.means = append(t.means, strings.Fields(row.means)...)
	}
	return t
}

// Factors of the worth of a place.
const (
	negatedFactor = .5 // its name has what the question negates
	codeFactor    = 4  // it, or its file, is named by a code of the question
)

// factor returns by how much a name matches less because of what the question negates.
func (t twist) factor(symbol string) float64 {
	if len(t.lowered) == 0 {
		return 1
	}
	var sp textsearch.Splitter
	has := false
	for part := range strings.FieldsFuncSeq(symbol, func(c rune) bool { return strings.ContainsRune(".:#", c) }) {
		negates := false
		sp.Split([]byte(part), func(word []byte) {
			w := rootOf(string(word))
			has = has || slices.Contains(t.lowered, w)
			negates = negates || slices.Contains([]string{"not", "no", "non", "without", "never"}, string(word)) ||
				slices.ContainsFunc(t.means, func(m string) bool { return rootOf(m) == w })
		})
		if negates {
			return 1
		}
	}
	if has {
		return negatedFactor
	}
	return 1
}

// code matches a word of letters and digits, such as 2Q, x509 or IPv6: a name rather than a word of the language.
var code = lazyregexp.New(`\b(?:\d+[a-zA-Z]|[a-zA-Z]+\d)[a-zA-Z\d]{0,8}\b`)

// codesOf returns the codes of a question in lower case.
func codesOf(question string) (codes []string) {
	for _, c := range code.FindAllString(question, -1) {
		codes = append(codes, strings.ToLower(c))
	}
	return codes
}

// hasCode reports whether a definition or its file is named by one of the codes.
func hasCode(codes []string, file, symbol string) bool {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return slices.ContainsFunc(codes, func(c string) bool { return names(base, c) || names(symbol, c) })
}

// names reports whether a name contains a code as a part of its own: New2QParams contains 2q, but Sum2Quick does not.
func names(name, code string) bool {
	lower := strings.ToLower(name)
	for from := 0; ; {
		at := strings.Index(lower[from:], code)
		if at < 0 || len(lower) != len(name) {
			return false
		}
		at += from
		end := at + len(code)
		before := at == 0 || !sameKind(lower[at-1], lower[at]) || isUpper(name[at])
		after := end == len(name) || !('a' <= name[end] && name[end] <= 'z') &&
			!(isDigit(name[end]) && isDigit(name[end-1]))
		if before && after {
			return true
		}
		from = at + 1
	}
}

// sameKind reports whether two bytes are both letters or both digits.
func sameKind(a, b byte) bool {
	letter := func(c byte) bool { return 'a' <= c && c <= 'z' }
	return letter(a) && letter(b) || isDigit(a) && isDigit(b)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// termsOf returns the terms of the names and words in a text: "retry", "loop" and "once" of "retryLoop once".
func termsOf(text string) map[string]bool {
	var split textsearch.Splitter
	var words []byte
	textsearch.Names([]byte(text), func(from, to int) {
		split.Split([]byte(text[from:to]), func(word []byte) { words = append(append(words, word...), ' ') })
	})
	terms := map[string]bool{}
	for _, t := range textsearch.Terms(string(words)) {
		terms[t] = true
	}
	return terms
}
