package symbols

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
)

// A Symbol is a definition in a file.
type Symbol struct {
	Name      string `json:"name"`  // qualified: Class.method
	Kind      string `json:"kind"`  // one of [Kinds]
	Start     int    `json:"start"` // first line, not counting the comment above
	End       int    `json:"end"`   // last line
	Depth     int    `json:"depth"` // 1 at the top of the file
	Signature string `json:"signature"`
	Doc       string `json:"doc,omitempty"` // first line of its documentation
}

// Bounds of a file with symbols. A larger file is generated and would slow down a walk.
const (
	maxBytes     = 2 << 20
	maxSymbols   = 20_000 // of one file
	maxSignature = 160    // runes
	maxDepth     = 32     // nested definitions
)

// kinds are the kinds of a [Symbol].
var kinds = []string{
	"func", "method", "class", "struct", "interface", "trait", "impl", "enum", "type", "const", "var", "module", "macro",
}

// Kinds returns the kinds that a [Symbol] may have.
func Kinds() []string { return slices.Clone(kinds) }

func signature(s string) string {
	return line.Truncate(line.Flat(strings.ToValidUTF8(s, "\uFFFD")), maxSignature)
}

// firstLine is the first line of a documentation that is not blank, without tags of XML.
func firstLine(doc string) string {
	for text := range strings.Lines(doc) {
		if strings.Contains(text, "<") {
			text = docTag.ReplaceAllString(docReference.ReplaceAllString(text, "$1"), "")
		}
		if text = signature(text); text != "" {
			return text
		}
	}
	return ""
}

var (
	// docTag matches a tag that only structures documentation, and docReference one that names something.
	docTag       = lazyregexp.New(`</?(?:summary|remarks|para|p|inheritdoc|value|returns)\s*/?>`)
	docReference = lazyregexp.New(`<(?:see|seealso|paramref|typeparamref)\s+\w+="(?:[A-Z]:)?([^"]*)"\s*/>`)
)
