package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp"
)

// TestMain is a server of the protocol if the variable says which one.
func TestMain(m *testing.M) {
	if kind := os.Getenv("SERVER_KIND"); kind != "" {
		serve(kind)
		return
	}
	if os.Getenv(scenarioVariable) != "" {
		beClient(os.Args[len(os.Args)-1])
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is a server on standard input and output.
func serve(kind string) {
	switch kind {
	case "hangs at once":
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(time.Hour)
	case "dies at once":
		fmt.Fprintln(os.Stderr, "no such database")
		os.Exit(1)
	case "babbles":
		fmt.Println("Welcome to my server!")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	if err := testServer(kind).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// testServer returns a server with tools that behave, and that do not.
func testServer(kind string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	object := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
	add := func(name string, reads bool, call func(context.Context, string) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Does " + name + ".", InputSchema: object,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: reads}},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return call(ctx, string(r.Params.Arguments))
			})
	}
	text := func(t string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}, nil
	}
	add("greet", true, func(_ context.Context, args string) (*sdk.CallToolResult, error) { return text("hello " + args) })
	add("search", false, func(context.Context, string) (*sdk.CallToolResult, error) { return text("found") })
	if kind == "many" {
		for i := range 24 {
			add(fmt.Sprintf("list_%s_%d", []string{"issues", "mails", "invoices", "meetings"}[i%4], i), true,
				func(context.Context, string) (*sdk.CallToolResult, error) { return text(fmt.Sprint("list ", i)) })
		}
		return s
	}
	add("refuse", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "not today"}}}, nil
	})
	add("hang", true, func(ctx context.Context, _ string) (*sdk.CallToolResult, error) {
		time.Sleep(time.Hour)
		return nil, ctx.Err()
	})
	add("die", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "disk full")
		os.Exit(3)
		return nil, nil
	})
	add("flood", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("0123456789", 5<<20))
	})
	add("steer", true, func(context.Context, string) (*sdk.CallToolResult, error) { return text("red \x1b[31m\u202e") })
	add("draw", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.ImageContent{MIMEType: "image/png", Data: make([]byte, 2_000)},
			&sdk.ResourceLink{URI: "x://y", Name: "y", Description: "the y"},
		}}, nil
	})
	add("paint", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		var b bytes.Buffer
		err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20)))
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a wall"},
			&sdk.ImageContent{MIMEType: "image/png", Data: b.Bytes()}}}, err
	})
	add("vanish", true, func(context.Context, string) (*sdk.CallToolResult, error) {
		s.RemoveTools("greet")
		return text("the tools have changed")
	})
	return s
}

// program returns a server of a kind that this test binary is.
func program(kind string) mcp.Server {
	return mcp.Server{Command: os.Args[0], Env: map[string]string{"SERVER_KIND": kind}}
}

func connect(t testing.TB, servers map[string]mcp.Server, o mcp.Options) (*mcp.Client, []string) {
	t.Helper()
	c, warnings := mcp.Connect(context.Background(), servers, o)
	t.Cleanup(c.Close)
	return c, warnings
}

// call calls a tool as the loop does.
func call(t testing.TB, c *mcp.Client, name, args string) (string, error) {
	t.Helper()
	for _, tool := range c.Tools() {
		if tool.Name != name {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), tool.Timeout)
		defer cancel()
		value, err := tool.Call(ctx, json.RawMessage(args))
		if err != nil {
			return "", err
		}
		_, text := tools.Render(value)
		return text, nil
	}
	t.Fatalf("no tool %s", name)
	return "", nil
}

