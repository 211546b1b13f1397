package exact

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/search"
)

// implementers finds the types that implement, extend or include a type: those whose declarations name it and, in Go,
// those that have all methods of an interface.
type implementers struct{ *Search }

// Bounds of the search, in lines.
const (
	maxDeclarations = 1000
	maxMethodLines  = 2000
)

// types returns the definitions of types with the name, best first.
func (s implementers) types() []codebase.Symbol {
	all, _ := s.definitions()
	other := func(d codebase.Symbol) bool {
		return !slices.Contains(typeKinds, d.Kind) || d.Kind == "module" && !mixins[path.Ext(d.Path)]
	}
	return slices.DeleteFunc(slices.Clone(all), other)
}

// mixins are the languages in which a type includes or implements modules.
var mixins = map[string]bool{".rb": true, ".ex": true, ".exs": true}

// isOther reports whether the name is that of something else, such as a function. In another case it is not, nor is a
// variable that holds what a module has.
func (s implementers) isOther() bool {
	exact := func(d codebase.Symbol) bool { return otherCase(s.in.Name, d) == 0 && !isImport(d) }
	return len(s.types()) == 0 && slices.ContainsFunc(s.named(s.in.Name), exact)
}

// name returns the name that declarations hold: as it is defined, or as the question writes it.
func (s implementers) name() string {
	if all := s.types(); len(all) > 0 {
		return leafOf(all[0].Name)
	}
	return leafOf(s.in.Name)
}

// typeWords begin the declarations of types.
const typeWords = `class|interface|trait|struct|enum|record|object|protocol|extension|actor|module`

// naming are forms of lines that name a type as one that theirs implements or extends; %s is its name.
var naming = []string{
	`^\s*(?:[\w@.()"]+\s+)*?(?:impl|defimpl|` + typeWords + `)\b.*\b%s\b`,
	`^\s*[>)]?\s*(?:implements|extends|include|prepend|extend|use|@behaviour|[:,]\s*(?:public|private|` +
		`protected))\s.*\b%s\b`,
	`\b_\s+(?:\w+\.)?%s\s*=`, // Go: an assertion
}

func declarationsCall(names ...string) rulemodel.Call {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	name := strings.Join(quoted, "|")
	if len(names) > 1 {
		name = "(?:" + name + ")"
	}
	var patterns []string
	for _, form := range naming {
		patterns = append(patterns, fmt.Sprintf(form, name))
	}
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "case": "sensitive", "context": 0,
		"limit": maxDeclarations, "max_per_file": maxDeclarations}, "declarations that name it")
}

// lookUpTypes searches for declarations, and reads the definition.
func (s implementers) lookUpTypes() []rulemodel.Call {
	if s.isOther() || len(s.types()) == 0 && !s.occurs() {
		return s.readDefinitions()
	}
	calls := []rulemodel.Call{declarationsCall(s.name())}
	if d, ok := s.goInterface(); ok {
		calls = append(calls, wholeCall(d))
	}
	return append(calls, s.readDefinitions()...)
}

// goInterface returns the definition if it is an interface of Go.
func (s implementers) goInterface() (codebase.Symbol, bool) {
	all := s.types()
	if len(all) == 0 || path.Ext(all[0].Path) != ".go" || all[0].Kind != "interface" {
		return codebase.Symbol{}, false
	}
	return all[0], true
}

// goMethod matches a method of a Go interface, on a line of its own.
var goMethod = lazyregexp.New(`^\s*([A-Za-z_]\w*)(\(.*)$`)

// methods returns the methods of the interface with their signatures, and whether it embeds others.
func (s implementers) methods() (all map[string]string, embeds bool) {
	all = make(map[string]string)
	d, ok := s.goInterface()
	r, read := decoded[codebase.FileResult](s.Search, wholeCall(d))
	if !ok || !read || len(r.Items) == 0 || len(r.Items[0].Lines) < 2 {
		return all, false
	}
	lines := r.Items[0].Lines
	for _, text := range lines[1 : len(lines)-1] {
		text, _, _ = strings.Cut(text, "//")
		if m := goMethod.FindStringSubmatch(text); m != nil {
			all[m[1]] = m[2]
		} else if strings.TrimSpace(text) != "" {
			embeds = true
		}
	}
	return all, embeds
}

