package compaction

import "testing"

func TestHasWhole(t *testing.T) {
	for _, c := range []struct {
		text, part string
		want       bool
	}{
		{"read src/a.go", "src/a.go", true}, {"lib/src/a.go", "src/a.go", true}, {"read xsrc/a.go", "src/a.go", false},
		{"fooBarBaz fooBar", "fooBar", true}, {"fooBarBaz", "fooBar", false}, {"", "x", false},
	} {
		if got := hasWhole(c.text, c.part); got != c.want {
			t.Errorf("%q in %q: %v", c.part, c.text, got)
		}
	}
}
