package live

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/internal/line"
)

// A Report is the result of [Run].
type Report struct {
	Suite   string    `json:"suite"`
	Model   string    `json:"model"`
	Window  int       `json:"window"` // tokens
	Machine string    `json:"machine"`
	Date    time.Time `json:"date"`
	Bound   float64   `json:"bound_seconds"` // of a run; 0: none

	Questions []questionRow `json:"questions"`
	Turns     []turnRow     `json:"turns"`
	Memories  []memoryRow   `json:"memories"`
	Summaries []summaryRow  `json:"summaries"`
	Sittings  []sittingRow  `json:"sittings"`
	Forms     []formRow     `json:"forms"`
}

// cost is what a row took.
type cost struct {
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	Read     int     `json:"tokens_read"`
	Cached   int     `json:"tokens_cached,omitempty"` // of those read
	Written  int     `json:"tokens_written"`
}

func costOf(c counts, took time.Duration) cost {
	return cost{took.Seconds(), c.requests, c.usage.Input, c.usage.Cached, c.usage.Output}
}

// A questionRow is the outcome of a question.
type questionRow struct {
	origin
	ID      string `json:"id"`
	Module  string `json:"module"`
	Ask     string `json:"ask"`
	Grade   string `json:"grade"`
	Without string `json:"without_model"` // the grade of the explorer without a model
	Worse   bool   `json:"worse,omitempty"`
	Place   bool   `json:"place"` // a place is cited
	Words   bool   `json:"words"` // the text has the words
	Cited   int    `json:"cited"`
	Valid   int    `json:"valid"` // citations that name lines of the module
	cost
	Fixed    int      `json:"fixed_tokens"` // of the system prompt and the schemas, estimated
	Share    float64  `json:"fixed_share"`  // of the window; 0: unknown
	Steps    int      `json:"steps"`
	Stop     string   `json:"stop"`
	Fallback string   `json:"fallback,omitempty"` // why the report is that of the explorer without a model
	Said     string   `json:"model_said,omitempty"`
	Error    string   `json:"error,omitempty"`
	Answer   string   `json:"answer"`
	Relevant []string `json:"relevant_files"`
}

// fill adds the scores and the cost.
func (r *questionRow) fill(with, without score, c counts, took time.Duration, window int) {
	r.Grade, r.Without, r.Worse = gradeNames[with.grade], gradeNames[without.grade], with.grade < without.grade
	r.Place, r.Words, r.Cited, r.Valid = with.place, with.words, with.cited, with.valid
	r.cost, r.Fixed = costOf(c, took), c.fixed
	if window > 0 {
		r.Share = float64(c.fixed) / float64(window)
	}
}

func newReport(c Config) *Report {
	info := c.Model.Info()
	return &Report{Suite: "live", Model: info.Provider + "/" + info.Name, Window: info.Window,
		Machine: fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, line.Count(runtime.NumCPU(), "core")),
		Date:    c.Now().UTC(), Bound: c.Timeout.Seconds(),
		Questions: []questionRow{}, Turns: []turnRow{}, Memories: []memoryRow{}, Summaries: []summaryRow{},
		Sittings: []sittingRow{}, Forms: []formRow{}}
}

// WriteMarkdown writes a table for each part that was run.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	if len(r.Questions) > 0 {
		tables = append(tables, r.questionTable())
	}
	if len(r.Turns) > 0 {
		tables = append(tables, r.turnTable())
	}
	if len(r.Memories) > 0 {
		tables = append(tables, r.memoryTable())
	}
	if len(r.Summaries) > 0 {
		tables = append(tables, r.summaryTable())
	}
	if len(r.Sittings) > 0 {
		tables = append(tables, r.sittingTable())
	}
	if len(r.Forms) > 0 {
		tables = append(tables, r.formTable())
	}
	return evals.WriteMarkdown(w, tables...)
}

func (r *Report) questionTable() evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Questions: %s, window %s, %s, %s", r.Model, line.Number(r.Window), r.Machine,
			r.Date.Format(time.DateOnly)),
		Note: r.sums(),
		Columns: []string{"question", "module", "answer", "without a model", "citations valid", "s", "requests", "read",
			"written", "stop"},
	}
	for _, q := range r.Questions {
		t.Rows = append(t.Rows, append([]string{q.ID, q.Module, q.Grade, q.Without, fmt.Sprintf("%d of %d", q.Valid, q.Cited)},
			append(q.cells(), q.stop())...))
	}
	return t
}

// stop says how a run ended, and whether the model answered.
func (r *questionRow) stop() string {
	switch {
	case r.Error != "":
		return "error: " + r.Error
	case r.Fallback != "":
		return "without the model: " + r.Fallback
	}
	return r.Stop
}

func or(is bool, a, b string) string {
	if is {
		return a
	}
	return b
}

// cells writes seconds, requests and tokens.
func (c cost) cells() []string {
	return []string{strconv.Itoa(int(c.Seconds + .5)), strconv.Itoa(c.Requests), line.Number(c.Read), line.Number(c.Written)}
}

// sums writes the sums over the questions.
func (r *Report) sums() string {
	var rightOnes, halves, without, worse, fallbacks, cited, valid int
	var seconds, shares []float64
	for _, q := range r.Questions {
		switch q.Grade {
		case gradeNames[right]:
			rightOnes++
		case gradeNames[half]:
			halves++
		}
		if q.Without == gradeNames[right] {
			without++
		}
		if q.Worse {
			worse++
		}
		if q.Fallback != "" {
			fallbacks++
		}
		cited, valid = cited+q.Cited, valid+q.Valid
		seconds, shares = append(seconds, q.Seconds), append(shares, q.Share)
	}
	bound := "no bound"
	if r.Bound > 0 {
		bound = fmt.Sprintf("bound %.0f s", r.Bound)
	}
	return fmt.Sprintf("%d of %d right, %d half (without a model %d right); worse than without a model: %d; "+
		"answered without the model: %d; citations that name lines: %d of %d; median %.0f s, longest %.0f s (%s); prompt and schemas %.0f %% of the window.",
		rightOnes, len(r.Questions), halves, without, worse, fallbacks, valid, cited, stats.Quantile(seconds, .5), slices.Max(seconds),
		bound, 100*slices.Max(shares))
}
