package answers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/reliability"
	"github.com/forayhq/foray/evals/internal/stats"
)

// A Report is the result of [Run].
type Report struct {
	Suite       string                 `json:"suite"`
	Split       string                 `json:"split"`
	Model       string                 `json:"model,omitempty"`  // the one of the modes other than rules
	Window      int                    `json:"window,omitempty"` // of the model, in tokens
	Rows        []*row                 `json:"rows"`
	Calibration []*reliability.Summary `json:"calibration"`
	Bins        []reliability.Bin      `json:"confidence"` // of first places, by family
	Failed      []string               `json:"failed"`     // questions without an answer, and why
	Missing     []string               `json:"missing"`    // ids of questions without their repository or commit
	Skipped     []string               `json:"skipped"`    // invalid lines of the data

	scores []*score
}

// A row is a group of questions in a mode. Of family, language and style those are set that the group shares.
type row struct {
	Mode, Family, Language, Style string
	Questions                     int
	sums                          map[metric]float64
	counts                        map[metric]int
	none, failed, unused          int
	seconds                       []float64
}

// add scores an answer.
func (r *Report) add(q *Question, mode string, given reply) {
	s := scoreOf(q, given.Answer)
	s.reply, s.mode = given, mode
	r.scores = append(r.scores, s)
}

// finish makes the rows: by family and its parts, then by language, then by style.
func (r *Report) finish() {
	slices.Sort(r.Missing)
	groups := []struct {
		name func(q *Question) row
		keep func(q *Question) bool
	}{
		{func(q *Question) row { return row{Family: q.Family} }, func(*Question) bool { return true }},
		{func(q *Question) row { return row{Family: q.Family + "/" + q.Notes.Sub} }, hasPart},
		{func(*Question) row { return row{Family: "all but absent"} }, notAbsent},
		{func(q *Question) row { return row{Language: q.Language} }, notAbsent},
		{func(q *Question) row { return row{Style: cmp.Or(q.Notes.Style, "none")} }, notAbsent},
	}
	for _, g := range groups {
		from := len(r.Rows)
		for _, s := range r.scores {
			if g.keep(s.Question) {
				group := g.name(s.Question)
				group.Mode = s.mode
				r.row(group).add(s)
			}
		}
		slices.SortStableFunc(r.Rows[from:], func(a, b *row) int { // stable: modes in their order
			return cmp.Compare(a.Family+a.Language+a.Style, b.Family+b.Language+b.Style) // one of them is set
		})
	}
	r.calibrate()
}

func hasPart(q *Question) bool { return q.Notes.Sub != "" }

func notAbsent(q *Question) bool { return q.Family != absent }

// row returns the row of a group, which it adds if it is new.
func (r *Report) row(group row) *row {
	for _, known := range r.Rows {
		if known.Mode == group.Mode && known.Family+known.Language+known.Style == group.Family+group.Language+group.Style {
			return known
		}
	}
	group.sums, group.counts = make(map[metric]float64), make(map[metric]int)
	r.Rows = append(r.Rows, &group)
	return &group
}

func (r *row) add(s *score) {
	r.Questions++
	r.seconds = append(r.seconds, s.Seconds)
	if s.Unused != "" {
		r.unused++
	}
	for m, v := range s.values {
		r.sums[m] += v
		r.counts[m]++
	}
	switch {
	case s.failed:
		r.failed++
	case !s.found:
		r.none++
	}
}

// leastBin is how many questions a bin of confidence has at least.
const leastBin = 15

func (r *Report) calibrate() {
	var all, best []estimate
	of := make(map[string][]reliability.Estimate) // by family
	for _, s := range r.scores {
		for _, e := range s.sure {
			all = append(all, e)
			if e.rank == 1 {
				best = append(best, e)
				of[s.Family] = append(of[s.Family], reliability.Estimate{Said: e.confidence, Right: e.place})
			}
		}
	}
	place, file := func(e estimate) bool { return e.place }, func(e estimate) bool { return e.file }
	for _, c := range []struct {
		of        string
		estimates []estimate
		right     func(estimate) bool
	}{{"first place", best, place}, {"file of the first place", best, file}, {"ten places", all, place},
		{"files of ten places", all, file}} {
		var estimates []reliability.Estimate
		for _, e := range c.estimates {
			estimates = append(estimates, reliability.Estimate{Said: e.confidence, Right: c.right(e)})
		}
		if s := reliability.Of(c.of, estimates); s != nil {
			r.Calibration = append(r.Calibration, s)
		}
	}
	for _, family := range slices.Sorted(maps.Keys(of)) {
		r.Bins = append(r.Bins, reliability.Bins(family, of[family], leastBin)...)
	}
}

// percent returns a metric of a row, in percent, and whether any of its questions has it.
func (r *row) percent(m metric) (float64, bool) {
	n := r.counts[m]
	return rounded(100 * r.sums[m] / float64(max(n, 1))), n > 0
}

