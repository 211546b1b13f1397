package canaries

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/forayhq/foray/evals"
)

// An AskReport is the result of [Ask].
type AskReport struct {
	Suite string   `json:"suite"`
	Model string   `json:"model"`
	Noise string   `json:"noise"` // "foray", or the file
	Split string   `json:"split"`
	Seed  uint64   `json:"seed"`
	Rows  []askRow `json:"rows"`
}

// An askRow counts the answers under one condition at a budget.
type askRow struct {
	Budget     int    `json:"budget"`
	Condition  string `json:"condition"`        // view, list, full or nothing
	Policy     string `json:"policy,omitempty"` // of a view
	Gaps       int    `json:"gaps"`
	Visible    int    `json:"visible"` // gaps whose sentence the messages hold
	Right      int    `json:"right"`
	Superseded int    `json:"superseded"` // answered with the value before a correction
	Wrong      int    `json:"wrong"`      // made up
	Unknown    int    `json:"unknown"`
	// VisibleRight counts the right answers among the visible gaps.
	VisibleRight int `json:"visible_right"`
}

// row returns the row of a condition, a new one if need be.
func (r *AskReport) row(budget int, condition, policy string) *askRow {
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Budget == budget && row.Condition == condition && row.Policy == policy {
			return row
		}
	}
	r.Rows = append(r.Rows, askRow{Budget: budget, Condition: condition, Policy: policy})
	return &r.Rows[len(r.Rows)-1]
}

// listed returns how many gaps a model filled after a clean list.
func (r *AskReport) listed(budget int) (right int) {
	for _, row := range r.Rows {
		if row.Budget == budget && row.Condition == fromList {
			right = row.Right
		}
	}
	return right
}

// count adds an answer.
func (r *askRow) count(verdict string, visible bool) {
	r.Gaps++
	if visible {
		r.Visible++
	}
	switch verdict {
	case right:
		r.Right++
		if visible {
			r.VisibleRight++
		}
	case superseded:
		r.Superseded++
	case wrong:
		r.Wrong++
	case unknown:
		r.Unknown++
	}
}

// WriteMarkdown writes a table for each budget.
func (r *AskReport) WriteMarkdown(w io.Writer) error {
	var tables []evals.Table
	for _, row := range r.Rows {
		title := fmt.Sprintf("Budget %d: gaps that %s fills", row.Budget, r.Model)
		if len(tables) == 0 || tables[len(tables)-1].Title != title {
			tables = append(tables, evals.Table{Title: title, Columns: []string{"after", "gaps", "visible", "right", "± se",
				"of the visible", "superseded", "made up", "unknown", "÷ list"}})
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, row.cells(r.listed(row.Budget)))
	}
	if len(tables) > 0 {
		tables[0].Note = fmt.Sprintf("Sentences of the user, split %s, seed %d, noise of %s, each asked with a gap for its "+
			"value. Visible: a line before the question holds the sentence. List: nothing before the question but the "+
			"sentences. Full: the list and the newest messages that fill the budget. Superseded: answered with the value "+
			"before a correction.", r.Split, r.Seed, r.Noise)
	}
	return evals.WriteMarkdown(w, tables...)
}

// cells writes a row, given how many gaps were right after a clean list.
func (r *askRow) cells(listed int) []string {
	after, ratio, seen := r.Condition, "", ""
	if r.Policy != "" {
		after = r.Policy
	}
	if listed > 0 {
		ratio = fmt.Sprintf("%.2f", float64(r.Right)/float64(listed))
	}
	if r.Visible > 0 {
		seen = fmt.Sprintf("%.3f", float64(r.VisibleRight)/float64(r.Visible))
	}
	share := float64(r.Right) / float64(r.Gaps)
	return []string{after, strconv.Itoa(r.Gaps), strconv.Itoa(r.Visible), strconv.Itoa(r.Right),
		fmt.Sprintf("%.1f", math.Sqrt(share*(1-share)*float64(r.Gaps))), seen, strconv.Itoa(r.Superseded),
		strconv.Itoa(r.Wrong), strconv.Itoa(r.Unknown), ratio}
}
