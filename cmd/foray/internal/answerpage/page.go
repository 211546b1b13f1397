// Package answerpage writes the answer to a question about a source tree as one HTML file: the answer, the places with
// their code, the calls and the packages as pictures, and what was read. The file asks no host for anything.
package answerpage

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
)

// A Page is what the file shows. All texts may be hostile.
type Page struct {
	Title      string
	Report     *report.Report // nil: see Text
	Text       string         // the answer of a model, in Markdown, whose citations are Relevant
	Relevant   []string       // citations, as path:12-30
	Partial    string         // why the answer is partial; "" if it is not
	Trust      string         // in the first place, in a word; "" if unknown
	NotCovered []string       // of Text; a report has its own

	Doubt  string             // why the Text may be about other code; "" if nothing says so
	Beside []report.Statement // what was found without the model that wrote Text
	Said   string             // what a model said beside the Report of the heuristic explorer: unchecked
	Footer string             // what the run took
	Read   []Reading          // what was read, in order
	Files  []File             // the files of the tree, for a picture of its packages; nil: none is drawn

	// Lines returns the lines of a file as they may be shown; nil: they cannot be read.
	Lines func(path string) []string
}

// A Reading is lines of a file that a tool returned.
type Reading struct {
	Path              string
	Start, End, Total int // lines, from 1; Total is the file's
}

// A File is a file of the tree.
type File struct {
	Path string
	Size int64 // bytes
}

// ReadingOf returns what a result of a tool says was read.
func ReadingOf(value any) (all []Reading) {
	files, ok := value.(*codebase.FileResult)
	if !ok {
		return nil
	}
	for i := range files.Items {
		f := &files.Items[i]
		if len(f.Lines) > 0 {
			all = append(all, Reading{f.Path, f.StartLine, f.EndLine, f.TotalLines})
		}
	}
	return all
}

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// opener opens the place that the address names: some browsers leave it closed.
const opener = `addEventListener("hashchange", unfold); unfold();
function unfold() {
  const at = document.getElementById(location.hash.slice(1));
  if (at && at.tagName === "DETAILS") at.open = true;
}`

// pageTemplate is parsed when the first page is written: other commands need none.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// Bounds of a page.
const (
	mostPlaces = 60 // with their code
	openPlaces = 3  // folded out, if they have no more than openLines
	openLines  = 40
	mostCode   = 2 << 20 // bytes of highlighted code
)

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	style := pageStyle + codeStyle()
	v := &view{Page: p, Title: line.Visible(line.Flat(p.Title)), Partial: line.Visible(p.Partial), Trust: p.Trust,
		Footer: line.Visible(p.Footer), Style: template.CSS(style), Script: template.JS(opener),
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
			hash(style), hash(opener))}
	v.fill()
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, v); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// A view is what the template reads.
type view struct {
	*Page
	Title, Partial, Trust, Footer, Policy string
	Style                                 template.CSS
	Script                                template.JS
	Answer, Beside                        []section
	Said                                  template.HTML
	Map                                   *callMap
	Places                                []place
	MorePlaces                            int
	Tests                                 []place
	Commits                               []string
	Gaps                                  []string
	Next                                  string
	Strips                                []strip
	Boxes                                 *treeMap

	ids  map[string]string // of the places, by their citation
	code int               // bytes so far
}

// A section is statements under one heading.
type section struct {
	Topic      string
	Statements []statement
}

type statement struct {
	Text  template.HTML
	Cited []link
}

// A link is a citation, and where it leads; "" for nowhere.
type link struct{ Text, To string }

// A place is lines of the tree.
type place struct {
	ID, Citation, Symbol, Why string
	Confidence                int // percent; 0: unknown
	Open                      bool
	Code                      template.HTML // "": it cannot be read
	More                      int           // lines that are left out
	lines                     int
}