// TestCalls calls tools that work, and others that refuse, die and flood: each fails with a sentence, and the next call
// of the same server works.
func TestCalls(t *testing.T) {
	c, warnings := connect(t, map[string]mcp.Server{"test": program("plain")}, mcp.Options{})
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	for _, test := range []struct{ tool, want, wrong string }{
		{"greet", `hello {"name":"Ada"}`, ""},
		{"refuse", "", "failed: not today"},
		{"die", "", "disk full"},
		{"greet", "hello", ""},
		{"flood", "", "it sent more than 16 MB at once"},
		{"greet", "hello", ""},
		{"steer", "red \uFFFD[31m\uFFFD", ""},
		{"draw", "[a picture, image/png, 2.0 kB: not shown]\n[resource x://y the y]", ""},
		{"vanish", "changed", ""},
		{"greet", "", "the server test refuses the call"},
	} {
		text, err := call(t, c, test.tool, `{"name":"Ada"}`)
		if test.wrong == "" && (err != nil || !strings.Contains(text, test.want)) {
			t.Errorf("%s: %.200q, %v; want %q", test.tool, text, err, test.want)
		}
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: %v; want %q", test.tool, err, test.wrong)
		}
	}
}

// TestPictures: a model that takes pictures sees those of a server, and only those that are some; another reads of
// them.
func TestPictures(t *testing.T) {
	c, _ := connect(t, map[string]mcp.Server{"test": program("plain")}, mcp.Options{})
	for _, test := range []struct {
		tool, want string
		sees       bool
		pictures   int
	}{
		{"paint", "a wall\npicture 1 of the answer, PNG, 30×20 pixels", true, 1},
		{"paint", "a wall\n[a picture, image/png, 79 B: not shown]", false, 0},
		{"draw", "[a picture, image/png, 2.0 kB: not shown]\n[resource x://y the y]", true, 0},
	} {
		i := slices.IndexFunc(c.Tools(), func(x tools.Tool) bool { return x.Name == test.tool })
		value, err := c.Tools()[i].Call(tools.WithRun(t.Context(), tools.Run{Sees: test.sees}), json.RawMessage("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, text := tools.Render(value); text != test.want || len(tools.Images(value)) != test.pictures {
			t.Errorf("%s, seen %v: %q with %d pictures", test.tool, test.sees, text, len(tools.Images(value)))
		}
	}
}

// TestLateCalls ends a call at its limit, and starts the server anew for the next one.
func TestLateCalls(t *testing.T) {
	c, _ := connect(t, map[string]mcp.Server{"test": program("plain")}, mcp.Options{Call: time.Second})
	if _, err := call(t, c, "hang", "{}"); err == nil || !strings.Contains(err.Error(), "the server test did not answer in time") {
		t.Error(err)
	}
	if text, err := call(t, c, "greet", "{}"); err != nil || text != "hello {}" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestServersThatDoNotBegin are left out with a warning, and the others work.
func TestServersThatDoNotBegin(t *testing.T) {
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://example.com"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(locked.Close)
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	c, warnings := connect(t, map[string]mcp.Server{
		"a good": program("plain"), "b hangs": program("hangs at once"), "c dies": program("dies at once"),
		"d babbles": program("babbles"), "e missing": {Command: "/no/such/program"},
		"f locked": {URL: locked.URL}, "g page": {URL: page.URL}, "h off": {Disabled: true},
	}, mcp.Options{Connect: 5 * time.Second})
	for i, want := range []string{
		"b hangs is left out: it did not answer within 5s", "c dies is left out", "d babbles is left out",
		"e missing is left out: it cannot be started", "f locked is left out: it rejects the key; servers that require an OAuth login",
		"g page is left out",
	} {
		if i >= len(warnings) || !strings.Contains(warnings[i], want) {
			t.Errorf("warnings %d: %q; want %q", i, warnings, want)
		}
	}
	if len(warnings) != 6 || !strings.Contains(strings.Join(warnings, "\n"), "no such database") {
		t.Errorf("%d warnings: %q", len(warnings), warnings)
	}
	if text, err := call(t, c, "greet", "{}"); err != nil || text != "hello {}" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestNames gives two servers the same tools, and the agent one of them.
func TestNames(t *testing.T) {
	c, _ := connect(t, map[string]mcp.Server{"one": program("plain"), "t.wo": program("plain")},
		mcp.Options{Taken: []string{"search"}})
	var names []string
	for _, tool := range c.Tools() {
		if strings.HasSuffix(tool.Name, "greet") || strings.HasSuffix(tool.Name, "search") {
			names = append(names, fmt.Sprint(tool.Name, " ", tool.Effects))
		}
	}
	if got := strings.Join(names, ", "); got != "greet false, one_search true, t_wo_greet false, t_wo_search true" {
		t.Error(got)
	}
	for name, want := range map[string]bool{"greet": false, "one_search": true, "read_file": false} {
		if _, changes := c.Changes(name, nil); changes != want {
			t.Errorf("%s changes something: %v", name, changes)
		}
	}
}

// TestManyToolsCostLittle has 40 servers with 25 tools each, in 2 % of a window of 24,000 tokens.
func TestManyToolsCostLittle(t *testing.T) {
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer("many") },
		&sdk.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(web.Close)
	servers := map[string]mcp.Server{}
	for i := range 40 {
		servers[fmt.Sprint("server", i)] = mcp.Server{URL: web.URL}
	}
	const room = 24_000 / 50
	c, warnings := connect(t, servers, mcp.Options{Room: room})
	if len(warnings) > 0 || c.Len() != 40*26 {
		t.Fatalf("%d tools, warnings %q", c.Len(), warnings)
	}
	tokens := 0
	for _, tool := range c.Tools() {
		tokens += toollimit.Tokens(tool.Name) + toollimit.Tokens(tool.Description) + toollimit.Tokens(string(tool.Schema))
	}
	t.Logf("%d tools take %d of %d tokens", c.Len(), tokens, room)
	if tokens > room || len(c.Tools()) != 2 {
		t.Errorf("%d tools take %d tokens, want at most %d", len(c.Tools()), tokens, room)
	}
	found, err := call(t, c, "mcp_find", `{"query":"list invoices"}`)
	if err != nil || !strings.Contains(found, "list_invoices_2") || !strings.Contains(found, `"name":{"type":"string"}`) {
		t.Errorf("found %s, %v", found, err)
	}
	if text, err := call(t, c, "mcp_call", `{"tool":"list_invoices_2","arguments":{"name":"Ada"}}`); err != nil || text != "list 2" {
		t.Errorf("%q, %v", text, err)
	}
	for args, want := range map[string]string{
		`{"tool":"list_invoice_2"}`:                                `the nearest is "list_invoices_2"`,
		`{"tool":"list_invoices_2","arguments":{"name":7}}`:        "/name",
		`{"tool":"server3_search","arguments":{"name":"x\u0000"}}`: "",
	} {
		if _, err := call(t, c, "mcp_call", args); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", args, err, want)
		}
	}
	if tool, changes := c.Changes("mcp_call", json.RawMessage(`{"tool":"server3_search"}`)); !changes || tool != "server3_search" {
		t.Errorf("%s changes something: %v", tool, changes)
	}
}

// TestBadTools lists tools that cannot be used.
func TestBadTools(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	call := func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	}
	for name, schema := range map[string]string{
		"good": `{"type":"object"}`, "wrong type": `{"type":"object","properties":{"a":{"type":"nonsense"}}}`,
		"elsewhere": `{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`,
		"huge":      `{"type":"object","description":"` + strings.Repeat("a", 70_000) + `"}`,
	} {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(schema)}, call)
	}
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	c, warnings := connect(t, map[string]mcp.Server{"test": {URL: web.URL}}, mcp.Options{})
	if c.Len() != 1 || len(warnings) != 3 {
		t.Errorf("%d tools; warnings %q", c.Len(), warnings)
	}
	if text, err := call2(c); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}

