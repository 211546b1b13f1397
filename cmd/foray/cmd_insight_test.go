package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What a finding cites is written from the root, in one way.
func TestInspectionSource(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.py": "x = 1\n", ".env": "PASSWORD=1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(cacheVariable, cacheOff)
	root, err := openTree(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	source := (&inspection{root: root, flags: &insightFlags{}}).source()
	if lines, total, err := source(t.Context(), "a.py", 1, 1); err != nil || total != 1 || len(lines) != 1 || lines[0] != "x = 1" {
		t.Errorf("a.py: %q of %d, %v", lines, total, err)
	}
	for _, path := range []string{filepath.Join(root.Dir(), "a.py"), "../" + filepath.Base(dir) + "/a.py", ".env", "none.py", "/etc/passwd"} {
		if lines, _, err := source(t.Context(), path, 1, 1); err == nil {
			t.Errorf("%s: %q", path, lines)
		}
	}
}
