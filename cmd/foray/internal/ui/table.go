package ui

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table aligns rows in columns. Cells are separated by two spaces and made safe with [Line]; each row starts with
// indent.
func Table(w io.Writer, indent string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		fmt.Fprintf(t, "%s%s\n", indent, strings.Join(cells, "\t"))
	}
	return t.Flush()
}
