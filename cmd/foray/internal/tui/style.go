package tui

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A style is what blocks need to be drawn.
type style struct {
	theme
	*markdown
	locate func(citation string) (path string, line int, ok bool)
}

// citation finds what may be a place in a file: path:line or path:line-line.
var citation = lazyregexp.New(`[\pL\pN_][\pL\pN_./@+-]*\.[\pL\pN]+:[1-9][0-9]*(-[1-9][0-9]*)?`)

// A span is the columns of a line that link to a place.
type span struct {
	from, to int
	place    string
}

// link makes the places of a text that exist into links for the terminal (OSC 8), in the lines that show the text. A
// place that wraps is one link.
func (s *style) link(text string, lines []string) []string {
	places := s.places(text)
	if len(places) == 0 {
		return lines
	}
	plain, cells, spans := make([]string, len(lines)), make([][]cell, len(lines)), make([][]span, len(lines))
	for i, l := range lines {
		plain[i] = ansi.Strip(l)
		cells[i] = cellsOf(plain[i])
	}
	for i, l := range plain {
		for _, at := range citation.FindAllStringIndex(l, -1) {
			whole := span{columns(l[:at[0]]), columns(l[:at[1]]), l[at[0]:at[1]]}
			if slices.Contains(places, whole.place) && !slices.ContainsFunc(spans[i], whole.overlaps) {
				spans[i] = append(spans[i], whole)
			}
		}
		for _, place := range places {
			for n, part := range wrapped(cells[i:], place) {
				spans[i+n] = slices.DeleteFunc(spans[i+n], part.overlaps) // its beginning may be a place, too
				spans[i+n] = append(spans[i+n], part)
			}
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = s.linked(l, spans[i])
	}
	return out
}

func (s span) overlaps(o span) bool { return s.from < o.to && o.from < s.to }

// linked returns a line with its links.
func (s *style) linked(l string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return b.from - a.from })
	for _, p := range spans {
		path, _, _ := s.locate(p.place)
		to := url.URL{Scheme: "file", Path: path}
		id := "id=" + strings.NewReplacer(":", "-", ";", "-").Replace(p.place) // what wraps is one link for the terminal
		l = ansi.Cut(l, 0, p.from) + ansi.SetHyperlink(to.String(), id) + ansi.Cut(l, p.from, p.to) +
			ansi.ResetHyperlink() + ansi.TruncateLeft(l, p.to, "")
	}
	return l
}

// wrapped returns where a place is that begins at the end of the first line, or of one of its cells, and continues
// below; nil if none does.
func wrapped(lines [][]cell, place string) []span {
	for c, cell := range lines[0] {
		for k := min(len(place)-1, len(cell.text)); k > 0; k-- {
			if !strings.HasSuffix(cell.text, place[:k]) || continues(cell.text[:len(cell.text)-k]) {
				continue
			}
			end := cell.from + columns(cell.text)
			parts := []span{{end - columns(place[:k]), end, place}}
			if more := rest(lines[1:], c, place[k:], place); more != nil {
				return append(parts, more...)
			}
		}
	}
	return nil
}

// rest returns where the rest of a place is, which begins in cell c of the first line; nil if it is not there.
func rest(lines [][]cell, c int, text, place string) (parts []span) {
	for _, cells := range lines {
		if c >= len(cells) || cells[c].text == "" {
			return nil
		}
		cell := cells[c]
		if after, ok := strings.CutPrefix(cell.text, text); ok {
			if after != "" && isDigit(after[0]) {
				return nil
			}
			return append(parts, span{cell.from, cell.from + columns(text), place})
		}
		if !strings.HasPrefix(text, cell.text) {
			return nil
		}
		parts, text = append(parts, span{cell.from, cell.from + columns(cell.text), place}), text[len(cell.text):]
	}
	return nil
}

// continues reports whether a path that follows a text would continue a longer one.
func continues(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && (unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("_./@+-", last))
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// A cell is the text of a cell of a table, or a line of anything else, and its first column.
type cell struct {
	text string
	from int
}

// cellsOf returns the cells of a line without styles.
func cellsOf(l string) (cells []cell) {
	from := 0
	for part := range strings.SplitSeq(l, "│") {
		text := strings.TrimLeft(part, " ")
		cells = append(cells, cell{strings.TrimRight(text, " "), from + len(part) - len(text)})
		from += columns(part) + 1
	}
	return cells
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
