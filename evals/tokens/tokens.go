package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit"
)

// from is the sum of tokens from which errors are measured.
const from = 20_000

// ErrNoVocabularies reports a program that was built without the vocabularies that [Exact] counts with.
var ErrNoVocabularies = errors.New("this program was built without -tags vocabularies")

// A Session is a run of one model: the growths of its prompt.
type Session struct {
	Model, ID string
	growths   []growth
}

// A growth is one line of the data.
type growth struct {
	Model   string   `json:"model"`
	Session string   `json:"session"`
	Counted int      `json:"delta_tokens"`
	Added   []string `json:"added"`
}

// Load reads sessions from files or folders of JSON lines with [evals.EachLine], which lists bad lines in skipped. Data
// without a session are an error.
func Load(ctx context.Context, paths ...string) (sessions []*Session, skipped []string, err error) {
	byID := make(map[[2]string]*Session)
	skipped, err = evals.EachLine(ctx, paths, func(_ string, line []byte) error {
		var g growth
		if err := json.Unmarshal(line, &g); err != nil {
			return err
		}
		if g.Counted <= 0 || g.Model == "" {
			return errors.New("no model or no count")
		}
		key := [2]string{g.Model, g.Session}
		s := byID[key]
		if s == nil {
			s = &Session{Model: g.Model, ID: g.Session}
			byID[key] = s
			sessions = append(sessions, s)
		}
		s.growths = append(s.growths, g)
		return nil
	})
	switch {
	case err != nil || len(sessions) > 0:
	case len(skipped) > 0:
		err = fmt.Errorf("no session in the data: %s", skipped[0])
	default:
		err = errors.New("no session in the data")
	}
	return sessions, skipped, err
}

// A way of counting estimates the total growth of the prompt after each growth of a session.
type way struct {
	name  string
	count func(*Session) ([]int, error)
}

// ways are compared, in the order of the report's columns.
var ways = []way{
	{"characters ÷ 4", func(s *Session) ([]int, error) {
		return s.sums(func(t string) int { return utf8.RuneCountInString(t) / 4 }), nil
	}},
	{"estimate", func(s *Session) ([]int, error) { return s.sums(toollimit.Tokens), nil }},
	{"window", func(s *Session) ([]int, error) { return s.window(false) }},
	{"calibrated", func(s *Session) ([]int, error) { return s.window(true) }},
}

func (s *Session) sums(count func(string) int) []int {
	sums := make([]int, len(s.growths))
	total := 0
	for i, g := range s.growths {
		total += count(g.text())
		sums[i] = total
	}
	return sums
}

func (g *growth) text() string { return strings.Join(g.Added, "\n") }

// window counts with a window that is large enough never to compact.
func (s *Session) window(observe bool) ([]int, error) {
	b := catalog.BudgetFor(s.Model, contextwindow.Off)
	b.Limit = math.MaxInt32
	w := contextwindow.New(b, nil)
	sums := make([]int, len(s.growths))
	counted := 0
	for i, g := range s.growths {
		if _, err := w.Append(transcript.Message{Role: transcript.User, Text: g.text()}); err != nil {
			return nil, err
		}
		sums[i] = w.Usage().Tokens
		w.View()
		if counted += g.Counted; observe {
			w.Observe(counted)
		}
	}
	return sums, nil
}

