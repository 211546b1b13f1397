package explore

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/locate"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// The ranking counts the files whose words it takes, and the commits of the history.
func TestRankingCounts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "retry.go"), []byte("package retry\n\n// Retry tries again.\nfunc Retry() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Try again"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	root, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	want := func(what string, far tools.Status, call func(context.Context) error) {
		t.Helper()
		g := new(tools.Progress)
		if err := call(tools.WithRun(t.Context(), tools.Run{Progress: g})); err != nil {
			t.Fatal(err)
		}
		if got, ok := g.Read(); !ok || got != far {
			t.Errorf("%s: %+v, want %+v", what, got, far)
		}
	}
	want("history", tools.Status{Unit: "commits", Done: 1}, func(ctx context.Context) error {
		_, err := root.history(ctx, 10, 5)
		return err
	})
	ranking := locate.Tool(sourcetree.Open(root.Files, nil), nil) // no history: its progress would mix with that of the files
	want("locate", tools.Status{Unit: "files", Done: 1, Total: 1}, func(ctx context.Context) error {
		_, err := ranking.Call(ctx, json.RawMessage(`{"query":"who tries again?"}`))
		return err
	})
}
