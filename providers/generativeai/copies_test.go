package generativeai_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCopies holds what this package and providers/gemini both say of the protocol to the same words: siblings do not
// import each other, and a fault that is mended in one is one in the other.
func TestCopies(t *testing.T) {
	for file, marks := range map[string][2]string{
		"events.go": {"// maxEvent is", ""},
		"errors.go": {"// codes says", "// failed returns"},
	} {
		var texts [2]string
		for i, path := range []string{file, "../gemini/" + file} {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, text, found := strings.Cut(string(raw), marks[0])
			if marks[1] != "" {
				text, _, _ = strings.Cut(text, marks[1])
			}
			if texts[i] = text; !found || len(text) < 1000 {
				t.Errorf("%s: no copy between %q and %q", path, marks[0], marks[1])
			}
		}
		if diff := cmp.Diff(texts[1], texts[0]); diff != "" {
			t.Errorf("%s (-gemini +generativeai):\n%s", file, diff)
		}
	}
}
