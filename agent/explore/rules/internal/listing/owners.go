package listing

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/entries"
	"github.com/forayhq/foray/agent/explore/rules/internal/exact"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// Owners is the search for a list that belongs to a name of the question.
type owners struct{ *Search }

const (
	maxOwners    = 3    // names that are looked up: a step has eight calls
	maxFound     = 200  // definitions of one name
	maxOutline   = 2000 // symbols of the file of a type
	outlineDepth = 6
	likely       = 20  // how much higher a rank may be for a definition that may be meant as well
	maxDoc       = 160 // runes of its documentation
	leastDoc     = 3   // words of it
	blockLines   = 20  // lines of a block of constants
)

// kinds are the definitions that may have what a group lists, the likeliest first.
var kinds = map[group][]string{
	parameters: {"func", "method", "class", "struct", "macro"},
	bases:      {"class", "struct", "interface", "trait", "type", "enum"},
	methods:    {"class", "struct", "interface", "trait", "type", "enum", "module", "func", "var", "const"},
	fields:     {"class", "struct", "interface", "trait", "type", "const", "var", "module"},
	values:     {"enum", "class", "type", "const", "var", "module", "interface"},
	events:     {"enum", "class", "struct", "interface", "trait", "type", "const", "var"},
	anything:   {"enum", "class", "struct", "interface", "trait", "type", "const", "var"},
}

func findCall(name string) rulemodel.Call {
	return rulemodel.Ask("find_symbol", map[string]any{"name": name, "limit": maxFound}, "what the question may name")
}

// spellings are the names that are looked up, as written and with a capital.
func (s owners) spellings() (all []string) {
	for i, name := range s.names[:min(len(s.names), maxOwners)] {
		if (s.group == anything || s.group == events) && (i >= s.sure || !s.isOf(name)) {
			continue
		}
		all = append(all, name)
		if up := capital(name); up != name {
			all = append(all, up)
		}
	}
	return all
}

// isOf reports whether what is listed may be what a thing of this name consists of.
func (s *Search) isOf(name string) bool {
	return s.noun == "" || consists[s.head()] || slices.Contains(partsOf(name), s.head())
}

// consists are the words for what things consist of.
var consists = set(`option setting thing operation entry key element part piece item member callback hook command`)

// calls looks the names up, reads the definition that is meant and what its file defines, and looks for the values of a
// type of Go elsewhere.
func (s owners) calls(step int) (all []rulemodel.Call) {
	if step == 1 {
		for _, name := range s.spellings() {
			all = append(all, findCall(name))
		}
		return all
	}
	d, meant := s.owner()
	switch {
	case meant == 0:
		return nil
	case step == 2:
		return []rulemodel.Call{readCall(d.Path, d.Start, d.End), methodsCall(d)}
	case d.Kind == "type" && strings.HasSuffix(d.Path, ".go") && slices.Contains(kinds[s.group], "enum"):
		return []rulemodel.Call{valuesCall(d.Path, leafOf(d.Name))}
	}
	return nil
}

// inherits are the verbs for what a type extends, by extension, where it does not also implement interfaces.
var inherits = map[string]string{".go": "embeds", ".py": "extends", ".rb": "extends"}

