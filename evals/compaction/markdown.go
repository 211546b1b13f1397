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
		tables = append(tables, r.sightTable(budget), r.roleTable(budget), r.recallTable(budget), r.trustTable(budget))
	}
	tables = append(tables, r.sourceTable(), r.differenceTable(), r.brokenTable())
	tables = slices.DeleteFunc(tables, func(t evals.Table) bool { return len(t.Columns) > 0 && len(t.Rows) == 0 })
	return evals.WriteMarkdown(w, tables...)
}

func (r *Report) conditions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tokens are counted by %s, split %s. \"all\" is every recording except very long sessions "+
		"(more than %d calls), which have rows of their own. ± is the standard error, from %d resamples of "+
		"trajectories.",
		r.Counter, r.Split, longAbove, resamples)
	if len(r.Rows) == 0 {
		b.WriteString("\n- no run counts: each is in the other split, or too short for the budgets")
	}
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

// Kinds of rows: of all sources, of all but the largest, of a very long session, and of a source.
const (
	rowAll = iota
	rowWithout
	rowLong
	rowSource
)

func (x *policyRow) kind() int {
	switch {
	case x.Source == allSources:
		return rowAll
	case strings.HasPrefix(x.Source, withoutLargest):
		return rowWithout
	case strings.Contains(x.Source, "/"):
		return rowLong
	}
	return rowSource
}

// totals returns the indices of the total rows, then of the very long sessions.
func (r *Report) totals(budget int) []int {
	var at []int
	for kind := rowAll; kind <= rowLong; kind++ {
		for i, row := range r.Rows {
			if row.Budget == budget && row.kind() == kind {
				at = append(at, i)
			}
		}
	}
	return at
}

// withError adds the standard error of a figure to a cell, if it is known.
func (r *Report) withError(cell string, x policyRow, metric string, from []estimate) string {
	for _, e := range from {
		if cell != "–" && e.Policy == x.Policy && e.Budget == x.Budget && e.Source == x.Source && e.Metric == metric {
			return fmt.Sprintf("%s ±%.3f", cell, e.StdError)
		}
	}
	return cell
}

func (r *Report) sightTable(budget int) evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Budget %d: what is seen at first, what is near, and what it costs to read again", budget),
		Columns: []string{"policy", "source", "≤300", "≤1k", "≤4k", "larger", "whole", "< ¼", "nothing", "near ids",
			"near lines", "goes on", "rereads", "effective cost", "× ladder"},
	}
	for _, i := range r.totals(budget) {
		x, d := r.Rows[i], &r.Details[i]
		with := func(cell, metric string) string { return r.withError(cell, x, metric, r.StandardErrors) }
		row := []string{x.Policy, x.Source}
		for class, seen := range []float64{x.Sight300, x.Sight1k, x.Sight4k, x.SightLarger} {
			row = append(row, with(shareOf(seen, d.Sight[class].Results), figures[class].name))
		}
		above := d.sightOf(aboveRoles)
		t.Rows = append(t.Rows, append(row,
			shareOf(above.Whole, above.Results), shareOf(above.UnderQuarter, above.Results),
			shareOf(above.Nothing, above.Results), with(shareOf(x.NearIdentifiers, d.Near), "near_identifiers"),
			with(shareOf(x.NearLines, d.NearLines), "near_lines"), strconv.Itoa(x.GoesOn), strconv.Itoa(d.Rereads),
			strconv.Itoa(int(x.EffectiveCost)),
			r.withError(r.toLadder(x, policyRow.effective), x, "effective_cost", r.Differences)))
	}
	return t
}

