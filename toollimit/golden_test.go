package toollimit_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/forayhq/foray/toollimit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldens shows what a reader sees of each kind. A file of testdata/cut is named after its kind, and after
// a hyphen after what printed it; its first part is the text, and every other part is named after a quota and holds the cut.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/cut/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d golden files, error %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { golden(t, file, kindOfFile(name)) })
	}
}

func kindOfFile(name string) toollimit.Kind {
	kind, _, _ := strings.Cut(name, "-")
	return toollimit.Kind(strings.TrimPrefix(kind, "text"))
}

func golden(t *testing.T, file string, k toollimit.Kind) {
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files) < 2 {
		t.Fatalf("%s: no text and quota in it, error %v", file, err)
	}
	text := string(a.Files[0].Data)
	for i := range a.Files[1:] {
		f := &a.Files[i+1]
		q := quotaOf(t, f.Name)
		checkCut(t, k, text, q)
		short, cut := toollimit.Truncate(k, text, q)
		if !cut {
			t.Errorf("%s: nothing was cut", f.Name)
		}
		if !strings.HasSuffix(short, "\n") {
			short += "\n"
		}
		if *update {
			f.Data = []byte(short)
		} else if diff := cmp.Diff(string(f.Data), short); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// quotaOf reads a quota such as "tokens=120 pointer=s3.1 seen=Store", which has seen one identifier.
func quotaOf(t *testing.T, s string) (q toollimit.Quota) {
	t.Helper()
	for _, field := range strings.Fields(s) {
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.Atoi(value)
		switch name {
		case "tokens":
			q.MaxTokens = n
		case "chars":
			q.MaxChars = n
		case "matches":
			q.MaxMatches = n
		case "query":
			q.Query, err = value, nil
		case "pointer":
			q.Pointer, q.Tool, err = value, toollimit.ReadTool, nil
		case "seen":
			q.Seen, err = func(name string) bool { return name == value }, nil
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		if err != nil {
			t.Fatalf("quota %q: %v", s, err)
		}
	}
	return q
}
