package codebase

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

type referenceArgs struct {
	Name   string `json:"name" doc:"name whose uses to find: foo, or Foo.bar, of which the last part is searched"`
	Path   string `json:"path,omitempty" doc:"file with the definition, if several have the name; files that cannot refer to it are left out"`
	Kind   string `json:"kind,omitempty" jsonschema:"enum=call,enum=import,enum=any" doc:"only calls, or only imports; default any"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"minimum=1" doc:"references to return; 1 to 2000, default 100"`
	Offset *int   `json:"offset,omitempty" jsonschema:"minimum=0" doc:"references to skip"`
}

// A ReferenceResult is where a name occurs in code apart from its definitions, grouped by the enclosing definition,
// in tree order. Names are compared, not their meaning: other things of the same name are included. Total and
// Returned count occurrences.
//
//	{"name":"bar","definitions":[...],"items":[{"path":"b.py","symbol":"use","kind":"func","start":4,"end":8,
//	 "references":[{"line":5,"column":9,"kind":"call","text":"    x.bar()"}]}],...}
type ReferenceResult struct {
	Name        string           `json:"name"`
	Definitions []Symbol         `json:"definitions"` // of the name, at most 10
	Items       []referenceGroup `json:"items"`
	Page
}

// A referenceGroup is the occurrences in one definition, or in a file outside of all.
type referenceGroup struct {
	Path       string      `json:"path"`
	Symbol     string      `json:"symbol,omitempty"` // the enclosing definition; empty outside of all
	Kind       string      `json:"kind,omitempty"`   // its kind
	Start      int         `json:"start,omitempty"`  // its first line
	End        int         `json:"end,omitempty"`    // its last line
	References []reference `json:"references"`
}

// A reference is one occurrence. Line and Column count from 1, columns in runes.
type reference struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Kind   string `json:"kind"` // "call", "import" or "use"
	Text   string `json:"text"` // the line, at most 500 runes around
}

// Bounds of references.
const (
	maxDefinitions = 10
	maxReferences  = 2000 // of one file
)

// An occurrence holds the definitions and references of a name in one file.
type occurrence struct {
	definitions []Symbol
	groups      []referenceGroup
	inScope     bool // the file may refer to the wanted definition
}

// A lookup is a name, one kind of use or any, and the files that may refer to the wanted definition.
type lookup struct {
	name  symbolName
	kind  string
	scope scope
}

func (t *toolbox) references(ctx context.Context, in referenceArgs) (*ReferenceResult, error) {
	out := &ReferenceResult{Name: in.Name, Definitions: []Symbol{}, Items: []referenceGroup{}, Page: Page{JSON: t.json}}
	c := checker{page: &out.Page}
	c.oneOf("kind", in.Kind, "call", "import", "any")
	limit := c.number("limit", in.Limit, 100, 1, 2000)
	offset := c.offset(in.Offset)
	name := parseName(in.Name)
	if len(name) == 0 {
		c.fail("the name of a definition, as Foo or Foo.bar", "name is blank")
	}
	if c.err != nil {
		return nil, c.err
	}
	root, err := t.Resolve(ctx, ".")
	if err != nil {
		return nil, err
	}
	within := scope{}
	if in.Path != "" {
		at, _, err := t.File(ctx, in.Path)
		if err != nil {
			return nil, err
		}
		within = scopeOf(at.Path)
	}
	leaf := []byte(name.leaf())
	found, err := gather(ctx, t, root, &out.Page, func(p string, c tree.Content) []occurrence {
		if !bytes.Contains(c.Data, leaf) {
			return nil
		}
		return t.occurrences(ctx, p, c, lookup{name, in.Kind, within})
	})
	if err != nil {
		return nil, err
	}
	out.take(found, within, offset, limit)
	if out.Total == 0 && len(out.Definitions) == 0 && !out.TimedOut {
		var page Page
		names, err := gather(ctx, t, root, &page, func(p string, c tree.Content) (all []string) {
			for _, s := range t.symbols(ctx, p, c.Data) {
				all = append(all, lastPart(s.Name))
			}
			return all
		})
		if err != nil {
			return nil, err
		}
		return nil, noDefinition(root, name, findArgs{Name: in.Name}, names)
	}
	return out, nil
}

