package entries

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// The forms in which languages say what a type extends. What is in brackets is blanked before, but in Python.
var (
	pythonBases = lazyregexp.New(`^\s*class\s+\w+(?:\[[^\]]*\])?\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)`)
	rubyBase    = lazyregexp.New(`^\s*class\s+[\w:]+\s*<\s*([\w:.]+)`)
	colonBases  = lazyregexp.New(`\b(?:class|interface|object|struct|trait|protocol)\s+\w+[^:]*:([^:].*)`)
	clauses     = lazyregexp.New(`\b(?:extends|implements|with)\s+`)
)

// colons are the extensions of languages that write bases after a colon.
var colons = []string{".kt", ".kts", ".cs", ".swift", ".cpp", ".cc", ".h", ".hpp", ".rs", ".scala"}

const headLines = 40 // of a definition that say what it extends

// Bases returns what a type extends, implements or, in Go, embeds. The kind is one of package symbols.
func (t Text) Bases(of string) (names []string) {
	head := t.head()
	var lists []string
	switch {
	case t.ext == ".go":
		for _, e := range t.Entries(of) {
			if embedded.MatchString(strings.TrimSpace(t.kept[e.Line])) {
				names = append(names, e.Name)
			}
		}
		return names
	case t.ext == ".py" || t.ext == ".pyi":
		lists = pythonBases.FindStringSubmatch(head)
	case t.ext == ".rb":
		lists = rubyBase.FindStringSubmatch(head)
	case t.ext == ".rs" && of != "trait":
		return nil
	case slices.Contains(colons, t.ext):
		lists = colonBases.FindStringSubmatch(withoutBrackets(head))
	default:
		lists = clauses.Split(withoutBrackets(head), -1)
	}
	for i, list := range lists {
		if i == 0 { // what comes before
			continue
		}
		for part := range strings.FieldsFuncSeq(withoutBrackets(list), func(c rune) bool { return c == ',' || c == '+' }) {
			part, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(part), "public "), " by ")
			if part != "" && !strings.ContainsAny(part, "= ") && !slices.Contains(names, part) {
				names = append(names, part)
			}
		}
	}
	return names
}

// head returns a definition up to its body.
func (t Text) head() string {
	var b strings.Builder
	depth := 0
	for n := range min(len(t.kept), headLines) {
		for i := range len(t.code[n]) {
			switch c := t.code[n][i]; {
			case c == '{' && depth == 0, c == ':' && depth == 0 && (t.ext == ".py" || t.ext == ".pyi"):
				return b.String()
			case c != '{' && c != '}':
				depth += depthOf(c)
			}
			b.WriteByte(t.kept[n][i])
		}
		if b.WriteByte(' '); depth == 0 && t.ext == ".rb" {
			break
		}
	}
	return b.String()
}

// withoutBrackets leaves out what is in brackets.
func withoutBrackets(text string) string {
	var b strings.Builder
	depth := 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("(<[", c):
			depth++
		case c == '>' && i > 0 && (text[i-1] == '-' || text[i-1] == '='):
		case strings.ContainsRune(")>]", c):
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}
