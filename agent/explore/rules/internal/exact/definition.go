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

// Bounds of a report.
const (
	maxPlaces    = 10
	maxSays      = 4 // sentences
	maxNear      = 5 // near names
	maxLineText  = 220
	excerptLines = 20
)

// named returns the definitions with this name, best first: in source, in the case of the question, of the kind that
// the question says, and the most used.
func (s *Search) named(name string) []codebase.Symbol {
	var all []codebase.Symbol
	for _, v := range variants(name) {
		r, _ := decoded[codebase.SymbolResult](s, symbolCall(v))
		for _, d := range r.Items {
			again := slices.ContainsFunc(all, func(o codebase.Symbol) bool { return o.Path == d.Path && o.Start == d.Start })
			if !again && sameName(name, d.Name) && d.Path != "" && d.Start > 0 && d.End >= d.Start {
				all = append(all, d)
			}
		}
	}
	same := func(d codebase.Symbol) bool { return strings.EqualFold(leafOf(d.Name), leafOf(name)) }
	if slices.ContainsFunc(all, same) {
		all = slices.DeleteFunc(all, func(d codebase.Symbol) bool { return !same(d) })
	}
	if slices.ContainsFunc(all, func(d codebase.Symbol) bool { return !isImport(d) }) {
		all = slices.DeleteFunc(all, isImport)
	}
	slices.SortStableFunc(all, func(a, b codebase.Symbol) int {
		return cmp.Or(
			cmp.Compare(s.misfit(a), s.misfit(b)),
			cmp.Compare(min(sideOf(a.Path), 2), min(sideOf(b.Path), 2)),
			cmp.Compare(otherCase(name, a), otherCase(name, b)),
			cmp.Compare(slight[a.Kind], slight[b.Kind]),
			cmp.Compare(s.weight(b), s.weight(a)))
	})
	return all
}

// isImport reports whether a definition only names what a module has.
func isImport(d codebase.Symbol) bool { return required.MatchString(d.Signature) }

var required = lazyregexp.New(`=\s*(?:await\s+)?(?:require|import|__import__|require_relative)\(['"]`)

// misfit is 1 for a definition of another kind than the question says.
func (s *Search) misfit(d codebase.Symbol) int {
	if len(s.in.Symbols) > 0 && !slices.Contains(s.in.Symbols, d.Kind) {
		return 1
	}
	return 0
}

// otherCase is 1 for a name that the question writes in another case.
func otherCase(asked string, d codebase.Symbol) int {
	if leafOf(asked) != leafOf(d.Name) && asked != strings.ToLower(asked) {
		return 1
	}
	return 0
}

// slight orders kinds: a block that adds to a type, a module, and a macro that wraps a function of its name are rarely
// what a question means.
var slight = map[string]int{"impl": 2, "module": 1, "macro": 1}

// weight is how often files that can refer to a definition use its name.
func (s *Search) weight(d codebase.Symbol) int {
	r, _ := decoded[codebase.ReferenceResult](s, usesCall(leafOf(d.Name), d.Path, 1))
	return r.Total
}

// weigh counts the uses of definitions that share the name.
func (s *Search) weigh() []rulemodel.Call {
	all := s.named(s.in.Name)
	if len(all) < 2 {
		return nil
	}
	var calls []rulemodel.Call
	for _, d := range all {
		if sideOf(d.Path) == sideOf(all[0].Path) && len(calls) < maxWeighed {
			calls = append(calls, usesCall(leafOf(d.Name), d.Path, 1))
		}
	}
	return calls
}

// definitions returns the definitions of the name, or else of the one that is meant.
func (s *Search) definitions() (all []codebase.Symbol, meant string) {
	if all = s.named(s.in.Name); len(all) > 0 {
		if slices.ContainsFunc(all, s.misspelt) && !slices.ContainsFunc(all, s.owned) {
			all = slices.DeleteFunc(all, func(d codebase.Symbol) bool { return !s.misspelt(d) })
			return all, all[0].Name
		}
		return all, ""
	}
	meant = s.meant()
	return s.named(meant), meant
}

// owned reports whether every part of the owner that the question names is in the name or the path of a definition.
func (s *Search) owned(d codebase.Symbol) bool {
	return !slices.ContainsFunc(segments(ownerOf(s.in.Name)), func(p string) bool { return !hasPart(d, p, 0) })
}

// misspelt reports whether that is so but for typos.
func (s *Search) misspelt(d codebase.Symbol) bool {
	return !s.owned(d) && !slices.ContainsFunc(segments(ownerOf(s.in.Name)), func(p string) bool {
		return !hasPart(d, p, typos(len(p)))
	})
}

// hasPart reports whether the name or the path of a definition has a part that is at most so many letters away.
func hasPart(d codebase.Symbol, part string, most int) bool {
	return slices.ContainsFunc(append(segments(d.Name), segments(d.Path)...), func(p string) bool {
		return p == part || most > 0 && line.Distance(p, part) <= most
	})
}