func methodsCall(names []string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{
		"pattern": `^func \([^)]*\) (?:` + strings.Join(names, "|") + `)\(`, "include": []string{"*.go"}, "case": "sensitive",
		"context": 0, "limit": maxMethodLines, "max_per_file": maxMethodLines}, "methods of the interface")
}

// lookUpMethods searches for the methods of a Go interface.
func (s implementers) lookUpMethods() []rulemodel.Call {
	methods, _ := s.methods()
	if len(methods) == 0 {
		return nil
	}
	return []rulemodel.Call{methodsCall(slices.Sorted(maps.Keys(methods))), embeddedCall()}
}

// embeddedCall searches for fields of Go without a name.
func embeddedCall() rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"pattern": embeddedField, "include": []string{"*.go"}, "context": 0,
		"limit": maxMethodLines, "max_per_file": maxMethodLines}, "types that others embed")
}

const embeddedField = `^\s+\*?[A-Za-z]\w*(?:\s*//.*)?$`

var embedded = lazyregexp.New(`^\s+\*?([A-Za-z]\w*)`)

// goReceiver matches a method of Go: its type, its name, and its signature.
var goReceiver = lazyregexp.New(`^func \(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\) (\w+)(\(.*)$`)

// byMethods returns the types of Go that have all methods of the interface, each at its first method.
func (s implementers) byMethods() (all []use) {
	methods, _ := s.methods()
	if len(methods) == 0 {
		return nil
	}
	r, _ := decoded[codebase.SearchResult](s.Search, methodsCall(slices.Sorted(maps.Keys(methods))))
	found := make(map[string]map[string]bool) // methods by directory and type
	key := func(p, name string) string { return path.Dir(p) + "\n" + name }
	add := func(p, name string, line int, text string) map[string]bool {
		k := key(p, name)
		if found[k] == nil {
			found[k] = make(map[string]bool)
			all = append(all, use{path: p, symbol: name, start: line, end: line, line: line, text: text, sites: 1})
		}
		return found[k]
	}
	for _, f := range r.Items {
		for _, m := range f.Matches {
			parts := goReceiver.FindStringSubmatch(m.Text)
			if parts != nil && arity(parts[3]) == arity(methods[parts[2]]) {
				add(f.Path, parts[1], m.Line, m.Text)[parts[2]] = true
			}
		}
	}
	r, _ = decoded[codebase.SearchResult](s.Search, embeddedCall())
	for range mostEmbedded {
		for _, f := range r.Items {
			for _, m := range f.Matches {
				parts := embedded.FindStringSubmatch(m.Text)
				if parts != nil && m.Symbol != "" && len(found[key(f.Path, parts[1])]) > 0 {
					maps.Copy(add(f.Path, leafOf(m.Symbol), m.Line, m.Text), found[key(f.Path, parts[1])])
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(u use) bool { return len(found[key(u.path, u.symbol)]) < len(methods) })
}

// mostEmbedded is through how many types a type gets its methods.
const mostEmbedded = 3

// arity returns how many parameters and results a signature of Go has, as far as its line shows.
func arity(signature string) (n [2]int) {
	depth, part, filled := 0, -1, false
	for _, c := range signature {
		switch {
		case c == '{' && depth == 0:
			return n
		case strings.ContainsRune("([{", c):
			if depth++; depth == 1 && c == '(' && part < 1 {
				part, filled = part+1, false
				continue
			}
		case strings.ContainsRune(")]}", c):
			if depth--; depth == 0 && filled {
				n[part]++
				filled = false
			}
		case c == ',' && depth == 1:
			n[part]++
		case depth == 0 && c != ' ':
			n[1] = 1 // a result without brackets
		}
		filled = filled || depth > 0 && c != ' '
	}
	return n
}

// What a declaration says after the name of its type.
var (
	rustImpl = lazyregexp.New(`^\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+!?(.*?)\s+for\s+` +
		`(?:&\s*|dyn\s+|mut\s+|'\w+\s+)*((?:\w+::)*\w+)`)
	elixir    = lazyregexp.New(`^\s*defimpl\s+([\w.]+),\s*for:\s*([\w.]+)`)
	typeLine  = lazyregexp.New(`\b(?:` + typeWords + `)\s+([\w.:]+)(.*)$`)
	asserted  = lazyregexp.New(`\b_\s+(?:\w+\.)?\w+\s*=\s*(?:\(\*|&|new\()?\s*(?:\w+\.)?(\w+)`)
	inAngles  = lazyregexp.New(`<[^<>]*>|\[[^\[\]]*\]`)
	inRound   = lazyregexp.New(`\([^()]*\)`)
	qualifier = lazyregexp.New(`\b(?:\w+(?:::|\.))+(\w)`)
	remarked  = lazyregexp.New(`^\s*(?://|#|/?\*|--|"""|''')`)
	parents   = lazyregexp.New(`(?:\(|<|:|\b(?:implements|extends|with|permits)\s)(.*)$`)
)

// nested are the languages in which types are often named with the type around them.
var nested = map[string]bool{".java": true, ".kt": true, ".cs": true, ".scala": true, ".swift": true}

// relative are the words of Rust for a module that has no name of its own.
var relative = map[string]bool{"crate": true, "super": true, "self": true}

// ofOther reports whether a line names a type of this name that belongs to another owner than the question says:
// Converter.Factory, and not CallAdapter.Factory; or, in Ruby and Rust, to one that no such type is in.
func (s implementers) ofOther(p, symbol, text string) bool {
	types, owner := s.types(), leafOf(ownerOf(s.in.Name))
	if path.Ext(p) == ".rb" || path.Ext(p) == ".rs" {
		m := regexp.MustCompile(`(\w+)::` + regexp.QuoteMeta(s.name()) + `\b`).FindStringSubmatch(text)
		its := func(d codebase.Symbol) bool { return hasPart(d, normal(m[1]), 0) }
		if m == nil && owner != "" && len(types) > 0 && path.Ext(p) == ".rb" { // another is nearer
			return !strings.HasPrefix(symbol+".", ownerOf(types[0].Name)+".")
		}
		return m != nil && len(types) > 0 && !relative[m[1]] && !slices.ContainsFunc(types, its)
	}
	if owner == "" || !nested[path.Ext(p)] || len(types) == 0 || p == types[0].Path {
		return false
	}
	return leafOf(ownerOf(types[0].Name)) == owner && !holdsWord(text, owner+"."+s.name())
}

// subtypeIn returns the type that a line declares, if it says that the type implements, extends or includes the name.
func subtypeIn(p string, m search.Match, name string) string {
	text := m.Text
	if remarked.MatchString(text) {
		return ""
	}
	if found := rustImpl.FindStringSubmatch(text); found != nil && path.Ext(p) == ".rs" {
		if holdsWord(inAngles.ReplaceAllString(found[1], ""), name) {
			return leafOf(found[2])
		}
		return ""
	}
	if found := elixir.FindStringSubmatch(text); found != nil {
		return found[2]
	}
	if found := asserted.FindStringSubmatch(text); found != nil && path.Ext(p) == ".go" {
		return found[1]
	}
	found := typeLine.FindStringSubmatch(text)
	if found == nil {
		own, explicit := leafOf(m.Symbol), path.Ext(p) != ".go" && path.Ext(p) != ".rs"
		if own != name && explicit && holdsWord(supertypes(p, text), name) {
			return own // of the declaration that the line continues
		}
		return ""
	}
	rest := supertypes(p, found[2])
	if after := parents.FindStringSubmatch(rest); after == nil || !holdsWord(after[1], name) || leafOf(found[1]) == name {
		return ""
	}
	return leafOf(found[1])
}

// supertypes returns the part of a declaration before its body, without arguments of types and what qualifies a name.
func supertypes(p, text string) string {
	for range 3 {
		text = inAngles.ReplaceAllString(text, "")
		if path.Ext(p) != ".py" {
			text = inRound.ReplaceAllString(text, "")
		}
	}
	text, _, _ = strings.Cut(text, "{")
	return qualifier.ReplaceAllString(text, "$1")
}

// found returns the types that implement the name, source first.
func (s implementers) found() (all []use) {
	r, _ := decoded[codebase.SearchResult](s.Search, declarationsCall(s.name()))
	type place struct {
		path string
		line int
	}
	owners := make(map[place]string) // of the types that the lines declare
	for _, f := range r.Items {
		if sideOf(f.Path) == documents || path.Ext(f.Path) == ".txt" { // a list of what is exported
			continue
		}
		for _, m := range f.Matches {
			if symbol := subtypeIn(f.Path, m, s.name()); symbol != "" && !s.ofOther(f.Path, m.Symbol, m.Text) {
				u := use{path: f.Path, symbol: symbol, start: m.Line, end: m.Line, line: m.Line, text: m.Text}
				all, owners[place{f.Path, m.Line}] = append(all, u), ownerOf(m.Symbol)
			}
		}
	}
	all = append(withoutTypings(all), s.byMethods()...)
	slices.SortStableFunc(all, func(a, b use) int { return cmp.Compare(sideOf(a.path), sideOf(b.path)) })
	all, _ = s.inScope(all)
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(u use) bool {
		k := path.Dir(u.path) + "\n" + u.symbol + "\n" + owners[place{u.path, u.line}]
		switch path.Ext(u.path) {
		case ".rb": // several files may open it
			k = owners[place{u.path, u.line}] + "\n" + u.symbol
		case ".rs", ".py", ".js", ".ts", ".tsx", ".mjs": // each file is a module
			k += "\n" + u.path
		}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// withoutTypings drops what only says again in types what a source in JavaScript defines.
func withoutTypings(all []use) []use {
	return slices.DeleteFunc(all, func(u use) bool {
		return strings.HasSuffix(u.path, ".d.ts") && slices.ContainsFunc(all, func(o use) bool {
			return o.symbol == u.symbol && !strings.HasSuffix(o.path, ".d.ts")
		})
	})
}

// lookUpFound searches for the types that extend those found, and looks up where these are defined.
func (s implementers) lookUpFound() []rulemodel.Call {
	var calls []rulemodel.Call
	if names := s.parents(); len(names) > 0 {
		calls = append(calls, declarationsCall(names...))
	}
	all := s.found()
	for _, u := range all[:min(len(all), maxPlaces)] {
		calls = append(calls, symbolCall(u.symbol))
	}
	return calls
}

// maxParents is how many types are searched for types that extend them.
const maxParents = 12

// parents returns the names of the types found whose own subtypes are looked for, but not implementations of traits.
func (s implementers) parents() (names []string) {
	for _, u := range s.found() {
		traits := path.Ext(u.path) == ".rs" || path.Ext(u.path) == ".go"
		if !traits && u.symbol != s.name() && !slices.Contains(names, u.symbol) {
			names = append(names, u.symbol)
		}
	}
	return names[:min(len(names), maxParents)]
}

// indirect returns the types that extend one of those found, and are not among them, with the name of that.
func (s implementers) indirect() (names []string) {
	parents := s.parents()
	if len(parents) == 0 {
		return nil
	}
	r, _ := decoded[codebase.SearchResult](s.Search, declarationsCall(parents...))
	for _, f := range r.Items {
		if sideOf(f.Path) != source {
			continue
		}
		for _, m := range f.Matches {
			for _, parent := range parents {
				name := subtypeIn(f.Path, m, parent)
				said := fmt.Sprintf("`%s` (through `%s`)", name, parent)
				known := name == s.name() || slices.Contains(parents, name) || slices.Contains(names, said)
				if name != "" && !known && typeLine.MatchString(m.Text) {
					names = append(names, said)
				}
			}
		}
	}
	return names
}

// atDefinition returns a type at its definition in the same directory, if that was found.
func (s implementers) atDefinition(u use) use {
	r, _ := decoded[codebase.SymbolResult](s.Search, symbolCall(u.symbol))
	for _, d := range r.Items {
		if path.Dir(d.Path) == path.Dir(u.path) && slices.Contains(typeKinds, d.Kind) && d.Kind != "impl" {
			u.path, u.start, u.end = d.Path, d.Start, d.End
			break
		}
	}
	return u
}

// none says that no type was found.
func (s implementers) none(d codebase.Symbol) *report.Report {
	at, text := s.signatureLine(d)
	if at == 0 {
		at, text = d.Start, d.Signature
	}
	name := leafOf(d.Name)
	said := fmt.Sprintf("No declaration names `%s` as what it implements or extends. It", name)
	switch methods, embeds := s.methods(); {
	case embeds:
		said = fmt.Sprintf("`%s` embeds other interfaces, so it was not searched for types with its methods. It", name)
	case len(methods) > 0:
		said = fmt.Sprintf("No type was found that has the %s of `%s`. It", line.Count(len(methods), "method"), name)
	}
	said += fmt.Sprintf(" is defined in %s, line %d", d.Path, at)
	return &report.Report{Found: true, NotCovered: []string{},
		Summary: []report.Statement{quoting(said, d.Path, at, text)},
		Places:  []report.Place{placeOf(d, "defines it", .2)}, Excerpts: []report.Excerpt{excerptOf(d)}}
}

// namesOf lists the names of a few types.
func namesOf(all []use) string {
	if len(all) > maxListed {
		return ""
	}
	var names []string
	for _, u := range all {
		name := "`" + u.symbol + "`"
		if slices.ContainsFunc(all, func(o use) bool { return o.symbol == u.symbol && o.path != u.path }) {
			name += " (" + path.Base(u.path) + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return ": " + strings.Join(names, ", ")
}

const wholeProject = " of the project"

const maxListed = 12 // types in a sentence

// implementersReport says which types implement, extend or include the name. For what is no type it says where that is
// defined.
func (s implementers) implementersReport() *report.Report {
	types, all := s.types(), s.found()
	switch {
	case len(all) > 0:
	case len(types) > 0:
		return s.none(types[0])
	case s.isOther() || !s.occurs():
		return s.definitionReport()
	default:
		return nil
	}
	rep := &report.Report{Found: true, NotCovered: []string{}}
	verb := "extend"
	if len(types) == 0 && !strings.Contains(all[0].text, "extends ") ||
		len(types) > 0 && slices.Contains([]string{"interface", "trait"}, types[0].Kind) {
		verb = "implement"
	}
	methods, embeds := s.methods()
	_, where := s.inScope(all)
	if where == "" {
		where = wholeProject
	}
	for i, u := range all[:min(len(all), maxPlaces)] {
		said := fmt.Sprintf("`%s` in %s, line %d", u.symbol, u.path, u.line)
		switch {
		case i == 0 && len(all) == 1:
			said = fmt.Sprintf("One type%s %ss `%s`: %s", where, verb, s.name(), said)
		case i == 0:
			said = fmt.Sprintf("%d types%s %s `%s`%s; first %s", len(all), strings.TrimSuffix(where, wholeProject), verb,
				s.name(), namesOf(all), said)
		}
		if i <= maxSays {
			rep.Summary = append(rep.Summary, quoting(said, u.path, u.line, u.text))
		}
		why := "its declaration names " + s.name()
		if u.sites > 0 {
			why = "has " + line.Count(len(methods), "method") + " of " + s.name()
		}
		at := s.atDefinition(u)
		rep.Places = append(rep.Places, report.Place{Path: at.path, Start: at.start, End: at.end, Symbol: u.symbol, Why: why,
			Confidence: .85})
	}
	if len(all) > maxPlaces {
		rep.NotCovered = append(rep.NotCovered, line.Count(len(all)-maxPlaces, "further type"))
	}
	if names := s.indirect(); len(names) > 0 {
		rep.Summary[0].Text += ". Indirectly also " + strings.Join(names[:min(len(names), maxListed)], ", ")
		if more := len(names) - maxListed; more > 0 {
			rep.Summary[0].Text += fmt.Sprintf(" and %d more", more)
		}
	}
	if len(methods) > 0 {
		rep.NotCovered = append(rep.NotCovered, "methods are compared by name and number of parameters")
		if embeds {
			rep.NotCovered = append(rep.NotCovered, "methods of other interfaces that it embeds were not compared")
		}
	}
	rep.NextQuestion = fmt.Sprintf("Who calls %s?", s.name())
	return rep
}
