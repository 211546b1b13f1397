package tui

import (
	"bytes"
	"html"
	"reflect"
	"slices"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A markdown renders Markdown for a width. It is for one goroutine.
type markdown struct {
	parser   parser.Parser
	renderer renderer.Renderer
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
	wraps := true
	draw := ansi.NewRenderer(ansi.Options{Styles: style, WordWrap: width, TableWrap: &wraps})
	return &markdown{
		parser:   newParser(),
		renderer: renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(draw, 1000))),
		width:    width,
	}
}

// newParser returns a parser of Markdown without HTML, whose tags are text: in an answer about code, <T> is a type, and
// the renderer would leave it out.
func newParser() parser.Parser {
	without := func(all []util.PrioritizedValue, one any) []util.PrioritizedValue {
		kind := reflect.TypeOf(one)
		return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool { return reflect.TypeOf(v.Value) == kind })
	}
	p := parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM, extension.DefinitionList)).Parser()
}

// lines renders a text that is clean.
func (m *markdown) lines(text string) []string {
	source := []byte(text)
	doc := m.parser.Parse(gmtext.NewReader(source))
	if plain := legible(doc, source); plain != nil {
		source = plain
		doc = m.parser.Parse(gmtext.NewReader(source))
	}
	var out bytes.Buffer
	if m.renderer.Render(&out, source, doc) != nil {
		return Wrap(text, m.width)
	}
	return trimmed(strings.Split(out.String(), "\n"))
}

// lineBreak is what models write for a new line in a cell of a table.
var lineBreak = lazyregexp.New(`(?i)<br ?/?>`)

// legible returns a text that the renderer shows as it is meant; nil if the text is that already. Character references
// that would put control characters on the screen, such as &#27;, are written out, and so are all in code, where they
// refer to nothing.
func legible(doc ast.Node, source []byte) []byte {
	var out []byte
	done := 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, ok := n.(*ast.Text)
		if !entering || !ok || t.Segment.Start < done {
			return ast.WalkContinue, nil
		}
		was := string(t.Segment.Value(source))
		is, meant, in := was, html.UnescapeString(was), t.Parent().Kind()
		if meant != was && in == ast.KindCodeSpan || clean(meant) != meant {
			is = strings.ReplaceAll(was, "&", "&amp;")
		}
		if in == table.KindTableCell {
			is = lineBreak.ReplaceAllString(is, " ")
		}
		if is != was {
			out = append(append(out, source[done:t.Segment.Start]...), is...)
			done = t.Segment.Stop
		}
		return ast.WalkContinue, nil
	})
	if done == 0 {
		return nil
	}
	return append(out, source[done:]...)
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
