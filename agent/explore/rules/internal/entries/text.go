package entries

import (
	"path"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/tools/symbols"
)

// A Text is the source of a definition, or of a file.
type Text struct {
	ext   string
	lines []string
	code  []string // with comments and strings blanked
	kept  []string // with comments blanked
}

// Of returns the text of lines of a file.
func Of(file string, lines []string) Text {
	t := Text{ext: path.Ext(file), lines: lines}
	before := ""
	if t.ext == ".php" {
		before = "<?php "
	}
	masked := symbols.Mask(file, []byte(before+strings.Join(lines, "\n")))[len(before):]
	t.code = strings.Split(string(masked), "\n")
	for n, code := range t.code {
		t.kept = append(t.kept, withStrings(code, lines[n]))
	}
	return t
}

// from returns the text from a line on.
func (t Text) from(n int) Text { return Text{t.ext, t.lines[n:], t.code[n:], t.kept[n:]} }

// withStrings puts the strings of a line back where they were blanked. What is blanked otherwise is a comment.
func withStrings(code, line string) string {
	if len(line) > maxLine {
		return code
	}
	kept := []byte(code)
	for i := 0; i < min(len(code), len(line)); i++ {
		if code[i] != ' ' || line[i] == ' ' || line[i] == '\t' {
			continue
		}
		end := i
		for end < len(code) && end < len(line) && code[end] == ' ' {
			end++
		}
		if strings.IndexByte("\"'`", line[i]) < 0 {
			i = end
			continue
		}
		if n := strings.IndexByte(line[i+1:end], line[i]); n >= 0 {
			end = i + n + 2
		}
		copy(kept[i:end], line[i:end])
		i = end - 1
	}
	return string(kept)
}

// depthOf is how much deeper in brackets the code is after a byte.
func depthOf(c byte) int {
	switch c {
	case '(', '{', '[':
		return 1
	case ')', '}', ']':
		return -1
	}
	return 0
}

// A spot is a place in a text.
type spot struct{ line, column int }

var (
	// assigns matches what comes before the bracket of a value or of a group of constants: "= [", "= set({", "const (".
	assigns = lazyregexp.New(`(?:(?:[^=!<>]=|=>)>?\s*[\w.&:<>*\[\]]*|\w["']?:)\s*(?:[({\[]\s*)*$|^\s*(?:const|var)\s*$`)
	called  = lazyregexp.New(`\w\s*$`)
	grouped = lazyregexp.New(`\b(?:const|var|type|tuple)\s*$`)
)

// Bounds of what is read.
const (
	maxLine   = 4000 // bytes of a line whose strings are read
	maxPiece  = 400  // bytes of what is between two commas
	maxBefore = 200  // bytes before a bracket that say what it is
	maxHead   = 4000 // bytes in which it is
)

// opening returns the bracket around the entries of a definition. It reports false for a definition without any. Of a
// type, brackets in the arguments of types do not count.
func (t Text) opening(ofType bool) (spot, bool) {
	depth, angles, before := 0, 0, make([]byte, 0, maxHead)
	for n, l := range t.code {
		for i := range len(l) {
			c, near := l[i], before[max(0, len(before)-maxBefore):]
			switch {
			case t.ext == ".go" && c != '{' && c != '}' && !grouped.Match(near): // of a type
			case depthOf(c) <= 0:
				depth += depthOf(c)
			case angles > 0 && ofType:
				depth++
			case depth == 0 && c == '{' || assigns.Match(near):
				return t.inner(spot{n, i})
			default:
				depth++
			}
			if arrow := i > 0 && (l[i-1] == '=' || l[i-1] == '-'); c == '<' {
				angles++
			} else if c == '>' && !arrow {
				angles--
			}
			if before = append(before, c); len(before) > maxHead {
				return spot{}, false
			}
		}
		if depth == 0 && strings.HasSuffix(strings.TrimSpace(l), ";") {
			break
		}
		before = append(before, ' ')
	}
	return spot{}, false
}

// inner returns the bracket that is all that another one holds, as in "frozenset({" and "Object.freeze({", or else the
// other one. It reports false for the arguments of a call.
func (t Text) inner(at spot) (spot, bool) {
	head := t.code[at.line][:at.column]
	call := called.MatchString(head) && !grouped.MatchString(head)
	if t.code[at.line][at.column] != '(' {
		return at, true
	}
	for n := at.line; n < len(t.code); n++ {
		for i := range len(t.code[n]) {
			switch c := t.kept[n][i]; {
			case n == at.line && i <= at.column, c == ' ', c == '\t':
			case c == '{', c == '[':
				return spot{n, i}, true
			default:
				return at, !call
			}
		}
	}
	return at, !call
}

// A piece is what is between two commas, or two semicolons.
type piece struct {
	text string
	line int  // on which it begins, -1 if it is blank
	ends bool // a semicolon is after it
}

// pieces returns what is between the commas of a bracket.
func (t Text) pieces(from spot) (all []piece) {
	depth, p := 0, piece{line: -1}
	for n := from.line; n < len(t.code) && len(all) < Max; n++ {
		start := 0
		if n == from.line {
			start = from.column
		}
		for i := start; i < len(t.code[n]); i++ {
			c := t.code[n][i]
			depth += min(depthOf(c), 0)
			switch {
			case depth <= 0 && depthOf(c) < 0:
				return append(all, p)
			case depth == 1 && (c == ',' || c == ';'):
				p.ends = c == ';'
				all = append(all, p)
				p = piece{line: -1}
			case depth > 0:
				if kept := t.kept[n][i]; p.line < 0 && kept != ' ' && kept != '\t' {
					p.line = n
				}
				if p.line >= 0 && len(p.text) < maxPiece {
					p.text += t.kept[n][i : i+1]
				}
			}
			depth += max(depthOf(c), 0)
		}
		if len(p.text) < maxPiece {
			p.text += "\n"
		}
	}
	return append(all, p)
}