// silent returns how often the answer says that nothing was found, in percent.
func (r *row) silent() float64 { return rounded(100 * float64(r.none) / float64(r.Questions)) }

// median returns how long half of the answers took at most, in seconds.
func (r *row) median() float64 { return rounded(stats.Quantile(r.seconds, .5)) }

// rounded returns v with one decimal. Unlike multiplying and dividing, it does not move ties.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 1, 64), 64)
	return v
}

// MarshalJSON writes the metrics as percentages under their names. Those that the group lacks are null.
func (r *row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	if r.Mode != "" {
		fmt.Fprintf(&b, `"mode":%q,`, r.Mode)
	}
	fmt.Fprintf(&b, `"family":%q,"language":%q,"style":%q,"n":%d`, r.Family, r.Language, r.Style, r.Questions)
	for _, m := range metrics {
		value := []byte("null")
		if v, ok := r.percent(m); ok {
			value, _ = json.Marshal(v) // a finite number
		}
		fmt.Fprintf(&b, `,%q:%s`, m, value)
	}
	fmt.Fprintf(&b, `,"nothing_found":%v,"failed":%d`, r.silent(), r.failed)
	if r.Mode != "" {
		fmt.Fprintf(&b, `,"unused":%d,"median_seconds":%v`, r.unused, r.median())
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// WriteMarkdown writes a table of the families, one of the languages, one of the styles, and the calibration.
func (r *Report) WriteMarkdown(w io.Writer) error {
	n := len(r.scores)
	tables := []evals.Table{
		r.table("family", fmt.Sprintf("Answers: %s, %d questions", r.Split, n),
			func(row *row) string { return row.Family }),
		r.table("language", "By language, without absent", func(row *row) string { return row.Language }),
		r.table("style", "By style, without absent", func(row *row) string { return row.Style }),
		r.calibrations(),
		{Title: "Confidence in the first place, by family", Columns: reliability.Columns("family"), Rows: reliability.Rows(r.Bins),
			Note: fmt.Sprintf("Questions by what the confidence said; those of fewer than %d are pooled with the next.", leastBin)},
	}
	tables[0].Note = "Percent of questions. hit@k: one of the first k places is right; first_sentence: it cites what is " +
		"asked for; nothing_found: the answer says so."
	if r.Model != "" {
		tables[0].Title = fmt.Sprintf("Answers: %s, %s with a window of %d tokens", r.Split, r.Model, r.Window)
		tables[0].Note += " unused: how often the model's answer was not usable, and the one without it counts."
	}
	for _, line := range r.Failed {
		tables[0].Note += "\n- no answer: " + line
	}
	for _, id := range r.Missing {
		tables[0].Note += "\n- repository or commit missing: " + id
	}
	for _, line := range r.Skipped {
		tables[0].Note += "\n- left out: " + line
	}
	return evals.WriteMarkdown(w, tables...)
}

// table makes the table of the rows that have a name.
func (r *Report) table(column, title string, name func(*row) string) evals.Table {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row *row) bool { return name(row) == "" })
	shown := slices.DeleteFunc(slices.Clone(metrics), func(m metric) bool {
		return !slices.ContainsFunc(rows, func(row *row) bool { return row.counts[m] > 0 })
	})
	t := evals.Table{Title: title, Columns: []string{column, "n"}}
	modes := slices.ContainsFunc(rows, func(row *row) bool { return row.Mode != "" })
	if modes {
		t.Columns = []string{column, "mode", "n"}
	}
	for _, m := range shown {
		t.Columns = append(t.Columns, string(m))
	}
	t.Columns = append(t.Columns, "nothing_found")
	if modes {
		t.Columns = append(t.Columns, "unused", "median s")
	}
	for _, row := range rows {
		cells := []string{name(row)}
		if modes {
			cells = append(cells, row.Mode)
		}
		cells = append(cells, fmt.Sprint(row.Questions))
		for _, m := range shown {
			cell := ""
			if v, ok := row.percent(m); ok {
				cell = fmt.Sprintf("%.1f", v)
			}
			cells = append(cells, cell)
		}
		cells = append(cells, fmt.Sprintf("%.1f", row.silent()))
		if modes {
			cells = append(cells, fmt.Sprint(row.unused), fmt.Sprintf("%.1f", row.median()))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (r *Report) calibrations() evals.Table {
	t := evals.Table{
		Title: "Confidence", Columns: []string{"of", "places", "right", "said", "brier", "skill", "ece", "auc", "values"},
		Note: "What the confidence says, and what came true. ece: mean distance of the two in ten bins; auc: how often a " +
			"right place has more confidence than a wrong one.",
	}
	cell := func(v float64) string { return fmt.Sprintf("%.3f", v) }
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return cell(*v)
	}
	for _, c := range r.Calibration {
		t.Rows = append(t.Rows, []string{
			c.Of, fmt.Sprint(c.Places), cell(c.Right), cell(c.Said), cell(c.Brier), optional(c.Skill), cell(c.ECE),
			optional(c.AUC), fmt.Sprint(c.Values),
		})
	}
	return t
}
