package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/process"
)

// A daemon has a session of its own, so the group of the program that started it does not hold it.
func TestRunKillsDaemons(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pid")
	_, err := process.Run(t.Context(), process.Command{Env: []string{"AT=" + at},
		Args: sh(`setsid sh -c 'echo $$ > "$AT"; exec sleep 600' > /dev/null 2>&1 & until test -s "$AT"; do :; done`)})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; { // a signal takes a moment
		stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s survived", pid)
		}
	}
}