// owner returns the definition that the list belongs to, and how many of the source may be meant; 0 without one.
func (s owners) owner() (d codebase.Symbol, meant int) {
	var all []codebase.Symbol
	for _, name := range s.spellings() {
		r, _ := lookup.Decode[codebase.SymbolResult](s.results, findCall(name))
		for _, d := range r.Items {
			if sameName(leafOf(d.Name), leafOf(name)) && slices.Contains(kinds[s.group], d.Kind) && d.End >= d.Start {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return d, 0
	}
	slices.SortStableFunc(all, func(a, b codebase.Symbol) int {
		return cmp.Or(cmp.Compare(s.rank(a), s.rank(b)), cmp.Compare(b.End-b.Start, a.End-a.Start))
	})
	d, meant = all[0], 1
	place := func(a, b codebase.Symbol) bool { return a.Path == b.Path && a.Start == b.Start }
	for _, o := range slices.CompactFunc(slices.Clone(all[1:]), place) { // two spellings may find the same
		other := o.Path != d.Path || o.Start != d.Start
		same := leafOf(o.Name) == leafOf(d.Name) && ownerOf(o.Name) == ownerOf(d.Name)
		meant += truth(other && same && s.rank(o) < s.rank(d)+likely)
	}
	return d, meant
}

// rank is lower for a definition that is likelier meant: of the names of the question, both if one is in the other; in
// source; of the first name; of a kind that has such things.
func (s owners) rank(d codebase.Symbol) int {
	name := slices.IndexFunc(s.names, func(name string) bool { return sameName(leafOf(d.Name), leafOf(name)) })
	asked := s.names[max(name, 0)]
	nested := ownerOf(d.Name) != "" && slices.ContainsFunc(s.names, func(o string) bool {
		return sameName(leafOf(o), ownerOf(d.Name))
	})
	if of := ownerOf(asked); of != "" && strings.HasSuffix(d.Path, ".go") {
		nested = nested || sameName(of, path.Base(path.Dir(d.Path)))
	}
	whole := strings.Contains(asked, ".") && strings.HasSuffix(d.Name, asked)
	contract := s.implement && (d.Kind == "interface" || d.Kind == "trait")
	return 10*name + slices.Index(kinds[s.group], d.Kind) + 40*truth(!exact.IsSource(d.Path)) -
		100*truth(nested || whole) - 50*truth(contract) - 5*truth(leafOf(d.Name) == leafOf(asked))
}

// methodsCall outlines the file of a type; in Go, it looks for its methods in the folder.
func methodsCall(d codebase.Symbol) rulemodel.Call {
	if strings.HasSuffix(d.Path, ".go") {
		return rulemodel.Ask("search", map[string]any{
			"pattern": goMethod(leafOf(d.Name)), "path": path.Dir(d.Path), "include": []string{"*.go"},
			"before": 0, "after": 0, "limit": maxOutline, "max_per_file": maxOutline}, "the methods of "+d.Name)
	}
	return rulemodel.Ask("outline", map[string]any{"path": d.Path, "depth": outlineDepth, "limit": maxOutline},
		"the methods of "+d.Name)
}

// goMethod matches a line of Go that begins a method of a type. Its group is the name.
func goMethod(name string) string {
	return `^func \((?:\w+ )?\*?` + regexp.QuoteMeta(name) + `(?:\[[^\]]*\])?\) (\w+)`
}

// valuesCall looks for the constants of a type of Go.
func valuesCall(file, name string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{
		"pattern": `^\s*(?:const\s+)?\w+\s+` + regexp.QuoteMeta(name) + `\s*=`, "path": path.Dir(file),
		"include": []string{"*.go"}, "before": 0, "after": blockLines, "limit": 100}, "constants of the type")
}

// report says what the definition lists, nil if it lists nothing of what is asked for.
func (s owners) report() *report.Report {
	d, meant := s.owner()
	if meant == 0 {
		return nil
	}
	r, _ := lookup.Decode[codebase.FileResult](s.results, readCall(d.Path, d.Start, d.End))
	if len(r.Items) == 0 {
		return nil
	}
	l := &list{path: d.Path, start: d.Start, end: d.End, symbol: d.Name, why: "declares them", named: true}
	text, verb, what := entries.Of(d.Path, r.Items[0].Lines), "has", ""
	if s.group == bases {
		l.names, l.why = text.Bases(d.Kind), "says what it extends"
		l.end, verb = min(d.End, d.Start+1), cmp.Or(inherits[path.Ext(d.Path)], "extends or implements")
	} else {
		var all []entries.Entry
		if all, what = s.wanted(text, d); what == "parameter" {
			verb = "takes"
		}
		for _, e := range all {
			l.names = append(l.names, cmp.Or(e.Declared, e.Name))
		}
		l.cut = what != "method" && (d.End-d.Start > maxBody || len(all) >= entries.Max)
		if len(all) == 0 {
			l, what = s.constants(d.Path, d.Name), "value"
		}
	}
	if len(l.names) == 0 {
		return nil
	}
	one := ""
	if meant > 1 {
		one = fmt.Sprintf(", one of %d definitions with this name", meant)
	}
	l.says = fmt.Sprintf("`%s` (%s, line %d%s) %s", d.Name, d.Path, d.Start, one, verb)
	if what != "" {
		l.says += " " + l.count(what) + ":"
	}
	rep := newReport()
	l.addTo(rep)
	if doc := strings.TrimSpace(d.Doc); len(strings.Fields(doc)) >= leastDoc && s.group != bases {
		rep.Summary[0].Text += ". Its documentation begins: “" + line.Truncate(doc, maxDoc) + "”"
	}
	return rep
}

// wanted returns the entries of a definition that are of the group of the question, public ones first, with the word
// for one of them.
func (s owners) wanted(t entries.Text, d codebase.Symbol) ([]entries.Entry, string) {
	if s.group == parameters {
		return t.Parameters(leafOf(d.Name), d.Kind == "class" || d.Kind == "struct"), "parameter"
	}
	all := t.Entries(d.Kind)
	if strings.HasSuffix(d.Path, ".kt") {
		all = append(properties(t.Parameters(leafOf(d.Name), true)), all...)
	}
	called := of(all, entries.Method)
	rest := of(all, entries.Value, entries.Field)
	switch {
	case s.group == methods:
		if outlined := s.methodsOf(d); len(called) == 0 || strings.HasSuffix(d.Path, ".rs") {
			called = outlined
		}
		slices.SortStableFunc(called, func(a, b entries.Entry) int { return cmp.Compare(private(a), private(b)) })
		return called, "method"
	case s.group == fields && len(rest) == 0:
		return t.Parameters(leafOf(d.Name), true), "field"
	case s.group == fields || s.group == values:
		constant := func(e entries.Entry) bool { return isConstant.MatchString(e.Name) }
		constants := slices.DeleteFunc(slices.Clone(rest), func(e entries.Entry) bool { return !constant(e) })
		if len(constants) == 0 || len(constants) == len(rest) || d.Kind != "class" {
			return rest, map[group]string{fields: "field", values: "value"}[s.group]
		} else if s.group == values {
			return constants, "constant"
		}
		return slices.DeleteFunc(rest, constant), "field"
	case len(rest) > 0 && (d.Kind != "interface" || len(rest) >= len(called)):
		return rest, "member"
	}
	return all, "member"
}

// properties returns the parameters of a class of Kotlin that are fields of it.
func properties(all []entries.Entry) (kept []entries.Entry) {
	for _, e := range all {
		if isProperty.MatchString(e.Declared) {
			kept = append(kept, entries.Entry{Name: e.Name, Kind: entries.Field, Line: e.Line})
		}
	}
	return kept
}

var isProperty = lazyregexp.New(`\b(?:val|var)\s`)

// of returns the entries of some kinds.
func of(all []entries.Entry, kinds ...entries.Kind) []entries.Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entries.Entry) bool { return !slices.Contains(kinds, e.Kind) })
}

