package exact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/entries"
	"github.com/forayhq/foray/agent/explore/rules/internal/intent"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// differences finds how two names differ.
type differences struct{ *Search }

// pair returns the searches for the definitions of two names.
func pair(s *Search) [2]*Search {
	first, second := *s, *s
	first.in = intent.Intent{Kind: intent.Definition, Name: s.in.Name, Symbols: s.in.Symbols}
	second.in = intent.Intent{Kind: intent.Definition, Name: s.in.Of, Symbols: s.in.Symbols}
	return [2]*Search{&first, &second}
}

// both returns the step for both names.
func both(calls func(*Search) []rulemodel.Call) func(*Search) []rulemodel.Call {
	return func(s *Search) (all []rulemodel.Call) {
		for _, one := range pair(s) {
			all = append(all, calls(one)...)
		}
		return all
	}
}

// together returns the first definitions of two names that have the same owner, or are in one file, documented ones
// before others, or else the first.
func together(ones, others []codebase.Symbol) (one, other codebase.Symbol) {
	file := func(a, b codebase.Symbol) bool { return a.Path == b.Path }
	owner := func(a, b codebase.Symbol) bool { return file(a, b) && ownerOf(a.Name) == ownerOf(b.Name) }
	said := func(a, b codebase.Symbol) bool { return owner(a, b) && saysMuch(a) && saysMuch(b) }
	always := func(codebase.Symbol, codebase.Symbol) bool { return true }
	for _, fits := range []func(a, b codebase.Symbol) bool{said, owner, file, always} {
		for _, a := range ones {
			for _, b := range others {
				if a.Path == b.Path && a.Start == b.Start {
					continue
				}
				if sideOf(a.Path) == source && sideOf(b.Path) == source && fits(a, b) {
					return a, b
				}
			}
		}
	}
	return one, other
}

// saysMuch reports whether the documentation of a definition says more than where to look.
func saysMuch(d codebase.Symbol) bool {
	return len(strings.Fields(d.Doc)) >= 4 && !strings.HasPrefix(d.Doc, "@")
}

// report says what defines each of two names and what the documentation of each says, or, if it says nothing
// of two types, what only one of them has; nil unless the source defines both, or documents describe both.
func (s differences) report() *report.Report {
	searches := pair(s.Search)
	ones, meant := searches[0].definitions()
	others, meantToo := searches[1].definitions()
	one, other := together(ones, others)
	rep := s.describedBoth(one, other)
	if s.ofFields() && len(rep.Places) == 0 {
		if fields := s.fieldReport(); fields != nil {
			return fields
		}
	}
	if one.Path == "" || meant+meantToo != "" || one.Path == other.Path && one.Start == other.Start {
		if len(rep.Places) == 0 {
			return nil
		}
		return rep
	}
	says := searches[0].defines(one, 0, own(ones), "")
	second := searches[1].defines(other, 0, own(others), "")
	says.Text = s.documented(says.Text, one) + " " + s.documented(second.Text, other)
	says.Text += s.only(one, other) + s.only(other, one)
	says.Citations = append(says.Citations, second.Citations...)
	rep.Summary = append(rep.Summary, says)
	for _, d := range []codebase.Symbol{one, other} {
		rep.Places = append(rep.Places, placeOf(d, "defines "+leafOf(d.Name), 0))
		rep.Excerpts = append(rep.Excerpts, excerptOf(d))
	}
	return rep
}

// documented adds the first paragraph of the documentation of a definition to a sentence on it, and a full stop.
func (s differences) documented(text string, d codebase.Symbol) string {
	doc := s.paragraph(d)
	if doc == "" {
		return text + "."
	}
	if !strings.HasSuffix(doc, "…") {
		doc = strings.TrimSuffix(doc, ".") + "."
	}
	return text + ": “" + doc + "”"
}

// noProse matches what follows the text of documentation: a tag, code, a title, a reference.
var noProse = lazyregexp.New("^(?:[@<`#:=*]|/$|See also)")

// What is quoted of the documentation of a definition: at most so many runes, and of a first paragraph of fewer bytes
// the next one as well.
const (
	maxParagraph   = 360
	leastParagraph = 80
)

// paragraph returns the first paragraphs of the documentation before a definition, or else its first sentence.
func (s differences) paragraph(d codebase.Symbol) string {
	r, ok := decoded[codebase.FileResult](s.Search, commentCall(d))
	first := strings.TrimSuffix(d.Doc, "…")
	if !ok || len(r.Items) == 0 || first == "" {
		return firstSentence(d.Doc)
	}
	lines := r.Items[0].Lines
	at := len(lines) - 1
	for at >= 0 && !strings.HasSuffix(strings.TrimSpace(lines[at]), first) {
		at--
	}
	if at < 0 {
		return firstSentence(d.Doc)
	}
	said := []string{first}
	for _, text := range lines[at+1:] {
		text = strings.TrimSpace(commentMark.ReplaceAllString(text, ""))
		if last := &said[len(said)-1]; text == "" && len(strings.Join(said, " ")) < leastParagraph {
			*last = strings.TrimSuffix(*last, ".") + "."
			continue
		}
		if text == "" || noProse.MatchString(text) {
			break
		}
		said = append(said, text)
	}
	return line.Truncate(strings.Join(said, " "), maxParagraph)
}

