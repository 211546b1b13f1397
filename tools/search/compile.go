package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools"
)

// The boundary of a word is a place beside which no letter, mark, digit or connector stands, as ripgrep has it.
const (
	wordStart = `(?:^|[^\pL\pM\p{Nd}\p{Pc}])`
	wordEnd   = `(?:$|[^\pL\pM\p{Nd}\p{Pc}])`
)

// compile reads a pattern. Its errors are of type *tools.Problem.
func compile(source string, o options) (*pattern, error) {
	m := &pattern{source: source, multiline: o.multiline}
	text := source
	if o.literal {
		text = regexp.QuoteMeta(source)
		m.multiline = m.multiline || strings.Contains(source, "\n")
	}
	if o.word {
		if _, err := syntax.Parse(text, syntax.Perl); err != nil { // as the model wrote it, for the position
			return nil, syntaxProblem(text, err)
		}
		text, m.group = wordStart+"("+text+")"+wordEnd, 1
	}
	flags := syntax.Perl &^ syntax.OneLine
	if o.fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nil, syntaxProblem(text, err)
	}
	if !m.multiline {
		if err := keepToLines(tree); err != nil {
			return nil, err
		}
	}
	return m, m.build(tree, o)
}

func (m *pattern) build(tree *syntax.Regexp, o options) error {
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 && m.group == 0 {
		m.plain = []byte(string(tree.Rune))
	}
	if n := required(tree.Simplify()); !n.fold || n.ascii() {
		m.needles = n
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return syntaxProblem(m.source, err)
	}
	m.re = re
	if prog, err := syntax.Compile(tree.Simplify()); err == nil {
		m.cost = len(prog.Inst)
		m.automata = &sync.Pool{New: func() any { return newAutomaton(prog) }}
	}
	return nil
}

var lookAround = regexp.MustCompile(`\(\?<?[=!]`)

func syntaxProblem(pattern string, err error) error {
	try := "literal=true to search for the text as it stands"
	if at := lookAround.FindStringIndex(pattern); at != nil {
		return &tools.Problem{Code: "bad_pattern", Message: fmt.Sprintf("look-around at character %d is not supported (RE2 syntax)", 1+utf8.RuneCountInString(pattern[:at[0]])), Try: "two searches, word=true, or " + try}
	}
	var e *syntax.Error
	if errors.As(err, &e) && (e.Code == syntax.ErrInvalidRepeatSize || e.Code == syntax.ErrLarge || e.Code == syntax.ErrNestingDepth) {
		return &tools.Problem{Code: "bad_pattern", Message: fmt.Sprintf("the pattern is too large: %s %s; repetitions count at most 1000, those in each other multiplied", e.Code, line.Truncate(e.Expr, 80)), Try: "a smaller count, + or *"}
	}
	if e == nil {
		return &tools.Problem{Code: "bad_pattern", Message: "the pattern is not a regular expression in RE2 syntax", Try: try}
	}
	at := strings.LastIndex(pattern, e.Expr)
	if e.Code == syntax.ErrMissingParen || e.Code == syntax.ErrMissingBracket {
		at = max(strings.LastIndexAny(pattern, "(["), 0)
	}
	return &tools.Problem{Code: "bad_pattern", Message: fmt.Sprintf("the pattern does not parse at character %d: %s %s", 1+utf8.RuneCountInString(pattern[:max(at, 0)]), e.Code, line.Truncate(e.Expr, 80)), Try: try}
}

// keepToLines takes newlines out of what the tree can match, and makes anchors of the text anchors of the line.
func keepToLines(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return &tools.Problem{Code: "bad_pattern", Message: "the pattern matches a newline", Try: "multiline=true"}
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	case syntax.OpCharClass:
		re.Rune = without(re.Rune, '\n')
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	}
	for _, sub := range re.Sub {
		if err := keepToLines(sub); err != nil {
			return err
		}
	}
	return nil
}

func without(ranges []rune, r rune) []rune {
	var out []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		if r < low || r > high {
			out = append(out, low, high)
			continue
		}
		if low < r {
			out = append(out, low, r-1)
		}
		if r < high {
			out = append(out, r+1, high)
		}
	}
	return out
}

// smart reports whether a pattern holds an upper-case letter, escapes as \W not counted.
func smart(pattern string, literal bool) bool {
	escape := false
	for _, r := range pattern {
		switch {
		case escape && !literal:
			escape = false
		case r == '\\':
			escape = true
		case unicode.IsUpper(r):
			return true
		}
	}
	return false
}
