package secret

import (
	"bytes"
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkMask masks the sources of net/http, which have no credentials and name many.
func BenchmarkMask(b *testing.B) {
	var data []byte
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src/net/http/*.go"))
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		data = append(data, text...)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if out := Mask(data); len(out) == 0 || bytes.Count(out, []byte("\n")) == 0 {
			b.Fatal("no text")
		}
	}
}