// A wayError is the error of a way of counting, as shares of the provider's count.
type wayError struct {
	Way    string  `json:"way"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

// A row has the figures of one model.
type row struct {
	Model    string     `json:"model"`
	Sessions int        `json:"sessions"`
	Samples  int        `json:"samples"` // sums of more than 20,000 tokens; without one, errors are empty
	Counted  int        `json:"counted"` // by the provider, in tokens
	Ratio    float64    `json:"ratio"`   // counted ÷ estimate
	Errors   []wayError `json:"errors"`
}

// A Report is the result of [Run].
type Report struct {
	Suite     string   `json:"suite"`
	Rows      []row    `json:"rows"`
	Megabytes float64  `json:"mb_per_s"` // speed of the estimate alone; 0: not measured
	Skipped   []string `json:"skipped"`
}

// Run counts every session in every way. Now is the clock for the speed of the estimate; nil: it is not measured.
func Run(ctx context.Context, sessions []*Session, o *evals.Options, now func() time.Time) (*Report, error) {
	suite := evals.Suite[*Session, []int]{}
	for _, s := range sessions {
		suite.Cases = append(suite.Cases, evals.Case[*Session]{ID: s.ID, Group: s.Model, Input: s})
	}
	for _, w := range ways {
		suite.Contenders = append(suite.Contenders, evals.Contender[*Session, []int]{
			Name: w.name, Run: func(_ context.Context, s *Session) ([]int, error) { return w.count(s) },
		})
	}
	outcomes, err := suite.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, out := range outcomes {
		if out.Err != nil {
			return nil, out.Err
		}
	}
	r := &Report{Suite: "tokens"}
	for _, model := range models(sessions) {
		r.Rows = append(r.Rows, newRow(model, sessions, outcomes))
	}
	if now != nil {
		r.Megabytes = speed(sessions, now)
	}
	return r, nil
}

func models(sessions []*Session) []string {
	var names []string
	for _, s := range sessions {
		names = append(names, s.Model)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func newRow(model string, sessions []*Session, outcomes []evals.Outcome[[]int]) row {
	r := row{Model: model}
	errors := make([][]float64, len(ways))
	estimate := 0
	for i, s := range sessions {
		if s.Model != model {
			continue
		}
		r.Sessions++
		total := 0
		for k, g := range s.growths {
			total += g.Counted
			if total <= from {
				continue
			}
			r.Samples++
			for n := range ways {
				sum := outcomes[i*len(ways)+n].Output[k]
				errors[n] = append(errors[n], math.Abs(float64(sum)/float64(total)-1))
			}
		}
		r.Counted += total
		estimate += s.sums(toollimit.Tokens)[len(s.growths)-1]
	}
	r.Ratio = float64(r.Counted) / float64(max(estimate, 1))
	for n, w := range ways {
		if r.Samples > 0 {
			r.Errors = append(r.Errors, wayError{w.name, stats.Quantile(errors[n], .5), stats.Quantile(errors[n], .95)})
		}
	}
	return r
}

// speedBytes is the size of the text that the speed is measured on.
const speedBytes = 64 << 20

// speed returns how many million bytes the estimate counts per second.
func speed(sessions []*Session, now func() time.Time) float64 {
	var texts []string
	size := 0
	for _, s := range sessions {
		for _, g := range s.growths {
			texts = append(texts, g.text())
			size += len(texts[len(texts)-1])
		}
	}
	if size == 0 {
		return 0
	}
	start, counted := now(), 0
	for counted < speedBytes {
		for _, t := range texts {
			toollimit.Tokens(t)
		}
		counted += size
	}
	return float64(counted) / 1e6 / max(now().Sub(start).Seconds(), 1e-9)
}

// WriteMarkdown writes the report as a table.
func (r *Report) WriteMarkdown(w io.Writer) error {
	t := evals.Table{
		Title:   "Tokens, against what providers counted",
		Note:    fmt.Sprintf("Errors of sums over %d tokens, median / 95th percentile, in percent.", from),
		Columns: []string{"model", "sessions", "samples", "counted", "counted ÷ estimate"},
	}
	for _, way := range ways {
		t.Columns = append(t.Columns, way.name)
	}
	for _, row := range r.Rows {
		cells := []string{
			row.Model, strconv.Itoa(row.Sessions), strconv.Itoa(row.Samples), strconv.Itoa(row.Counted),
			fmt.Sprintf("%.3f", row.Ratio),
		}
		for _, e := range row.Errors {
			cells = append(cells, fmt.Sprintf("%.1f / %.1f", 100*e.Median, 100*e.P95))
		}
		t.Rows = append(t.Rows, cells)
	}
	if r.Megabytes > 0 {
		t.Note += fmt.Sprintf(" The estimate reads %.0f MB/s.", r.Megabytes)
	}
	for _, line := range r.Skipped {
		t.Note += "\n- left out: " + line
	}
	return evals.WriteMarkdown(w, t)
}
