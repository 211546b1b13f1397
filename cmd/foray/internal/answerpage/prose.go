package answerpage

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// markdown writes HTML in a text as text, and no link that could run something.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(asText{}, 0))))

// asText writes HTML as text: to a reader of code, List<String> is not a tag.
type asText struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (asText) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindRawHTML, writeTag)
	to.Register(ast.KindHTMLBlock, writeBlock)
}

func writeTag(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		writeLines(w, src, n.(*ast.RawHTML).Segments)
	}
	return ast.WalkSkipChildren, nil
}

func writeBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<p>") // to a buffer
	writeLines(w, src, n.Lines())
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		_, _ = w.Write(util.EscapeHTML(b.ClosureLine.Value(src)))
	}
	_, _ = w.WriteString("</p>\n")
	return ast.WalkContinue, nil
}

// writeLines writes lines of a text to a buffer.
func writeLines(w util.BufWriter, src []byte, lines *text.Segments) {
	for i := range lines.Len() {
		at := lines.At(i)
		_, _ = w.Write(util.EscapeHTML(at.Value(src)))
	}
}

// picture is an image of Markdown: a page asks no host for anything, so that its text does.
var picture = lazyregexp.New(`!\[([^\]]*)\]\(`)

// prose returns Markdown as HTML.
func prose(said string) template.HTML {
	said = picture.ReplaceAllString(line.Visible(said), "[$1](")
	var b bytes.Buffer
	if err := markdown.Convert([]byte(said), &b); err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(said) + "</p>")
	}
	return template.HTML(b.String())
}

// cited is a citation in the text of a model.
var cited = lazyregexp.New(`\[([^\[\]\n]+:[0-9]+(?:-[0-9]+)?)\](\(?)`)

// linked makes the citations of a text that the page has links to their places.
func (v *view) linked(said string) string {
	return cited.ReplaceAllStringFunc(said, func(found string) string {
		c := strings.TrimPrefix(strings.TrimSuffix(found, "]"), "[")
		if to := v.target(c); to != "" && !strings.HasSuffix(found, "(") {
			return "[[" + c + "]](" + to + ")"
		}
		return found
	})
}

// Bounds of the code of a place.
const (
	mostLines   = 80  // lines
	mostColumns = 400 // runes of a line
	around      = 4   // lines before and after a place that has fewer
)

var formatter = html.New(html.WithClasses(true), html.WithLineNumbers(true))

// codeOf returns lines of a file in colour, and how many of the place are left out.
func codeOf(at report.Citation, lines []string) (code template.HTML, more int) {
	if at.Start > len(lines) {
		return "", 0
	}
	start, end := at.Start, min(at.End, len(lines))
	if more = max(end-start+1-mostLines, 0); more > 0 {
		end -= more
	}
	marked := [][2]int{}
	if end-start+1 < around { // a line says little without those around it
		marked = [][2]int{{start, end}}
		start, end = max(start-around, 1), min(end+around, len(lines))
	}
	chosen := make([]string, 0, mostLines)
	for _, l := range lines[start-1 : end] {
		chosen = append(chosen, line.Truncate(line.Visible(l), mostColumns))
	}
	lexer := lexers.Match(at.Path)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.Join(chosen, "\n")+"\n")
	if err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(strings.Join(chosen, "\n")) + "</pre>"), more
	}
	var b bytes.Buffer
	numbered := html.New(html.WithClasses(true), html.WithLineNumbers(true), html.BaseLineNumber(start),
		html.HighlightLines(marked))
	if err := numbered.Format(&b, styles.Get("github"), tokens); err != nil {
		return "", 0
	}
	return template.HTML(b.String()), more
}

// codeStyle returns the colours of code, by day and by night.
func codeStyle() string {
	var b strings.Builder
	_ = formatter.WriteCSS(&b, styles.Get("github")) // to a builder
	b.WriteString("@media (prefers-color-scheme: dark) {\n")
	_ = formatter.WriteCSS(&b, styles.Get("github-dark"))
	b.WriteString("}\n")
	return b.String()
}
