package localize

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals/internal/reliability"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/tools/locate"
)

// A Report is the result of [Run].
type Report struct {
	Suite   string   `json:"suite"`
	Split   string   `json:"split"`
	Rows    []*row   `json:"rows"`
	Missing []string `json:"missing"`           // ids of instances without their repository or commit
	Partial []string `json:"partial,omitempty"` // "id: why" of instances whose tree cannot be read whole: left out
	Skipped []string `json:"skipped"`           // invalid lines of the data
	K       []int    `json:"-"`

	Calibration []bin                  `json:"calibration,omitempty"` // of locate
	Confidence  []*reliability.Summary `json:"confidence,omitempty"`  // of a method that says how likely its first file is right
	Bins        []reliability.Bin      `json:"confidence_bins,omitempty"`

	said   map[string][]reliability.Estimate // by method
	trials trial.Results
}

// A bin counts the files of one rank and one gap, and how many are right. The last rank covers all later ones, up
// to maxCalibrated.
type bin struct {
	Rank  int `json:"rank"`
	Gap   int `json:"gap"` // column of locate.Mode.Calibration
	Files int `json:"files"`
	Right int `json:"right"`
}

// A row is the result of one method on one set of instances.
type row struct {
	Method, Set   string
	Instances     int
	WithFunctions int // instances that name functions
	K             []int
	Acc, Any      []int // at each k: instances with all files and with any file found
	Func          []int // at each k: instances with all functions found
	Citations     int
	Resolved      int
	Cold          []float64 // ms, by instance
}

func (r *Report) add(method string, mode locate.Mode, in *Instance, a *Answer) {
	for _, set := range append([]string{string(mode) + "s"}, in.Sets...) {
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
		r.Acc[i] += one(all)
		r.Any[i] += one(any)
		if all, _ = within(gold, found, k); len(gold) > 0 {
			r.Func[i] += one(all)
		}
	}
	r.Citations += a.Citations
	r.Resolved += a.Resolved
	if a.Cold > 0 {
		r.Cold = append(r.Cold, float64(a.Cold.Microseconds())/1e3)
	}
}

func one(held bool) int {
	if held {
		return 1
	}
	return 0
}

// functions applies LocAgent's protocol: a constructor counts as its class, and each function counts once.
func functions(list []string) []string {
	var out []string
	for _, f := range list {
		if f = strings.TrimSuffix(f, ".__init__"); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// within reports whether all and whether any of gold are among the first k of found.
func within(gold, found []string, k int) (all, any bool) {
	found = found[:min(k, len(found))]
	all = true
	for _, g := range gold {
		hit := slices.Contains(found, g)
		all, any = all && hit, any || hit
	}
	return all, any
}

// finish orders the rows by set, then in the order of the methods.
func (r *Report) finish() {
	slices.SortStableFunc(r.Rows, func(a, b *row) int { return cmp.Compare(a.Set, b.Set) })
	slices.Sort(r.Missing)
	slices.Sort(r.Partial)
	for _, method := range slices.Sorted(maps.Keys(r.said)) {
		r.Confidence = append(r.Confidence, reliability.Of("first file, "+method, r.said[method]))
		r.Bins = append(r.Bins, reliability.Bins(method, r.said[method], leastBin)...)
	}
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return math.Round(1000*float64(n)/float64(of)) / 10
}

// A series is one figure of a row at each k.
type series struct {
	name   string
	counts []int
	of     int
}

func (r *row) series() []series {
	return []series{{"acc", r.Acc, r.Instances}, {"any", r.Any, r.Instances}, {"func", r.Func, r.WithFunctions}}
}
