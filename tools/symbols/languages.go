package symbols

import (
	"path"
	"slices"
	"strings"
)

// goName is the language that is parsed.
const goName = "go"

var goLexicon = lexicon{line: slashes, block: starred, quotes: []quote{quoted, {open: "`", close: "`", raw: true,
	lines: true}}, chars: true}

// languages but Go, which is parsed.
var languages = slices.Concat(scriptLanguages, webLanguages, managedLanguages, nativeLanguages)

// languageOf tells the language of a file by its name: nil when its symbols are not known, or Go.
func languageOf(name string) *language {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	for i := range languages {
		if l := &languages[i]; (ext != "" && slices.Contains(l.exts, ext)) || slices.Contains(l.names, base) {
			return l
		}
	}
	return nil
}

// Language names the language of the file called name by its extension; "" when its symbols cannot be found.
func Language(name string) string {
	if path.Ext(name) == ".go" {
		return goName
	}
	if l := languageOf(name); l != nil {
		return l.name
	}
	return ""
}

// Languages names the languages whose symbols can be found, as Language does, sorted.
func Languages() []string {
	all := []string{goName}
	for i := range languages {
		all = append(all, languages[i].name)
	}
	slices.Sort(all)
	return all
}
