package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/providers/catalog"
)

// cancels ends a context with the first line of a call that is over.
type cancels struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *cancels) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("[1/")) && bytes.Contains(p, []byte(" → ")) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// A run that is cancelled in the middle writes its report, whole, and leaves nothing behind.
func TestCancelledRunLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t.Setenv("FORAY_MODEL", "")
	dir := t.TempDir()
	out := filepath.Join(dir, "report.md")
	root, stderr := newRoot(), &cancels{cancel: cancel}
	root.SetArgs([]string{"explore", "-v", "--repo", "../..", "-o", out, "where is the window compacted?"})
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if e := (*cli.Exit)(nil); !errors.As(err, &e) || e.Code != cli.ExitPartial {
		t.Errorf("error %v, want exit code %d", err, cli.ExitPartial)
	}
	report, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# where is the window compacted?\n", "There is no answer yet", "- cancelled after 1 step\n", "\nRELEVANT_FILES:\n"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report does not hold %q:\n%s", want, report)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Each row of the table is found by a name that it stands for.
func TestModelRowsStandForThemselves(t *testing.T) {
	sizes := catalog.Sizes()
	for i, row := range (&modelFlags{}).table() {
		if row.Window != sizes[i].Window || row.Source != sizes[i].Source || row.Fallback {
			t.Errorf("%s: %d tokens by %q, the row has %d by %q", row.Name, row.Window, row.Source, sizes[i].Window, sizes[i].Source)
		}
	}
}

func TestSink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, os.DevNull} {
		if err := (cli.Output{Path: path}).Write("new"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "new" {
		t.Errorf("behind the link stands %q, %v", got, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
	}
	if err := (cli.Output{Path: filepath.Join(dir, "none", "file")}).Write("new"); err == nil {
		t.Error("a file in a directory that is not there was written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An exploration bounds the heap, unless the user has.
func TestExploreBoundsTheHeap(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for before, want := range map[int64]int64{math.MaxInt64: heapBound, 1 << 40: 1 << 40} {
		debug.SetMemoryLimit(before)
		runCommandLine([]string{"explore", "--quiet", "--repo", t.TempDir(), "where is it?"})
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with GOMEMLIMIT %d the limit is %d, want %d", before, got, want)
		}
	}
}
