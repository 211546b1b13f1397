package ui

import (
	"fmt"
	"io"
	"strings"
)

// Bar returns a function that draws a labelled bar on a terminal of that many columns, and a function that clears it.
// It redraws only when the bar changes.
func Bar(w io.Writer, columns int, label string) (progress func(done, total int), clear func()) {
	drawn := ""
	progress = func(done, total int) {
		count := fmt.Sprintf(" %d/%d", done, total)
		width := min(columns-1-len(label)-len(count)-3, 40)
		line := label + count
		if width > 0 && total > 0 {
			full := width * done / total
			line = label + " [" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]" + count
		}
		if line != drawn {
			drawn = line
			fmt.Fprint(w, clearLine+line)
		}
	}
	return progress, func() {
		if drawn != "" {
			fmt.Fprint(w, clearLine)
		}
	}
}
