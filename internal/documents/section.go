package documents

import (
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Section is a heading with the text below it, up to the next heading of the same or a higher level.
type Section struct {
	Title string // without markup
	Level int    // 1 for the highest; levels may be skipped
	Start int    // line of the title, from 1
	End   int    // last line, at least Start
}

// Bounds of a document. A larger one is data.
const (
	maxBytes    = 2 << 20
	maxSections = 5000
)

// A heading is found at the line of its title.
type heading struct {
	title string
	level int
	line  int // from 0
}

// formats maps extensions to the function that finds the headings of a document.
var formats = map[string]func(lines []string) []heading{
	".md": markdown, ".markdown": markdown, ".mdx": markdown, ".mkd": markdown, ".mdown": markdown,
	".rst": restructured, ".rest": restructured, ".txt": restructured,
	".adoc": asciidoc, ".asciidoc": asciidoc, ".asc": asciidoc, ".rdoc": asciidoc,
	".1": manual, ".2": manual, ".3": manual, ".4": manual, ".5": manual, ".6": manual, ".7": manual, ".8": manual,
}

// bare matches documents without an extension.
var bare = lazyregexp.New(`^(?i:readme|contributing|install|hacking|building|usage|faq|upgrading|security)$`)

func formatOf(name string) func([]string) []heading {
	base := path.Base(name)
	if bare.MatchString(base) {
		return markdown
	}
	return formats[strings.ToLower(path.Ext(strings.TrimSuffix(base, ".in")))] // x.1.in is made into x.1
}

// Is reports whether a file of this name is a document whose headings [Sections] finds.
func Is(name string) bool { return formatOf(name) != nil }

// Sections returns the sections of the document called name, by line. It returns nil for a file that is not a document
// or has more than 2 MiB.
func Sections(name string, src []byte) []Section {
	find := formatOf(name)
	if find == nil || len(src) == 0 || len(src) > maxBytes {
		return nil
	}
	lines := linesOf(src)
	return sectionsOf(find(lines), len(lines))
}

func linesOf(src []byte) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(src), "\r", ""), "\n"), "\n")
}

// sectionsOf ends each section before the next heading of its level or a higher one. A heading of nothing but markup
// is not a heading.
func sectionsOf(found []heading, lines int) []Section {
	found = slices.DeleteFunc(found, func(h heading) bool { return h.title == "" })
	found = found[:min(len(found), maxSections)]
	if len(found) == 0 {
		return nil
	}
	all := make([]Section, len(found))
	var open []int // sections that no heading has ended
	for i, h := range found {
		for n := len(open) - 1; n >= 0 && all[open[n]].Level >= h.level; n-- {
			all[open[n]].End = h.line
			open = open[:n]
		}
		all[i] = Section{Title: h.title, Level: h.level, Start: h.line + 1, End: lines}
		open = append(open, i)
	}
	return all
}

// Markup of titles.
var (
	image     = lazyregexp.New(`!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])`)
	link      = lazyregexp.New(`\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	anchor    = lazyregexp.New(`\s*\{[#.:][^}]*\}\s*$`)
	tag       = lazyregexp.New(`</?[A-Za-z][^>]*>`)
	roleOrURL = lazyregexp.New(":[a-z:]+:`([^`<]*?)(?:\\s*<[^>]*>)?`")
	target    = lazyregexp.New("`([^`<]+?)\\s+<(?:[^`>\\s]*[.:/][^`>\\s]*>`_{0,2}|[^`>]*>`__?)")
	span      = lazyregexp.New("`+([^`]+)`+_{0,2}")
	emphasis  = lazyregexp.New("`|\\b__|__\\b|\\\\f[BIRP]")
	emOpens   = lazyregexp.New(`(^|[\s("'\[\x60])\*{1,3}([\pL\d"'“‘\[\x00])`)
	emCloses  = lazyregexp.New(`([\pL\d.,!?:)"'”’\]\x00])\*{1,3}($|[\s.,;:!?)"'\]—-])`)
)

// Plain returns a line of a document without links, images, emphasis and tags. Code in it stays as it is: no star of
// "/foo/*" is a mark.
func Plain(text string) string {
	text = image.ReplaceAllString(strings.ReplaceAll(text, aSpan, ""), "")
	text = link.ReplaceAllString(text, "$1")
	text = target.ReplaceAllString(roleOrURL.ReplaceAllString(text, "$1"), "$1")
	var code []string
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		code = append(code, m[1])
	}
	text = span.ReplaceAllLiteralString(text, aSpan)
	text = tag.ReplaceAllString(anchor.ReplaceAllString(text, ""), "")
	text = emCloses.ReplaceAllString(emOpens.ReplaceAllString(text, "$1$2"), "$1$2")
	text = emphasis.ReplaceAllString(text, "")
	for _, c := range code {
		text = strings.Replace(text, aSpan, c, 1)
	}
	return strings.Join(strings.Fields(text), " ")
}

// aSpan is written in place of code.
const aSpan = "\x00"
