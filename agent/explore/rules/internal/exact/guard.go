package exact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/codebase"
)

// A guard is a line that decides whether another one runs.
type guard struct {
	at   int
	text string
	how  string // it decides: "depends on line 7"
}

var (
	// conditional matches a line that decides whether the lines below it run.
	conditional = lazyregexp.New(`^\s*\}?\s*(?:else if|elif|elsif|if|unless|case|when|catch|except|rescue|match|` +
		`switch|assert|while|guard|default|else)\b|\b(?:if|unless)\b[^'"]*$|=>\s*\{?$|\S\s->\s*\{$|` +
		`^\s*\S.*[^-]\s(?:->|=>)\s*(?:throw|raise|return|panic!?|Err)\b`)
	// choice matches the head of several blocks, each with a condition of its own.
	choice = lazyregexp.New(`^\s*(?:return\s+)?(?:when|switch|select|cond)\s*(?:\{|do)\s*$`)
	// loop matches the head of a loop or of a choice of several blocks.
	loop = lazyregexp.New(`^\s*(?:for|foreach|while|until|loop|switch|match|select|case)\b`)
	// elseLine and defaultLine match what runs if no condition before it holds, and ifLine and switchLine what those
	// conditions begin with.
	elseLine    = lazyregexp.New(`^\s*\}?\s*else\b(?:\s*\{|:)?\s*$`)
	defaultLine = lazyregexp.New(`^\s*(?:default\s*:|_\s*(?:=>|->))`)
	ifLine      = lazyregexp.New(`^\s*\}?\s*(?:else if|elif|elsif|if|unless|when|match)\b`)
	switchLine  = lazyregexp.New(`\b(?:switch|match|select|when)\b|\bcase\b.*\bdo$`)
	// leave matches a statement that leaves a function or a loop.
	leave = lazyregexp.New(`(?:^|[\s;{)])(?:return|throw|raise|continue|break|goto|next|exit|die|panic|abort)\b`)
	// doWhile matches the end of a loop that has its condition there.
	doWhile = lazyregexp.New(`^\s*\}\s*while\b`)
	// closing matches a line that only ends a block, or opens one below its head.
	closing = lazyregexp.New(`^\s*(?:[{})\]\s]+[;,:]?|end|fi|done)\s*$`)
	// continued matches a line whose statement continues on the next one.
	continued = lazyregexp.New(`(?:[(,.=\[\\&|]|[^+]\+|\b(?:return|throw|and|or))$`)
)

// reachedAfter is how a guard decides that leaves.
const reachedAfter = "is only reached after"

// decides reports whether a line decides what runs, if not only in a text.
func decides(text string) bool {
	return conditional.MatchString(literal.ReplaceAllLiteralString(text, "_"))
}

// Bounds of a guard.
const (
	maxBetween   = 2 // statements between a guard that leaves and what is only reached after it
	maxStatement = 8 // lines of a statement
)

// beginning returns the index of the first line of the statement that a line belongs to. A text may span lines.
func beginning(lines []string, i int, text bool) int {
	for least := max(0, i-maxStatement); i > least; i-- {
		before, here := strings.TrimSpace(lines[i-1]), strings.TrimSpace(lines[i])
		text = text && !strings.ContainsAny(here, "\"'`")
		adjoins := strings.HasSuffix(before, `"`) && strings.HasPrefix(here, `"`)
		if !text && !adjoins && (!continued.MatchString(before) || comments(before) == 1) {
			break
		}
	}
	return i
}

// joinedLine returns a line with those that close its parentheses.
func joinedLine(lines []string, i int) string {
	text := strings.TrimSpace(lines[i])
	for n := i + 1; n < min(len(lines), i+maxStatement/2); n++ {
		if strings.Count(text, "(")+strings.Count(text, "[") <= strings.Count(text, ")")+strings.Count(text, "]") {
			break
		}
		text += " " + strings.TrimSpace(lines[n])
	}
	return text
}

// guardOf returns what decides whether a line of a function runs: the nearest condition around it, or one just above
// that leaves the function or a loop.
func guardOf(f codebase.FileText, at int) (guard, bool) {
	i := at - f.StartLine
	if i < 0 || i >= len(f.Lines) {
		return guard{}, false
	}
	return guardAbove(f, beginning(f.Lines, i, false))
}

// guardAbove is [guardOf] for the index of the first line of a statement.
func guardAbove(f codebase.FileText, i int) (guard, bool) {
	depth, between := indent(f.Lines[i]), 0
	var inner []string // of the block between this line and the one below it
	for i--; i > 0; i-- {
		text := f.Lines[i]
		d := indent(text)
		switch {
		case strings.TrimSpace(text) == "", comments(text) == 1, directive.MatchString(text), closing.MatchString(text):
		case d > depth:
			inner = append(inner, text)
		case d == depth:
			if between <= maxBetween && leaves(text, inner) {
				return guard{f.StartLine + i, joinedLine(f.Lines, i), reachedAfter}, true
			}
			inner, between = nil, between+1
		case elseLine.MatchString(text), defaultLine.MatchString(text):
			return choiceOf(f, i), true
		case decides(text) && !choice.MatchString(text):
			return guard{f.StartLine + i, joinedLine(f.Lines, i), "depends on"}, true
		default:
			depth, between, inner = d, 0, nil
		}
	}
	return guard{}, false
}

// leaves reports whether a line is the head of a block that leaves the function or a loop, or the end of a loop. In a
// loop any line of the block may do that, below a condition only one of its own statements.
func leaves(head string, block []string) bool {
	if doWhile.MatchString(head) || decides(head) && leave.MatchString(head) {
		return true
	}
	if !loop.MatchString(head) && len(block) > 0 {
		least := slices.MinFunc(block, func(a, b string) int { return indent(a) - indent(b) })
		block = slices.DeleteFunc(slices.Clone(block), func(text string) bool { return indent(text) > indent(least) })
	}
	return (loop.MatchString(head) || decides(head)) && slices.ContainsFunc(block, leave.MatchString)
}

// choiceOf returns the condition whose failure leads to a line, such as else.
func choiceOf(f codebase.FileText, i int) guard {
	head, word := ifLine, "else"
	if !elseLine.MatchString(f.Lines[i]) {
		head, word = switchLine, "default"
	}
	for n := i - 1; n > 0; n-- {
		if text := f.Lines[n]; indent(text) <= indent(f.Lines[i]) && head.MatchString(text) && comments(text) == 0 {
			return guard{f.StartLine + n, joinedLine(f.Lines, n), "depends on the “" + word + "” of"}
		}
	}
	return guard{f.StartLine + i, strings.TrimSpace(f.Lines[i]), "depends on"}
}

// says says what the guard decides, with the line it quotes.
func (g guard) says() string {
	return fmt.Sprintf("%s line %d: `%s`", g.how, g.at, line.Truncate(g.text, maxLineText))
}
