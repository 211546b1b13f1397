package contextwindow

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPageTables holds the tables of docs/window.md equal to the tables that the code walks.
func TestPageTables(t *testing.T) {
	page, err := os.ReadFile("../docs/window.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"ladder": ladderTable(), "quotas": quotaTable(), "budgets": budgetTable(), "marks": marksTable(),
		"inflow": inflowTable(), "receipt": fmt.Sprintf("has %d characters", receiptChars),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/window.md: the table of %s should be:\n%s", name, want)
		}
	}
}

func marksTable() string {
	var b strings.Builder
	b.WriteString("| profile | from | down to | later | turns that stay | while they take |\n|---|---|---|---|---|---|\n")
	for _, p := range []Profile{Lean, Cheap, Wide} {
		m := policyOf(p).marks
		fmt.Fprintf(&b, "| `%s` | %.0f %% (%.0f %% before the provider has counted) | %.0f %% | %.0f %% | %d | %.0f %% |\n", p, m.high*100, m.guess*100, m.low*100, m.again*100, m.keep, m.keepShare*100)
	}
	return b.String()
}

func inflowTable() string {
	var b strings.Builder
	b.WriteString("| what was read | what was found | anything else |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| %.0f %% | %.0f %% | %.0f %% |\n", leanInflow.read*100, leanInflow.search*100, leanInflow.other*100)
	return b.String()
}

func ladderTable() string {
	var b strings.Builder
	b.WriteString("| from | level | what it does |\n|---|---|---|\n")
	for _, l := range plainLadder {
		what := fmt.Sprintf("evict everything but the prompt and the last %s into the digest: counts, the user's words, "+
			"what was submitted, changed, read and failed", strings.TrimPrefix(plural(l.Keep, "turn"), "1 "))
		switch {
		case l.Over > 0:
			what = fmt.Sprintf("truncate results of earlier turns over %s characters to %d", thousands(l.Over), l.To)
		case l.History:
			what = "evict exchanges from before the prompt into the digest, the oldest first, as many as are needed"
		}
		fmt.Fprintf(&b, "| %.0f %% | %s | %s |\n", l.At*100, l.Name, what)
	}
	return b.String()
}

func quotaTable() string {
	var b strings.Builder
	b.WriteString("| usage before the turn | characters a result | matches |\n|---|---|---|\n")
	for _, q := range plainQuotas {
		usage := fmt.Sprintf("below %.0f %%", q.below*100)
		if q.below == maxShare {
			usage = "above"
		}
		fmt.Fprintf(&b, "| %s | %s | %d |\n", usage, thousands(q.chars), q.matches)
	}
	return b.String()
}

func budgetTable() string {
	var b strings.Builder
	b.WriteString("| window of at least | budget | of an autonomous run |\n|---|---|---|\n")
	for _, c := range smallSizes {
		if c.budget > 0 {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", thousands(c.window), thousands(c.budget), thousands(c.autonomous))
		} else {
			fmt.Fprintf(&b, "| smaller | %.0f %% | %.0f %% |\n", c.share*100, c.autonomousPart*100)
		}
	}
	fmt.Fprintf(&b, "| no model named | %s | %s |\n", thousands(unnamedLimit), thousands(unnamedLimit))
	return b.String()
}

func thousands(n int) string {
	if n < 1_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1_000, n%1_000)
}
