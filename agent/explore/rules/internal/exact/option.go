package exact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	texts "github.com/forayhq/foray/internal/documents"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/symbols"
)

// Bounds of the declaration of an option.
const (
	optionLines = 8 // lines after the name in which its default may follow
	maxOptions  = 200
	ofOption    = 3. // what the declaration of an option with its default is worth, as in plausible
	ofHelp      = 2. // the same of its help text
)

// optionPattern matches a text that names an option of the command line: "max-depth", "-d, --max-depth N".
func optionPattern(name string) string {
	words := strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?")
	return `["'](?:-\w, *)?-{0,2}` + words + `(?:[ =][<\[A-Z][^"']*)?["']`
}

// entryPattern matches the title of what a document says about a setting.
func entryPattern(name string) string {
	words := strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?")
	manual := strings.ReplaceAll(words, "[_-]?", `\\?[_-]?`)
	return `^\s*(?:#{1,6}|\.\.|[-*]|\|)\s(?:.*[^\pL\pN_-])?-{0,2}` + words +
		"(?:$|[^\\pL\\pN_])|^`*-{0,2}" + words + "`*$" + `|^\.(?:B[IR]?|IP|TP|It)\s.*-` + manual + `(?:$|[^\pL\pN_-])`
}

func (s values) optionCall(name string) rulemodel.Call {
	patterns := []string{optionPattern(name), entryPattern(name)}
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "case": "insensitive", "before": 0,
		"after": optionLines, "limit": maxOptions}, "options of the command line with this name")
}

var (
	// flagCall matches a call that declares an option, as of Go's flag and pflag: the pointer and the short name are
	// arguments before the default.
	flagCall = lazyregexp.New(`\.(?:Bool|U?[Ii]nt(?:16|32|64)?|Float64|String(?:Slice|Array)?|Duration|Count)` +
		`(Var)?(P)?\(`)
	// helpDefault matches the default in the help text of an option. Its group is the value.
	helpDefault = lazyregexp.New(`(?i)["'` + "`" + `].*[(\[]defaults?(?:(?:\s+is|\s+to|\s*[:=])\s*([^()\[\]]{1,40})|` +
		`\s+([^\s()\[\]]{1,40}))[)\]]`)
	// beginsDefault matches a line that begins with the default, as one must that is in no brackets with the name.
	beginsDefault = lazyregexp.New(`^[\s.:"'#\[]*[Dd]efault`)
	// optionCallForm matches .option('-p, --port <n>', 'what it is', 3000).
	optionCallForm = lazyregexp.New(`\.option\(`)
)

// options returns the defaults of options of the command line.
func (s values) options(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, s.optionCall(name))
	re := regexp.MustCompile(`(?i)` + optionPattern(name))
	for _, item := range r.Items {
		if sideOf(item.Path) == documents {
			continue
		}
		for _, m := range item.Matches {
			at := re.FindStringIndex(m.Text)
			if at == nil || comments(m.Text) > 0 {
				continue
			}
			a := assignment{path: item.Path, symbol: m.Symbol, line: m.Line, text: m.Text}
			worth := ofOption
			if a.value = declaredDefault(m.Text, at[0]); a.value == "" {
				below := m.After[:declared(m.Text, m.After)]
				if a.value = a.defaultBelow(below); a.value == "" {
					a.value, worth = a.defaultInHelp(below), ofHelp
				}
			}
			if a.value != "" && !a.empty(name) {
				a.declared, a.score = true, s.plausible(a, name)+worth
				all = append(all, a)
			}
		}
	}
	return all
}

// declared returns how many of the lines after the one with an option's name still declare the option: those up to the
// bracket that closes what is around the name, and calls that are chained to it.
func declared(first string, after []string) (n int) {
	depth := depthOf(first)
	within := depth > 0
	for _, next := range after {
		if !within && depth == 0 && strings.HasSuffix(strings.TrimRight(first, " "), ")") && !chained(next) {
			break
		}
		if depth += depthOf(next); depth < 0 {
			break
		}
		if n++; within && depth == 0 {
			break
		}
	}
	return n
}

// depthOf returns how many brackets a line opens and does not close, or the negative of that.
func depthOf(text string) (n int) {
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// defaultBelow returns the default in the lines that declare an option, with its line.
func (a *assignment) defaultBelow(lines []string) string {
	flat := depthOf(a.text) <= 0
	for i, next := range lines {
		value := formDefault(next)
		if value == "" || flat && !chained(next) && !beginsDefault.MatchString(next) {
			continue
		}
		a.line, a.text = a.line+1+i, next
		return value
	}
	return ""
}

// defaultInHelp returns the default that the help text of an option names, with its line.
func (a *assignment) defaultInHelp(lines []string) string {
	for i, text := range append([]string{a.text}, lines...) {
		if m := helpDefault.FindStringSubmatch(text); m != nil {
			a.line, a.text = a.line+i, text
			return strings.Trim(m[1]+m[2], " `'\"*")
		}
	}
	return ""
}

// chained reports whether a line calls a method of what the line before made.
func chained(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ".") }