// segments returns the parts of a qualified name or a path, normalised.
func segments(name string) []string {
	var all []string
	for p := range strings.FieldsFuncSeq(name, func(c rune) bool { return strings.ContainsRune(".:#/>", c) }) {
		all = append(all, normal(p))
	}
	return all
}

// readDefinitions reads the first lines of the definitions, to quote them.
func (s *Search) readDefinitions() []rulemodel.Call {
	var calls []rulemodel.Call
	all, _ := s.definitions()
	for _, d := range all[:min(len(all), maxQuoted)] {
		calls = append(calls, headCall(d))
	}
	return calls
}

func headCall(d codebase.Symbol) rulemodel.Call {
	return readCall(d.Path, d.Start, min(d.End, d.Start+quotedLines))
}

// signatureLine returns the line of a definition that holds its name, past decorators and attributes.
func (s *Search) signatureLine(d codebase.Symbol) (int, string) {
	r, ok := decoded[codebase.FileResult](s, headCall(d))
	if !ok || len(r.Items) == 0 || len(r.Items[0].Lines) == 0 {
		return 0, ""
	}
	for i, text := range r.Items[0].Lines {
		if holdsWord(text, leafOf(d.Name)) && !strings.HasPrefix(strings.TrimSpace(text), "@") {
			return r.Items[0].StartLine + i, strings.TrimSpace(text)
		}
	}
	return r.Items[0].StartLine, strings.TrimSpace(r.Items[0].Lines[0])
}

// holdsWord reports whether a text has a name that is not part of a longer one.
func holdsWord(text, name string) bool {
	inName := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 || name == "" {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inName(before) && !inName(after) {
			return true
		}
	}
}

// definitionReport says where the name is defined.
func (s *Search) definitionReport() *report.Report {
	all, meant := s.definitions()
	if len(all) == 0 {
		return s.absent("called")
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	for i, d := range all[:min(len(all), maxPlaces)] {
		why := "defines "
		if isImport(d) {
			why = "imports "
		}
		rep.Places = append(rep.Places, placeOf(d, why+leafOf(d.Name), s.trust(all, i)))
		if i < maxSays-1 {
			rep.Summary = append(rep.Summary, s.defines(d, i, own(all), meant))
		}
	}
	if doc := firstSentence(all[0].Doc); doc != "" {
		rep.Summary[0].Text += " “" + doc + "”"
	}
	rep.Excerpts = []report.Excerpt{excerptOf(all[0])}
	if len(all) > maxPlaces {
		rep.NotCovered = append(rep.NotCovered, line.Count(len(all)-maxPlaces, "further definition")+" with this name")
	}
	rep.NextQuestion = fmt.Sprintf("Who calls %s?", leafOf(all[0].Name))
	return rep
}

// own counts definitions: what implements a trait for a type defines no other, nor does a constructor of its name.
func own(all []codebase.Symbol) (n int) {
	for _, d := range all {
		n += truth(d.Kind != "impl" && leafOf(ownerOf(d.Name)) != leafOf(d.Name))
	}
	return n
}

// firstSentence returns the first sentence of a line of documentation, with … if it does not end there.
func firstSentence(doc string) string {
	doc = strings.TrimSuffix(strings.TrimSpace(doc), "…")
	if first, _, ok := strings.Cut(doc, ". "); ok {
		return first + "."
	}
	if doc == "" || strings.ContainsAny(doc[len(doc)-1:], ".!?:") {
		return doc
	}
	return doc + " …"
}

func placeOf(d codebase.Symbol, why string, trust float64) report.Place {
	return report.Place{Path: d.Path, Start: d.Start, End: d.End, Symbol: d.Name, Why: why, Confidence: trust}
}

// excerptOf returns the first lines of a definition.
func excerptOf(d codebase.Symbol) report.Excerpt {
	return report.Excerpt{Path: d.Path, Start: d.Start, End: min(d.End, d.Start+excerptLines-1)}
}

// defines is the sentence about one of n definitions.
func (s *Search) defines(d codebase.Symbol, i, n int, meant string) report.Statement {
	at, text := s.signatureLine(d)
	if at == 0 {
		at, text = d.Start, line.Truncate(d.Signature, maxLineText)
	}
	said := fmt.Sprintf("`%s` is defined in %s, line %d", d.Name, d.Path, at)
	if isImport(d) {
		said = fmt.Sprintf("`%s` is imported in %s, line %d", d.Name, d.Path, at)
	}
	switch {
	case meant != "" && i == 0:
		said = fmt.Sprintf("Nothing is called `%s`; did you mean `%s`? It", s.in.Name, meant) +
			strings.TrimPrefix(said, "`"+d.Name+"`")
	case i > 0:
		said = fmt.Sprintf("Also `%s` in %s, line %d", d.Name, d.Path, at)
	case n > 1 && !isImport(d):
		said += fmt.Sprintf(" (one of %d definitions with this name)", n)
	}
	return quoting(said, d.Path, at, text)
}

// quoting is a sentence that ends in a line of code.
func quoting(said, path string, at int, text string) report.Statement {
	text = strings.TrimSpace(text)
	st := report.Statement{Citations: []string{lookup.Cite(path, at, at)}}
	if text != "" {
		said += ": `" + line.Truncate(text, maxLineText) + "`"
		st.Quote = lookup.Quotable(text, maxLineText)
	}
	st.Text = said
	return st
}

// trust is how likely the definition at index i is the one that is meant.
func (s *Search) trust(all []codebase.Symbol, i int) float64 {
	if i > 0 {
		return .2
	}
	switch {
	case len(all) == 1:
		return .95
	case sideOf(all[1].Path) != sideOf(all[0].Path):
		return .9
	default:
		return .7
	}
}

// absent says that the tree has nothing with the name. It returns nil if the name occurs after all, or if the question
// may mean something else.
func (s *Search) absent(verb string) *report.Report {
	if s.occurs() {
		return nil
	}
	if strings.Contains(s.in.Name, " ") && !s.in.Quoted {
		return nil // words that need not be a name
	}
	rep := &report.Report{NotCovered: []string{}, Summary: []report.Statement{{Text: fmt.Sprintf(
		"Nothing is %s `%s`: %s it.", verb, line.Truncate(s.in.Name, 80), lookup.NoneContains(s.searched()))}}}
	if near := s.suggested(); len(near) > 0 {
		near = near[:min(len(near), maxNear)]
		rep.NextQuestion = fmt.Sprintf("Where is %s defined?", near[0])
		said := "The nearest names are `" + strings.Join(near, "`, `") + "`."
		rep.Summary = append(rep.Summary, report.Statement{Text: said})
	}
	return rep
}

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
	if one.Path == "" || meant+meantToo != "" || one.Path == other.Path && one.Start == other.Start {
		if len(rep.Places) == 0 {
			return nil
		}
		return rep
	}
	one, other = s.withSentence(one), s.withSentence(other)
	says := searches[0].defines(one, 0, own(ones), "")
	second := searches[1].defines(other, 0, own(others), "")
	says.Text = documented(says.Text, one) + " " + documented(second.Text, other) + s.only(one, other) + s.only(other, one)
	says.Citations = append(says.Citations, second.Citations...)
	rep.Summary = append(rep.Summary, says)
	for _, d := range []codebase.Symbol{one, other} {
		rep.Places = append(rep.Places, placeOf(d, "defines "+leafOf(d.Name), 0))
		rep.Excerpts = append(rep.Excerpts, excerptOf(d))
	}
	return rep
}

