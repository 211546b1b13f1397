package recall

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// total is the category of the rows over all questions of a source, and said the beginning of those over the evidence
// of one party.
const (
	total = "all"
	said  = "said by "
)

// A row is what a retriever found for the questions of one category of a source.
type row struct {
	Source, Retriever, Category string // Category "all" has all questions, "said by …" those with evidence of a party
	Questions                   int
	K                           []int
	Recall                      []float64 // at each k, 0 to 1
	Tokens                      float64   // shown a place, on average
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
	fields = append(fields, "tokens", r.Tokens, "query_p50_ms", r.QueryP50, "index_ms", r.Index)
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

	sources []*Source
	trials  trial.Results
}

// add appends the rows of one retriever on one source: all questions, who said the evidence, then the categories.
func (r *Report) add(source, retriever string, outcomes []evals.Outcome[*result]) {
	groups := make(map[string][]answer)
	index, conversations := 0.0, 0
	for _, o := range outcomes {
		if o.Group != source || o.Contender != retriever {
			continue
		}
		conversations++
		index += o.Output.index
		for _, a := range o.Output.answers {
			groups[a.category] = append(groups[a.category], a)
			groups[total] = append(groups[total], a)
			for party, found := range a.said {
				part := a
				part.found = found
				groups[said+party] = append(groups[said+party], part)
			}
		}
	}
	rank := func(name string) int {
		switch {
		case name == total:
			return 0
		case strings.HasPrefix(name, said):
			return 1
		}
		return 2
	}
	for _, name := range slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
	}) {
		sum := row{Source: source, Retriever: retriever, Category: name, K: r.K, Index: index / float64(conversations)}
		sum.take(groups[name])
		r.Rows = append(r.Rows, sum)
	}
}

func (r *row) take(answers []answer) {
	r.Questions = len(answers)
	r.Recall = make([]float64, len(r.K))
	var took []float64
	for _, a := range answers {
		took = append(took, a.took)
		r.Tokens += a.tokens / float64(len(answers))
		for i, f := range a.found {
			r.Recall[i] += f / float64(len(answers))
		}
	}
	r.QueryP50 = stats.Quantile(took, .5)
}

// WriteMarkdown writes a table over all sources, by who said the evidence, and one by category. It leaves out what the
// renamed variant and the lesser baselines add nothing to.
func (r *Report) WriteMarkdown(w io.Writer) error {
	columns := []string{"recordings", "found by", "evidence", "questions"}
	for _, k := range r.K {
		columns = append(columns, "R@"+strconv.Itoa(k))
	}
	all := evals.Table{
		Title: "Recall", Note: r.note(), Columns: append(columns, "tokens a place", "query p50 ms", "index ms"),
	}
	byCategory := evals.Table{Title: "Recall by category", Columns: slices.Clone(columns)}
	byCategory.Columns[2] = "category"
	for _, row := range r.Rows {
		cells := []string{row.Source, row.Retriever, row.Category, strconv.Itoa(row.Questions)}
		for _, recall := range row.Recall {
			cells = append(cells, fmt.Sprintf("%.1f", 100*recall))
		}
		switch {
		case row.Category == total || row.Retriever != renamed && strings.HasPrefix(row.Category, said):
			all.Rows = append(all.Rows, append(cells, fmt.Sprintf("%.0f", row.Tokens), fmt.Sprintf("%.2f", row.QueryP50),
				fmt.Sprintf("%.1f", row.Index)))
		case row.Retriever == retrieved || row.Retriever == stemmed:
			byCategory.Rows = append(byCategory.Rows, cells)
		}
	}
	return evals.WriteMarkdown(w, all, byCategory)
}

// note says what was read, and what the figures mean.
func (r *Report) note() string {
	var b strings.Builder
	for _, s := range r.sources {
		turns, questions := 0, 0
		for _, c := range s.conversations {
			turns += len(c.turns)
			questions += len(c.questions)
		}
		fmt.Fprintf(&b, "- %s: %s: %s, %s, %s\n", s.Name, cmp.Or(s.File, "part of foray"),
			line.Count(len(s.conversations), "conversation"), line.Count(turns, "turn"), line.Count(questions, "question"))
		if n := len(s.undated); n > 0 {
			fmt.Fprintf(&b, "  - %s without a date, because its form is unknown, such as %q\n",
				line.Count(n, "session"), s.undated[0])
		}
	}
	for _, skipped := range r.Skipped {
		fmt.Fprintf(&b, "- left out: %s\n", skipped)
	}
	b.WriteString("\nShare of the evidence in the first k places, in percent, averaged over questions. " +
		"A place is a turn\nor, for foray in a chat with an assistant, an exchange: a turn and its counterpart, each by its best passage.\n" +
		"Evidence counts as found whichever passage of its turn is shown.")
	return b.String()
}
