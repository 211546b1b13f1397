package terms

import (
	"strings"
	"testing"
)

// TestSegmentsOfALongText: a question may be a pasted file, so no character may copy what precedes it.
func TestSegmentsOfALongText(t *testing.T) {
	text := strings.Repeat("hello world ", 1_000)
	if n := testing.AllocsPerRun(1, func() { segments(text) }); n > 10 {
		t.Errorf("%.0f allocations for one run of %d bytes", n, len(text))
	}
}
