package toollimit

import (
	"slices"
	"strconv"
	"strings"
)

// file keeps head and tail of an excerpt of a file, and the definitions of what is between as an outline.
func (c *cutter) file(room size) string {
	sh := c.share()
	if sh.seen == nil {
		sh.rank = outlineRank
	}
	return excerpt(c.text, c.all, room, sh, c.quota.Pointer)
}

// bar stands between the number and the text of a numbered line, as in "  12│ text".
const bar = "│"

// lineNumber returns the number that a line carries, and its text; ok is false for a line without a number.
func lineNumber(s string) (n int, text string, ok bool) {
	num, text, ok := strings.Cut(s, bar)
	if !ok {
		return 0, s, false
	}
	n, err := strconv.Atoi(strings.TrimLeft(num, " "))
	if err != nil {
		return 0, s, false
	}
	return n, strings.TrimPrefix(text, " "), true
}

// fileGap names the missing lines by their numbers in the file, or in the text when it is not numbered.
func fileGap(text string, missing, all []line) gap {
	g := lineGap(text, missing, all)
	if len(missing) == 0 {
		return g
	}
	if from, _, ok := lineNumber(missing[0].of(text)); ok {
		to := from
		for _, l := range slices.Backward(missing) { // a footer may stand behind
			if n, _, ok := lineNumber(l.of(text)); ok {
				to = n
				break
			}
		}
		g.what = "lines " + strconv.Itoa(from) + "-" + strconv.Itoa(to)
		g.next = "next: start_line=" + strconv.Itoa(from)
		return g
	}
	first := slices.IndexFunc(all, func(l line) bool { return l.at == missing[0].at }) + 1
	g.what = "lines " + strconv.Itoa(first) + "-" + strconv.Itoa(first+len(missing)-1) + " of " + strconv.Itoa(len(all))
	g.next = "next: start_line=" + strconv.Itoa(first)
	return g
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
	_, s, _ = lineNumber(s)
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
