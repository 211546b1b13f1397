package comments

import (
	"slices"
	"strings"
	"testing"
)

// TestParagraphs: what a comment says further down is read, too, and nothing of its code, its parameters and what comes
// after it.
func TestParagraphs(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"Go": {"// Count counts sheep,\n// and a Vec<u8>.\n//\n// It never sleeps.\nfunc Count() {}\n",
			[]string{"Count counts sheep, and a Vec<u8>.", "It never sleeps."}},
		"Rust": {"/// Counts.\n///\n/// # Examples\n/// ```\n/// count();\n/// ```\n/// Never sleeps.\n#[inline]\n",
			[]string{"Counts.", "Never sleeps."}},
		"Java": {" * Counts <b>sheep</b> of {@link Herd a herd} in {@code Sheep}.\n * <pre>\n * count();\n * </pre>\n" +
			" * <p>Never sleeps.\n *\n * @param herd the sheep\n * to count\n */\nint count() {}\n",
			[]string{"Counts sheep of a herd in `Sheep`.", "Never sleeps."}},
		"Python": {"    Counts sheep.\n\n    Never sleeps.\n\n    :param herd: the sheep\n        to count\n" +
			"    \"\"\"\n    return 1\n", []string{"Counts sheep.", "Never sleeps."}},
		"Google": {"    Counts sheep::\n\n        count(\n            herd)\n\n    Never sleeps.\n\n" +
			"    Args:\n        herd: the sheep\n    \"\"\"\n    return 1\n", []string{"Counts sheep::", "Never sleeps."}},
		"one line": {"    \"\"\"Counts sheep.\"\"\"\n    return 1\n", []string{"Counts sheep."}},
		"Ruby":     {"# Counts.\n#\n# ==== Parameters\n# herd<Array>:: the sheep\ndef count\n", []string{"Counts."}},
	} {
		lines := strings.Split(test.text, "\n")
		got := Paragraphs(func(n int) (string, bool) {
			if n >= len(lines) {
				return "", false
			}
			return lines[n], true
		}, 0, 50)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
}