// private is 1 for a name that begins like one that is nobody else's.
func private(e entries.Entry) int { return truth(strings.HasPrefix(e.Name, "_")) }

// methodsOf returns the methods of a type by the outline of its file or, in Go, as found in its folder.
func (s owners) methodsOf(d codebase.Symbol) (all []entries.Entry) {
	if strings.HasSuffix(d.Path, ".go") {
		re := regexp.MustCompile(goMethod(leafOf(d.Name)))
		found, _ := lookup.Decode[codebase.SearchResult](s.results, methodsCall(d))
		for _, item := range found.Items {
			for _, m := range item.Matches {
				name := re.FindStringSubmatch(m.Text)
				if name != nil && path.Dir(item.Path) == path.Dir(d.Path) && exact.IsSource(item.Path) {
					all = append(all, entries.Entry{Name: name[1], Kind: entries.Method})
				}
			}
		}
		return entries.Once(all)
	}
	r, _ := lookup.Decode[codebase.OutlineResult](s.results, methodsCall(d))
	for _, o := range r.Items {
		of := strings.TrimSuffix(o.Name, leafOf(o.Name))
		if (o.Kind == "method" || o.Kind == "func") && of == d.Name+"." {
			all = append(all, entries.Entry{Name: leafOf(o.Name), Kind: entries.Method})
		}
	}
	return entries.Once(all)
}

var (
	// constant matches a line of a block of Go that declares one: its name, and its type if it has one of its own.
	constant = lazyregexp.New(`^\s*(?:const\s+)?([A-Za-z_]\w*)(?:\s+([\w.]+)\s*=.*)?\s*(?://.*)?$`)
	blank    = lazyregexp.New(`^\s*(?://.*)?$`)
)

// constants returns those of a type of Go: the first one, and those of its block, in one file.
func (s *Search) constants(file, name string) *list {
	l := &list{symbol: name, why: "declares them"}
	r, _ := lookup.Decode[codebase.SearchResult](s.results, valuesCall(file, leafOf(name)))
	for _, item := range r.Items {
		if !exact.IsSource(item.Path) || l.path != "" {
			continue
		}
		for _, m := range item.Matches {
			if l.path == "" {
				l.path, l.start = item.Path, m.Line
			} else if m.Line <= l.end {
				continue
			}
			for i, text := range append([]string{m.Text}, m.After...) {
				named := constant.FindStringSubmatch(text)
				if named == nil && !blank.MatchString(text) || i == 0 && named == nil {
					break // of another type, or outside of the block
				}
				if named != nil && named[1] != "_" && (named[2] == "" || named[2] == leafOf(name)) {
					l.add(named[1])
				}
				if l.end = m.Line + i; i == blockLines {
					l.cut = true
				}
			}
		}
	}
	return l
}