// documented adds the first sentence of the documentation of a definition to a sentence on it, and a full stop.
func documented(text string, d codebase.Symbol) string {
	if doc := firstSentence(d.Doc); doc != "" {
		if !strings.HasSuffix(doc, "…") {
			doc = strings.TrimSuffix(doc, ".") + "."
		}
		return text + ": “" + doc + "”"
	}
	return text + "."
}

// lookUpDescribed looks for what documents say of both names, and reads the types whose documentation says nothing.
func (s differences) lookUpDescribed() []rulemodel.Call {
	searches := pair(s.Search)
	calls := []rulemodel.Call{describedCall(s.in.Name), describedCall(s.in.Of)}
	ones, _ := searches[0].definitions()
	others, _ := searches[1].definitions()
	one, other := together(ones, others)
	for _, d := range []codebase.Symbol{one, other} {
		switch {
		case slices.Contains(typeKinds, d.Kind) && d.Doc == "":
			calls = append(calls, wholeCall(d))
		case d.Doc != "":
			calls = append(calls, aboveCall(d))
		}
	}
	return calls
}

// aboveCall reads the lines before a definition.
func aboveCall(d codebase.Symbol) rulemodel.Call {
	return readCall(d.Path, d.Start-docLines, d.Start-1)
}

// docLines is how many lines before a definition may have the first sentence of its documentation.
const docLines = 12

// withSentence returns a definition with the whole first sentence of its documentation, where that takes several lines
// before the definition.
func (s differences) withSentence(d codebase.Symbol) codebase.Symbol {
	r, ok := decoded[codebase.FileResult](s.Search, aboveCall(d))
	first := strings.TrimSuffix(d.Doc, "…")
	if !ok || len(r.Items) == 0 || first == "" || strings.ContainsAny(first[len(first)-1:], ".!?:") {
		return d
	}
	lines := r.Items[0].Lines
	i := slices.IndexFunc(lines, func(text string) bool { return strings.HasSuffix(strings.TrimSpace(text), first) })
	if i < 0 {
		return d
	}
	for _, text := range lines[i+1:] {
		text = strings.TrimSpace(strings.TrimLeft(text, "/*#! \t"))
		if text == "" || strings.HasPrefix(text, "@") || strings.HasPrefix(text, "<") {
			break
		}
		if d.Doc += " " + text; strings.Contains(text+" ", ". ") {
			break
		}
	}
	return d
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
			directive := func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), ".. ") }
			text += " " + strings.Join(slices.DeleteFunc(slices.Clone(m.After), directive), " ")
			text = strings.Join(strings.Fields(text), " ") + " "
			for rest, ends := tags.ReplaceAllString(text, ""), false; rest != ""; {
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

// tags matches what documents have besides their text.
var tags = lazyregexp.New("<[^<>]*>|[`*]")

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