// entry matches a line that begins an entry of a document.
var entry = lazyregexp.New(`^\s*(?:#{1,6}|\.\.|[-*+]|\|)\s`)

// saysDefault matches what a document calls a default. Its group is the value.
var saysDefault = lazyregexp.New(`(?i)\bdefaults?(?:\s+value)?(?:\*{1,2}|__)?(?:\s+is|\s+to|\s*[:=])(?:\*{1,2}|__)?:?` +
	`\s+(.{1,80}?)(?:\.\s|\)?\.?$|\)\.?\s|[;|])`)

// documented returns what documents say that the default is.
func (s values) documented(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, s.optionCall(name))
	re := regexp.MustCompile(`(?i)` + entryPattern(name))
	for _, item := range r.Items {
		if sideOf(item.Path) != documents || changes.MatchString(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			for i, text := range append([]string{m.Text}, m.After...) {
				if i > 0 && entry.MatchString(text) && indent(text) <= indent(m.Text) {
					break // what follows is about something else
				}
				if found := saysDefault.FindStringSubmatch(text); found != nil && re.MatchString(m.Text) {
					value := strings.Trim(found[1], "` '\"*")
					all = append(all, assignment{path: item.Path, line: m.Line + i, text: text, value: value})
					break
				}
			}
		}
	}
	return append(all, s.commented(name)...)
}

// declaredDefault returns the default that a line declares for the option whose name begins at at, or "".
func declaredDefault(text string, at int) string {
	if value := formDefault(text[at:]); value != "" {
		return value
	}
	skip := 0
	if m := flagCall.FindStringSubmatchIndex(text[:at]); m != nil {
		skip = 1
		if m[4] >= 0 {
			skip++
		}
	} else if optionCallForm.MatchString(text[:at]) {
		skip = 2
	} else {
		return ""
	}
	args := arguments(text[at:])
	if skip >= len(args) {
		return ""
	}
	return args[skip]
}

const commentsBefore = 8 // lines above a declaration that may say its default

// declarationCall searches for lines that declare the name, with the comments above them.
func declarationCall(name string) rulemodel.Call {
	words := strings.TrimPrefix(nameForms(name), "(?:default[_-]?)?")
	pattern := `^\s*(?:(?:pub(?:\([^)]*\))?|export|readonly|public|private|protected|static|final|func|var|let|` +
		`const|val)\s+)*(?:\([^()]*\)\s*)?` + words + `\??(?:\s*[:(]|\s+[\w*\[])`
	return rulemodel.Ask("search", map[string]any{"pattern": pattern,
		"case": "insensitive", "before": commentsBefore, "after": 0, "limit": maxOptions}, "what its comment says")
}

// commented returns the default that the comments of declarations of the name say, if they agree.
func (s values) commented(name string) (all []assignment) {
	r, _ := decoded[codebase.SearchResult](s.Search, declarationCall(name))
	for _, item := range r.Items {
		for _, m := range item.Matches {
			a := assignment{path: item.Path, symbol: m.Symbol}
			if a.part() != source || symbols.Language(a.path) == "" {
				continue
			}
			a.symbol = ""
			for i := len(m.Before) - 1; i >= 0 && comments(m.Before[i]) > 0; i-- {
				if found := saysDefault.FindStringSubmatch(m.Before[i]); found != nil {
					a.line, a.text = m.Line-len(m.Before)+i, m.Before[i]
					a.value = strings.Trim(found[1], "` '\"*")
					all = append(all, a)
					break
				}
			}
		}
	}
	if slices.ContainsFunc(all, func(a assignment) bool { return a.value != all[0].value }) {
		return nil
	}
	return all
}

// settersCall looks for functions that are called after the setting: WithLimit, set_limit, or limit of a builder.
func (s values) settersCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": []string{s.setterPattern("(?:(?:with|set)_?)?")},
		"case": "insensitive", "context": 0, "limit": maxOptions}, "functions that set it")
}

func (s values) setterPattern(before string) string {
	words := strings.TrimPrefix(nameForms(s.in.Name), "(?:default[_-]?)?")
	return `\b(?:func|def|fn|fun|function|void|public|static)\b.*[\s)]` + before + words + `(?:<.*>)?\(`
}