// take adds the definitions, and the references from offset on up to limit, to the result.
func (r *ReferenceResult) take(found []occurrence, within scope, offset, limit int) {
	defined, left, files, n := 0, 0, 0, 0
	for _, o := range found {
		defined += len(o.definitions)
		r.Definitions = append(r.Definitions, o.definitions[:min(len(o.definitions), maxDefinitions-len(r.Definitions))]...)
	}
	for _, o := range found {
		if defined > 1 && !o.inScope {
			for _, g := range o.groups {
				left += len(g.References)
			}
			files += min(len(o.groups), 1)
			continue
		}
		for _, g := range o.groups {
			from := min(max(offset-n, 0), len(g.References))
			to := min(max(offset+limit-n, from), len(g.References))
			n += len(g.References)
			if to > from {
				g.References = g.References[from:to]
				r.Returned += to - from
				r.Items = append(r.Items, g)
			}
		}
	}
	r.cut(n, offset, r.Returned)
	r.pastEnd(offset, n, "references")
	if defined > len(r.Definitions) {
		r.Note("%d definitions have the name; the first %d are listed", defined, len(r.Definitions))
	}
	if left > 0 {
		r.Note("%s left out in %s that cannot refer to %s",
			line.Count(left, "reference"), line.Count(files, "file"), line.Path(within.path))
	}
}

// A scope says which files may refer to a definition: those in its directory, and those of its languages that contain
// the name of its module or package. The zero value includes all files.
type scope struct {
	path  string
	words []string
}

// scopeOf returns the scope of the definitions in the file p.
func scopeOf(p string) scope {
	s := scope{path: p}
	dir := path.Dir(p)
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if !slices.Contains([]string{"__init__", "index", "mod", "lib", "main"}, stem) {
		s.words = append(s.words, stem)
	}
	if dir != "." {
		s.words = append(s.words, path.Base(dir))
	}
	return s
}

func (s scope) includes(p string, data []byte) bool {
	if s.path == "" || path.Dir(p) == path.Dir(s.path) {
		return true
	}
	holds := func(w string) bool { return bytes.Contains(data, []byte(w)) }
	return familyOf(p) == familyOf(s.path) && slices.ContainsFunc(s.words, holds)
}

// imports matches the start of a statement that imports names from another file.
var imports = regexp.MustCompile(`^\s*(?:(?:import|include|require|require_relative)(?:\s|[("'{*<])|` +
	`(?:from|use|pub use|using|extern crate)\s|` +
	`export\s*\{|export\s+type\s*\{|#\s*(?:include|import)|(?:const|let|var)\s+\{?[^=]*=\s*require\b)`)

// importStarts say how a line that imports matches begins, after blanks, and what it holds. They are faster.
var importStarts = []struct{ begins, holds string }{
	{"import", ""}, {"from", ""}, {"use", ""}, {"using", ""}, {"include", ""}, {"require", ""}, {"pub use", ""},
	{"extern crate", ""}, {"export", ""}, {"#", ""}, {"const", "require"}, {"let", "require"}, {"var", "require"},
}

// isImport reports whether a line is the start of a statement that imports names.
func isImport(l []byte) bool {
	l = bytes.TrimLeft(l, "\t\n\f\r ")
	for _, s := range importStarts {
		if bytes.HasPrefix(l, []byte(s.begins)) && bytes.Contains(l, []byte(s.holds)) {
			return imports.Match(l)
		}
	}
	return false
}

// maxImport is the longest import statement, in lines.
const maxImport = 200

