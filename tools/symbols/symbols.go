package symbols

import (
	"bytes"
	"path"
	"slices"
)

// A Symbol is a definition in a file.
type Symbol struct {
	Name      string `json:"name"`  // qualified: Class.method
	Kind      string `json:"kind"`  // one of Kinds
	Start     int    `json:"start"` // first line, without the comment above it
	End       int    `json:"end"`   // last line
	Depth     int    `json:"depth"` // 1: at the top of the file
	Signature string `json:"signature"`
	Doc       string `json:"doc,omitempty"` // first line of its documentation
}

// Bounds of a file whose symbols are found. Beyond them it is generated, and would hold up a walk.
const (
	maxBytes     = 2 << 20
	maxSymbols   = 20_000 // of one file
	maxSignature = 160    // runes
	maxDepth     = 32     // definitions in each other
)

// kinds are the kinds that a Symbol may have.
var kinds = []string{"func", "method", "class", "struct", "interface", "trait", "impl", "enum", "type", "const", "var", "module", "macro"}

// Kinds returns the kinds that a Symbol may have.
func Kinds() []string { return slices.Clone(kinds) }

// Language names the language of the file called name by its extension; "" when its symbols cannot be found.
func Language(name string) string {
	if path.Ext(name) == ".go" {
		return goName
	}
	if l := languageOf(name); l != nil {
		return l.name
	}
	return ""
}

// Of finds the definitions in src, the content of the file called name, by their first lines, an outer one before what is
// in it. A language that is not known has none, nor has a file that is not written by people: above 2 MiB, or with lines
// of 500 bytes on average. Of is safe for concurrent use and does not keep src.
func Of(name string, src []byte) []Symbol {
	if len(src) > maxBytes || minified(src) {
		return nil
	}
	var s []Symbol
	if l := languageOf(name); l != nil {
		s = l.symbols(src)
	} else if Language(name) == goName {
		s = goSymbols(src)
	}
	slices.SortStableFunc(s, func(a, b Symbol) int { return a.Start - b.Start })
	return slices.Clip(s[:min(len(s), maxSymbols)])
}

// Innermost returns the deepest of the symbols, as Of returns them, around a line; nil when there is none.
func Innermost(all []Symbol, line int) *Symbol {
	var in *Symbol
	for i := range all {
		s := &all[i]
		if s.Start > line {
			break
		}
		if s.End >= line && (in == nil || s.Depth >= in.Depth) {
			in = s
		}
	}
	return in
}

// minified reports whether the lines of src are too long to be written by people: 500 bytes on average.
func minified(src []byte) bool {
	return len(src) > 5000 && len(src)/(bytes.Count(src, []byte("\n"))+1) > 500
}

// Languages names the languages whose symbols can be found, as Language does, sorted.
func Languages() []string {
	all := []string{goName}
	for i := range languages {
		all = append(all, languages[i].name)
	}
	slices.Sort(all)
	return all
}
