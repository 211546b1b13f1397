package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHostileFiles reads files of the largest size that nest as deep as they can. The project's file comes with the
// repository, so that it must not cost time.
func TestHostileFiles(t *testing.T) {
	for name, text := range map[string]string{
		"a key of many parts":    "a" + strings.Repeat(".a", 32_000) + " = 1\n",
		"tables in tables":       "a = " + strings.Repeat("{a=", 20_000) + "1",
		"a table of many parts":  "[a" + strings.Repeat(".a", 32_000) + "]\n",
		"keys of some parts":     strings.Repeat("a"+strings.Repeat(".a", 499)+" = 1\n", 60),
		"lists in lists":         "a = " + strings.Repeat("[", 60_000),
		"a key in a small table": "a = {" + strings.Repeat("a.", 32_000) + "a = 1}\n",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if _, err := read(path, false); err == nil {
			t.Errorf("%s: no error", name)
		}
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

func TestHonestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	list := strings.TrimSuffix(strings.Repeat(`"*.pem", "a/**/*.{yml,yaml}", `, 100), ", ")
	if err := os.WriteFile(path, []byte("# ...\nallow-secret = ["+list+"]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := read(path, true); err != nil || len(f.values["allow-secret"]) != 200 {
		t.Errorf("%+v, error %v", f, err)
	}
}
