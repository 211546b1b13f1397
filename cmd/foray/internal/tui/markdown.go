package tui

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"
)

// A markdown renders Markdown for a width. It is for one goroutine.
type markdown struct {
	renderer *glamour.TermRenderer
	width    int
}

func newMarkdown(width int, dark bool) *markdown {
	style, code := styles.LightStyleConfig, "github" // of chroma; a style of one's own is kept for the whole process
	if dark {
		style, code = styles.DarkStyleConfig, "github-dark"
	}
	style.CodeBlock.Chroma, style.CodeBlock.Theme = nil, code
	var none uint
	style.Document.Margin, style.CodeBlock.Margin = &none, &none
	style.Document.BlockPrefix, style.Document.BlockSuffix = "", ""
	style.Document.Color = nil // the terminal's own
	style.Code.Prefix, style.Code.Suffix = "", ""
	style.H1.Prefix, style.H1.Suffix, style.H1.BackgroundColor = "# ", "", nil
	style.H1.Color = style.Heading.Color
	r, err := glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(width), glamour.WithTableWrap(true))
	if err != nil {
		return &markdown{width: width} // shows the source
	}
	return &markdown{r, width}
}

// lines renders a text that is clean.
func (m *markdown) lines(text string) []string {
	if m.renderer != nil {
		if out, err := m.renderer.Render(text); err == nil {
			return trimmed(strings.Split(out, "\n"))
		}
	}
	return wrap(text, m.width)
}

// trimmed removes blank lines at both ends and the padding of each line.
func trimmed(lines []string) []string {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// A stream renders an answer while it grows: what can no longer change is rendered once.
type stream struct {
	done  int      // bytes of the text that lines covers
	lines []string // of these
}

// render returns the lines of a text that begins like the last one.
func (s *stream) render(m *markdown, text string) []string {
	if at := settled(text, s.done); at > s.done {
		s.lines, s.done = append(s.lines, append(m.lines(text[s.done:at]), "")...), at
	}
	if rest := strings.TrimSpace(text[s.done:]); rest != "" {
		return append(s.lines[:len(s.lines):len(s.lines)], m.lines(text[s.done:])...)
	}
	return trimmed(s.lines[:len(s.lines):len(s.lines)])
}

// settled returns where the last paragraph of text begins that a later one cannot change: after a blank line that is
// outside of a code block and before a line that starts a paragraph. It is at least from.
func settled(text string, from int) int {
	at, fence, empty := from, "", false
	for pos := from; pos < len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text) - pos
		} else {
			end++
		}
		l := strings.TrimRight(text[pos:pos+end], "\r\n")
		if empty && fence == "" && pos+end < len(text) && starts(l) {
			at = pos
		}
		fence, empty = fenced(fence, strings.TrimLeft(l, " ")), strings.TrimSpace(l) == ""
		pos += end
	}
	return at
}

// fenced returns the fence that is open after a line, "" for none.
func fenced(open, l string) string {
	for _, f := range []string{"```", "~~~"} {
		if strings.HasPrefix(l, f) {
			switch open {
			case "":
				return f
			case f:
				return ""
			}
		}
	}
	return open
}

// starts reports whether a line after a blank one begins a paragraph, and does not continue a list.
func starts(l string) bool {
	return l != "" && l[0] != ' ' && l[0] != '\t' && !strings.ContainsRune("-*+0123456789>|", rune(l[0]))
}