// changing says how to change the setting and where it is documented, for the end of the first sentence of a report.
func (s values) changing(rep *report.Report) {
	if plainWord.MatchString(s.in.Name) { // many things are called so
		return
	}
	st := &rep.Summary[0]
	add := func(p report.Place) {
		st.Citations = append(st.Citations, lookup.Cite(p.Path, p.Start, p.Start))
		p.Confidence = changingTrust
		rep.Places = slices.Insert(rep.Places, min(len(rep.Places), len(st.Citations)-1), p)
	}
	if name, p, ok := s.setter(rep.Places[0].Path); ok {
		st.Text += fmt.Sprintf(". `%s` sets it (%s, line %d)", name, p.Path, p.Start)
		add(p)
	}
	if says, p, ok := s.entryOf(); ok {
		st.Text += fmt.Sprintf(". %s, line %d, says of it: “%s”", p.Path, p.Start, line.Truncate(says, maxEntry))
		add(p)
	}
}

const (
	changingTrust = .2  // confidence of a place that says how to change a setting
	maxEntry      = 240 // runes of what a document says of it
	leastEntry    = 4   // words of it
)

// setter returns the only function that sets the setting by its name in the file of the default, or else in the source,
// where its name says that it sets something.
func (s values) setter(home string) (name string, p report.Place, ok bool) {
	r, _ := decoded[codebase.SearchResult](s.Search, s.settersCall())
	form := regexp.MustCompile("(?i)" + s.setterPattern("(?:(?:with|set)_?)?"))
	sets := regexp.MustCompile("(?i)" + s.setterPattern("(?:with|set)_?"))
	for _, near := range []bool{true, false} {
		var all []report.Place
		for _, item := range r.Items {
			for _, m := range item.Matches {
				at := form.FindStringIndex(m.Text)
				if sideOf(item.Path) == source && comments(m.Text) == 0 && m.Symbol != "" && at != nil && takes(m.Text[at[1]:]) &&
					(near && item.Path == home || !near && sets.MatchString(m.Text)) {
					all = append(all, report.Place{Path: item.Path, Start: m.Line, End: m.Line, Symbol: m.Symbol, Why: "sets it"})
				}
			}
		}
		if len(all) == 1 {
			return all[0].Symbol, all[0], true
		}
	}
	return "", p, false
}

// takes reports whether a list of parameters has one besides the object.
func takes(list string) bool {
	return slices.ContainsFunc(arguments(list), func(p string) bool { return p != "" && !itsObject.MatchString(p) })
}

var itsObject = lazyregexp.New(`^(?:&?(?:'\w+ )?(?:mut )?self|cls|this)\b`)

// entryOf returns what the entry of a document says of the setting that it is on: a section, a row or an item that
// begins with the name. It prefers a section, and then the document nearest to the root.
func (s values) entryOf() (says string, best report.Place, ok bool) {
	words := strings.TrimPrefix(nameForms(s.in.Name), "(?:default[_-]?)?")
	titled := regexp.MustCompile("(?i)^\\s*(?:#{1,6}|[-*+|]|\\.\\. [\\w:-]+::)?[\\s`*_\\[-]*" + words +
		"(?:$|[^\\pL\\pN_.-])")
	r, _ := decoded[codebase.SearchResult](s.Search, s.optionCall(s.in.Name))
	least := 0
	for _, item := range r.Items {
		if sideOf(item.Path) != documents || changes.MatchString(item.Path) || ofUpgrades.MatchString(item.Path) {
			continue
		}
		for _, m := range item.Matches {
			text := entryText(m.Text, m.After)
			cost := 1 + strings.Count(item.Path, "/") + 100*truth(!titleLine.MatchString(m.Text))
			if titled.MatchString(m.Text) && len(strings.Fields(text)) >= leastEntry && (!ok || cost < least) {
				says, least, ok = text, cost, true
				best = report.Place{Path: item.Path, Start: m.Line, End: m.Line, Why: "documents it"}
			}
		}
	}
	return says, best, ok
}

var (
	// titleLine matches the title of a section, a directive, and a line of one word, which may be underlined.
	titleLine = lazyregexp.New("^\\s*(?:#{1,6}\\s|\\.\\. [\\w:-]+::)|^[`\\w-]+$")
	// ofUpgrades matches documents on older versions.
	ofUpgrades = lazyregexp.New(`(?i)upgrad|migrat`)
)

// entryText returns the first sentence below a title, or the text of a row or an item.
func entryText(first string, after []string) string {
	if titleLine.MatchString(first) {
		var below []string
		for _, l := range after {
			below = append(below, strings.TrimSpace(l))
		}
		q, _ := texts.Sentence(below)
		return q.Text
	}
	for _, next := range after {
		if strings.TrimSpace(next) == "" || entry.MatchString(next) || strings.HasPrefix(strings.TrimSpace(first), "|") {
			break
		}
		first += " " + strings.TrimSpace(next)
	}
	row := strings.ReplaceAll(texts.Plain(first), "|", " ")
	return strings.Trim(strings.Join(strings.Fields(row), " "), "-*+ ")
}
