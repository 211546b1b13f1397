package localize

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/locate"
)

// A Report is what Run found.
type Report struct {
	Suite   string   `json:"suite"`
	Split   string   `json:"split"`
	Rows    []*row   `json:"rows"`
	Missing []string `json:"missing"` // ids of instances whose repository or commit is not there
	Skipped []string `json:"skipped"` // lines of the data that are not instances
	K       []int    `json:"-"`

	Calibration []bin `json:"calibration,omitempty"`
}

// A bin counts the files of one rank and one gap, and how many of them are right. The last rank stands for all from there
// on, up to calibrated.
type bin struct {
	Rank  int `json:"rank"`
	Gap   int `json:"gap"` // bucket: see locate.GapBucket
	Files int `json:"files"`
	Right int `json:"right"`
}

// A row is what one method found in one set of instances.
type row struct {
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

// add counts an answer in all sets that its instance is in.
func (r *Report) add(method string, mode locate.Mode, in *Instance, a *Answer) {
	sets := []string{string(mode) + "s"}
	for _, set := range append(sets, in.Sets...) {
		r.row(method, set).add(in, a)
	}
}

func (r *Report) row(method, set string) *row {
	for _, row := range r.Rows {
		if row.Method == method && row.Set == set {
			return row
		}
	}
	n := len(r.K)
	added := &row{Method: method, Set: set, K: r.K, Acc: make([]int, n), Any: make([]int, n), Func: make([]int, n)}
	r.Rows = append(r.Rows, added)
	return added
}

func (r *row) add(in *Instance, a *Answer) {
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
	slices.SortStableFunc(r.Rows, func(a, b *row) int { return cmp.Compare(a.Set, b.Set) })
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

func (r *row) series() []series {
	return []series{{"acc", r.Acc, r.Instances}, {"any", r.Any, r.Instances}, {"func", r.Func, r.WithFunctions}}
}
