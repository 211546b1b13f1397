package toollimit

import (
	"strconv"
	"strings"
)

// file keeps head and tail of an excerpt of a file, and the definitions of what is between as an outline.
func (c *cutter) file(room size) string {
	sh := c.share()
	if !sh.keyed {
		sh.ranks = byLine(outlineRank)
	}
	return excerpt(c.text, c.all, room, sh, c.quota.Pointer)
}

// numberEnds stand between the number and the text of a numbered line: "  12│ text" in the house, and "  12\ttext",
// "  12→text" and "12:text" elsewhere. Only the first is sure by itself.
var numberEnds = []string{"│", "\t", "→", ":"}

// lineNumber returns the number that a line carries and its text, if end stands between; ok is false for others.
func lineNumber(s, end string) (n int, text string, ok bool) {
	num, text, ok := strings.Cut(s, end)
	if !ok || len(num) > 12 {
		return 0, s, false
	}
	n, err := strconv.Atoi(strings.TrimLeft(num, " "))
	if err != nil || n < 0 {
		return 0, s, false
	}
	return n, strings.TrimPrefix(text, " "), true
}

// numberEnd returns what stands behind the line numbers of a text, or "": it takes two lines in a row to tell.
func numberEnd(text string, ls []line) string {
	for _, end := range numberEnds {
		for i := range min(len(ls)-1, 3) {
			n, _, ok := lineNumber(ls[i].of(text), end)
			next, _, also := lineNumber(ls[i+1].of(text), end)
			if ok && also && next == n+1 {
				return end
			}
		}
	}
	return ""
}

func numbered(text string, ls []line) bool { return numberEnd(text, ls) != "" }

// withoutNumber returns the text of a line that may carry a number.
func withoutNumber(s string) string {
	for _, end := range numberEnds {
		if _, text, ok := lineNumber(s, end); ok {
			return text
		}
	}
	return s
}

// fileGap names the missing lines by their numbers in the file, or in the text when it is not numbered.
func fileGap(x *excerpting, missing []line) gap {
	if len(missing) == 0 {
		return gap{what: plural(0, "line")}
	}
	if end := numberEnd(x.text, x.body); end != "" {
		if from, to, ok := numberRange(x.text, missing, end); ok {
			return fileLines(from, to, "")
		}
	}
	return fileLines(x.h+1, x.h+len(missing), " of "+strconv.Itoa(len(x.body)))
}

func fileLines(from, to int, of string) gap {
	first := strconv.Itoa(from)
	return gap{what: "lines " + first + "-" + strconv.Itoa(to) + of, next: "next: start_line=" + first}
}

// numberRange returns the first and the last number of lines; a footer without one may stand behind.
func numberRange(text string, ls []line, end string) (from, to int, ok bool) {
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

// definitionStarts are the words that begin a definition, in the languages that agents mostly read, and Markdown's
// headings. Words before them that say no more than who may see it are skipped.
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

// outlineRank puts definitions at the margin first, then inner ones.
func outlineRank(s string) int {
	s = withoutNumber(s)
	text := strings.TrimLeft(s, " \t")
	inner := len(text) < len(s)
	text, modified := trimModifiers(text)
	for _, p := range definitionStarts {
		if !strings.HasPrefix(text, p) {
			continue
		}
		if inner {
			return 2
		}
		return 1
	}
	// A method in Java, C# or TypeScript has a modifier and a parameter list, but no word of its own.
	if modified && strings.Contains(text, "(") && !strings.HasPrefix(text, "(") {
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
