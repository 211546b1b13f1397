package servers_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/servers"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp/server"
)

// TestApprove has a server with a tool that reads and one that writes.
func TestApprove(t *testing.T) {
	call := func(context.Context, struct{}) (string, error) { return "done", nil }
	write := tools.New("write_note", "Write a note.", call)
	write.Effects = true
	s, err := server.New(server.Config{Name: "notes", Version: "1",
		Tools: []tools.Tool{write, tools.New("read_note", "Read a note.", call)}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	defer s.Close()
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"notes":{"url":"`+web.URL+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	ask := func(context.Context, transcript.ToolCall) (agent.Decision, error) {
		asked++
		return agent.Decision{Approved: true}, nil
	}
	for _, test := range []struct {
		flags    []string
		ask      servers.Approve
		tool     string
		args     string
		approved bool
		asked    int
	}{
		{nil, nil, "read_note", "{}", true, 0},
		{nil, nil, "mcp_call", `{"tool":"read_note"}`, true, 0},
		{nil, nil, "remember", "{}", true, 0}, // foray's own
		{nil, nil, "write_note", "{}", false, 0},
		{nil, nil, "mcp_call", `{"tool":"write_note"}`, false, 0},
		{nil, nil, "mcp_call", `{"tool":7}`, false, 0},
		{nil, ask, "write_note", "{}", true, 1},
		{[]string{"--mcp-allow", "write_*"}, ask, "write_note", "{}", true, 0},
		{[]string{"--mcp-allow", "write_*"}, ask, "mcp_call", `{"tool":"write_note"}`, true, 0},
		{[]string{"--mcp-allow", "delete_*"}, nil, "write_note", "{}", false, 0},
	} {
		var f servers.Flags
		cmd := &cobra.Command{}
		f.Define(cmd)
		if err := cmd.ParseFlags(append(test.flags, "--mcp", file)); err != nil {
			t.Fatal(err)
		}
		open, err := f.Open(t.Context(), nil, 24_000, func(text string) { t.Error(text) })
		if err != nil {
			t.Fatal(err)
		}
		asked = 0
		d, err := open.Approve(test.ask)(t.Context(), transcript.ToolCall{Name: test.tool, Args: json.RawMessage(test.args)})
		if err != nil || d.Approved != test.approved || asked != test.asked {
			t.Errorf("%v %s %s: %+v, %v, asked %d", test.flags, test.tool, test.args, d, err, asked)
		}
		if !d.Approved && test.args != `{"tool":7}` && !strings.Contains(d.Reason, "--mcp-allow write_note") {
			t.Errorf("%s: %s", test.tool, d.Reason)
		}
		open.Close()
	}
}