func (r *Report) roleTable(budget int) evals.Table {
	t := evals.Table{
		Title:   fmt.Sprintf("Budget %d: first sight by what the call was for", budget),
		Note:    fmt.Sprintf("Share seen, of the number of results above %d tokens.", rolesBeyond),
		Columns: append([]string{"policy", "source"}, roleNames[:]...),
	}
	for _, i := range r.totals(budget) {
		row := []string{r.Rows[i].Policy, r.Rows[i].Source}
		for _, name := range roleNames {
			s := r.Details[i].sightOf(name)
			cell := shareOf(s.Seen, s.Results)
			if s.Results > 0 {
				cell += fmt.Sprintf(" of %d", s.Results)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Report) recallTable(budget int) evals.Table {
	t := evals.Table{
		Title: fmt.Sprintf("Budget %d: what views hold, and what they cost", budget),
		Columns: []string{"policy", "source", "long range", "no list", "lines", "far lines", "anchors", "visible",
			"pointer", "cue", "cost", "× ladder", "prefix", "sent", "refill"},
	}
	for _, i := range r.totals(budget) {
		x, d := r.Rows[i], r.Details[i]
		with := func(cell, metric string) string { return r.withError(cell, x, metric, r.StandardErrors) }
		t.Rows = append(t.Rows, []string{
			x.Policy, x.Source, with(shareOf(x.LongRange, d.LongRange), "long_range_recall"),
			with(shareOf(x.LongRangeBare, d.LongRange), "long_range_nolist"), decimals(x.LineRecall),
			with(shareOf(x.LongRangeLines, d.LongLines), "long_range_lines"),
			with(shareOf(x.AnchorRecall, d.Anchors), "edit_anchor_recall"), shareOf(x.VisibleRecall, d.Identifiers),
			shareOf(x.PointerReach, d.Identifiers), shareOf(x.CueReach, d.Identifiers),
			strconv.Itoa(int(x.Cost)),
			r.withError(r.toLadder(x, policyRow.cost), x, "cost", r.Differences), decimals(x.PrefixRatio), strconv.Itoa(x.Sent),
			decimals(d.Refill),
		})
	}
	return t
}

func (x policyRow) cost() float64      { return x.Cost }
func (x policyRow) effective() float64 { return x.EffectiveCost }

// toLadder returns a cost relative to the ladder profile on the same requests.
func (r *Report) toLadder(x policyRow, cost func(policyRow) float64) string {
	for _, ladder := range r.Rows {
		if ladder.Policy == string(contextwindow.Ladder) && ladder.Budget == x.Budget && ladder.Source == x.Source &&
			cost(ladder) > 0 {
			return fmt.Sprintf("%.3f", cost(x)/cost(ladder))
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
			"policy", "budget", "source", "trajectories", "requests", "≤300", "≤1k", "≤4k", "larger", "near ids", "near lines",
			"far identifiers", "long range", "no list", "far lines", "anchors", "pins", "invalid", "over", "goes on",
			"effective × ladder", "× ladder", "prefix",
		},
	}
	for i, x := range r.Rows {
		if x.kind() != rowSource || x.Requests == 0 {
			continue
		}
		d := r.Details[i]
		t.Rows = append(t.Rows, []string{
			x.Policy, strconv.Itoa(x.Budget), x.Source, strconv.Itoa(x.Trajectories), strconv.Itoa(x.Requests),
			shareOf(x.Sight300, d.Sight[0].Results), shareOf(x.Sight1k, d.Sight[1].Results),
			shareOf(x.Sight4k, d.Sight[2].Results), shareOf(x.SightLarger, d.Sight[3].Results),
			shareOf(x.NearIdentifiers, d.Near), shareOf(x.NearLines, d.NearLines),
			strconv.Itoa(d.LongRange), shareOf(x.LongRange, d.LongRange), shareOf(x.LongRangeBare, d.LongRange),
			shareOf(x.LongRangeLines, d.LongLines), shareOf(x.AnchorRecall, d.Anchors), decimals(x.Pins),
			decimals(x.Invalid), decimals(x.OverBudget), strconv.Itoa(x.GoesOn),
			r.toLadder(x, policyRow.effective), r.toLadder(x, policyRow.cost), decimals(x.PrefixRatio),
		})
	}
	return t
}

func (r *Report) differenceTable() evals.Table {
	t := evals.Table{
		Title: "Against the ladder profile",
		Note: "Policy minus ladder on the same trajectories (for costs: the ratio). Brackets hold the 95 % interval of a " +
			"paired bootstrap.",
		Columns: []string{"policy", "budget", "source"},
	}
	for _, f := range figures {
		t.Columns = append(t.Columns, strings.ReplaceAll(f.name, "_", " "))
	}
	for i, d := range r.Differences {
		if i%len(figures) == 0 {
			t.Rows = append(t.Rows, []string{d.Policy, strconv.Itoa(d.Budget), d.Source})
		}
		form := "%+.3f [%+.3f %+.3f]"
		if figures[i%len(figures)].cost {
			form = "%.3f [%.3f %.3f]"
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
