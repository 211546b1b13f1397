package localize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools/locate"
)

// A Report is what Run found.
type Report struct {
	Suite   string   `json:"suite"`
	Split   Split    `json:"split"`
	Rows    []*Row   `json:"rows"`
	Missing []string `json:"missing"` // ids of instances whose repository or commit is not there
	Skipped []string `json:"skipped"` // lines of the data that are not instances
	K       []int    `json:"-"`

	Calibration []Bin `json:"calibration,omitempty"`
}

// A Row is what one method found in one set of instances.
type Row struct {
	Method, Set   string
	Instances     int
	WithFunctions int // those that name functions
	K             []int
	Acc, Any      []int // instances of which, at each k, all files and any file were found
	Func          []int // instances with functions of which all were found
	Citations     int
	Resolved      int
	Cold          []float64 // ms, by instance
}

// take counts an answer, and what else is asked for.
func (r *Report) take(cfg Config, method string, in *Instance, a *Answer) {
	r.add(method, cfg.Mode, in, a)
	if a.Ranking != nil && cfg.Ablate {
		r.ablate(method, cfg.Mode, in, a)
	}
	if a.Ranking != nil && cfg.Calibrate {
		r.calibrate(in, a)
	}
}

// add counts an answer in all sets that its instance is in.
func (r *Report) add(method string, mode locate.Mode, in *Instance, a *Answer) {
	sets := []string{string(mode) + "s"}
	for _, set := range append(sets, in.Sets...) {
		r.row(method, set).add(in, a)
	}
}

func (r *Report) row(method, set string) *Row {
	for _, row := range r.Rows {
		if row.Method == method && row.Set == set {
			return row
		}
	}
	n := len(r.K)
	row := &Row{Method: method, Set: set, K: r.K, Acc: make([]int, n), Any: make([]int, n), Func: make([]int, n)}
	r.Rows = append(r.Rows, row)
	return row
}

func (r *Row) add(in *Instance, a *Answer) {
	gold, found := functions(in.Functions), functions(a.Functions)
	r.Instances++
	if len(gold) > 0 {
		r.WithFunctions++
	}
	for i, k := range r.K {
		all, any := within(in.Files, a.Files, k)
		r.Acc[i] += count(all)
		r.Any[i] += count(any)
		if all, _ = within(gold, found, k); len(gold) > 0 {
			r.Func[i] += count(all)
		}
	}
	r.Citations += a.Citations
	r.Resolved += a.Resolved
	if a.Cold > 0 {
		r.Cold = append(r.Cold, float64(a.Cold.Microseconds())/1e3)
	}
}

func count(held bool) int {
	if held {
		return 1
	}
	return 0
}

// functions brings functions to the form of LocAgent's protocol: a constructor stands for its class, and each once.
func functions(list []string) []string {
	var out []string
	for _, f := range list {
		if f = strings.TrimSuffix(f, ".__init__"); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// within reports whether all and whether any of gold are among the first k that were found.
func within(gold, found []string, k int) (all, any bool) {
	found = found[:min(k, len(found))]
	all = true
	for _, g := range gold {
		hit := slices.Contains(found, g)
		all, any = all && hit, any || hit
	}
	return all, any
}

// finish orders the rows: sets by name, methods as they were given.
func (r *Report) finish() {
	slices.SortStableFunc(r.Rows, func(a, b *Row) int { return cmp.Compare(a.Set, b.Set) })
	slices.Sort(r.Missing)
}

// percent of n in of, to a tenth; 0 of none.
func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return math.Round(1000*float64(n)/float64(of)) / 10
}

// wilson returns the interval that holds a share, of which n of so many were seen, with 95 %.
func wilson(n, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959964 // of the normal distribution, two-sided 95 %
	p, m := float64(n)/float64(of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(mid-half, 0), min(mid+half, 1)
}

// A series is one kind of figure of a row, at each k.
type series struct {
	name   string
	counts []int
	of     int
}

func (r *Row) series() []series {
	return []series{{"acc", r.Acc, r.Instances}, {"any", r.Any, r.Instances}, {"func", r.Func, r.WithFunctions}}
}

// MarshalJSON writes the shares in percent under names such as "acc@5", each with its interval as "acc@5_95". Figures that
// a method does not have are null.
func (r *Row) MarshalJSON() ([]byte, error) {
	type field struct {
		name  string
		value any
	}
	fields := []field{{"method", r.Method}, {"set", r.Set}, {"instances", r.Instances}, {"with_functions", r.WithFunctions}}
	for _, s := range r.series() {
		for i, k := range r.K {
			name := s.name + "@" + strconv.Itoa(k)
			low, high := wilson(s.counts[i], s.of)
			fields = append(fields, field{name, percent(s.counts[i], s.of)}, field{name + "_95", []float64{tenth(low), tenth(high)}})
		}
	}
	var citations, cold any
	if r.Citations > 0 {
		citations = percent(r.Resolved, r.Citations)
	}
	if len(r.Cold) > 0 {
		cold = math.Round(evals.Quantile(r.Cold, .5))
	}
	var b bytes.Buffer
	for i, f := range append(fields, field{"citations_ok", citations}, field{"cold_ms_p50", cold}) {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], f.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func tenth(share float64) float64 { return math.Round(1000*share) / 10 }

// WriteMarkdown writes the report as a table for each set.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for _, row := range r.Rows {
		title := fmt.Sprintf("Localize: %s, %s, %d instances, %d with functions", row.Set, r.Split, row.Instances, row.WithFunctions)
		if n := len(tables); n == 0 || tables[n-1].Title != title {
			tables = append(tables, evals.Table{Title: title, Columns: r.columns(row)})
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, row.cells())
	}
	if len(tables) == 0 {
		tables = []evals.Table{{Title: "Localize: no instances"}}
	}
	tables[0].Note = "Percent of instances: acc@k all files, any@k any file, func@k all functions among the first k; in brackets the interval that holds it with 95 %."
	for _, id := range r.Missing {
		tables[0].Note += "\n- repository or commit missing: " + id
	}
	for _, line := range r.Skipped {
		tables[0].Note += "\n- left out: " + line
	}
	if r.Calibration != nil {
		tables = append(tables, r.calibration())
	}
	return evals.WriteMarkdown(w, tables...)
}

func (r *Report) columns(row *Row) []string {
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

func (r *Row) cells() []string {
	cells := []string{r.Method}
	for _, s := range r.series() {
		for i := range r.K {
			if s.of > 0 {
				low, high := wilson(s.counts[i], s.of)
				cells = append(cells, fmt.Sprintf("%.1f (%.0f–%.0f)", percent(s.counts[i], s.of), 100*low, 100*high))
			}
		}
	}
	citations, cold := "", ""
	if r.Citations > 0 {
		citations = fmt.Sprintf("%.1f", percent(r.Resolved, r.Citations))
	}
	if len(r.Cold) > 0 {
		cold = fmt.Sprintf("%.0f", evals.Quantile(r.Cold, .5))
	}
	return append(cells, citations, cold)
}
