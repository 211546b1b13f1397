package entries

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// inherits are the forms in which languages say what a type extends.
var inherits = []*lazyregexp.Regexp{
	lazyregexp.New(`^\s*class\s+\w+(?:\[[^\]]*\])?\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)`), // Python
	lazyregexp.New(`^\s*class\s+[\w:]+\s*<\s*([\w:.]+)`),                                 // Ruby
	lazyregexp.New(`\b(?:extends|implements|with)\s+([\w.<>, :\\&]+)`),
	lazyregexp.New(`^[^:{]*\b(?:class|interface|object|struct)\s+\w+(?:<[^{]*?>)?[^:{]*?(?:\([^)]*\))?\s*:` +
		`\s*(?:public\s+)?([^{]+)`),
}

const headLines = 12 // of a definition that say what it extends

// Bases returns what a type extends, implements or, in Go, embeds. The kind is one of package symbols.
func (t Text) Bases(of string) (names []string) {
	head := strings.Join(t.kept[:min(len(t.kept), headLines)], " ")
	if at := strings.IndexByte(head, '{'); at > 0 {
		head = head[:at]
	}
	for _, re := range inherits {
		for _, m := range re.FindAllStringSubmatch(head, -1) {
			for part := range strings.SplitSeq(withoutBrackets(m[1]), ",") {
				part = strings.TrimSpace(part)
				if part != "" && !strings.Contains(part, "=") && !slices.Contains(names, part) {
					names = append(names, part)
				}
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	if t.ext == ".go" {
		for _, e := range t.Entries(of) {
			if embedded.MatchString(strings.TrimSpace(t.kept[e.Line])) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// withoutBrackets leaves out what is in brackets.
func withoutBrackets(text string) string {
	var b strings.Builder
	depth := 0
	for _, c := range text {
		switch {
		case strings.ContainsRune("(<[", c):
			depth++
		case strings.ContainsRune(")>]", c):
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}
