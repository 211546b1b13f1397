package exact

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// NewOption returns the search for the option that a question describes by what it does. The question may have to say
// that it asks for an option: without, an option must fit better. If it asks for less of something, options that say so
// in their names come first.
func NewOption(says, less bool, words []Word, results []rulemodel.Result) *Search {
	s := &Search{in: intent.Intent{Kind: intent.Option, Weak: !says}, less: less, results: lookup.Of(results)}
	for _, w := range words {
		if !ofOptions.MatchString(w.Text) {
			s.words = append(s.words, w)
		}
	}
	return s
}

// ofOptions matches words that say that an option is asked for, and nothing of what it does.
var ofOptions = lazyregexp.New(`(?i)^(?:options?|flags?|settings?|switch(?:es)?|parameters?|propert(?:y|ies)|` +
	`arguments?|keywords?|toggles?|knobs?|variables?|config\w*|sets?|makes?|use[ds]?|want|need|way|possible|turns?|get|` +
	`keep)$`)

// options finds the declarations and the documentation of options.
type options struct{ *Search }

// Bounds of the search, in lines.
const (
	maxDeclared     = 3000
	maxDeclaredEach = 400 // of a file
	helpAbove       = 4
	helpBelow       = 6
	maxHelp         = 900 // bytes of help text that are compared
	maxName         = 80  // runes of a name that are shown
)

// declarations are patterns of lines that declare or document an option. Their group is its name.
var declarations = []string{
	"[\"'`](?:\\\\[nt]|\\s)*(?:-\\w[,|/ ]+)*(--[a-z][\\w-]+)",                      // in a text of the program
	"^\\s*(?:[-*|#>.]+\\s*)*[`*\\\\fB]*(?:-\\w\\b[,`*\\s]*)?[`*]*(--[a-z][\\w-]+)", // in a list, a table or a man page
	`(?:\blong|\bLong|\bname|\bName)\s*[:=(]\s*["']([A-Za-z][\w.-]+)["']`,          // in a table of options
	`\.(?:Bool|U?[Ii]nt(?:16|32|64)?|Float64|String(?:Slice|Array)?|Duration|Count)(?:Var)?P?\(` +
		`(?:&?[\w.]+,\s*)?"([\w-]+)"`,
	`^Long:\s*([\w-]+)`,
	// in a list of a comment, and as the title of a section
	"^\\s*(?://+|#|\\*)?\\s*[-*+]\\s+[`*:]+([a-z][\\w.-]+)[`*]*\\s*" +
		"(?:\\([^)]*\\)\\s*)?(?:[-–—:]|\\\\-)\\s",
	"^(?:#{2,6}|==+)\\s+[`*]*([a-z][\\w.-]*)[`*]*\\s*$",
	"^\\s*[-*+|]\\s+[`*:]+\\$?(_?[A-Z][A-Z0-9]*_[A-Z0-9_]+)\\b", // a variable of the environment in a list or table
	// a variable of the environment that the program reads
	`(?:\benv\.|(?i:\b(?:get|lookup)env\w*\(|(?:\b|_)env(?:iron)?(?:::var\w*|\.get|\.fetch)?[\[(])\s*["'])([A-Z_][A-Z0-9_]+)\b`,
	// a field that is named after what it does, and not after what it does it to
	`^\s*(?:(?:pub|public|private|protected|readonly|final|val|var|let|@JvmField)\s+)*` +
		`((?:is_?)?(?i:disabled?|enabled?))\b\??\s*(?:[:=]\s*\S|\*?[Bb]ool\w*\b)`,
	`^\s*(?:\w+\s+){0,4}?(?:\$|@)?(\w+)\??\s*(?:[:=]|\{ *get)`, // a field
}

// keyWords matches keys that say something about an option, and are no option.
var keyWords = lazyregexp.New(`^(?i:title|name|desc(?:ription)?|type|help|text|default|flags?|options?|` +
	`value|id|key|label|return|case|if|else|for|while|use|import|from|package)$`)

// listForms are the declarations that only list or read an option.
var listForms = []int{1, 4, 5, 6, 7, environmentForm}

// Of declarations, from 0.
const (
	typedForm       = 3
	environmentForm = 8
	switchForm      = 9
	fieldForm       = 10
)

var declaredForms = func() (all []*lazyregexp.Regexp) {
	for _, p := range declarations {
		all = append(all, lazyregexp.New(p))
	}
	return all
}()

func optionsCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": declarations[:switchForm], "before": helpAbove,
		"after": helpBelow, "limit": maxDeclared, "max_per_file": maxDeclaredEach}, "options and their help texts")
}

func fieldsCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": declarations[fieldForm], "before": helpAbove, "after": 0,
		"include": settingFiles, "limit": maxDeclared, "max_per_file": maxDeclaredEach}, "settings and their comments")
}

func switchesCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": declarations[switchForm], "before": helpAbove, "after": 0,
		"limit": maxDeclared, "max_per_file": maxDeclaredEach}, "fields that turn something on or off")
}

// settingFiles are globs of files that by their name hold settings.
var settingFiles = []string{"*[cC]onfig*", "*[oO]ption*", "*[sS]etting*", "*[pP]reference*", "*[fF]lags*",
	"*[pP]arams*", "*[pP]arameter*", "*[dD]efaults*"}

func (s options) findOptions() []rulemodel.Call {
	if len(s.words) == 0 {
		return nil
	}
	return []rulemodel.Call{optionsCall(), fieldsCall(), switchesCall()}
}

// An option is a place that declares or documents one.
type option struct {
	assignment
	name, help string
	below      int    // lines from the name to the first one that says something; 0: its own
	says       string // that line
}

// listed returns the places that declare or document options.
func (s options) listed() (all []option) {
	for _, call := range s.findOptions() {
		r, _ := decoded[codebase.SearchResult](s.Search, call)
		for _, f := range r.Items {
			if sideOf(f.Path) == tests || noSettings.MatchString(f.Path) || changes.MatchString(f.Path) {
				continue
			}
			for _, m := range f.Matches {
				if o, ok := optionAt(f.Path, m); ok && !ofTests.MatchString(m.Symbol) {
					all = append(all, o)
				}
			}
		}
	}
	return all
}

// optionAt returns the option that a line declares, with its help text. It reports false if the line has none.
func optionAt(path string, m search.Match) (o option, ok bool) {
	for i, re := range declaredForms {
		found := re.FindStringSubmatch(m.Text)
		if found == nil || i == fieldForm && keyWords.MatchString(found[1]) || i == typedForm && logged.MatchString(m.Text) {
			continue
		}
		o = option{assignment: assignment{path: path, symbol: m.Symbol, line: m.Line, text: m.Text, form: i},
			name: found[1], says: m.Text}
		help := []string{m.Text}
		switch {
		case i == switchForm && (m.Symbol == "" || markup.MatchString(path)):
			return o, false
		case i == switchForm:
			o.name = leafOf(m.Symbol) + "." + o.name
			help = append(help, commentAbove(m.Before))
		case i == fieldForm:
			above := commentAbove(m.Before)
			if above == "" && remark.FindString(m.Text) == "" {
				return o, false
			}
			help = append(help, above)
		case i == environmentForm:
			help = []string{o.name, commentAbove(m.Before), remark.FindString(m.Text)}
		case sideOf(path) == source && comments(m.Text) == 0:
			help = append(help, commentAbove(m.Before))
			help = append(help, untilNext(m.After[:declared(m.Text, m.After)])...)
		default:
			entry := entryBelow(m.Text, m.After)
			help = append(help, entry...)
			if len(wordsOf(strings.Replace(m.Text, o.name, "", 1))) == 0 {
				o.below, o.says = firstSaid(entry, m.Text)
			}
		}
		o.help = strings.Join(help, " ")
		o.help = o.help[:min(len(o.help), maxHelp)]
		return o, true
	}
	return o, false
}

// untilNext returns the lines before one that declares another option, as each line of a usage text does.
func untilNext(lines []string) []string {
	if i := slices.IndexFunc(lines, declaredForms[0].MatchString); i >= 0 {
		return lines[:i]
	}
	return lines
}

// firstSaid returns the number, from 1, and the text of the first line with words; without one 0 and the line of the
// name.
func firstSaid(lines []string, own string) (int, string) {
	for i, text := range lines {
		if len(wordsOf(text)) > 0 {
			return i + 1, text
		}
	}
	return 0, own
}

// entryBelow returns the lines that go on about what an entry of a document names.
func entryBelow(first string, after []string) []string {
	for i, text := range after {
		if entry.MatchString(text) && indent(text) <= indent(first) || declaredForms[1].MatchString(text) {
			return after[:i]
		}
	}
	return after
}

// saysLess matches names that say that an option keeps from something.
var saysLess = lazyregexp.New(`^[-:]*(?i:no|not|disable|skip|without|hide|ignore|suppress|exclude|omit)` +
	`(?:[-_]|[A-Z])|\.(?:is_?)?(?i:disabled?)$`)

// markup matches files whose attributes look like fields.
var markup = lazyregexp.New(`\.(?:[jt]sx|vue|svelte)$`)

