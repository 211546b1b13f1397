package pipelines

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Finding is a claim about a source tree with the lines that show it.
type Finding struct {
	Title      string     `json:"title"`
	Claim      string     `json:"claim"`
	Evidence   []Citation `json:"evidence"`
	Importance Importance `json:"importance,omitempty"`
	Dimension  string     `json:"dimension,omitempty"`
}

// An Importance says how much a finding matters.
type Importance string

// The importances.
const (
	High   Importance = "high"
	Medium Importance = "medium"
	Low    Importance = "low"
)

// rank orders importances, the highest first; one that is none is last.
func (i Importance) rank() int {
	switch i {
	case High:
		return 0
	case Medium:
		return 1
	case Low:
		return 2
	}
	return 3
}

// A Citation is lines of a file, from 1, both included. It is written path:12-30 or path:12, in JSON too.
type Citation struct {
	Path       string
	Start, End int
}

// String writes the citation.
func (c Citation) String() string {
	if c.End <= c.Start {
		return fmt.Sprintf("%s:%d", c.Path, c.Start)
	}
	return fmt.Sprintf("%s:%d-%d", c.Path, c.Start, c.End)
}

// MarshalText writes the citation.
func (c Citation) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a citation.
func (c *Citation) UnmarshalText(text []byte) error {
	parsed, err := ParseCitation(string(text))
	*c = parsed
	return err
}

var citationForm = regexp.MustCompile(`^([^\s:][^\n:]*?):L?(\d{1,9})(?:-L?(\d{1,9}))?$`)

// ParseCitation reads path:12-30 or path:12, also in brackets or backticks, with or without an L before the numbers. The
// error says what is wrong with the form; whether there are such lines it does not say.
func ParseCitation(s string) (Citation, error) {
	m := citationForm.FindStringSubmatch(strings.Trim(strings.TrimSpace(s), "[]()`"))
	if m == nil {
		return Citation{}, fmt.Errorf("%q is not of the form path:12-30", shorten(s, 200))
	}
	start, _ := strconv.Atoi(m[2]) // nine digits at most, by the pattern
	end := start
	if m[3] != "" {
		end, _ = strconv.Atoi(m[3])
	}
	if start < 1 || end < start {
		return Citation{}, fmt.Errorf("%q names no lines: they count from 1, and the last is not before the first", shorten(s, 200))
	}
	return Citation{path.Clean(m[1]), start, end}, nil
}

// shorten is the start of a text on one line.
func shorten(s string, runes int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return string(r)
}

// inBrackets finds citations in a text: one or several in brackets or backticks.
var inBrackets = regexp.MustCompile("\\[([^\\[\\]\\n]+:L?\\d[^\\[\\]\\n]*)\\]|`([^`\\n]+:L?\\d[^`\\n]*)`")

// citations are the citations of a text in their order, each once. A number in place of a path is an index.
func citations(text string) []Citation {
	var all []Citation
	seen := make(map[Citation]bool)
	for _, m := range inBrackets.FindAllStringSubmatch(text, -1) {
		for _, one := range strings.FieldsFunc(m[1]+m[2], func(r rune) bool { return r == ',' || r == ';' }) {
			if c, err := ParseCitation(one); err == nil && !seen[c] && strings.Trim(c.Path, "0123456789 ") != "" {
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

// findingsIn reads the findings out of a text: points of a list that cite lines, as "- [high] title: claim [path:12]". A
// point may go on over several lines. What is before the first colon is the title, or the first sentence where there is none.
func findingsIn(text string) []Finding {
	var all []Finding
	known := Dimensions()
	for _, point := range points(text) {
		p := point.text
		cited := citations(p)
		if len(cited) == 0 {
			continue
		}
		f := Finding{Evidence: cited}
		if slices.Contains(known, point.heading) {
			f.Dimension = point.heading
		}
		if m := important.FindStringSubmatch(p); m != nil {
			f.Importance = Importance(strings.ToLower(m[1]))
			p = p[len(m[0]):]
		}
		f.Claim = strings.TrimRight(strings.Join(strings.Fields(inBrackets.ReplaceAllString(p, "")), " "), " ,;")
		f.Title, f.Claim = titled(strings.ReplaceAll(f.Claim, "**", ""))
		if f.Title != "" {
			all = append(all, f)
		}
	}
	return all
}

// titled parts a title from a claim.
func titled(s string) (title, claim string) {
	for _, mark := range []string{": ", ". ", "。", "：", "; "} {
		if before, after, ok := strings.Cut(s, mark); ok && before != "" && len(before) <= maxTitle {
			if strings.TrimSpace(after) == "" {
				return before, before
			}
			return strings.TrimSpace(before), strings.TrimSpace(after)
		}
	}
	return shorten(s, maxTitle), s
}

// A point is one of a list, on one line, with the heading that it stands below, in lower case.
type point struct{ text, heading string }

// points are the points of the lists in a text.
func points(text string) []point {
	var all []point
	open, heading := false, ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		m := bullet.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case m != nil:
			all = append(all, point{m[1], heading})
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
