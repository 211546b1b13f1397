package page

import (
	"io"
	"testing"
)

// BenchmarkWrite writes the report of 72 trials, most of which have about 25 requests.
func BenchmarkWrite(b *testing.B) {
	dir := example(b)
	for b.Loop() {
		if err := Write(b.Context(), dir, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
