package symbols

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is found into the golden files")

// samples are the sources in testdata, one of each language.
func samples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/[Ss]ample.*")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	known := map[string]bool{}
	for _, f := range files {
		if l := Language(f); l != "" {
			sources = append(sources, f)
			known[l] = true
		}
	}
	for i := range languages {
		if !known[languages[i].name] {
			t.Fatalf("testdata has no sample of %s", languages[i].name)
		}
	}
	return sources
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// The definitions in a sample of each language, with all that looks like one and is none.
func TestGolden(t *testing.T) {
	for _, f := range samples(t) {
		t.Run(filepath.Base(f), func(t *testing.T) {
			var b strings.Builder
			for _, s := range Of(f, read(t, f)) {
				fmt.Fprintf(&b, "%sL%d-%d %s %s: %s\n", strings.Repeat("  ", s.Depth-1), s.Start, s.End, s.Kind, s.Name, s.Signature)
				if s.Doc != "" {
					fmt.Fprintf(&b, "%s  %q\n", strings.Repeat("  ", s.Depth-1), s.Doc)
				}
			}
			if strings.Contains(strings.ToLower(b.String()), "fake:") {
				t.Errorf("a definition in a comment or string was found:\n%s", b.String())
			}
			golden := f + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(read(t, golden)), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
