package localize

import (
	"fmt"
	"io"
	"strconv"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/reliability"
	"github.com/forayhq/foray/evals/internal/stats"
)

// WriteMarkdown writes a table for each set.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for _, row := range r.Rows {
		title := fmt.Sprintf("Localize: %s, %s, %d instances, %d with functions",
			row.Set, r.Split, row.Instances, row.WithFunctions)
		if n := len(tables); n == 0 || tables[n-1].Title != title {
			tables = append(tables, evals.Table{Title: title, Columns: r.columns(row)})
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, row.cells())
	}
	if len(tables) == 0 {
		tables = []evals.Table{{Title: "Localize: no instances"}}
	}
	tables[0].Note = "Percent of instances: acc@k all files, any@k any file, func@k all functions among the first k; " +
		"in brackets the 95 % interval."
	for _, id := range r.Missing {
		tables[0].Note += "\n- repository or commit missing: " + id
	}
	for _, why := range r.Partial {
		tables[0].Note += "\n- not counted, because its tree cannot be read whole: " + why
	}
	for _, line := range r.Skipped {
		tables[0].Note += "\n- left out: " + line
	}
	if r.Calibration != nil {
		tables = append(tables, r.calibration())
	}
	if len(r.Bins) > 0 {
		t := evals.Table{Title: "Confidence in the first file", Columns: reliability.Columns("method"), Rows: reliability.Rows(r.Bins)}
		for _, c := range r.Confidence {
			t.Note += fmt.Sprintf("%s: %d, right %.3f, said %.3f, ece %.3f", c.Of, c.Places, c.Right, c.Said, c.ECE)
			if c.AUC != nil {
				t.Note += fmt.Sprintf(", auc %.3f", *c.AUC)
			}
			t.Note += ". "
		}
		t.Note += fmt.Sprintf("Those of fewer than %d are pooled with the next.", leastBin)
		tables = append(tables, t)
	}
	return evals.WriteMarkdown(w, tables...)
}

func (r *Report) columns(row *row) []string {
	columns := []string{"method"}
	for _, s := range row.series() {
		for _, k := range r.K {
			if s.of > 0 {
				columns = append(columns, fmt.Sprintf("%s@%d", s.name, k))
			}
		}
	}
	return append(columns, "citations ok", "cold p50 ms")
}

func (r *row) cells() []string {
	cells := []string{r.Method}
	for _, s := range r.series() {
		for i := range r.K {
			if s.of > 0 {
				low, high := stats.Wilson(s.counts[i], s.of, stats.Confidence)
				cells = append(cells, fmt.Sprintf("%.1f (%.0f–%.0f)", percent(s.counts[i], s.of), 100*low, 100*high))
			}
		}
	}
	citations, cold := "", ""
	if r.Citations > 0 {
		citations = fmt.Sprintf("%.1f", percent(r.Resolved, r.Citations))
	}
	if len(r.Cold) > 0 {
		cold = fmt.Sprintf("%.0f", stats.Quantile(r.Cold, .5))
	}
	return append(cells, citations, cold)
}

func (r *Report) calibration() evals.Table {
	t := evals.Table{
		Title: "Calibration of locate",
		Note: "Share of files that are right, by rank and by gap of the score: of the first to the second, of the " +
			"others to the first. The last rank stands for all up to " + strconv.Itoa(maxCalibrated) + ".",
		Columns: []string{"rank"},
	}
	for _, b := range r.Calibration {
		if b.Rank == 1 {
			t.Columns = append(t.Columns, "gap "+strconv.Itoa(b.Gap))
		}
		if b.Gap == 0 {
			t.Rows = append(t.Rows, []string{strconv.Itoa(b.Rank)})
		}
		last := &t.Rows[len(t.Rows)-1]
		share := float64(b.Right) / float64(max(b.Files, 1))
		*last = append(*last, fmt.Sprintf("%.2f (%d of %d)", share, b.Right, b.Files))
	}
	return t
}
