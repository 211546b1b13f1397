// Package browsertest runs scripts that look at pages in Chromium, through playwright-core. They import harness.mjs.
package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Run runs a script of the calling package with arguments, and fails the test if it fails. It skips the test unless
// FORAY_PAGE is set and Node and Chromium are installed.
func Run(t *testing.T, script string, args ...string) {
	t.Helper()
	all := slices.Concat([]string{script, Require(t), tools(t)}, args)
	out, err := exec.CommandContext(t.Context(), "node", all...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		failed := regexp.MustCompile(`(?m)^FAIL .*`).FindAllString(string(out), -1)
		t.Errorf("%v\n%s", err, strings.Join(failed, "\n")) // again at the end, which is what a log keeps
	}
}

// Require returns the browser's program, or skips the test.
func Require(t *testing.T) (chromium string) {
	t.Helper()
	if os.Getenv("FORAY_PAGE") == "" {
		t.Skip("set FORAY_PAGE=1 to look at pages in a browser (`make test-page`); it needs Chromium, Node and npm")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node: apt-get install nodejs")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium: apt-get install chromium, or name the browser in CHROMIUM")
	return ""
}

// tools returns the folder in which make test-page has installed playwright-core.
func tools(t *testing.T) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir, err := filepath.Abs(filepath.Join(filepath.Dir(file), "../../.tools"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
