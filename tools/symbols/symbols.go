package symbols

import (
	"bytes"
	"slices"

	"github.com/forayhq/foray/toollimit/line"
)

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

// Mask returns src, the content of the file called name, with comments and strings blanked; code inside of strings
// ("${code}") stays. The length and the line breaks are those of src, so that offsets and lines hold. Of a language that
// is not known, src is returned as it is.
func Mask(name string, src []byte) []byte {
	if l := languageOf(name); l != nil {
		return l.lex.mask(src)
	}
	if Language(name) == goName {
		return goLexicon.mask(src)
	}
	return src
}

// symbols finds the definitions in src by the language's table.
func (l *language) symbols(src []byte) []Symbol {
	masked := l.lex.mask(src)
	s := &scanner{l: l, src: line.Split(src), code: line.Split(masked), work: workPerByte*len(src) + maxExtent}
	if l.indent {
		s.byIndent()
	} else {
		s.braces = matchBraces(s.code, l.branches)
		s.byBrace()
	}
	return s.out
}
