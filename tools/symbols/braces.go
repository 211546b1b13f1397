package symbols

import (
	"bytes"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
)

// braces are the brackets of a file: which brace closes which, and what is open where a line begins.
type braces struct {
	closing map[int]int // offset of "{" → offset of its "}"
	around  []int       // by line: offset of the innermost "{", -1 for none
	inside  []bool      // by line: in parentheses, or the rest of a directive; no definition begins there
}

// A bracket is one that is open.
type bracket struct {
	at     int
	brace  bool
	around int // offset of the innermost brace: its own, or that around a parenthesis; -1 for none
}

// matchBraces pairs the braces of code. With branches, what an #if opened is closed at its #else, so that only one branch
// counts for what follows. A parenthesis that is open at a ";" which ends a line, or at the brace that closes what is around
// it, was not meant to be.
func matchBraces(code line.Text, branches bool) braces {
	b := braces{closing: make(map[int]int, code.Count()/8), around: make([]int, 0, code.Count()), inside: make([]bool, 0, code.Count())}
	var open []bracket
	var saved [][]bracket // what was open at each #if around
	rest := false         // the line before belongs to a directive and ends with a backslash
	for n := 1; n <= code.Count(); n++ {
		text, at := code.Line(n), code.Start(n)
		b.around = append(b.around, innermost(open))
		b.inside = append(b.inside, rest || len(open) > 0 && !open[len(open)-1].brace)
		word := ""
		if branches {
			word = directive(text)
			open, saved = b.branch(word, at, open, saved)
		}
		if rest || word != "" {
			rest = bytes.HasSuffix(bytes.TrimRight(text, " \t\r"), []byte(`\`))
			continue
		}
		open = b.line(text, at, open)
	}
	return b
}

// line follows the brackets of a line that begins at the offset at.
func (b *braces) line(line []byte, at int, open []bracket) []bracket {
	for i, c := range line {
		switch c {
		case '{':
			open = append(open, bracket{at + i, true, at + i})
		case '(':
			open = append(open, bracket{at + i, false, innermost(open)})
		case '}':
			open = parentheses(open)
			if len(open) > 0 {
				b.closing[open[len(open)-1].at] = at + i
				open = open[:len(open)-1]
			}
		case ')':
			if len(open) > 0 && !open[len(open)-1].brace {
				open = open[:len(open)-1]
			}
		}
	}
	if bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte(";")) {
		open = parentheses(open)
	}
	return open
}

// parentheses drops those that are open on top.
func parentheses(open []bracket) []bracket {
	for len(open) > 0 && !open[len(open)-1].brace {
		open = open[:len(open)-1]
	}
	return open
}

// innermost is the offset of the brace that was opened last, -1 for none.
func innermost(open []bracket) int {
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1].around
}

// directive is the word behind the # of a preprocessor line.
func directive(line []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
	if !ok {
		return ""
	}
	if w := word(bytes.TrimLeft(rest, " \t")); slices.Contains(directives, w) {
		return w
	}
	return ""
}

// maxBranch is how many brackets may be open where branches are told apart, and how many branches may stand in each other.
const maxBranch = 200

func (b *braces) branch(word string, at int, open []bracket, saved [][]bracket) ([]bracket, [][]bracket) {
	switch {
	case strings.HasPrefix(word, "if") && len(saved) < maxBranch:
		return open, append(saved, slices.Clone(open[:min(len(open), maxBranch)]))
	case strings.HasPrefix(word, "el") && len(saved) > 0 && len(open) < maxBranch:
		before := saved[len(saved)-1]
		for _, o := range open {
			if o.brace && !slices.Contains(before, o) {
				b.closing[o.at] = at - 1
			}
		}
		return slices.Clone(before), saved
	case word == "endif" && len(saved) > 0:
		return open, saved[:len(saved)-1]
	}
	return open, saved
}