// importLines marks the lines of code that belong to imports.
func importLines(code line.Text) []bool {
	lines := make([]bool, code.Count()+1)
	for n := 1; n <= code.Count(); n++ {
		if !isImport(code.Line(n)) {
			continue
		}
		depth := 0
		for last := min(n+maxImport, code.Count()); n <= last; n++ {
			lines[n] = true
			for _, c := range code.Line(n) {
				switch c {
				case '(', '{':
					depth++
				case ')', '}':
					depth--
				}
			}
			if depth <= 0 && !bytes.HasSuffix(bytes.TrimSpace(code.Line(n)), []byte(`\`)) {
				break
			}
		}
	}
	return lines
}

// occurrences finds the name in the code of one file.
func (t *toolbox) occurrences(ctx context.Context, p string, c tree.Content, w lookup) []occurrence {
	data := t.Shown(c)
	code := line.Split(symbols.Mask(p, data))
	places := identifier(code.Data, w.name.leaf())
	if l := symbols.Language(p); l == "ruby" || l == "elixir" {
		places = slices.DeleteFunc(places, func(at int) bool { return marked.Match(code.Data[at+len(w.name.leaf()):]) })
	}
	if len(places) == 0 {
		return nil
	}
	src, all, imported := line.Split(data), t.symbols(ctx, p, data), importLines(code)
	o := occurrence{inScope: w.scope.includes(p, data)}
	own := map[int]bool{} // lines that define the name
	for _, s := range all {
		if lastPart(s.Name) == w.name.leaf() {
			own[s.Start] = true
			own[namedOn(s, places, src)] = true
			if w.name.fits(s.Name) == exact {
				o.definitions = append(o.definitions, t.shownSymbol(p, s))
			}
		}
	}
	for _, at := range places {
		n := src.At(at)
		start := at - src.Start(n)
		r := reference{Line: n, Column: utf8.RuneCount(src.Line(n)[:start]) + 1, Kind: "use"}
		switch after := code.Data[at+len(w.name.leaf()):]; {
		case imported[n]:
			r.Kind = "import"
		case callForm.Match(after[:min(len(after), 200)]) && !specification.Match(code.Line(n)):
			r.Kind = "call"
		}
		if own[n] || (w.kind == "call" || w.kind == "import") && r.Kind != w.kind {
			continue
		}
		r.Text = line.Around(src.Line(n), start, start+len(w.name.leaf()), maxLine)
		o.add(p, symbols.Innermost(all, n), r)
	}
	return []occurrence{o}
}

// namedOn returns the line of a definition that holds its name: the first one that does, as the type of the result may
// be on the line before, but for decorators.
func namedOn(s symbols.Symbol, places []int, src line.Text) int {
	for _, at := range places {
		n := src.At(at)
		if n > s.End {
			break
		}
		if n >= s.Start && !bytes.HasPrefix(bytes.TrimSpace(src.Line(n)), []byte("@")) {
			return n
		}
	}
	return s.Start
}

func (o *occurrence) add(p string, in *symbols.Symbol, r reference) {
	g := referenceGroup{Path: p}
	if in != nil {
		g.Symbol, g.Kind, g.Start, g.End = in.Name, in.Kind, in.Start, in.End
	}
	if i := len(o.groups) - 1; i >= 0 && o.groups[i].Symbol == g.Symbol && o.groups[i].Start == g.Start {
		o.groups[i].References = append(o.groups[i].References, r)
		return
	}
	g.References = []reference{r}
	o.groups = append(o.groups, g)
}

// identifier lists the offsets in code of the name as a whole word.
func identifier(code []byte, name string) []int {
	var places []int
	for at := 0; len(places) < maxReferences; {
		i := bytes.Index(code[at:], []byte(name))
		if i < 0 {
			break
		}
		at += i
		if (at == 0 || !inWord(code[at-1])) && (at+len(name) == len(code) || !inWord(code[at+len(name)])) {
			places = append(places, at)
		}
		at += len(name)
	}
	return places
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// callForm matches what follows the name in a call: of a function, with type arguments, or of a Rust macro.
var callForm = regexp.MustCompile(`^[ \t]*(?:\(|(?:::)?<[^>]*>+\(|![(\[{])`)

// marked matches what follows a part of a longer name in Ruby and Elixir: save! and empty? are other names than save
// and empty.
var marked = regexp.MustCompile(`^[!?](?:[^=\w]|$)`)

// specification matches a line that gives the types of a function in Elixir or Erlang, in the form of a call.
var specification = regexp.MustCompile(`^\s*(?:@(?:spec|callback|macrocallback|typep?|opaque)|-(?:spec|callback))\s`)

// Text writes the JSON form or the occurrences, grouped like the hits of a search.
func (r *ReferenceResult) Text() (toollimit.Kind, string) {
	return r.Render(r, toollimit.Search, "references, by name only", func(b *strings.Builder) {
		for _, d := range r.Definitions {
			fmt.Fprintf(b, "defined: %s:L%d-%d %s %s\n", line.Path(d.Path), d.Start, d.End, d.Kind, d.Name)
		}
		path := ""
		for i := range r.Items {
			if p := r.Items[i].Path; p != path {
				path = p
				b.WriteString(line.Path(path) + "\n")
			}
			r.Items[i].write(b)
		}
	})
}

// write writes each line once for each kind of reference.
func (g *referenceGroup) write(b *strings.Builder) {
	if g.Symbol != "" {
		fmt.Fprintf(b, " %s %s L%d-%d\n", g.Kind, g.Symbol, g.Start, g.End)
	}
	for i, o := range g.References {
		if i == 0 || o.Line != g.References[i-1].Line || o.Kind != g.References[i-1].Kind {
			fmt.Fprintf(b, "L%d %s: %s\n", o.Line, o.Kind, strings.TrimSpace(o.Text))
		}
	}
}