// logged matches a field of an entry of a log, which is written like a flag.
var logged = lazyregexp.New(`\b(?:zap|slog|zerolog|attribute|trace|log\w*)\.\w+\("`)

// Worths of an option.
const (
	nameWorth    = 1.3 // of a word in the name, against 1 in the help text
	leastAsked   = .5  // of an option, if the question says that it asks for one
	leastOptions = .7  // else
	lessWorth    = .2  // of a name that says that it keeps from something, of the words' weight
	restShare    = .03 // of the score, less for each part of the name that the question does not have
	mostRest     = 4
	docsShare    = .95 // of a place in a document
	longHelp     = 60. // words of a help text, after which it is too long to be about the question alone
)

// rated returns the options that fit, best first, each once.
func (s options) rated() []option {
	all := s.listed()
	has := make([][]bool, len(all)) // words
	named := make([][]bool, len(all))
	count := make([]int, len(s.words))
	for i, o := range all {
		parts := partsOf(o.name)
		has[i], named[i] = make([]bool, len(s.words)), make([]bool, len(s.words))
		for k, w := range s.words {
			named[i][k] = slices.ContainsFunc(parts, w.names)
			if has[i][k] = named[i][k] || w.Re.MatchString(o.help); has[i][k] {
				count[k]++
			}
		}
	}
	whole := 0.0
	weights := make([]float64, len(s.words))
	for k := range s.words {
		weights[k] = s.words[k].Weight * math.Log(1+float64(len(all))/float64(1+count[k]))
		whole += weights[k]
	}
	for i := range all {
		for k, w := range weights {
			switch {
			case named[i][k]:
				all[i].score += nameWorth * w
			case has[i][k]:
				all[i].score += w
			}
		}
		if s.less && all[i].score > 0 && saysLess.MatchString(all[i].name) {
			all[i].score += lessWorth * whole
		}
		all[i].score /= max(whole, 1e-9) * (1 + float64(len(strings.Fields(all[i].help)))/longHelp/4)
		all[i].score *= 1 - restShare*float64(min(s.unnamed(all[i].name), mostRest))
		if sideOf(all[i].path) >= documents {
			all[i].score *= docsShare
		}
	}
	return once(all)
}

// unnamed returns how many parts of a name are no word of the question: of --no-color and --no-color-moved, a question
// for no colours means the first.
func (s options) unnamed(name string) (n int) {
	for _, p := range partsOf(name) {
		if !slices.ContainsFunc(s.words, func(w Word) bool { return w.names(p) }) {
			n++
		}
	}
	return n
}

// inProgram reports whether a place declares the option in the program, and not in a list or a document.
func (o option) inProgram() bool {
	return sideOf(o.path) == source && comments(o.text) == 0 && !slices.Contains(listForms, o.form)
}

// once returns each option once, best first, with the place that declares it in the program if there is one. A variable
// of the environment is better explained where it is documented.
func once(all []option) (some []option) {
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(b.score, a.score) })
	at := make(map[string]int)
	for _, o := range all {
		key := normal(o.name)
		i, again := at[key]
		switch {
		case !again:
			at[key] = len(some)
			some = append(some, o)
		case !some[i].inProgram() && o.inProgram(), some[i].form == environmentForm && o.form != environmentForm:
			o.score = some[i].score
			some[i] = o
		}
	}
	return some
}

// optionReport says which option fits best, or returns nil if none is likely enough.
func (s options) optionReport() *report.Report {
	all := s.rated()
	least := leastAsked
	if s.in.Weak {
		least = leastOptions
	}
	if len(all) == 0 || all[0].score < least {
		return nil
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, o := range all[:min(len(all), maxDefaults)] {
		if o.score < rivalShare/2*all[0].score {
			break
		}
		if i < maxSays-1 {
			said := fmt.Sprintf("`%s` may be the option, in %s", o.name, o.where())
			if i > 0 {
				said = fmt.Sprintf("Also `%s`, in %s", o.name, o.where())
			}
			st := quoting(said, o.path, o.line, o.says)
			st.Citations = []string{lookup.Cite(o.path, o.line, o.line+o.below)}
			rep.Summary = append(rep.Summary, st)
		}
		rep.Places = append(rep.Places, report.Place{Path: o.path, Start: o.line, End: o.line + o.below,
			Symbol: line.Truncate(o.name, maxName), Why: "an option with the words of the question",
			Confidence: .8 / float64(1+3*min(i, 1))})
	}
	rep.Excerpts = []report.Excerpt{{Path: all[0].path, Start: all[0].line, End: all[0].line + all[0].below}}
	return rep
}
