package server_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/httpserve"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp/internal/conformance"
	"github.com/forayhq/foray/tools/mcp/server"
)

// scenarios are those of @modelcontextprotocol/conformance for what this server has: tools and resources, and no prompts,
// completions, pictures, or questions to the client.
var scenarios = map[string][]string{
	"server-initialize":                         {"2025-06-18", "2025-11-25"},
	"ping":                                      {"2025-06-18", "2025-11-25"},
	"server-stateless":                          {"2026-07-28"},
	"tools-list":                                {"2025-06-18", "2025-11-25", "2026-07-28"},
	"tools-call-simple-text":                    {"2025-06-18", "2025-11-25", "2026-07-28"},
	"tools-call-error":                          {"2025-06-18", "2025-11-25", "2026-07-28"},
	"tools-call-with-progress":                  {"2025-06-18", "2025-11-25", "2026-07-28"},
	"resources-list":                            {"2025-06-18", "2025-11-25", "2026-07-28"},
	"dns-rebinding-protection":                  {"2025-11-25", "2026-07-28"},
	"server-sse-multiple-streams":               {"2025-11-25", "2026-07-28"},
	"sep-2164-resource-not-found":               {"2026-07-28"},
	"caching":                                   {"2026-07-28"},
	"http-header-validation":                    {"2026-07-28"},
	"input-required-result-unsupported-methods": {"2026-07-28"},
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
	conformance.Suite(t)
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
	if passed := conformance.Run(t, scenarios, untestable, "server", "--url", web.URL+"/mcp"); passed < 100 {
		t.Errorf("%d checks passed, want at least 100", passed)
	}
}
