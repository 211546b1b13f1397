package recall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/forayhq/foray/evals"
)

// total is the category of the rows over all questions of a source.
const total = "all"

// A row is what a retriever found for the questions of one category of a source.
type row struct {
	Source, Retriever, Category string // Category "all" has all questions
	Questions                   int
	K                           []int
	Recall                      []float64 // at each k, 0 to 1
	QueryP50                    float64   // ms
	Index                       float64   // ms a conversation, on average
}

// MarshalJSON writes the recalls under names such as "recall@5", after the number of questions.
func (r row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fields := []any{"source", r.Source, "retriever", r.Retriever, "category", r.Category, "questions", r.Questions}
	for i, k := range r.K {
		fields = append(fields, "recall@"+strconv.Itoa(k), r.Recall[i])
	}
	fields = append(fields, "query_p50_ms", r.QueryP50, "index_ms", r.Index)
	separator := byte('{')
	for i := 0; i < len(fields); i += 2 {
		value, err := json.Marshal(fields[i+1])
		if err != nil {
			return nil, err
		}
		b.WriteByte(separator)
		fmt.Fprintf(&b, "%q:%s", fields[i], value)
		separator = ','
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// A Report is the result of [Run].
type Report struct {
	Suite   string   `json:"suite"`
	Rows    []row    `json:"rows"`
	Skipped []string `json:"skipped"` // from [Load], set by the caller
	K       []int    `json:"-"`
}

// add appends the rows of one retriever on one source, first the one of all questions.
func (r *Report) add(source, retriever string, outcomes []evals.Outcome[*result]) {
	byCategory := make(map[string][]answer)
	index, conversations := 0.0, 0
	for _, o := range outcomes {
		if o.Group != source || o.Contender != retriever {
			continue
		}
		conversations++
		index += o.Output.index
		for _, a := range o.Output.answers {
			byCategory[a.category] = append(byCategory[a.category], a)
			byCategory[total] = append(byCategory[total], a)
		}
	}
	if conversations == 0 {
		return
	}
	names := []string{total}
	for name := range byCategory {
		if name != total {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	for _, name := range names {
		sum := row{Source: source, Retriever: retriever, Category: name, K: r.K, Index: index / float64(conversations)}
		sum.take(byCategory[name])
		r.Rows = append(r.Rows, sum)
	}
}

func (r *row) take(answers []answer) {
	r.Questions = len(answers)
	r.Recall = make([]float64, len(r.K))
	var took []float64
	for _, a := range answers {
		took = append(took, a.took)
		for i, f := range a.found {
			r.Recall[i] += f / float64(len(answers))
		}
	}
	r.QueryP50 = evals.Quantile(took, .5)
}

// WriteMarkdown writes a table for each source.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for _, row := range r.Rows {
		if n := len(tables); n == 0 || tables[n-1].Title != "Recall: "+row.Source {
			t := evals.Table{Title: "Recall: " + row.Source, Columns: []string{"retriever", "category", "questions"}}
			for _, k := range r.K {
				t.Columns = append(t.Columns, "R@"+strconv.Itoa(k))
			}
			t.Columns = append(t.Columns, "query p50 ms", "index ms")
			tables = append(tables, t)
		}
		cells := []string{row.Retriever, row.Category, strconv.Itoa(row.Questions)}
		for _, recall := range row.Recall {
			cells = append(cells, fmt.Sprintf("%.1f", 100*recall))
		}
		cells = append(cells, fmt.Sprintf("%.2f", row.QueryP50), fmt.Sprintf("%.1f", row.Index))
		tables[len(tables)-1].Rows = append(tables[len(tables)-1].Rows, cells)
	}
	if len(tables) > 0 {
		tables[0].Note = "Share of the evidence among the first k turns, in percent, averaged over questions."
		for _, line := range r.Skipped {
			tables[0].Note += "\n- left out: " + line
		}
	}
	return evals.WriteMarkdown(w, tables...)
}