// lookUpDescribed looks for what documents say of both names, and reads the types whose documentation says nothing.
func (s differences) lookUpDescribed() []rulemodel.Call {
	searches := pair(s.Search)
	calls := []rulemodel.Call{describedCall(s.in.Name), describedCall(s.in.Of)}
	if s.ofFields() {
		calls = append(calls, fieldCall(s.in.Name), fieldCall(s.in.Of))
	}
	ones, _ := searches[0].definitions()
	others, _ := searches[1].definitions()
	one, other := together(ones, others)
	for _, d := range []codebase.Symbol{one, other} {
		switch {
		case slices.Contains(typeKinds, d.Kind) && d.Doc == "":
			calls = append(calls, wholeCall(d))
		case d.Doc != "":
			calls = append(calls, commentCall(d))
		}
	}
	return calls
}

// describedCall looks for lines of documents that begin with a name, and what follows them.
func describedCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": beginsWith(name), "include": []string{"*.{md,rst,txt,adoc}"},
		"case": "sensitive", "before": 1, "after": 6, "limit": 20}, "what documents say of it")
}

func beginsWith(name string) string {
	return "^(?:[^\\pL\\pN`]|&#?\\w+;|<\\w+>)*[`'\"*_]*" + regexp.QuoteMeta(strings.TrimSuffix(name, "()")) +
		"(?:$|[`'\"*_(:=<\\s].*)"
}

// described returns the sentence with which a document describes a name, and where it is.
func (s differences) described(name string) (says string, at report.Citation) {
	r, _ := decoded[codebase.SearchResult](s.Search, describedCall(name))
	for _, f := range r.Items {
		for _, m := range f.Matches {
			if changes.MatchString(f.Path) || !isEntry(m) {
				continue
			}
			_, text, _ := strings.Cut(m.Text, name)
			text = argumentList.ReplaceAllString(text, "")
			directive := func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), ".. ") }
			text += " " + strings.Join(slices.DeleteFunc(slices.Clone(m.After), directive), " ")
			if inExample.MatchString(text) {
				continue
			}
			text = strings.Join(strings.Fields(text), " ") + " "
			for rest, ends := underline.ReplaceAllString(tags.ReplaceAllString(text, ""), ""), false; rest != ""; {
				rest = strings.TrimLeftFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) })
				if text, rest, ends = strings.Cut(rest, ". "); ends {
					text += "."
				}
				if text = firstSentence(text); len(strings.Fields(text)) >= fewestSaid {
					return line.Truncate(text, maxLineText), report.Citation{Path: f.Path, Start: m.Line, End: m.Line + len(m.After)}
				}
			}
		}
	}
	return "", at
}

// isKey reports whether a name is written as that of a setting, and is no word of a language.
func isKey(name string) bool { return intent.IsName(name) || strings.ContainsAny(name, "-_.") }

// isEntry reports whether a line begins something: what is before it is blank, or it is marked.
func isEntry(m search.Match) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(m.Text))
	return len(m.Before) == 0 || strings.TrimSpace(m.Before[0]) == "" || !unicode.IsLetter(first) && first != '`'
}

var (
	// argumentList matches what a heading has after the name of a function, and inExample what follows it in code.
	argumentList = lazyregexp.New(`^\([^()]*\)`)
	inExample    = lazyregexp.New(`^\s*[.;({=]|\)\s*[.;{]`)
	underline    = lazyregexp.New(`[-=~]{3,}`)
)

// tags matches what documents have besides their text, such as the address after a name.
var tags = lazyregexp.New(`^_?\]\([^()]*\)|<[^<>]*>|[` + "`*]")

// fewestSaid is how many words say something of a name.
const fewestSaid = 5

// describedBoth reports what documents say of both names, unless their documentation in the code says it.
func (s differences) describedBoth(one, other codebase.Symbol) *report.Report {
	rep := &report.Report{Found: true, NotCovered: []string{}}
	first, at := s.described(s.in.Name)
	second, atToo := s.described(s.in.Of)
	words := !isKey(s.in.Name) || !isKey(s.in.Of)
	if first == "" || second == "" || words || saysMuch(one) && saysMuch(other) {
		return rep
	}
	rep.Summary = []report.Statement{{Citations: []string{at.String(), atToo.String()},
		Text: fmt.Sprintf("`%s`: “%s” `%s`: “%s”", s.in.Name, first, s.in.Of, second)}}
	for _, c := range []report.Citation{at, atToo} {
		rep.Places = append(rep.Places, report.Place{Path: c.Path, Start: c.Start, End: c.End, Why: "describes it"})
	}
	return rep
}

