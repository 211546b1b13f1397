package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp"
	"github.com/forayhq/foray/tools/mcp/internal/conformance"
)

// scenarios are those of @modelcontextprotocol/conformance for what this client has: it connects, lists tools and calls
// them. It answers no questions of servers and logs in nowhere.
var scenarios = map[string][]string{
	"initialize":                       {"2025-06-18", "2025-11-25"},
	"tools_call":                       {"2025-06-18", "2025-11-25", "2026-07-28"},
	"sse-retry":                        {"2025-11-25"},
	"request-metadata":                 {"2026-07-28"},
	"http-standard-headers":            {"2026-07-28"},
	"http-custom-headers":              {"2026-07-28"},
	"http-invalid-tool-headers":        {"2026-07-28"},
	"json-schema-ref-no-deref":         {"2026-07-28"},
	"json-schema-2020-12-preservation": {"2025-11-25", "2026-07-28"},
}

// scenarioVariable names the scenario of a client that the suite starts.
const scenarioVariable = "MCP_CONFORMANCE_SCENARIO"

// beClient is the client that the suite starts: it makes the calls that the scenario asks for, or else calls each tool
// of the server at the URL.
func beClient(url string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, warnings := mcp.Connect(ctx, map[string]mcp.Server{"test": {URL: url}}, mcp.Options{Name: "foray", Version: "1"})
	defer c.Close()
	fmt.Fprintln(os.Stderr, warnings)
	var asked struct {
		Calls []struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	all := c.Tools()
	for _, tool := range all {
		args := []json.RawMessage{arguments(tool.Schema, all)}
		if len(asked.Calls) > 0 {
			args = nil
		}
		for _, call := range asked.Calls {
			if call.Name == tool.Name {
				args = append(args, call.Args)
			}
		}
		for _, a := range args {
			result, err := tool.Call(ctx, a)
			fmt.Fprintln(os.Stderr, tool.Name, string(a), result, err)
		}
	}
}

// arguments makes arguments that a schema allows. One that is called schema is that of the first tool.
func arguments(schema json.RawMessage, all []tools.Tool) json.RawMessage {
	var s struct {
		Properties map[string]struct{ Type any }
	}
	if json.Unmarshal(schema, &s) != nil {
		return json.RawMessage("{}")
	}
	in := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case name == "schema":
			in[name] = all[0].Schema
		case p.Type == "number", p.Type == "integer":
			in[name] = 5
		case p.Type == "string":
			in[name] = "text"
		}
	}
	raw, _ := json.Marshal(in) // of plain values
	return raw
}

// TestConformance runs the scenarios of the protocol's own suite against the client; make test-mcp installs it.
func TestConformance(t *testing.T) {
	conformance.Suite(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if passed := conformance.Run(t, scenarios, nil, "client", "--command", program); passed < 60 {
		t.Errorf("%d checks passed, want at least 60", passed)
	}
}
