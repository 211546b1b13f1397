package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

var head = []string{
	"library", "ended", "largest request", "shared prefix", "breaks", "read anew", "no goal", "no rule", "invalid",
	"summaries", "CPU ms, least", "median", "× foray", "allocations", "MB allocated", "MB at peak",
}

// writeTable writes a variant as Markdown: the columns that are the same every time, then the others.
func writeTable(w io.Writer, v variant, lines []line) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", v.title)
	writeRow(&b, head)
	b.WriteString("|:--|:--" + strings.Repeat("|--:", len(head)-2) + "|\n")
	var notes []string
	for i := range lines {
		l := &lines[i]
		if l.broken != "" {
			writeRow(&b, []string{l.name, "no figures: " + escape(l.broken)})
			continue
		}
		writeRow(&b, cells(l, &lines[0], v.Calls))
		notes = append(notes, remarks(l)...)
	}
	b.WriteByte('\n')
	for _, n := range notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cells(l, first *line, calls int) []string {
	r := &l.row
	ended := "all calls"
	switch {
	case r.TimedOut:
		ended = fmt.Sprintf("**stopped after 2 minutes and %s calls**", count(r.Calls))
	case !r.Survived(calls):
		ended = fmt.Sprintf("**died after %s calls**", count(r.Calls))
	case r.Largest > scenario.Budget:
		ended = "all calls, over budget"
	}
	cells := []string{
		strings.TrimSpace(l.name + " " + r.Version), ended, count(r.Largest),
		fmt.Sprintf("%.1f%%", 100*float64(r.Shared)/float64(max(r.Sent, 1))),
		count(r.Breaks), count(r.Fresh), count(r.NoGoal), count(r.NoRule), count(r.Invalid), count(r.Summaries),
	}
	if len(l.cpu) == 0 {
		return cells
	}
	ratio := "—"
	if len(first.cpu) > 0 && r.Survived(calls) && first.row.Survived(calls) {
		ratio = fmt.Sprintf("%.2f", l.cpu[0]/first.cpu[0])
	}
	return append(cells,
		fmt.Sprintf("%.1f", 1e3*l.cpu[0]), fmt.Sprintf("%.1f", 1e3*l.cpu[len(l.cpu)/2]), ratio,
		count(int(r.Allocs)), megabytes(r.Bytes), megabytes(l.heap[len(l.heap)/2]))
}

// remarks are what a cell has no room for.
func remarks(l *line) []string {
	var notes []string
	if l.row.Error != "" {
		notes = append(notes, fmt.Sprintf("%s: `%s`", l.name, cut(l.row.Error)))
	} else if !l.row.Answered {
		notes = append(notes, l.name+": it ended without an error before the last answer")
	}
	if l.row.Fault != "" {
		notes = append(notes, fmt.Sprintf("%s: first invalid request: %s", l.name, cut(l.row.Fault)))
	}
	if l.row.Refused > 0 {
		notes = append(notes, fmt.Sprintf("%s: requests refused for their size: %s", l.name, count(l.row.Refused)))
	}
	return notes
}

const longest = 240 // bytes of an error in a remark

func cut(s string) string {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return escape(s)
}

func escape(s string) string { return strings.NewReplacer("|", `\|`, "`", "'").Replace(s) }

func writeRow(b *strings.Builder, cells []string) {
	for i := range max(len(cells), len(head)) {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		b.WriteString("| " + cmp.Or(cell, " ") + " ")
	}
	b.WriteString("|\n")
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// count writes a number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