func (v *view) fill() {
	v.ids = make(map[string]string)
	r := v.Report
	if r == nil {
		for _, c := range v.Relevant {
			v.addPlace(&v.Places, report.Place{}, c)
		}
		v.Answer = []section{{Statements: []statement{{Text: prose(v.linked(v.Text))}}}}
		v.Gaps = visibleAll(v.NotCovered)
	} else {
		v.fillReport(r)
	}
	v.Beside = v.sections(v.Page.Beside)
	if v.Page.Said != "" {
		v.Said = prose(v.Page.Said)
	}
	for i := range min(openPlaces, len(v.Places)) {
		v.Places[i].Open = v.Places[i].lines <= openLines
	}
	v.Strips = strips(v.Read)
	v.Boxes = drawPackages(v.Page.Files)
}

func (v *view) fillReport(r *report.Report) {
	for _, p := range r.Places {
		v.addPlace(&v.Places, p, p.Citation().String())
	}
	for i := range r.Excerpts {
		v.addPlace(&v.Places, report.Place{Why: "excerpt"}, r.Excerpts[i].Citation().String())
	}
	for _, p := range r.Tests {
		v.addPlace(&v.Tests, p, p.Citation().String())
	}
	v.Answer = v.sections(r.Summary)
	v.Map = drawCalls(r.Edges, v.target)
	for _, c := range r.Commits {
		v.Commits = append(v.Commits,
			line.Visible(strings.Join([]string{c.Commit[:min(shortCommit, len(c.Commit))], c.Date, c.Subject}, " ")))
	}
	v.Gaps, v.Next = visibleAll(r.NotCovered), line.Visible(r.NextQuestion)
}

// sections puts statements under their topics.
func (v *view) sections(said []report.Statement) (all []section) {
	for _, s := range said {
		if n := len(all); n == 0 || all[n-1].Topic != line.Visible(s.Topic) {
			all = append(all, section{Topic: line.Visible(s.Topic)})
		}
		of := &all[len(all)-1]
		of.Statements = append(of.Statements, statement{Text: prose(s.Text), Cited: v.links(s.Citations)})
	}
	return all
}

// shortCommit is how much of a commit's id a page shows.
const shortCommit = 12

func visibleAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = line.Visible(t)
	}
	return out
}

// addPlace adds a place with its code, unless the page has it already or is full.
func (v *view) addPlace(to *[]place, p report.Place, citation string) {
	at, err := report.ParseCitation(citation)
	if err != nil || v.ids[citation] != "" {
		return
	}
	if len(v.ids) >= mostPlaces {
		v.MorePlaces++
		return
	}
	id := fmt.Sprintf("p%d", len(v.ids)+1)
	v.ids[citation] = id
	shown := place{ID: id, Citation: line.Visible(citation), Symbol: line.Visible(p.Symbol), Why: line.Visible(p.Why),
		Confidence: int(100*p.Confidence + .5), lines: at.End - at.Start + 1}
	if v.code < mostCode && v.Lines != nil {
		shown.Code, shown.More = codeOf(at, v.Lines(at.Path))
		v.code += len(shown.Code)
	}
	*to = append(*to, shown)
}

// target returns where a citation leads: to the smallest place that has some of its lines; "" for nowhere.
func (v *view) target(citation string) string {
	at, err := report.ParseCitation(citation)
	if err != nil {
		return ""
	}
	best, size := "", 0
	for of, id := range v.ids {
		c, err := report.ParseCitation(of)
		holds := err == nil && c.Path == at.Path && c.Start <= at.End && at.Start <= c.End
		lines := c.End - c.Start
		if holds && (best == "" || cmp.Or(cmp.Compare(lines, size), strings.Compare(id, best)) < 0) {
			best, size = id, lines
		}
	}
	if best == "" {
		return ""
	}
	return "#" + best
}

func (v *view) links(citations []string) (all []link) {
	for _, c := range slices.Compact(slices.Clone(citations)) {
		all = append(all, link{line.Visible(c), v.target(c)})
	}
	return all
}
