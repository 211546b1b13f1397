package symbols

import (
	"strings"
	"testing"
)

// The documentation of a definition is its first line, however long the comment is, and none if that is out of reach.
func TestLongComments(t *testing.T) {
	for lines, want := range map[int]string{3: "Keeps the till.", 400: "Keeps the till.", 2 * maxComment: ""} {
		src := "/// Keeps the till.\n" + strings.Repeat("/// let till = Till::new();\n", lines) + "pub struct Till;\n"
		if all := Of("till.rs", []byte(src)); len(all) != 1 || all[0].Doc != want {
			t.Errorf("%d lines: %+v, want %q", lines, all, want)
		}
	}
}
