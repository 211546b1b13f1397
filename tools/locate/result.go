package locate

import (
	"fmt"
	"math"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

// A Result holds the files by descending score, equal scores by path. Total counts all files that share a word with
// the query.
//
//	{"query":"where is the cache cleared","mode":"question","items":[{"path":"a/b.py","start":10,"end":42,
//	"symbol":"C.m","kind":"method","score":0.83,"confidence":0.6,"why":["title","symbol"],
//	"evidence":["title: cache, clear"],"functions":[{"symbol":"C.m","kind":"method","start":10,"end":42,
//	"score":0.7}]}],"total":12,"returned":10,...}
type Result struct {
	Query string `json:"query"`
	Mode  Mode   `json:"mode"`
	Items []item `json:"items"`
	codebase.Page

	index *Index // that ranked them; nil: the result was not made by the tool
}

type item struct {
	Path       string       `json:"path"`
	Start      int          `json:"start"` // first line of the definition, or 1
	End        int          `json:"end"`   // its last line, or that of the file
	Symbol     string       `json:"symbol,omitempty"`
	Kind       string       `json:"kind,omitempty"`
	Score      float64      `json:"score"`      // 0 to 1
	Confidence float64      `json:"confidence"` // 0 to 1: the measured probability that the file is right
	Why        []string     `json:"why"`        // the main signals, strongest first
	Evidence   []string     `json:"evidence"`   // what they found, such as "symbol: Cart.total"
	Functions  []definition `json:"functions"`  // its best definitions, best first
}

// A definition is one in a file. Scores of definitions are comparable across files.
type definition struct {
	Symbol string  `json:"symbol"`
	Kind   string  `json:"kind"`
	Start  int     `json:"start"`
	End    int     `json:"end"`
	Score  float64 `json:"score"`
}

// Bounds of the definitions of an item. The first item has most of what must change.
const (
	firstFunctions = 10
	maxFunctions   = 5 // of each other item
)

func newResult(query string, mode Mode, r *Ranking) *Result {
	out := &Result{Query: query, Mode: mode, Items: []item{}}
	byPath := map[string]int{}
	for i, f := range r.Files {
		byPath[f.Path] = i
		out.Items = append(out.Items, item{
			Path: f.Path, Start: 1, End: max(f.Lines, 1), Score: max(f.Score, 0),
			Confidence: confidence(mode, i+1, r.gap(i)), Why: f.Why, Evidence: f.Evidence, Functions: []definition{},
		})
	}
	for _, fn := range r.Functions {
		i, ok := byPath[fn.Path]
		most := maxFunctions
		if i == 0 {
			most = firstFunctions
		}
		if !ok || len(out.Items[i].Functions) == most {
			continue
		}
		it := &out.Items[i]
		if len(it.Functions) == 0 {
			it.Start, it.End, it.Symbol, it.Kind = fn.Start, fn.End, fn.Symbol, fn.Kind
		}
		score := max(math.Round(fn.Score*1e4)/1e4, 0)
		it.Functions = append(it.Functions, definition{fn.Symbol, fn.Kind, fn.Start, fn.End, score})
	}
	out.Total, out.Returned = r.Total, len(out.Items)
	if out.Returned < out.Total {
		out.Truncated, out.TruncatedBy = true, "limit"
	}
	return out
}

// noteCoverage notes what the ranking did not see.
func (r *Result) noteCoverage(c coverage) {
	r.Skipped = c.skipped
	if c.late {
		r.TimedOut, r.Truncated, r.TruncatedBy = true, true, "deadline"
		r.Note("the deadline came before all files were read; repeat the call to continue")
	}
	if c.room > 0 {
		r.Note("%d files were left out: the tree exceeds the index", c.room)
	}
}

// Text renders JSON, or a line per file with its definitions below.
func (r *Result) Text() (toollimit.Kind, string) {
	if r.JSON {
		return tools.RenderJSON(r)
	}
	var b strings.Builder
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, it := range r.Items {
		fmt.Fprintf(&b, "%s:%d-%d %.2f %s\n", it.Path, it.Start, it.End, it.Score, strings.Join(it.Why, ", "))
		if len(it.Evidence) > 0 {
			fmt.Fprintf(&b, "  %s\n", strings.Join(it.Evidence, "; "))
		}
		for _, f := range it.Functions {
			fmt.Fprintf(&b, "  L%d-%d %s %s\n", f.Start, f.End, f.Kind, f.Symbol)
		}
	}
	fmt.Fprintf(&b, "%d of %d files", r.Returned, r.Total)
	if s := r.Skipped.String(); s != "" {
		b.WriteString("; skipped: " + s)
	}
	b.WriteByte('\n')
	return toollimit.Listing, b.String()
}
