package symbols

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is kept on disk is of a version of the tables and the scanner. When the scanner finds other symbols in the samples
// with the same tables, scannerVersion must be raised, or what was kept would go on being told.
func TestVersion(t *testing.T) {
	const file = "testdata/version.txt"
	h := sha256.New()
	for _, f := range samples(t) {
		if Language(f) != goName { // its parser is not ours
			fmt.Fprintf(h, "%+v\n", Of(f, read(t, f)))
		}
	}
	for _, f := range samples(t) {
		h.Write(read(t, f))
	}
	found := fmt.Sprintf("%x", h.Sum(nil)[:8])
	lines := strings.Split(strings.TrimSpace(string(read(t, file))), "\n")
	was, symbols, _ := strings.Cut(lines[len(lines)-1], " ")
	now := fmt.Sprintf("%d.%s", scannerVersion, tablesHash()[:8])
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(now+" "+found+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	case was == now && symbols != found:
		t.Errorf("the same tables and scannerVersion %d find other symbols, or in other samples: raise it, and run with -update", scannerVersion)
	case was != now:
		t.Errorf("the tables or scannerVersion are others than in %s: run with -update", file)
	}
}
