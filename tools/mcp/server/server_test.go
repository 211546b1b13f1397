package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/internal/httpserve"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/mcp/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type named struct {
	Name string `json:"name"`
}

// lines is a long result.
func lines(name string) string {
	var b strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&b, "line %d of %s\n", i, name)
	}
	return b.String()
}

// A shown result has a picture if the model sees.
type shown struct{ sees bool }

func (s shown) Text() (toollimit.Kind, string) { return toollimit.Text, "a wall" }

func (s shown) Images() []toollimit.Image {
	if !s.sees {
		return nil
	}
	return []toollimit.Image{{Name: "wall.png", Type: "image/png", Data: []byte("data")}}
}

// TestPictures: pictures of a result are content of their own.
func TestPictures(t *testing.T) {
	c := connect(t, newServer(t, nil), nil)
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "show", Arguments: map[string]any{}})
	if err != nil || len(result.Content) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	if im, ok := result.Content[1].(*mcp.ImageContent); !ok || im.MIMEType != "image/png" || string(im.Data) != "data" {
		t.Errorf("%+v", result.Content[1])
	}
}

// testTools answer, answer at length, refuse, panic, steer a terminal, and wait for their end.
func testTools(ended chan<- error) []tools.Tool {
	return []tools.Tool{
		tools.New("greet", "Greet.", func(_ context.Context, in named) (string, error) { return "hello " + in.Name, nil }),
		tools.New("recite", "Recite.", func(_ context.Context, in named) (string, error) { return lines(in.Name), nil }),
		tools.New("refuse", "Refuse.", func(_ context.Context, in named) (string, error) {
			return "", tools.Problemf("not_found", "another name", "no %s", in.Name)
		}),
		tools.New("panic", "Panic.", func(context.Context, struct{}) (string, error) { panic("at the disco") }),
		tools.New("steer", "Steer.", func(context.Context, struct{}) (string, error) { return "red \x1b[31m \xff end", nil }),
		tools.New("show", "Show.", func(ctx context.Context, _ struct{}) (any, error) {
			return shown{tools.RunFrom(ctx).Sees}, nil
		}),
		tools.New("wait", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
			c := tools.CountProgress(ctx, "files", 3_000)
			defer c.End()
			c.Add(120)
			<-ctx.Done()
			ended <- ctx.Err()
			return "", ctx.Err()
		}),
	}
}

