package page

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

//go:embed assets
var assets embed.FS

// script is what runs in the page: one module of these files, in their order.
var script = read("base.js", "list.js", "window.js", "timeline.js", "requests.js", "trial.js", "main.js")

// early is what runs before the first paint.
var early = read("early.js")

// style is the style sheet of the page.
var style = read("page.css")

// pages are parsed when the first page is written: other commands need none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.html").Funcs(template.FuncMap{
		"percent": line.Percent, "whole": whole, "points": points, "amount": amount, "number": number,
		"decimals": line.Decimals, "count": line.Count,
		"scale": func(v, by float64) float64 { return v * by }, "minus": func(a, b float64) float64 { return a - b },
	}).ParseFS(assets, "assets/page.html", "assets/inspect.html"))
})

func read(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // embedded
		}
		b.Write(text)
	}
	return b.String()
}

// index is what the page's script reads first.
type index struct {
	Subjects []string `json:"subjects"`
	Letters  []string `json:"letters"`
	Sections []string `json:"sections"` // of a window
	Rows     []row    `json:"rows"`
}

// view is what the templates show.
type view struct {
	Title         string
	Tasks, Trials int
	Started       string
	Foray         string
	Subjects      []*subject
	Scatter       scatter
	Distributions []distribution
	Charted       int // subjects that have histograms
	Early, Script template.JS
	Style         template.CSS
	Policy        string
	Left          omissions
}

// Write writes a report of the folder dir, which holds what package evals/trial wrote, to w. The folder may still be
// written to. Lines and traces that are damaged, and what is too much for a page, are named in the page; an error means
// that dir is not such a folder, has no result or cannot be read, or that w failed.
func Write(ctx context.Context, dir string, w io.Writer) (err error) {
	return write(ctx, dir, w, defaults)
}

// File is the name of the report in a folder of results.
const File = "report.html"

// Link is the fragment of a report's address that opens a trial.
func Link(task, subject string, trial int) string {
	return fmt.Sprintf("#trial=%s/%s/%d", url.PathEscape(visible(task)), url.PathEscape(visible(subject)), trial)
}

func write(ctx context.Context, dir string, w io.Writer, b bounds) (err error) {
	f, err := open(dir, b)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.root.Close()) }()
	subjects := summarize(f.info.Subjects, f.rows)
	v := view{
		Title: "Results of " + cmp.Or(visible(f.info.Set), "a set of tasks"), Started: startedText(f.info.Started),
		Tasks: f.countTasks(), Trials: len(f.rows), Subjects: subjects,
		Foray:   strings.TrimPrefix(visible(f.info.Foray), "foray "),
		Scatter: scattered(subjects), Distributions: distributions(subjects), Charted: min(len(subjects), mostCharted),
		Early: template.JS(early), Script: template.JS(script), Style: template.CSS(style), Policy: policy(),
	}
	if err := pages().ExecuteTemplate(w, "head", v); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	in := index{Sections: sections}
	for _, s := range subjects {
		in.Subjects, in.Letters = append(in.Subjects, s.Name), append(in.Letters, s.Letter)
	}
	if in.Rows, err = f.writeDetails(ctx, w, in.Subjects); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	v.Left = f.left
	return writeEnd(w, v, in)
}

// writeEnd writes what follows the details.
func writeEnd(w io.Writer, v view, in index) error {
	packed, err := pack(in)
	if err == nil {
		err = pages().ExecuteTemplate(w, "foot", v)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "<script type=\"text/plain\" id=\"index\">%s</script>\n", packed)
	}
	if err == nil {
		err = pages().ExecuteTemplate(w, "script", v)
	}
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// countTasks counts the tasks that have a result.
func (f *folder) countTasks() int {
	ids := make(map[string]bool)
	for _, r := range f.rows {
		ids[r.Task] = true
	}
	return len(ids)
}

func startedText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// writeDetails writes the details of trials, the failed ones first, as far as there is room, and returns the rows.
func (f *folder) writeDetails(ctx context.Context, w io.Writer, subjects []string) ([]row, error) {
	number := make(map[string]int)
	for i, name := range subjects {
		number[name] = i
	}
	rows := make([]row, len(f.rows))
	for i, r := range f.rows {
		rows[i] = rowOf(r, number[visible(r.Subject)], f.tasks[r.Task])
	}
	blocks, left := blockWriter{w: w, block: -1}, 0
	for _, passed := range []bool{false, true} {
		for r, err := range trial.Rows(f.dir) {
			if err != nil || r.Passed != passed {
				continue // what cannot be read is left out already
			}
			i, known := f.index[key{r.Task, r.Subject, r.Trial}]
			if !known || rows[i].Block >= 0 {
				continue
			}
			if blocks.total >= f.bounds.page {
				left++
				continue
			}
			if err := f.put(ctx, &blocks, r, &rows[i]); err != nil {
				return nil, err
			}
		}
	}
	if left > 0 {
		f.left.add("%s are in the table without details, because the page has %s of them already; failed trials came first.",
			line.Count(left, "trial"), line.Bytes(int64(blocks.total)))
	}
	return rows, blocks.close()
}

// put writes the details of a trial, and where they are into its row.
func (f *folder) put(ctx context.Context, blocks *blockWriter, r *trial.Row, in *row) error {
	d, err := f.details(ctx, r)
	if err != nil {
		return err
	}
	text, err := pack(d)
	if err == nil {
		in.Block, in.Line, err = blocks.put(text)
	}
	return err
}

// policy allows the page's own script and style, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; base-uri 'none'; form-action 'none'; "+
		"require-trusted-types-for 'script'", hash(early), hash(script), hash(style))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
