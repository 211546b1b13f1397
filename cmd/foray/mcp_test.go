package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// TestMCPCallsEveryTool talks to foray mcp as a client does, and calls each tool that it lists.
func TestMCPCallsEveryTool(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": "package main\n\n// retry asks again until an answer comes.\nfunc retry() {}\n\nfunc main() { retry() }\n",
		".env":    "PASSWORD=hunter2hunter2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-f", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "ask again"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	c := startMCP(t, "--repo", dir)
	c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(c.ask("tools/list", `{}`)), &list); err != nil {
		t.Fatal(err)
	}
	calls := map[string]struct{ args, want string }{
		"explore":             {`{"question":"where is retry defined?"}`, "main.go:4"},
		"insight":             {`{"dimensions":["errors"]}`, "findings in errors"},
		"locate":              {`{"query":"ask again"}`, "main.go"},
		"search":              {`{"pattern":"retry"}`, "func retry"},
		"read_file":           {`{"path":".env"}`, "secret"},
		"outline":             {`{"path":"main.go"}`, "func retry()"},
		"find_symbol":         {`{"name":"retry"}`, "main.go"},
		"references":          {`{"name":"retry"}`, "func main"},
		"repo_map":            {`{}`, "main.go"},
		"glob":                {`{"pattern":"*.go"}`, "main.go"},
		"list_dir":            {`{}`, "main.go"},
		"git_log":             {`{}`, "ask again"},
		"git_show":            {`{"rev":"HEAD"}`, "main.go"},
		"git_blame":           {`{"path":"main.go"}`, "Ada"},
		"read_working_memory": {`{"id":"r00"}`, "unknown_id"},
	}
	for _, tool := range list.Tools {
		call, ok := calls[tool.Name]
		if !ok {
			t.Errorf("%s is offered, and no test calls it", tool.Name)
			continue
		}
		delete(calls, tool.Name)
		got := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool.Name, call.args))
		if !strings.Contains(got, call.want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %s; want %q", tool.Name, got, call.want)
		}
	}
	if len(calls) > 0 {
		t.Errorf("not offered: %v", calls)
	}
}

// An mcpClient writes lines to foray mcp and reads what it answers.
type mcpClient struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	id  int
}

// startMCP runs foray mcp in this process until the test ends, when the client leaves.
func startMCP(t *testing.T, args ...string) *mcpClient {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	root := newRoot()
	root.SetArgs(append([]string{"mcp"}, args...))
	root.SetIn(fromClient)
	root.SetOut(toClient)
	root.SetErr(io.Discard)
	ended := make(chan int, 1)
	go func() { ended <- cli.PrintError(io.Discard, root.ExecuteContext(t.Context())) }()
	c := &mcpClient{t: t, in: in, out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if code := <-ended; code != cli.ExitFound {
			t.Errorf("exit code %d", code)
		}
	})
	return c
}

func (c *mcpClient) send(text string) {
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and returns its result, or its error.
func (c *mcpClient) ask(method, params string) string {
	c.id++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params))
	for c.out.Scan() {
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
			c.t.Fatalf("%v: %s", err, c.out.Text())
		}
		if answer.ID == c.id {
			return string(answer.Result) + string(answer.Error)
		}
	}
	c.t.Fatalf("no answer to %s: %v", method, c.out.Err())
	return ""
}
