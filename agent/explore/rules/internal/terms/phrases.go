package terms

import (
	_ "embed" // the groups

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// phrases are what people say in several small words and code says in one. The small words are too common to search
// for, and the verb alone means something else: what is thrown away is not thrown. A group is what stays of the text.
var phrases = []struct {
	says *lazyregexp.Regexp
	code string
}{
	{lazyregexp.New(`(?i)\btim(?:e[sd]?|ing) out\b`), "timeout"},
	{lazyregexp.New(`(?i)\bf(?:all(?:s|ing)?|ell|allen) back\b`), "fallback"},
	{lazyregexp.New(`(?i)\broll(?:s|ed|ing)? back\b`), "rollback"},
	{lazyregexp.New(`(?i)\bback(?:s|ed|ing)? off\b`), "backoff"},
	{lazyregexp.New(`(?i)\bclean(?:s|ed|ing)? up\b`), "cleanup"},
	{lazyregexp.New(`(?i)\blook(?:s|ed|ing)? up\b`), "lookup"},
	{lazyregexp.New(`(?i)\bset(?:s|ting)? up\b`), "setup"},
	{lazyregexp.New(`(?i)\bthr(?:ow(?:s|n|ing)?|ew) away\b`), "discard evict"},
	{lazyregexp.New(`(?i)\bg[eo]t(?:s|ting)? rid of\b`), "remove"},
	{lazyregexp.New(`(?i)\b(?:leav(?:es?|ing)|left)((?: [\w-]+){0,3}) out\b`), "omit"},
	{lazyregexp.New(`(?i)\bke(?:ep(?:s|ing)?|pt)((?: [\w-]+){1,4}) out of\b`), "exclude"},
	{lazyregexp.New(`(?i)\b(?:figur(?:es?|ed|ing)|f(?:ind(?:s|ing)?|ound)) out\b`), "detect"},
	{lazyregexp.New(`(?i)\br[ua]n(?:s|ning)? out of\b`), "exhausted"},
	{lazyregexp.New(`(?i)\bno((?: [\w-]+){1,3}?) (?:is |are )?left\b`), "exhausted"},
	{lazyregexp.New(`(?i)\b(?:not|cannot|can't|never)((?: [\w-]+){0,4}) (?:together|at the same time)\b`),
		"exclusive conflict"},
	{lazyregexp.New(`(?i)\bat the same time\b`), "concurrent parallel"},
	{lazyregexp.New(`(?i)\bma(?:kes?|king|de) sure\b`), "ensure"},
	{lazyregexp.New(`(?i)\btr(?:y|ies|ied|ying)((?: [\w-]+){0,4}) again\b`), "retry"},
	{lazyregexp.New(`(?i)\bslow(?:s|ed|ing)? down\b`), "throttle delay"},
	{lazyregexp.New(`(?i)\bg(?:ive|ives|ave|iven|iving)((?: [\w-]+){0,3}) back\b`), "release"},
	{lazyregexp.New(`(?i)\bg(?:ive|ives|ave|iven|iving) up\b`), "exhausted abandon"},
	{lazyregexp.New(`(?i)\bwork(?:s|ed|ing)? out\b`), "compute"},
	{lazyregexp.New(`(?i)\b(?:carr(?:y|ies|ied|ying) on|ke(?:eps?|pt) going)\b`), "continue ignore"},
	{lazyregexp.New(`(?i)\b(?:turn|switch)(?:s|es|ed|ing)?((?: [\w-]+){0,4}) off\b`), "disable"},
	{lazyregexp.New(`(?i)\b(?:r[ua]n(?:s|ning)?|t(?:akes?|aking|ook)|lasts?) too long\b`), "timeout limit"},
	{lazyregexp.New(`(?i)\blog(?:s|ged|ging)? in\b`), "login sign_in"},
	{lazyregexp.New(`(?i)\blog(?:s|ged|ging)? out\b`), "logout sign_out"},
	{lazyregexp.New(`(?i)\b(?:ctrl|control)(?: ?[+-] ?| )c\b`), "interrupt sigint keyboardinterrupt"},
	{lazyregexp.New(`(?i)\bwhich (?:one |of (?:them|the two) )?(?:wins|takes (?:priority|precedence)|is stronger)\b`),
		"precedence override"},
}

// Phrases returns a text in English without its phrases of small words, and for each the word of code, or several with
// blanks between, likeliest first.
func Phrases(text string) (rest string, code []string) {
	for _, p := range phrases {
		if p.says.MatchString(text) {
			text = p.says.ReplaceAllString(text, "$1 ")
			code = append(code, p.code)
		}
	}
	return text, code
}

// same lists words that code uses for the same thing, a group a line. A word may be in several groups.
//
//go:embed same.txt
var same string

// Groups returns the groups of words that code uses for the same thing.
func Groups() [][]string { return textsearch.Groups(same) }
