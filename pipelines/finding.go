package pipelines

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// A Finding is a claim about a source tree with the lines that show it.
type Finding struct {
	Title      string            `json:"title"`
	Claim      string            `json:"claim"`
	Evidence   []report.Citation `json:"evidence"`
	Importance string            `json:"importance,omitempty"` // high, medium or low; empty if not given
	Dimension  string            `json:"dimension,omitempty"`  // what it is about, as errors or security
}

// inBrackets finds citations in a text: one or several in brackets or backticks.
var inBrackets = regexp.MustCompile("\\[([^\\[\\]\\n]+(?::L?|#L)\\d[^\\[\\]\\n]*)\\]|`([^`\\n]+(?::L?|#L)\\d[^`\\n]*)`")

// citations returns the citations of a text in order, each once. A number in place of a path is an index, not a
// citation.
func citations(text string) []report.Citation {
	var all []report.Citation
	seen := make(map[report.Citation]bool)
	for _, m := range inBrackets.FindAllStringSubmatch(text, -1) {
		for _, one := range strings.FieldsFunc(m[1]+m[2], func(r rune) bool { return r == ',' || r == ';' }) {
			if c, err := report.ParseCitation(one); err == nil && !seen[c] && strings.Trim(c.Path, "0123456789 ") != "" {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	return all
}

var (
	bullet    = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$`)
	important = regexp.MustCompile(`(?i)^[\[(*]*(high|medium|low)[\])*:]*\s+`)
)

// ParseFindings reads the findings of a text: list items that cite lines, as "- [high] title: claim [path:12]". An item
// may span several lines. The title ends at the first colon, or else at the first sentence. The heading above an item
// is its dimension.
func ParseFindings(text string) []Finding {
	var all []Finding
	for _, it := range items(text) {
		cited := citations(it.text)
		if len(cited) == 0 {
			continue
		}
		f := Finding{Evidence: cited, Dimension: it.heading}
		rest := it.text
		if m := important.FindStringSubmatch(rest); m != nil {
			f.Importance = strings.ToLower(m[1])
			rest = rest[len(m[0]):]
		}
		rest = strings.TrimRight(line.Flat(inBrackets.ReplaceAllString(rest, "")), " ,;")
		f.Title, f.Claim = splitTitle(strings.ReplaceAll(rest, "**", ""))
		if f.Title != "" {
			all = append(all, f)
		}
	}
	return all
}

const maxTitle = 120 // bytes

func splitTitle(s string) (title, claim string) {
	for _, mark := range []string{": ", ". ", "。", "：", "; "} {
		if before, after, ok := strings.Cut(s, mark); ok && before != "" && len(before) <= maxTitle {
			if strings.TrimSpace(after) == "" {
				return before, before
			}
			return strings.TrimSpace(before), strings.TrimSpace(after)
		}
	}
	return line.Truncate(s, maxTitle), s
}

// An item is one of a list, on one line, with the heading above the list in lower case.
type item struct{ text, heading string }

func items(text string) []item {
	var all []item
	open, heading := false, ""
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimSpace(raw)
		m := bullet.FindStringSubmatch(strings.TrimRight(raw, "\r\n"))
		switch {
		case m != nil:
			all = append(all, item{m[1], heading})
			open = true
		case strings.HasPrefix(trimmed, "#"):
			open, heading = false, strings.ToLower(strings.Trim(trimmed, "#*: "))
		case trimmed == "":
			open = false
		case open:
			all[len(all)-1].text += " " + trimmed
		}
	}
	return all
}

// openWords mark the headings under which a text lists what is open.
var openWords = []string{"open", "not covered", "unclear", "unresolved", "missing", "未", "待"}

// openItems returns the list items under such headings.
func openItems(text string) []string {
	var all []string
	under := false
	for raw := range strings.Lines(text) {
		raw = strings.TrimSpace(raw)
		m := bullet.FindStringSubmatch(raw)
		switch {
		case m != nil && under:
			all = append(all, line.Truncate(line.Flat(m[1]), maxLine))
		case m == nil && raw != "":
			lower := strings.ToLower(strings.Trim(raw, "#*: "))
			heading := strings.HasPrefix(raw, "#") || strings.HasSuffix(raw, ":") || strings.HasPrefix(raw, "**")
			under = heading && len(raw) < 80 && containsAny(lower, openWords)
		}
	}
	return all
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
