package localize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals"
)

// A Report is what Run found.
type Report struct {
	Suite   string   `json:"suite"`
	Rows    []*Row   `json:"rows"`
	Missing []string `json:"missing"`
	Skipped []string `json:"skipped"`
	K       []int    `json:"-"`
}

// A Row is what one method found in one set.
type Row struct {
	Method, Set   string
	Instances     int
	WithFunctions int
	K             []int
	Acc, Any      []int // instances at each k
	Func, Recall  []int
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

func (r *Report) add(method string, in *Instance, a *Answer) {
	sets := append([]string{"all"}, in.Sets...)
	for _, set := range sets {
		row := r.row(method, set)
		row.Instances++
		gold := functionsOf(in.Functions)
		if len(gold) > 0 {
			row.WithFunctions++
		}
		found := functionsOf(a.Functions)
		for i, k := range r.K {
			acc, any := within(in.Files, a.Files, k)
			row.Acc[i] += acc
			row.Any[i] += any
			if len(gold) > 0 {
				all, _ := within(gold, found, k)
				row.Func[i] += all
			}
		}
	}
}

// functionsOf brings functions to the form of LocAgent's protocol: a constructor stands for its class.
func functionsOf(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range list {
		f = strings.TrimSuffix(f, ".__init__")
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

func within(gold, found []string, k int) (all, any int) {
	found = found[:min(k, len(found))]
	all = 1
	for _, g := range gold {
		if slices.Contains(found, g) {
			any = 1
		} else {
			all = 0
		}
	}
	return all, any
}

func (r *Report) finish(cfg Config) *Report {
	order := map[string]int{}
	for i, s := range cfg.Subjects {
		order[s.Name] = i
	}
	slices.SortStableFunc(r.Rows, func(a, b *Row) int {
		if c := cmpStrings(a.Set, b.Set); c != 0 {
			return c
		}
		return order[a.Method] - order[b.Method]
	})
	slices.Sort(r.Missing)
	return r
}

// wilson is the interval of 95 % of a share.
func wilson(n, of int) (lo, hi float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(n)/float64(of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(mid-half, 0), min(mid+half, 1)
}

// MarshalJSON writes the shares under names such as "acc@5", in percent.
func (r *Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"method":%q,"set":%q,"instances":%d`, r.Method, r.Set, r.Instances)
	for _, part := range []struct {
		name   string
		counts []int
		of     int
	}{{"acc", r.Acc, r.Instances}, {"any", r.Any, r.Instances}, {"func", r.Func, r.WithFunctions}} {
		for i, k := range r.K {
			v, err := json.Marshal(percent(part.counts[i], part.of))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, `,"%s@%d":%s`, part.name, k, v)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return math.Round(1000*float64(n)/float64(of)) / 10
}

// WriteMarkdown writes the report as a table for each set.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for _, row := range r.Rows {
		title := fmt.Sprintf("%s: %d instances, %d with functions", row.Set, row.Instances, row.WithFunctions)
		if n := len(tables); n == 0 || tables[n-1].Title != title {
			t := evals.Table{Title: title, Columns: []string{"method"}}
			for _, name := range []string{"acc", "any", "func"} {
				for _, k := range r.K {
					t.Columns = append(t.Columns, fmt.Sprintf("%s@%d", name, k))
				}
			}
			tables = append(tables, t)
		}
		cells := []string{row.Method}
		for _, counts := range [][]int{row.Acc, row.Any} {
			for i, n := range counts {
				lo, hi := wilson(n, row.Instances)
				_, _, _ = i, lo, hi
				cells = append(cells, fmt.Sprintf("%.1f", percent(n, row.Instances)))
			}
		}
		for _, n := range row.Func {
			cells = append(cells, fmt.Sprintf("%.1f", percent(n, row.WithFunctions)))
		}
		tables[len(tables)-1].Rows = append(tables[len(tables)-1].Rows, cells)
	}
	return evals.WriteMarkdown(w, tables...)
}