// only says what a type declares and another does not, if the documentation of neither says anything.
func (s differences) only(d, without codebase.Symbol) string {
	types := slices.Contains(typeKinds, d.Kind) && slices.Contains(typeKinds, without.Kind)
	if !types || max(d.End-d.Start, without.End-without.Start) > maxBody { // not all was read
		return ""
	}
	own, others := s.membersOf(d), s.membersOf(without)
	others = append(others, leafOf(d.Name)) // a constructor
	own = slices.DeleteFunc(own, func(name string) bool { return slices.Contains(others, name) })
	if len(own) == 0 || d.Doc+without.Doc != "" {
		return ""
	}
	said := fmt.Sprintf(" Only `%s` declares `%s`", leafOf(d.Name), strings.Join(own[:min(len(own), maxNear)], "`, `"))
	if more := len(own) - maxNear; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said + "."
}

// membersOf returns the names of what the body of a type declares.
func (s differences) membersOf(d codebase.Symbol) (names []string) {
	r, ok := decoded[codebase.FileResult](s.Search, wholeCall(d))
	if !ok || len(r.Items) == 0 {
		return nil
	}
	for _, e := range entries.Of(d.Path, r.Items[0].Lines).Entries(d.Kind) {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// A field is a line that declares a field, an option or a parameter on a line of its own.
type field struct {
	path, symbol, text string
	line               int
}

// fieldDeclared are forms of such lines; %s is the name.
const fieldDeclared = `^\s+(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|static|final|readonly|` +
	`const|val|var|let|` +
	`mut|override)\s+)*(?:%[1]s[?!]?(?:\s*:|\s*=[^=>]|\s+[\w\[\]*.<>(){}]+(?:\s+[\x60"/].*)?$)|` +
	`[\w<>\[\],.?]+\s+\*?%[1]s\s*[;=])`

func fieldCall(name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": fmt.Sprintf(fieldDeclared, regexp.QuoteMeta(leafOf(name))),
		"case": "sensitive", "context": 0, "limit": maxMentions, "max_per_file": 20}, "where a field is declared")
}

// givesValue matches a line that gives a field a value, and declares none.
var givesValue = lazyregexp.New(`[:=]\s*(?:true|false|nil|null|None|undefined|\d|["'\x60]|this\b|self\b|opts?\b|` +
	`options\b)|\breturn\b`)

// fields returns the lines of the source that declare a field of the name, those with a type first.
func (s differences) fields(name string) (all []field) {
	r, _ := decoded[codebase.SearchResult](s.Search, fieldCall(name))
	for _, f := range r.Items {
		for _, m := range f.Matches {
			if sideOf(f.Path) == source && comments(m.Text) == 0 {
				all = append(all, field{f.Path, m.Symbol, strings.TrimSpace(m.Text), m.Line})
			}
		}
	}
	valued := func(f field) int { return truth(givesValue.MatchString(f.text)) }
	slices.SortStableFunc(all, func(a, b field) int { return cmp.Compare(valued(a), valued(b)) })
	return all
}

// ofFields reports whether the names of a question may be those of fields: no definition is written as both are.
func (s differences) ofFields() bool {
	for _, one := range pair(s.Search) {
		defs, _ := one.definitions()
		if !slices.ContainsFunc(defs, func(d codebase.Symbol) bool { return leafOf(d.Name) == leafOf(one.in.Name) }) {
			return true
		}
	}
	return false
}

// fieldReport says where two fields are declared, with the comments above them; nil if they are not beside each other.
func (s differences) fieldReport() *report.Report {
	for _, a := range s.fields(s.in.Name) {
		for _, b := range s.fields(s.in.Of) {
			if a.path != b.path || a.symbol != b.symbol || a.line == b.line {
				continue
			}
			rep, says := &report.Report{Found: true, NotCovered: []string{}}, report.Statement{}
			for i, f := range []field{a, b} {
				name := leafOf([]string{s.in.Name, s.in.Of}[i])
				says.Text += fmt.Sprintf("`%s` is declared in %s, line %d: `%s`. ", name, f.path, f.line,
					line.Truncate(strings.ReplaceAll(f.text, "`", "'"), maxLineText))
				says.Citations = append(says.Citations, lookup.Cite(f.path, f.line, f.line))
				rep.Places = append(rep.Places, report.Place{Path: f.path, Start: f.line, End: f.line, Symbol: f.symbol,
					Why: "declares " + name})
				rep.Excerpts = append(rep.Excerpts, report.Excerpt{Path: f.path, Start: f.line, End: f.line})
			}
			says.Text = strings.TrimSpace(says.Text)
			rep.Summary = []report.Statement{says}
			return rep
		}
	}
	return nil
}
