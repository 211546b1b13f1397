package exact

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Bounds of a report.
const (
	maxPlaces    = 10
	maxSays      = 4 // sentences
	maxNear      = 5 // near names
	maxLineText  = 220
	excerptLines = 28
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
	if len(all) > 0 && bareConstant(all[0]) {
		return []rulemodel.Call{constantCall(all[0])}
	}
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

// bareConstant reports whether a definition is a constant without documentation: only its uses say what it is for.
func bareConstant(d codebase.Symbol) bool {
	return (d.Kind == "const" || d.Kind == "macro") && d.Doc == ""
}

func constantCall(d codebase.Symbol) rulemodel.Call { return usesCall(leafOf(d.Name), d.Path, maxUses) }

// usedFor says where the source uses a constant; "" if nothing does.
func usedFor(s *Search, d codebase.Symbol) (says string, cited []string) {
	r, _ := decoded[codebase.ReferenceResult](s, constantCall(d))
	for _, g := range r.Items {
		for _, ref := range g.References {
			own := g.Path == d.Path && d.Start <= ref.Line && ref.Line <= d.End
			if own || sideOf(g.Path) != source || ref.Kind == "import" || g.Symbol == "" {
				continue
			}
			before := "; in "
			if says == "" {
				before = ". It is used in "
			}
			says += fmt.Sprintf("%s`%s` (%s, line %d): `%s`", before, g.Symbol, g.Path, ref.Line,
				line.Truncate(strings.TrimSpace(ref.Text), maxLineText))
			if cited = append(cited, lookup.Cite(g.Path, ref.Line, ref.Line)); len(cited) == maxUsedFor {
				return says, cited
			}
		}
	}
	return says, cited
}

const maxUsedFor = 2 // uses of a constant

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
	if len(all) > 0 && isImport(all[0]) {
		for _, file := range imported(all[0]) {
			calls = append(calls, readCall(file, 1, exportLines))
		}
	}
	return calls
}

// exportLines is how many lines are read of a file to find what it exports.
const exportLines = 200

// imported returns the files that an import of a file beside it may mean.
func imported(d codebase.Symbol) []string {
	m := besideIt.FindStringSubmatch(d.Signature)
	if m == nil {
		return nil
	}
	file := path.Join(path.Dir(d.Path), m[1])
	if path.Ext(file) != "" {
		return []string{file}
	}
	return []string{file + ".js", file + ".ts", file + "/index.js"}
}

var (
	besideIt = lazyregexp.New(`(?:require|import)\(['"](\.\.?/[^'"]+)['"]\)\s*;?\s*$`)
	exports  = lazyregexp.New(`^(?:(?:module\.)?exports\s*=|export default )`)
)

// exported returns what the only file exports that an import means.
func (s *Search) exported(d codebase.Symbol) (codebase.Symbol, bool) {
	for _, file := range imported(d) {
		r, _ := decoded[codebase.FileResult](s, readCall(file, 1, exportLines))
		if len(r.Items) == 0 {
			continue
		}
		for i, text := range r.Items[0].Lines {
			if exports.MatchString(text) {
				d.Path, d.Kind, d.Signature = file, "", strings.TrimSpace(text)
				d.Start, d.End = r.Items[0].StartLine+i, r.Items[0].EndLine
				return d, true
			}
		}
	}
	return d, false
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
	if d, ok := s.exported(all[0]); ok && isImport(all[0]) {
		all = append([]codebase.Symbol{d}, all...)
	}
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
	} else if says, cited := usedFor(s, all[0]); bareConstant(all[0]) {
		rep.Summary[0].Text += says
		rep.Summary[0].Citations = append(rep.Summary[0].Citations, cited...)
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
	switch {
	case d.Kind == "":
		said = fmt.Sprintf("`%s` is what %s exports, line %d", d.Name, d.Path, at)
	case isImport(d):
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
