package symbols

import (
	"bytes"
	"slices"

	"github.com/forayhq/foray/internal/line"
)

// Of finds the definitions in src, the content of the file called name, ordered by first line, outer before inner. It
// finds none in unknown languages and in generated files: above 2 MiB, or with 500 bytes per line on average. Of is
// safe for concurrent use and does not keep src.
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

// Innermost returns the deepest symbol around a line, or nil. The symbols must be in the order of [Of].
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

// minified reports whether the lines of src are too long for handwritten code: 500 bytes on average.
func minified(src []byte) bool {
	return len(src) > 5000 && len(src)/(bytes.Count(src, []byte("\n"))+1) > 500
}

// Mask returns src, the content of the file called name, with comments and strings blanked. Code inside strings
// ("${code}") stays. Length and line breaks stay too, so that offsets and lines remain valid. In an unknown language,
// Mask returns src unchanged.
func Mask(name string, src []byte) []byte {
	if l := languageOf(name); l != nil {
		return l.lex.mask(src)
	}
	if Language(name) == goName {
		return goLexicon.mask(src)
	}
	return src
}

// symbols finds the definitions in src by the table of the language.
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
