package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// That a report cannot be written shows before anything is explored, not after.
func TestOutputChecksFirst(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "-", os.DevNull, file, link, filepath.Join(dir, "new"), filepath.Join(dir, strings.Repeat("n", 240))} {
		if err := (cli.Output{Path: path}).Check(); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	bad := []string{dir, filepath.Join(dir, "none", "file"), filepath.Join(file, "x"), filepath.Join(dir, strings.Repeat("n", 255))}
	if os.Geteuid() != 0 { // who may do everything writes there too
		closed := filepath.Join(dir, "closed")
		if err := os.Mkdir(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, filepath.Join(closed, "file"))
	}
	for _, path := range bad {
		e := (*cli.Exit)(nil)
		if err := (cli.Output{Path: path}).Check(); !errors.As(err, &e) || e.Code != cli.ExitUsage {
			t.Errorf("%q: %v, want bad usage", path, err)
		}
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "old" {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
