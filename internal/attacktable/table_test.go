package attacktable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/attacktable"
)

// TestTable adds rows, as several packages do, and prints them by target with what was held.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	t.Setenv(attacktable.Variable, path)
	attacktable.Add(t, attacktable.Row{Target: "explore", Attack: "endless-text", Limit: "4 times the tokens", Peak: 12 << 20,
		Seconds: 1.23, Words: "the server does not\nend\x1b its answer"})
	attacktable.Add(t, attacktable.Row{Target: "chat", Attack: "hang", Limit: "exit 3", Peak: attacktable.Unknown, Failed: true})
	attacktable.Add(t, attacktable.Row{Target: "explore", Attack: "hang", Limit: strings.Repeat("x", 100), Peak: 64 << 20})
	t.Run("Attack", func(t *testing.T) { attacktable.Watch(t, "package", "1 s") })
	rows, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	if err := attacktable.Print(&b, rows); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l := range strings.Lines(b.String()) {
		if fields := strings.Fields(l); len(fields) > 0 {
			got = append(got, strings.Join(fields[:min(len(fields), 5)], " "))
		}
	}
	want := []string{
		"target attack peak MB seconds", "chat hang FAILED ? 0.0", "explore endless-text held 12 1.2", "explore hang held 64 0.0",
		"package TestTable/Attack held " + strings.Fields(b.String()[strings.Index(b.String(), "TestTable/Attack"):])[2] + " 0.0",
		"target tried held most MB", "chat 1 0 ?", "explore 2 2 64", "package 1 1 " + lastField(b.String(), "package"),
		"all 4 3 64",
	}
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%s\n%s", diff, b.String())
	}
	if got := attacktable.LimitOf("x: the server does not end its answer: 8 MB\nhint", "exit 3"); got != "8 MB" {
		t.Errorf("limit %q", got)
	}
	if err := attacktable.Print(&b, strings.NewReader("{}\nno row\n")); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("a file without rows: %v", err)
	}
}

// lastField returns the last field of the last line that begins with a word.
func lastField(text, word string) (last string) {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, word) {
			fields := strings.Fields(l)
			last = fields[len(fields)-1]
		}
	}
	return last
}