func call2(c *mcp.Client) (string, error) {
	value, err := c.Tools()[0].Call(context.Background(), json.RawMessage("{}"))
	if err != nil {
		return "", err
	}
	_, text := tools.Render(value)
	return text, nil
}

// TestConnectsLeaveNothing connects to 320 servers over HTTP and to 20 programs, one after the other; with the race
// detector to 48 and 3.
func TestConnectsLeaveNothing(t *testing.T) {
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return testServer("plain") }, nil))
	t.Cleanup(web.Close)
	before := runtime.NumGoroutine()
	connects := 340
	if ostest.RaceDetector {
		connects = 51
	}
	for i := range connects {
		server := mcp.Server{URL: web.URL}
		if i%17 == 0 {
			server = program("plain")
		}
		c, warnings := mcp.Connect(context.Background(), map[string]mcp.Server{"test": server}, mcp.Options{})
		if len(warnings) > 0 {
			t.Fatal(warnings)
		}
		c.Close()
	}
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before+2 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+2 { // two of the server's own connection
		stacks := make([]byte, 4<<20)
		t.Errorf("%d goroutines, %d before: %s", n, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// TestCancel ends a call that hangs.
func TestCancel(t *testing.T) {
	c, _ := connect(t, map[string]mcp.Server{"test": program("plain")}, mcp.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	for _, tool := range c.Tools() {
		if tool.Name != "hang" {
			continue
		}
		if _, err := tool.Call(ctx, json.RawMessage("{}")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestReadServers(t *testing.T) {
	t.Setenv("SOME_TOKEN", "abc")
	good := `{"mcpServers":{"a":{"command":"${HOMELESS:-x}/a","args":["-t","${SOME_TOKEN}"],"autoApprove":["b"]},
		"b":{"url":"https://example.com","headers":{"Authorization":"Bearer ${SOME_TOKEN}"}}},"servers":{"c":{"type":"stdio","command":"c"}}}`
	all, err := mcp.ReadServers(strings.NewReader(good))
	if err != nil || len(all) != 3 || all["a"].Command != "x/a" || all["a"].Args[1] != "abc" || all["b"].Headers["Authorization"] != "Bearer abc" {
		t.Errorf("%+v, %v", all, err)
	}
	for file, want := range map[string]string{
		``:                        "not a file of servers",
		`[]`:                      "not a file of servers",
		`{}`:                      "names no server",
		`{"mcpServers":{"a":{}}}`: `server "a": it has neither a command nor a url`,
		`{"mcpServers":{"a":{"command":"x","url":"y"}}}`:                  "both",
		`{"mcpServers":{"a":{"url":"ftp://x"}}}`:                          "http://",
		`{"mcpServers":{"a":{"command":"${NOT_SET_ANYWHERE}"}}}`:          "not set in the environment: NOT_SET_ANYWHERE",
		`{"mcpServers":{"a":{"url":"http://x","type":"carrier pigeon"}}}`: "carrier pigeon",
		`{"mcpServers":{"a":{"command":7}}}`:                              "not a file of servers",
		strings.Repeat(" ", 5<<20):                                        "larger than 4 MB",
	} {
		if _, err := mcp.ReadServers(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v; want %q", file, err, want)
		}
	}
}

func TestReadServersWithAByteOrderMark(t *testing.T) {
	all, err := mcp.ReadServers(strings.NewReader("\ufeff" + `{"mcpServers":{"a":{"command":"x"}}}`))
	if err != nil || all["a"].Command != "x" {
		t.Errorf("%+v, %v", all, err)
	}
}

func FuzzReadServers(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"${A:-b}","args":["${A}"],"env":{"B":"${C:-}"}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := mcp.ReadServers(strings.NewReader(text))
		for name, s := range all {
			if err == nil && !s.Disabled && (s.Command == "") == (s.URL == "") {
				t.Errorf("%q: %+v", name, s)
			}
		}
	})
}

// BenchmarkCall is what a call of a program costs.
func BenchmarkCall(b *testing.B) {
	c, _ := connect(b, map[string]mcp.Server{"test": program("plain")}, mcp.Options{})
	for b.Loop() {
		if _, err := call(b, c, "greet", "{}"); err != nil {
			b.Fatal(err)
		}
	}
}
