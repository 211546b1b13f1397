package summary

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// detail matches what a reader may need again: paths and files, names of code with several parts, and names with a
// version.
var detail = regexp.MustCompile(`(?:[\w@.~-]*/)+[\w@-]+\.[A-Za-z]\w{0,5}\b|\b[\w-]+\.(?:` + extensions + `)\b|` +
	`\b[A-Z][\w+#-]*(?:\.js|\.py)?(?: [A-Z][\w+#-]*)? v?\d+(?:\.\d+)+\b|` +
	`\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b|\b[A-Za-z]*[a-z][A-Z]\w*\b`)

// extensions are those of files that are named without a folder.
const extensions = `go|py|js|ts|tsx|jsx|mjs|rs|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|scala|sh|sql|md|txt|rst|json|` +
	`ya?ml|toml|ini|cfg|conf|html|css|scss|vue|svelte|xml|csv|tsv|log|lock|mod|sum|proto|graphql|tf|ipynb|pdf|db|sqlite`

// filePath matches paths in the arguments of calls.
var filePath = regexp.MustCompile(`(?:[\w@.~-]*/)+[\w@-]+\.[A-Za-z]\w{0,5}\b`)

// What one message adds to the weight of a detail, and the weight of one that is kept.
const (
	userWeight  = 3
	otherWeight = 1
	leastWeight = 2
)

// maxDetails is how many details of new messages are kept.
const maxDetails = 12

// details returns the details of a summary after new messages, those that matter most last.
func details(old []string, fresh []Message) []string {
	weights := make(map[string]int)
	for _, m := range fresh {
		found := make(map[string]bool)
		weight := otherWeight
		switch m.Role {
		case transcript.User:
			weight = userWeight
			note(found, detail, speech.OwnWords(m.Text))
		case transcript.Assistant:
			note(found, detail, withoutCode(m.Text))
			for _, c := range m.Calls {
				note(found, filePath, string(c.Args[:min(len(c.Args), spokenTokens)]))
			}
		case transcript.Tool:
			continue
		}
		for name := range found {
			weights[name] += weight
		}
	}
	var names []string
	for name, weight := range weights {
		if weight >= leastWeight || slices.Contains(old, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(weights[a], weights[b]), cmp.Compare(a, b)) })
	names = names[max(0, len(names)-maxDetails):]
	old = slices.DeleteFunc(slices.Clone(old), func(name string) bool {
		return slices.Contains(names, name) || !strings.Contains(name, " ") && !detail.MatchString(name)
	})
	return append(old, names...)
}

// note adds the details in a text to a set.
func note(found map[string]bool, pattern *regexp.Regexp, text string) {
	for _, name := range pattern.FindAllString(text[:min(len(text), readBytes)], -1) {
		if len(name) >= 4 && len(name) <= sentenceRunes && !strings.HasPrefix(name, "__") && !strings.HasPrefix(name, "e.g") {
			found[name] = true
		}
	}
}
