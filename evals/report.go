package evals

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is a table of a report under a heading. Cells past the last column are left out, missing ones are empty.
type Table struct {
	Title   string
	Note    string // a sentence or more above the table
	Columns []string
	Rows    [][]string
}

// WriteMarkdown writes tables, each with its title and note, as Markdown that also reads well as plain text.
func WriteMarkdown(w io.Writer, tables ...Table) error {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) write(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(b, "## %s\n\n", oneLine(t.Title))
	}
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n", t.Note)
	}
	if len(t.Columns) == 0 {
		return
	}
	if t.Note != "" {
		b.WriteByte('\n')
	}
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell(row, i)), 3)
		}
	}
	writeRow(b, t.Columns, widths)
	for _, width := range widths {
		b.WriteString("|" + strings.Repeat("-", width+2))
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		writeRow(b, row, widths)
	}
}

func writeRow(b *strings.Builder, row []string, widths []int) {
	for i, width := range widths {
		text := cell(row, i)
		b.WriteString("| " + text + strings.Repeat(" ", width-utf8.RuneCountInString(text)+1))
	}
	b.WriteString("|\n")
}

// cell returns the i-th text of a row, escaped for Markdown.
func cell(row []string, i int) string {
	if i >= len(row) {
		return ""
	}
	return strings.ReplaceAll(oneLine(row[i]), "|", `\|`)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
