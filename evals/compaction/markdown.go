package compaction

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals"
)

// limits introduces every report.
const limits = "Recorded runs are replayed: before each assistant message, the policy shows what it would send. " +
	"The recorded message is the\nnext real action. The recorded agent saw everything, so this ranks policies and " +
	"bounds the harm they do; it does not predict\nhow many tasks are solved."

// WriteMarkdown writes the report as tables.
func (r *Report) WriteMarkdown(w io.Writer) error {
	tables := []evals.Table{{Title: "Compaction, replayed", Note: limits + "\n\n" + r.conditions()}}
	for _, budget := range r.Budgets() {
		tables = append(tables, r.recallTable(budget), r.trustTable(budget))
	}
	tables = append(tables, r.sourceTable(), r.differenceTable(), r.brokenTable())
	tables = slices.DeleteFunc(tables, func(t evals.Table) bool { return len(t.Columns) > 0 && len(t.Rows) == 0 })
	return evals.WriteMarkdown(w, tables...)
}

func (r *Report) conditions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tokens are counted by %s, split %s. \"all\" is every recording except very long sessions "+
		"(more than %d calls), which have rows of their own.", r.Counter, r.Split, longAbove)
	for _, what := range slices.Sorted(maps.Keys(r.Repairs)) {
		fmt.Fprintf(&b, "\n- repaired: %d %s", r.Repairs[what], what)
	}
	for _, line := range r.Skipped {
		fmt.Fprintf(&b, "\n- skipped: %s", line)
	}
	for _, line := range r.Failed {
		fmt.Fprintf(&b, "\n- failed: %s", line)
	}
	return b.String()
}

// Budgets returns the budgets of the report, in the order played.
func (r *Report) Budgets() []int {
	var budgets []int
	for _, row := range r.Rows {
		if !slices.Contains(budgets, row.Budget) {
			budgets = append(budgets, row.Budget)
		}
	}
	return budgets
}

// totals returns the indices of the total rows and of the very long sessions.
func (r *Report) totals(budget int) []int {
	var at []int
	for _, total := range []bool{true, false} {
		for i, row := range r.Rows {
			if row.Budget == budget && (total && row.Source == AllSources || !total && strings.Contains(row.Source, "/")) {
				at = append(at, i)
			}
		}
	}
	return at
}

func (r *Report) recallTable(budget int) evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Budget %d: what views hold, and what they cost", budget),
		Columns: []string{"policy", "source", "long range", "no list", "lines", "far lines", "anchors", "visible",
			"pointer", "cue", "cost", "× ladder", "prefix", "sent", "refill"},
	}
	for _, i := range r.totals(budget) {
		x, d := r.Rows[i], r.Details[i]
		t.Rows = append(t.Rows, []string{
			x.Policy, x.Source, shareOf(x.LongRange, d.LongRange), shareOf(x.LongRangeBare, d.LongRange), decimals(x.LineRecall),
			shareOf(x.LongRangeLines, d.LongLines), shareOf(x.AnchorRecall, d.Anchors), shareOf(x.VisibleRecall, d.Identifiers),
			shareOf(x.PointerReach, d.Identifiers), shareOf(x.CueReach, d.Identifiers),
			strconv.Itoa(int(x.Cost)), r.toLadder(x), decimals(x.PrefixRatio), strconv.Itoa(x.Sent), decimals(d.Refill),
		})
	}
	return t
}

// toLadder returns the cost relative to the ladder profile on the same requests.
func (r *Report) toLadder(x Row) string {
	for _, ladder := range r.Rows {
		if ladder.Policy == string(contextwindow.Ladder) && ladder.Budget == x.Budget && ladder.Source == x.Source &&
			ladder.Cost > 0 {
			return fmt.Sprintf("%.2f", x.Cost/ladder.Cost)
		}
	}
	return "–"
}

