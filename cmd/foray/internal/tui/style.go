package tui

import (
	"net/url"
	"regexp"

	"github.com/charmbracelet/x/ansi"
)

// A style is what blocks need to be drawn.
type style struct {
	theme
	*markdown
	locate func(citation string) (path string, line int, ok bool)
}

// citation finds what may be a place in a file: path:line or path:line-line.
var citation = regexp.MustCompile(`[\pL\pN_][\pL\pN_./@+-]*\.[\pL\pN]+:[1-9][0-9]*(-[1-9][0-9]*)?`)

// link makes the places that exist into links for the terminal (OSC 8).
func (s *style) link(lines []string) []string {
	if s.locate == nil {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = citation.ReplaceAllStringFunc(l, func(place string) string {
			path, _, ok := s.locate(place)
			if !ok {
				return place
			}
			to := url.URL{Scheme: "file", Path: path}
			return ansi.SetHyperlink(to.String()) + place + ansi.ResetHyperlink()
		})
	}
	return out
}

// places returns the places in a text that exist, each once, in their order.
func (s *style) places(text string) []string {
	var all []string
	seen := make(map[string]bool)
	for _, place := range citation.FindAllString(text, -1) {
		if seen[place] || s.locate == nil {
			continue
		}
		seen[place] = true
		if _, _, ok := s.locate(place); ok {
			all = append(all, place)
		}
	}
	return all
}
