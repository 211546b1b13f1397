package symbols

import (
	"path"
	"slices"
	"strings"
)

// goName is the language that has a parser.
const goName = "go"

var goLexicon = lexicon{line: slashes, block: starred, quotes: []quote{quoted, {open: "`", close: "`", raw: true,
	lines: true}}, chars: true}

// languages are all languages except Go.
var languages = slices.Concat(scriptLanguages, webLanguages, managedLanguages, nativeLanguages)

// languageOf finds the language of a file by its name. It returns nil for Go and for unknown languages.
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

// Language names the language of a file by its name, or returns "" if its symbols cannot be found.
func Language(name string) string {
	if path.Ext(name) == ".go" {
		return goName
	}
	if l := languageOf(name); l != nil {
		return l.name
	}
	return ""
}

// Languages returns all results of [Language] except "", sorted.
func Languages() []string {
	all := []string{goName}
	for i := range languages {
		all = append(all, languages[i].name)
	}
	slices.Sort(all)
	return all
}
