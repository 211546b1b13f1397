package explore

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/symbols"
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

// The history that an earlier exploration left in the cache is not that of a new commit, and not that of a shallow
// clone that has got its older commits since.
func TestHistoryOfTheCommit(t *testing.T) {
	dir, clone, cache := t.TempDir(), filepath.Join(t.TempDir(), "clone"), t.TempDir()
	git := func(in string, args ...string) {
		t.Helper()
		args = append([]string{"-C", in, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	commit := func(name, text, message string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git(dir, "add", ".")
		git(dir, "commit", "-q", "-m", message)
	}
	check := func(what, in, want string) {
		t.Helper()
		for range 2 { // the second is from the cache
			if got := ranksByCommits(t, in, cache); got != want {
				t.Errorf("%s: commits rank %q, want %q", what, got, want)
			}
		}
	}
	git(dir, "init", "-q")
	commit("one.go", "package p // retry\n", "Delay the payment")
	check("first", dir, "one.go")
	commit("two.go", "package p // retry\n", "Delay the payment again")
	check("with a new commit", dir, "one.go two.go")
	commit("three.go", "package p\n", "Other")
	git(dir, "clone", "-q", "--depth=1", "file://"+dir, clone)
	check("shallow", clone, "")
	git(clone, "fetch", "-q", "--unshallow")
	check("no longer shallow", clone, "one.go two.go")
}

// ranksByCommits returns the files that locate ranks by their commits, with the cache of definitions in a directory.
func ranksByCommits(t *testing.T, dir, cache string) string {
	t.Helper()
	root, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	root.Symbols = symbols.OpenCache(cache)
	defer root.Close()
	all := root.Tools(false)
	at := slices.IndexFunc(all, func(tool tools.Tool) bool { return tool.Name == "locate" })
	out, err := all[at].Call(t.Context(), json.RawMessage(`{"query":"retry: who delays the payment?"}`))
	if err != nil {
		t.Fatal(err)
	}
	var ranked []string
	for _, item := range out.(*locate.Result).Items {
		if slices.Contains(item.Why, "commits") {
			ranked = append(ranked, item.Path)
		}
	}
	slices.Sort(ranked)
	return strings.Join(ranked, " ")
}
