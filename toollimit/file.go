package toollimit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
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

// definitionStarts are the words that start a definition in common languages, and Markdown's headings. Modifiers
// before them, such as those of visibility, are skipped.
var (
	definitionStarts = []string{
		"func ", "type ", "class ", "def ", "function ", "interface ", "struct ", "enum ", "trait ", "impl ", "impl<", "fn ",
		"module ", "mod ", "namespace ", "object ", "record ", "protocol ", "macro_rules! ", "package ", "#define ", "# ",
		"## ", "### ",
	}
	modifiers = []string{
		"export ", "default ", "public ", "private ", "protected ", "internal ", "static ", "abstract ", "final ", "async ",
		"pub ", "pub(crate) ", "declare ", "sealed ", "data ", "unsafe ", "inline ", "virtual ", "override ",
	}
)

// outlineRank puts unindented definitions first, then indented ones.
func outlineRank(s string) int {
	s = withoutNumber(s)
	text := strings.TrimLeft(s, " \t")
	inner := len(text) < len(s)
	text, modified := trimModifiers(text)
	defines := slices.ContainsFunc(definitionStarts, func(start string) bool { return strings.HasPrefix(text, start) })
	switch {
	case defines && !inner:
		return 1
	case defines, modified && strings.IndexByte(text, '(') > 0: // methods of Java, C# and TypeScript have no keyword
		return 2
	}
	return 0
}

func trimModifiers(s string) (rest string, any bool) {
	for again := true; again; {
		again = false
		for _, m := range modifiers {
			if strings.HasPrefix(s, m) {
				s, again, any = s[len(m):], true, true
			}
		}
	}
	return s, any
}
