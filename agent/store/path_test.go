package store_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/forayhq/foray/agent/store"
)

func TestPath(t *testing.T) {
	home, data := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", data)
	if got, err := store.Path(); got != filepath.Join(data, "foray", "foray.db") || err != nil {
		t.Errorf("in the folder that was set: %s %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", "not/absolute") // to be ignored, says the specification
	got, err := store.Path()
	if runtime.GOOS == "linux" && got != filepath.Join(home, ".local", "share", "foray", "foray.db") || err != nil {
		t.Errorf("in the folder of the system: %s %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err := store.Path(); runtime.GOOS == "linux" && err == nil {
		t.Errorf("without a home: %s", got)
	}
}
