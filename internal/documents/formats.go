package documents

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/lazyregexp"
)

var (
	atx         = lazyregexp.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	htmlHeading = lazyregexp.New(`(?i)^\s*<h([1-6])(?:\s[^>]*)?>(.*?)(?:</h[1-6]>|$)`)
	fence       = lazyregexp.New("^ {0,3}(`{3,}|~{3,})")
	setext      = lazyregexp.New(`^ {0,3}(=+|-{2,})[ \t]*$`)
	noParagraph = lazyregexp.New(`^(?: {4}|\t|\s*$|\s*(?:[-*+>|]|\d+[.)])\s|\s*[|<]|\s*-{3,}\s*$)`)
)

// markdown finds headings that begin with #, are underlined, or are tags <h1> to <h6>.
func markdown(lines []string) (found []heading) {
	add := func(title string, level, at int) {
		if title = Plain(title); title != "" {
			found = append(found, heading{title, level, at})
		}
	}
	closing, first := "", frontMatter(lines)
	comment := false
	for i := first; i < len(lines); i++ {
		l := lines[i]
		if m := fence.FindStringSubmatch(l); m != nil && !comment {
			switch {
			case closing == "":
				closing = m[1]
			case strings.HasPrefix(m[1], closing) && strings.Trim(l, " \t"+m[1][:1]) == "":
				closing = ""
			}
			continue
		}
		if closing != "" {
			continue
		}
		if comment = inComment(l, comment); comment {
			continue
		}
		if m := atx.FindStringSubmatch(l); m != nil {
			add(m[2], len(m[1]), i)
		} else if m := htmlHeading.FindStringSubmatch(l); m != nil {
			add(m[2], int(m[1][0]-'0'), i)
		} else if m := setext.FindStringSubmatch(l); m != nil && i > first && isParagraph(lines[i-1]) {
			level := 1
			if m[1][0] == '-' {
				level = 2
			}
			add(lines[i-1], level, i-1)
		}
	}
	return found
}

// isParagraph reports whether a line can be a title that the next line underlines.
func isParagraph(l string) bool {
	return !noParagraph.MatchString(l) && !atx.MatchString(l) && !htmlHeading.MatchString(l)
}

// inComment reports whether a comment is open after line l.
func inComment(l string, open bool) bool {
	from, to := strings.LastIndex(l, "<!--"), strings.LastIndex(l, "-->")
	return from > to || open && to < 0
}

// frontMatter returns the number of lines of settings before the text.
func frontMatter(lines []string) int {
	if len(lines) > 0 && strings.TrimRight(lines[0], " \t") == "---" {
		if end := slices.Index(lines[1:min(len(lines), maxFrontMatter)], "---"); end >= 0 {
			return end + 2
		}
	}
	return 0
}

const maxFrontMatter = 200 // lines

// underlining returns the character that a line repeats, or 0.
func underlining(l string) byte {
	l = strings.TrimRight(l, " \t")
	if len(l) < 2 || !strings.Contains("=-~^\"'`#*+.:_<>", l[:1]) || strings.Trim(l, l[:1]) != "" {
		return 0
	}
	return l[0]
}

// restructured finds titles that are underlined, with or without a line above. Styles rank in their order of use.
func restructured(lines []string) (found []heading) {
	var styles []string
	for i := 1; i < len(lines); i++ {
		c, title := underlining(lines[i]), strings.TrimSpace(lines[i-1])
		long := len(strings.TrimRight(lines[i], " \t")) >= max(utf8.RuneCountInString(title), 2)
		if c == 0 || title == "" || !long || underlining(lines[i-1]) != 0 {
			continue
		}
		style := string(c)
		switch {
		case i >= 2 && underlining(lines[i-2]) == c:
			style += style
		case lines[i-1][0] == ' ' || lines[i-1][0] == '\t', i >= 2 && strings.TrimSpace(lines[i-2]) != "" &&
			!strings.HasPrefix(lines[i-2], ".. "):
			continue // an indented block, or the end of a paragraph
		}
		at := slices.Index(styles, style)
		if at < 0 {
			at, styles = len(styles), append(styles, style)
		}
		if title = Plain(title); title != "" {
			found = append(found, heading{title, at + 1, i - 1})
		}
	}
	return found
}

var (
	adocTitle = lazyregexp.New(`^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?[ \t]*$`)
	adocBlock = lazyregexp.New(`^(?:-{4,}|\.{4,}|={4,}|\*{4,}|\+{4,}|/{4,}|_{4,}|` + "```.*)$")
)

// asciidoc finds titles that begin with = in AsciiDoc and RDoc, outside of delimited blocks.
func asciidoc(lines []string) (found []heading) {
	closing := ""
	for i, l := range lines {
		l = strings.TrimRight(l, " \t")
		switch {
		case closing != "":
			if l == closing {
				closing = ""
			}
		case adocBlock.MatchString(l):
			closing = l
			if strings.HasPrefix(l, "```") {
				closing = "```"
			}
		default:
			if m := adocTitle.FindStringSubmatch(l); m != nil {
				found = append(found, heading{Plain(m[2]), len(m[1]), i})
			}
		}
	}
	return found
}

var manTitle = lazyregexp.New(`^\.\s*(S[Hh]|S[Ss])\s+"?(.*?)"?\s*$`)

// manual finds the sections of a manual page.
func manual(lines []string) (found []heading) {
	for i, l := range lines {
		if m := manTitle.FindStringSubmatch(l); m != nil {
			level := 1
			if strings.EqualFold(m[1], "SS") {
				level = 2
			}
			found = append(found, heading{Plain(strings.ReplaceAll(m[2], `\-`, "-")), level, i})
		}
	}
	return found
}
