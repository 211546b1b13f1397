package summary

import "strings"

// The headings of a summary.
const (
	headTopics      = "Main topics"
	headDecisions   = "Decisions"
	headPreferences = "Preferences"
	headDetails     = "Technical details"
	headOpen        = "Open points"
)

// headings are in the order of the sections.
var headings = []string{headTopics, headDecisions, headPreferences, headDetails, headOpen}

// sectionsOf returns the items of a summary by heading. A heading may be marked up, as in "## Decisions:".
func sectionsOf(text string) map[string][]string {
	sections := make(map[string][]string)
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if h := headingOf(line); h != "" {
			at = h
			if sections[at] == nil {
				sections[at] = []string{}
			}
			continue
		}
		item := strings.TrimSpace(strings.TrimLeft(line, "-*• "))
		if item != "" && at != "" && !strings.EqualFold(item, "none") {
			sections[at] = append(sections[at], item)
		}
	}
	return sections
}

func headingOf(line string) string {
	bare := strings.Trim(line, "#*: ")
	for _, h := range headings {
		if strings.EqualFold(bare, h) {
			return h
		}
	}
	return ""
}