func newServer(t testing.TB, ended chan<- error) *server.Server {
	t.Helper()
	s, err := server.New(server.Config{
		Name: "test", Version: "1", Tools: testTools(ended), MaxTokens: 500, Reports: []string{"greet"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect connects a client of the SDK over pipes.
func connect(t testing.TB, s *server.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Run(context.Background(), fromClient, toClient)
		toClient.Close()
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, o)
	session, err := c.Connect(context.Background(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server does not end with its client")
		}
	})
	return session
}

// call calls a tool and returns the text of its result.
func call(t testing.TB, c *mcp.ClientSession, name string, args any) (text string, failed bool) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestCalls(t *testing.T) {
	c := connect(t, newServer(t, nil), nil)
	for _, test := range []struct {
		tool   string
		args   any
		want   string
		failed bool
	}{
		{"greet", named{"Ada"}, "hello Ada", false},
		{"refuse", named{"door"}, "not_found: no door; try: another name", true},
		{"greet", map[string]any{"nom": "Ada"}, "unknown field", true},
		{"greet", map[string]any{"name": 3}, "/name", true},
		{"panic", nil, "the tool panic failed: at the disco", true},
		{"steer", nil, "red \uFFFD[31m \uFFFD end", false},
		{"read_working_memory", map[string]any{"id": "r00"}, "unknown_id", true},
	} {
		if text, failed := call(t, c, test.tool, test.args); !strings.Contains(text, test.want) || failed != test.failed {
			t.Errorf("%s %v: %q, failed %v; want %q", test.tool, test.args, text, failed, test.want)
		}
	}
}

// TestRestCanBeRead has a long result truncated, and reads what is missing by the id in the gap.
func TestRestCanBeRead(t *testing.T) {
	c := connect(t, newServer(t, nil), nil)
	text, _ := call(t, c, "recite", named{"ode"})
	if n := toollimit.Tokens(text); n > 500 {
		t.Errorf("a result of %d tokens, want at most 500", n)
	}
	_, after, ok := strings.Cut(text, toollimit.ReadTool+" id=")
	if !ok {
		t.Fatalf("the gap names no id: %s", text)
	}
	id := after[:11]
	rest, failed := call(t, c, toollimit.ReadTool, map[string]any{"id": id, "start_line": 2_001, "limit": 2})
	if failed || !strings.Contains(rest, "line 2000 of ode") {
		t.Errorf("reading %s: %s", id, rest)
	}
}

func TestReportsAreResources(t *testing.T) {
	c := connect(t, newServer(t, nil), nil)
	for i := range 40 {
		call(t, c, "greet", named{fmt.Sprint("guest ", i)})
	}
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 32 {
		t.Fatalf("%d reports, %v; want the newest 32", len(list.Resources), err)
	}
	for _, r := range list.Resources {
		read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		if err != nil || !strings.HasPrefix(read.Contents[0].Text, "hello guest ") {
			t.Errorf("%s: %v", r.URI, err)
		}
	}
}

// TestProgressAndCancel follows a call that does not end, and cancels it.
func TestProgressAndCancel(t *testing.T) {
	told, ended := make(chan string, 10), make(chan error, 1)
	c := connect(t, newServer(t, ended), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		p := &mcp.CallToolParams{Name: "wait"}
		p.SetProgressToken("p")
		_, err := c.CallTool(ctx, p)
		answered <- err
	}()
	if got := <-told; got != "120 of 3,000 files" {
		t.Errorf("progress %q", got)
	}
	cancel()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the tool ended with %v", err)
	}
}

// TestBadStreams sends what is not the protocol. The server must end with an error, or answer with one and wait for
// more, and hold no more than a message.
func TestBadStreams(t *testing.T) {
	for name, test := range map[string]struct {
		in   io.Reader
		want string
	}{
		"nothing":        {strings.NewReader(""), ""},
		"half a message": {strings.NewReader(`{"jsonrpc":"2.0","id":1,`), "unexpected"},
		"no JSON":        {strings.NewReader("GET / HTTP/1.1\r\n\r\n"), "invalid"},
		"endless":        {io.MultiReader(strings.NewReader(`{"a":"`), endless{}), "exceeded"},
		"unknown method": {strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"dance"}` + "\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			go func() { done <- newServer(t, nil).Run(t.Context(), test.in, io.Discard) }()
			select {
			case err := <-done:
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("ended with %v, want %q", err, test.want)
				}
			case <-time.After(20 * time.Second):
				t.Error("does not end")
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestRevisions connects clients of both revisions to one address, with the token and without.
func TestRevisions(t *testing.T) {
	const token = "0123456789abcdef"
	web := httptest.NewServer(httpserve.NewGuard(token).Wrap(newServer(t, nil).Handler()))
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, sent := range []string{token, "wrong"} {
			c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
			session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{sent, transport}},
			}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if sent != token {
				if err == nil {
					t.Errorf("%s: a wrong token is admitted", revision)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", revision, err)
				continue
			}
			if got := session.InitializeResult().ProtocolVersion; revision != "2026-07-28" && got != revision {
				t.Errorf("%s: the session has revision %s", revision, got)
			}
			if text, _ := call(t, session, "greet", named{"Ada"}); text != "hello Ada" {
				t.Errorf("%s: %q", revision, text)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// TestConnectsLeaveNothing connects 1,000 clients one after the other.
func TestConnectsLeaveNothing(t *testing.T) {
	s := newServer(t, nil)
	before := runtime.NumGoroutine()
	for range 1_000 {
		t.Run("", func(t *testing.T) {
			if text, _ := call(t, connect(t, s, nil), "greet", named{"Ada"}); text != "hello Ada" {
				t.Error(text)
			}
		})
	}
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines after 1,000 clients, %d before", n, before)
	}
}

// BenchmarkCall is what the protocol adds to a call.
func BenchmarkCall(b *testing.B) {
	c := connect(b, newServer(b, nil), nil)
	for b.Loop() {
		call(b, c, "greet", named{"Ada"})
	}
}

// TestSessionsAreBounded begins sessions over HTTP and leaves them open.
func TestSessionsAreBounded(t *testing.T) {
	s := newServer(t, nil)
	h := s.Handler()
	status := 0
	for range 1_001 {
		r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize",`+
			`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if status = w.Code; status != http.StatusOK {
			break
		}
	}
	if status != http.StatusServiceUnavailable {
		t.Errorf("session 1,001: status %d, want 503", status)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
