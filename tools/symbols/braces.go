package symbols

import (
	"bytes"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// braces holds the matching braces of a file, and what is open at the start of each line.
type braces struct {
	closing map[int]int // offset of "{" → offset of its "}"
	around  []int       // by line: offset of the innermost "{", or -1
	inside  []bool      // by line: in parentheses or in a continued directive, where no definition begins
}

type bracket struct {
	at     int
	brace  bool
	around int // offset of the innermost brace, its own or the one around a parenthesis, or -1
}

// matchBraces pairs the braces of code. With branches, an #else closes what its #if opened, so that only one branch
// affects the rest. A parenthesis counts as a mistake if it is still open at a ";" at the end of a line, or at the
// brace that closes its surroundings.
func matchBraces(code line.Text, branches bool) braces {
	lines := code.Count()
	b := braces{closing: make(map[int]int, lines/8), around: make([]int, 0, lines), inside: make([]bool, 0, lines)}
	var open []bracket
	var saved [][]bracket // what was open at each enclosing #if
	rest := false         // the previous line is part of a directive and ends with a backslash
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

// line follows the brackets of a line that begins at offset at.
func (b *braces) line(line []byte, at int, open []bracket) []bracket {
	for i, c := range line {
		switch c {
		case '{':
			open = append(open, bracket{at + i, true, at + i})
		case '(':
			open = append(open, bracket{at + i, false, innermost(open)})
		case '}':
			open = closeParentheses(open)
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
		open = closeParentheses(open)
	}
	return open
}

func closeParentheses(open []bracket) []bracket {
	for len(open) > 0 && !open[len(open)-1].brace {
		open = open[:len(open)-1]
	}
	return open
}

// innermost is the offset of the innermost open brace, or -1.
func innermost(open []bracket) int {
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1].around
}

// directive is the word after the # of a preprocessor line, or "".
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

// maxBranch bounds the brackets that are remembered for a branch, and the nesting of branches.
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
