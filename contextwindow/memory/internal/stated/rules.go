package stated

import (
	"cmp"
	_ "embed" // for the rules
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/internal/textsearch"
)

//go:embed rules.txt
var ruleList string

// A rule finds clauses worth remembering.
type rule struct {
	pattern    *regexp.Regexp
	kind       Kind   // empty: what the pattern matches is not remembered
	importance int    // from 1 to 10
	slot       string // which each user fills once, such as name or home: a new value supersedes the old one
	wording    string // of the memory, with $value; empty: the clause as it was said
	chinese    bool   // only Chinese clauses match
}

// A ruleBook is what rules.txt says.
type ruleBook struct {
	rules []rule
	kinds map[string]*regexp.Regexp // what a clause is, such as a question; with "+" what only a Chinese one is
	carry map[string]*regexp.Regexp // clauses without their subject, by subject
	value map[string]value          // words that are values, and their synonyms
	empty map[string]bool           // words that say nothing of what a statement is about

	hanValues []string // those of value in Chinese, in the order of the list
}

// A value is one of a class whose values exclude each other, such as the days of the week.
type value struct{ class, number int }

// book parses the rules when the first message is read.
var book = sync.OnceValue(func() *ruleBook { return parseRules(ruleList) })

// macro matches the name of a part of a pattern.
var macro = regexp.MustCompile(`\{[a-z-]+\}`)

// inside are the kinds that are looked for anywhere in a clause.
var inside = []string{"break", "paste"}

// mixed are the kinds whose patterns are for all languages.
var mixed = []string{"break", "correct", "doubt", "retract"}

// never is a pattern that nothing matches.
const never = `[^\s\S]`

func parseRules(list string) *ruleBook {
	b := &ruleBook{kinds: make(map[string]*regexp.Regexp), carry: make(map[string]*regexp.Regexp),
		value: make(map[string]value), empty: make(map[string]bool)}
	classes := 0
	parts, patterns := make(map[string]string), make(map[string][]string)
	for text := range strings.Lines(list) {
		head, pattern, found := strings.Cut(strings.TrimSpace(text), " : ")
		if !found || strings.HasPrefix(head, "#") {
			continue
		}
		pattern = macro.ReplaceAllStringFunc(pattern, func(name string) string {
			return cmp.Or(parts[strings.Trim(name, "{}")], name)
		})
		head, wording, _ := strings.Cut(head, " = ")
		f := append(strings.Fields(head), "", "")
		switch {
		case f[0] == "let":
			parts[f[1]] = "(?:" + strings.ReplaceAll(pattern, ", ", "|") + ")"
		case f[0] == "empty":
			for word := range strings.SplitSeq(pattern, ", ") {
				b.empty[word] = true
			}
		case f[0] == "either":
			classes++
			for number, words := range strings.Split(pattern, ", ") {
				for word := range strings.SplitSeq(words, "/") {
					b.value[word] = value{classes, number}
					if hasHan(word) {
						b.hanValues = append(b.hanValues, word)
					}
				}
			}
		case f[0] == "carry":
			b.carry[f[1]] = re("^", pattern)
		case f[0] == "skip":
			b.rules = append(b.rules, rule{pattern: re(pattern), chinese: hasHan(pattern)})
		case slices.Contains(kinds(), Kind(f[0])):
			importance, _ := strconv.Atoi(f[1])
			b.rules = append(b.rules, rule{re(pattern), Kind(f[0]), importance, f[2], wording, hasHan(pattern)})
		default:
			kind := f[0]
			patterns[kind], patterns[kind+"+"] = append(patterns[kind], never), append(patterns[kind+"+"], never)
			if hasHan(pattern) && !slices.Contains(mixed, kind) {
				kind += "+"
			}
			patterns[kind] = append(patterns[kind], pattern)
		}
	}
	for kind, list := range patterns {
		anchor := "^"
		if slices.Contains(inside, strings.TrimSuffix(kind, "+")) {
			anchor = ""
		}
		b.kinds[kind] = re(anchor, "(?:", strings.Join(list, "|"), ")")
	}
	return b
}

// re compiles a pattern, given in parts, that ignores case.
func re(parts ...string) *regexp.Regexp { return regexp.MustCompile("(?i)" + strings.Join(parts, "")) }

// is reports whether a text is of a kind.
func (b *ruleBook) is(kind, text string) bool {
	return b.kinds[kind].MatchString(text) || hasHan(text) && b.kinds[kind+"+"].MatchString(text)
}

func hasHan(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) })
}

// first returns the first rule that matches a clause, and what its group "value" matched.
func (b *ruleBook) first(clause string) (r *rule, value, wording string) {
	chinese := hasHan(clause)
	for i := range b.rules {
		r := &b.rules[i]
		if r.chinese != chinese {
			continue
		}
		at := r.pattern.FindStringSubmatchIndex(clause)
		switch {
		case at == nil:
			continue
		case r.kind == "":
			return nil, "", ""
		}
		if n := r.pattern.SubexpIndex("value"); n > 0 && at[2*n] >= 0 {
			value = clause[at[2*n]:at[2*n+1]]
		}
		return r, value, string(r.pattern.ExpandString(nil, r.wording, clause, at))
	}
	return nil, "", ""
}

// Slots returns the slots that a statement fills, with their values.
func Slots(text string) map[string]string {
	slots := make(map[string]string)
	b := book()
	text = b.withoutLead(normalize(text))
	chinese := hasHan(text)
	for i := range b.rules {
		r := &b.rules[i]
		if r.slot == "" || r.chinese != chinese {
			continue
		}
		if m := r.pattern.FindStringSubmatch(text); m != nil {
			slot := r.slot
			if n := r.pattern.SubexpIndex("of"); n > 0 && m[n] != "" {
				slot += " " + strings.Join(textsearch.Terms(m[n]), " ")
			}
			if n := r.pattern.SubexpIndex("value"); n > 0 && slots[slot] == "" {
				slots[slot] = strings.Join(textsearch.Terms(m[n]), " ")
			}
		}
	}
	return slots
}

// normalize returns a text with plain apostrophes and single spaces.
func normalize(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "’", "'")), " ")
}

// IsQuestion reports whether a sentence asks, by its mark or its words.
func IsQuestion(sentence string) bool {
	return speech.IsQuestion(sentence) || book().is("question", normalize(sentence))
}

// IsDoubt reports whether a sentence only supposes something or gives an example.
func IsDoubt(sentence string) bool {
	sentence = normalize(sentence)
	return book().is("suppose", sentence) || book().is("doubt", sentence)
}

// IsRequest reports whether a sentence asks for work.
func IsRequest(sentence string) bool { return book().is("request", normalize(sentence)) }

// IsReminder reports whether a sentence asks for it to be remembered.
func IsReminder(sentence string) bool {
	sentence = normalize(sentence)
	return book().without("remember", sentence) != sentence
}

// WithoutLead drops greetings and the like from the beginning of a sentence.
func WithoutLead(sentence string) string { return book().withoutLead(sentence) }
