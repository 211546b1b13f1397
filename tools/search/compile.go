package search

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// A whole word has no letter, mark, digit or connector next to it, as in ripgrep.
const (
	wordStart = `(?:^|[^\pL\pM\p{Nd}\p{Pc}])`
	wordEnd   = `(?:$|[^\pL\pM\p{Nd}\p{Pc}])`
)

// Bounds of a pattern. They bound the memory that a search takes, a hundred times that of its patterns and more.
const (
	maxPattern = 8 << 10 // bytes
	maxSize    = 1 << 15 // instructions
)

// compile parses and builds a pattern. The error is a [tools.Problem].
func compile(source string, o options) (*pattern, error) {
	m, err := parse(source, o)
	if err != nil {
		return nil, err
	}
	return m, m.build()
}

// parse parses a pattern, and sets its cost. The error is a [tools.Problem].
func parse(source string, o options) (*pattern, error) {
	if len(source) > maxPattern {
		return nil, tools.Problemf("bad_pattern", "a shorter text, which few other places have",
			"the pattern is too large: %d bytes, at most %d", len(source), maxPattern)
	}
	m := &pattern{source: source, multiline: o.multiline}
	text := source
	if o.literal {
		text = regexp.QuoteMeta(source)
		m.multiline = m.multiline || strings.Contains(source, "\n")
	}
	if o.word {
		if _, err := syntax.Parse(text, syntax.Perl); err != nil { // before the pattern is wrapped, so that the position is right
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
	if m.cost = size(tree); m.cost > maxSize {
		return nil, tools.Problemf("bad_pattern", "a smaller count, + or *",
			"the pattern is too large: its repetitions, multiplied, exceed %d", maxSize)
	}
	if !m.multiline {
		if err := keepToLines(tree); err != nil {
			return nil, err
		}
	}
	m.tree = tree
	return m, nil
}

func (m *pattern) build() error {
	tree := m.tree
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
	m.resume = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + tree.String() + `)`)
	})
	if prog, err := syntax.Compile(tree.Simplify()); err == nil {
		m.cost = len(prog.Inst)
		m.automata = &sync.Pool{New: func() any { return newAutomaton(prog) }}
	}
	return nil
}

// size is about how many instructions a parsed pattern compiles to.
func size(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<30)
}

var lookAround = regexp.MustCompile(`\(\?<?[=!]`)

// syntaxProblem explains a pattern that does not parse.
func syntaxProblem(pattern string, err error) error {
	const code, try = "bad_pattern", "literal=true to search for the text as it is"
	position := func(at int) int { return 1 + utf8.RuneCountInString(pattern[:max(at, 0)]) }
	if at := lookAround.FindStringIndex(pattern); at != nil {
		return tools.Problemf(code, "two searches, word=true, or "+try,
			"look-around at character %d is not supported (RE2 syntax)", position(at[0]))
	}
	var e *syntax.Error
	if !errors.As(err, &e) {
		return tools.Problemf(code, try, "the pattern is not a regular expression in RE2 syntax")
	}
	expr, at := line.Truncate(e.Expr, 80), strings.LastIndex(pattern, e.Expr)
	switch e.Code {
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return tools.Problemf(code, "a smaller count, + or *",
			"the pattern is too large: %s %s; repetitions are limited to 1000, nested ones multiplied", e.Code, expr)
	case syntax.ErrMissingParen, syntax.ErrMissingBracket:
		at = strings.LastIndexAny(pattern, "([")
	}
	return tools.Problemf(code, try, "the pattern does not parse at character %d: %s %s", position(at), e.Code, expr)
}

// keepToLines makes re match within one line: it removes newlines, and turns anchors of the text into anchors of the
// line.
func keepToLines(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return tools.Problemf("bad_pattern", "multiline=true", "the pattern matches a newline")
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	case syntax.OpCharClass:
		if re.Rune = without(re.Rune, '\n'); len(re.Rune) == 0 {
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

// hasUpper reports whether a pattern has an upper-case letter outside of escapes such as \W.
func hasUpper(pattern string, literal bool) bool {
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
