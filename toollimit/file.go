package toollimit

import (
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// fileGap names the missing lines by their numbers in the file, or in the text if it has no line numbers.
func fileGap(x *layout, missing []span) gap {
	if len(missing) == 0 {
		return gap{what: line.Count(0, "line")}
	}
	if end := numberEnd(x.text, x.body); end != "" {
		if from, to, ok := numberRange(x.text, missing, end); ok {
			return fileLines(from, to, "")
		}
	}
	end := x.number(x.lead+len(x.body)) - 1
	return fileLines(x.number(x.lead+x.h), x.number(x.lead+x.h+len(missing))-1, " of "+strconv.Itoa(end))
}

func fileLines(from, to int, of string) gap {
	first := strconv.Itoa(from)
	return gap{what: "lines " + first + "-" + strconv.Itoa(to) + of, next: "next: start_line=" + first}
}

// numberRange returns the first and the last line number; a footer without a number may follow.
func numberRange(text string, ls []span, end string) (from, to int, ok bool) {
	for _, l := range ls {
		n, _, numbered := lineNumber(l.of(text), end)
		switch {
		case numbered && !ok:
			from, to, ok = n, n, true
		case numbered:
			to = n
		}
	}
	return from, to, ok
}

// What the first word of a line opens.
const (
	modifier   = iota + 1 // of a definition: skipped
	definition            // or a heading of Markdown
	value                 // in a function, a variable
)

// openings are the first words of definitions in common languages.
var openings = openingsOf(map[int]string{
	modifier: `export default public private protected internal static abstract final async pub pub(crate) declare sealed
		data unsafe inline virtual override`,
	definition: `func type class def function interface struct enum trait impl fn module mod namespace object record
		protocol macro_rules! package #define # ## ###`,
	value: `const var let val`,
})

func openingsOf(words map[int]string) map[string]int {
	kinds := make(map[string]int)
	for kind, list := range words {
		for _, w := range strings.Fields(list) {
			kinds[w] = kind
		}
	}
	return kinds
}

// openingOf says what a line opens, after its modifiers, and returns the rest of it. A line of modifiers only is one.
func openingOf(s string) (kind int, rest string) {
	for {
		word, after, ok := strings.Cut(s, " ")
		if i := strings.IndexByte(word, '<'); i > 0 && word[:i] == "impl" {
			return definition, after
		}
		next := openings[word]
		if !ok || next == 0 {
			return kind, s
		}
		if kind, s = next, after; kind != modifier {
			return kind, s
		}
	}
}

// outlineRank puts unindented definitions first, then indented ones.
func outlineRank(s string) int {
	s = withoutNumber(s)
	text := strings.TrimLeft(s, " \t")
	inner := len(text) < len(s)
	kind, _ := openingOf(text)
	switch {
	case kind == definition && !inner:
		return 1
	case kind == definition, kind == modifier && strings.IndexByte(text, '(') > 0: // methods without a keyword
		return 2
	}
	return 0
}
