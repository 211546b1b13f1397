package codebase

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// A SymbolResult is the definitions that find_symbol found: those whose last parts are the name, in the order of the tree;
// when there is none, those that come near, the nearest first.
//
//	{"name":"Foo.bar","items":[{"path":"a.py","name":"Foo.bar","kind":"method","start":3,"end":9,"depth":2,"signature":"def bar(self)"}],...}
type SymbolResult struct {
	Name  string        `json:"name"`
	Items []FoundSymbol `json:"items"`
	Page
}

// A FoundSymbol is a definition, with its source when that was asked for.
type FoundSymbol struct {
	Symbol
	Body []string `json:"body,omitempty"` // lines from Start on, at most 200
}

// A ReferenceResult is where a name occurs in code other than where it is defined, grouped by the definition around, in the
// order of the tree. Names are compared, not what they mean: another thing of the same name is among them. Total and
// Returned count occurrences.
//
//	{"name":"bar","definitions":[...],"items":[{"path":"b.py","symbol":"use","kind":"func","start":4,"end":8,
//	 "references":[{"line":5,"column":9,"kind":"call","text":"    x.bar()"}]}],...}
type ReferenceResult struct {
	Name        string           `json:"name"`
	Definitions []Symbol         `json:"definitions"` // of the name, at most 10
	Items       []ReferenceGroup `json:"items"`
	Page
}

// A ReferenceGroup is occurrences in one definition, or in a file outside of all.
type ReferenceGroup struct {
	Path       string      `json:"path"`
	Symbol     string      `json:"symbol,omitempty"` // the definition around; "" outside of all
	Kind       string      `json:"kind,omitempty"`   // its kind
	Start      int         `json:"start,omitempty"`  // its first line
	End        int         `json:"end,omitempty"`    // its last line
	References []Reference `json:"references"`
}

// A Reference is one occurrence. Line and Column count from 1, columns in runes.
type Reference struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Kind   string `json:"kind"` // "call", "import" or "use"
	Text   string `json:"text"` // the line, at most 500 runes around
}

// A RepoMap is the definitions of a tree that matter most, by files of descending rank.
//
//	{"budget":1024,"items":[{"path":"a.py","rank":0.12,"symbols":[{"name":"Foo","kind":"class","start":3,"end":9,...}]}],...}
type RepoMap struct {
	Budget int       `json:"budget"` // tokens that the text may take
	Items  []MapFile `json:"items"`
	Page             // total: definitions in the tree
}

// A MapFile is the definitions of one file, by line.
type MapFile struct {
	Path    string   `json:"path"`
	Rank    float64  `json:"rank"` // share of the references that lead here; the sum over the tree is 1
	Symbols []Symbol `json:"symbols"`
}

// Text writes the JSON form or one definition a line: path:L12-80 kind name signature.
func (s *SymbolResult) Text() (toollimit.Kind, string) {
	if s.asJSON {
		return asJSON(s)
	}
	var b strings.Builder
	s.head(&b)
	for i := range s.Items {
		f := &s.Items[i]
		fmt.Fprintf(&b, "%s:L%d-%d %s %s  %s\n", showPath(f.Path), f.Start, f.End, f.Kind, f.Name, f.Signature)
		if f.Doc != "" && f.Body == nil {
			b.WriteString("  " + f.Doc + "\n")
		}
		for j, line := range f.Body {
			fmt.Fprintf(&b, "%4d│ %s\n", f.Start+j, line)
		}
	}
	s.foot(&b, "definitions")
	return toollimit.Search, b.String()
}

// Text writes the JSON form or the occurrences, grouped as those of a search.
func (r *ReferenceResult) Text() (toollimit.Kind, string) {
	if r.asJSON {
		return asJSON(r)
	}
	var b strings.Builder
	r.head(&b)
	for _, d := range r.Definitions {
		fmt.Fprintf(&b, "defined: %s:L%d-%d %s %s\n", showPath(d.Path), d.Start, d.End, d.Kind, d.Name)
	}
	path := ""
	for _, g := range r.Items {
		if g.Path != path {
			path = g.Path
			b.WriteString(showPath(path) + "\n")
		}
		if g.Symbol != "" {
			fmt.Fprintf(&b, " %s %s L%d-%d\n", g.Kind, g.Symbol, g.Start, g.End)
		}
		for i, o := range g.References {
			if i > 0 && o.Line == g.References[i-1].Line && o.Kind == g.References[i-1].Kind {
				continue // the line stands there already
			}
			fmt.Fprintf(&b, "L%d %s: %s\n", o.Line, o.Kind, strings.TrimSpace(o.Text))
		}
	}
	r.foot(&b, "references, by name only")
	return toollimit.Search, b.String()
}

// Text writes the JSON form or the definitions, indented below their files.
func (m *RepoMap) Text() (toollimit.Kind, string) {
	if m.asJSON {
		return asJSON(m)
	}
	var b strings.Builder
	m.head(&b)
	for _, f := range m.Items {
		b.WriteString(showPath(f.Path) + "\n")
		for i := range f.Symbols {
			b.WriteString(mapLine(&f.Symbols[i]))
		}
	}
	m.foot(&b, "definitions")
	return toollimit.Listing, b.String()
}

func mapLine(s *Symbol) string {
	return fmt.Sprintf("%sL%d-%d %s\n", strings.Repeat("  ", min(s.Depth, 4)), s.Start, s.End, clip(orElse(s.Signature, s.Kind+" "+s.Name), maxMapLine))
}

// maxMapLine is how much of a signature a map shows, in runes.
const maxMapLine = 100
