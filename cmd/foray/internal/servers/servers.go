// Package servers gives the runs of the command the tools of MCP servers: --mcp and --mcp-allow.
package servers

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp"
)

// Flags are --mcp and --mcp-allow.
type Flags struct {
	file  string
	allow []string // patterns of names of tools
}

// Define defines the flags.
func (f *Flags) Define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "mcp", "",
		"let the model use the tools of the MCP servers in the JSON `FILE`, as {\"mcpServers\": {…}}; it starts them")
	flags.StringArrayVar(&f.allow, "mcp-allow", nil,
		"make calls of the tools that match `PATTERN` without asking, though they may change something (repeatable)")
	cli.InGroup(cmd, cli.RunGroup, "mcp", "mcp-allow")
}

// Given reports whether the flags name servers.
func (f *Flags) Given() bool { return f.file != "" }

// Servers are the servers of a run. The nil Servers have no tools.
type Servers struct {
	*mcp.Client
	allow []string
}

// share is how much of a window the tools of servers may take before they are found by words, as in 1/share.
const share = 50

// Open connects to the servers of --mcp for an agent with other tools and a window, in tokens; nil without the flag. It
// says what is left out.
func (f *Flags) Open(ctx context.Context, others []tools.Tool, window int, say func(string)) (*Servers, error) {
	const hint = `{"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}}`
	if f.file == "" {
		if len(f.allow) > 0 {
			return nil, cli.Usage("--mcp FILE --mcp-allow "+cli.Quote(f.allow[0]), "--mcp-allow needs --mcp")
		}
		return nil, nil
	}
	for _, pattern := range f.allow {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, cli.Usage("--mcp-allow 'list_*'", "--mcp-allow takes a pattern of names, not %q", pattern)
		}
	}
	file, err := os.Open(f.file)
	if err != nil {
		return nil, cli.Usage(hint, "--mcp: %v", err)
	}
	defer file.Close()
	all, err := mcp.ReadServers(file)
	switch {
	case err != nil && all != nil:
		return nil, cli.Usage("correct the file, or skip a server: \"disabled\": true", "--mcp %s: %v", f.file, err)
	case err != nil:
		return nil, cli.Usage(hint, "--mcp %s: %v", f.file, err)
	}
	taken := make([]string, len(others))
	for i, t := range others {
		taken[i] = t.Name
	}
	client, warnings := mcp.Connect(ctx, all, mcp.Options{Version: cli.Version(), Taken: taken, Room: window / share})
	for _, w := range warnings {
		say("warning: " + w)
	}
	if client.Len() == 0 {
		client.Close()
		return nil, cli.Usage("see the warnings above; without --mcp, foray has its own tools: foray tools list",
			"--mcp %s: no server offers a tool", f.file)
	}
	return &Servers{client, f.allow}, nil
}

// Tools returns the tools of the servers.
func (s *Servers) Tools() []tools.Tool {
	if s == nil {
		return nil
	}
	return s.Client.Tools()
}

// Close ends the servers.
func (s *Servers) Close() {
	if s != nil {
		s.Client.Close()
	}
}

// An Approve decides about a call; see [agent.Config].
type Approve = func(context.Context, transcript.ToolCall) (agent.Decision, error)

// Approve returns what decides about calls: those that only read, as their server says, and those of --mcp-allow are
// made, and ask decides about the others. With a nil ask they are refused.
func (s *Servers) Approve(ask Approve) Approve {
	if s == nil {
		return nil
	}
	return func(ctx context.Context, c transcript.ToolCall) (agent.Decision, error) {
		name, changes := s.Changes(c.Name, c.Args)
		allowed := slices.ContainsFunc(s.allow, func(pattern string) bool {
			ok, _ := path.Match(pattern, name) // Open has checked it
			return ok
		})
		switch {
		case !changes || allowed:
			return agent.Decision{Approved: true}, nil
		case ask != nil:
			return ask(ctx, c)
		}
		return agent.Decision{Reason: fmt.Sprintf("nobody allowed %s, which may change something: the user can, with "+
			"--mcp-allow %s", name, name)}, nil
	}
}