func (r *Report) trustTable(budget int) evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Budget %d: whether views can be sent", budget),
		Columns: []string{
			"policy", "source", "trajectories", "requests", "irreducible", "pins", "invalid", "over", "max tokens",
			"compactions", "after p50", "after max", "determinism", "meter p50", "meter p95", "p50 ms", "p99 ms",
		},
	}
	for _, i := range r.totals(budget) {
		x := r.Rows[i]
		t.Rows = append(t.Rows, []string{
			x.Policy, x.Source, strconv.Itoa(x.Trajectories), strconv.Itoa(x.Requests), strconv.Itoa(x.Irreducible),
			decimals(x.Pins), decimals(x.Invalid), decimals(x.OverBudget), strconv.Itoa(x.MaxTokens),
			strconv.Itoa(x.Compactions), decimals(x.SizeAfterP50), decimals(r.Details[i].SizeAfterMax), decimals(x.Determinism),
			decimals(r.Details[i].MeterP50), decimals(r.Details[i].MeterP95), decimals(x.ViewP50), decimals(x.ViewP99),
		})
	}
	return t
}

func (r *Report) sourceTable() evals.Table {
	t := evals.Table{
		Title: "By source",
		Columns: []string{
			"policy", "budget", "source", "trajectories", "requests", "far identifiers", "long range", "no list", "far lines",
			"anchors", "pins", "invalid", "over", "× ladder", "prefix",
		},
	}
	for i, x := range r.Rows {
		if x.Source == AllSources || strings.Contains(x.Source, "/") || x.Requests == 0 {
			continue
		}
		d := r.Details[i]
		t.Rows = append(t.Rows, []string{
			x.Policy, strconv.Itoa(x.Budget), x.Source, strconv.Itoa(x.Trajectories), strconv.Itoa(x.Requests),
			strconv.Itoa(d.LongRange), shareOf(x.LongRange, d.LongRange), shareOf(x.LongRangeBare, d.LongRange),
			shareOf(x.LongRangeLines, d.LongLines), shareOf(x.AnchorRecall, d.Anchors), decimals(x.Pins),
			decimals(x.Invalid), decimals(x.OverBudget), r.toLadder(x), decimals(x.PrefixRatio),
		})
	}
	return t
}

func (r *Report) differenceTable() evals.Table {
	t := evals.Table{
		Title: "Against the ladder profile",
		Note: fmt.Sprintf("Policy minus ladder on the same trajectories (for the cost: the ratio). Brackets hold the 95 %% "+
			"interval from %d resamples of trajectories.", resamples),
		Columns: []string{"policy", "budget"},
	}
	for _, m := range compared {
		t.Columns = append(t.Columns, strings.ReplaceAll(m.name, "_", " "))
	}
	for i, d := range r.Differences {
		if i%len(compared) == 0 {
			t.Rows = append(t.Rows, []string{d.Policy, strconv.Itoa(d.Budget)})
		}
		form := "%+.3f [%+.3f %+.3f]"
		if d.Metric == "cost" {
			form = "%.2f [%.2f %.2f]"
		}
		last := len(t.Rows) - 1
		t.Rows[last] = append(t.Rows[last], fmt.Sprintf(form, d.Value, d.Low, d.High))
	}
	return t
}

func (r *Report) brokenTable() evals.Table {
	t := evals.Table{Title: "Broken promises", Columns: []string{"policy", "budget", "promise", "trajectories", "first"}}
	for _, b := range r.Broken {
		t.Rows = append(t.Rows, []string{b.Policy, strconv.Itoa(b.Budget), b.Promise, strconv.Itoa(b.Trajectories), b.First})
	}
	return t
}

// shareOf formats a share of n; a dash if n is 0.
func shareOf(v float64, n int) string {
	if n == 0 {
		return "–"
	}
	return decimals(v)
}

// decimals formats a share or a time with three decimals. It never rounds to 1 or 0.
func decimals(v float64) string {
	switch {
	case v > .9995 && v < 1:
		return "0.999"
	case v > 0 && v < .0005:
		return "0.001"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
