package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/tools"
)

// maxMessage is the largest message of a server, in bytes.
const maxMessage = 16 << 20

// A remote is a server with its connection, which is made when it is needed.
type remote struct {
	name    string
	server  Server
	connect time.Duration // to begin
	self    *sdk.Client

	mu sync.Mutex
	on *connection // nil: none
}

// A connection is one session with a server.
type connection struct {
	session *sdk.ClientSession
	program *program // nil over HTTP
	cancel  context.CancelFunc
	locked  *atomic.Bool    // the server answered 401 or 403
	web     *http.Transport // nil for a program
}

// open returns the connection, a new one if there was none.
func (r *remote) open(ctx context.Context) (*connection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on != nil {
		return r.on, nil
	}
	life, cancel := context.WithCancel(context.Background())
	c := &connection{cancel: cancel, locked: &atomic.Bool{}}
	transport, err := r.transport(life, c)
	if err != nil {
		cancel()
		return nil, err
	}
	type made struct {
		session *sdk.ClientSession
		err     error
	}
	done := make(chan made, 1)
	go func() {
		s, err := r.self.Connect(life, transport, nil)
		done <- made{s, err}
	}()
	var result made
	select {
	case result = <-done:
		err = result.err
	case <-time.After(r.connect):
		err = fmt.Errorf("it did not answer within %s", r.connect)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		if c.program != nil {
			c.program.stdin.Close()
			c.program.stdout.Close()
		}
		if result.err == nil {
			if late := <-done; late.session != nil {
				late.session.Close()
			}
		}
		c.end()
		return nil, c.explain(err)
	}
	c.session, r.on = result.session, c
	return c, nil
}

// transport returns how to talk to the server until life ends.
func (r *remote) transport(life context.Context, c *connection) (sdk.Transport, error) {
	if r.server.Command != "" {
		p, err := start(life, r.server)
		if err != nil {
			return nil, err
		}
		c.program = p
		return &sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: maxMessage}, nil
	}
	c.web = &http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: time.Minute}
	client := &http.Client{Transport: &keyed{headers: r.server.Headers, locked: c.locked, next: c.web}}
	if r.server.Type == "sse" {
		return &sdk.SSEClientTransport{Endpoint: r.server.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: r.server.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
}

// keyed sends the headers of a server with each request, and notices when the server wants others. Redirects do not
// leave the host, so that the headers do not either.
type keyed struct {
	headers map[string]string
	locked  *atomic.Bool
	next    http.RoundTripper
}

// RoundTrip sends a request.
func (k *keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if from := r.Response; from != nil && from.Request.URL.Host != r.URL.Host {
		return nil, errors.New("the server redirects to another host")
	}
	r = r.Clone(r.Context())
	for name, value := range k.headers {
		r.Header.Set(name, value)
	}
	resp, err := k.next.RoundTrip(r)
	if err == nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
		k.locked.Store(true)
	}
	return resp, err
}

// explain says why a connection does not work.
func (c *connection) explain(err error) error {
	switch {
	case c.locked.Load():
		return errors.New("it rejects the key; servers that require an OAuth login are not supported: " +
			`give it a token in "headers", as {"Authorization": "Bearer ${TOKEN}"}`)
	case strings.Contains(err.Error(), "exceeded"):
		return fmt.Errorf("it sent more than %d MB at once", maxMessage>>20)
	case c.program == nil:
		return err
	}
	select { // a program that dies says why, if at all, at its end
	case <-c.program.ended:
	case <-time.After(quitTime / 4):
	}
	if words := strings.TrimSpace(c.program.said.String()); words != "" {
		return fmt.Errorf("%w; its last output: %s", err, words)
	}
	return err
}

// drop ends a connection after a failure, so that the next call makes a new one.
func (r *remote) drop(c *connection) {
	r.mu.Lock()
	if r.on == c {
		r.on = nil
	}
	r.mu.Unlock()
	c.cancel()
	c.close()
}

// close ends a connection: politely, if it was not cancelled.
func (c *connection) close() {
	closed := make(chan struct{})
	go func() {
		_ = c.session.Close() // a server that is gone does not hear it
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(quitTime):
	}
	if c.program != nil {
		c.program.wait()
	}
	c.cancel()
	<-closed
	c.end()
}

// end waits for what a cancelled connection leaves.
func (c *connection) end() {
	if c.program != nil {
		<-c.program.ended
		return
	}
	c.web.CloseIdleConnections()
}

// call calls a tool of the server by its own name.
func (r *remote) call(ctx context.Context, tool string, args json.RawMessage) (any, error) {
	c, err := r.open(ctx)
	if err != nil {
		return nil, r.failed("", err)
	}
	result, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	refused := (*jsonrpc.Error)(nil)
	switch {
	case err == nil && result.IsError:
		return nil, tools.Problemf("failed", "", "%s", answerOf(result, false).text)
	case err == nil:
		return answerOf(result, tools.RunFrom(ctx).Sees), nil
	case ctx.Err() != nil:
		r.drop(c)
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		return nil, tools.Problemf("deadline", "call it again: the server is started anew",
			"the server %s did not answer in time", r.name)
	case errors.As(err, &refused):
		return nil, tools.Problemf("failed", "", "the server %s refuses the call: %s", r.name, plain(refused.Message))
	}
	why := c.explain(err)
	r.drop(c)
	return nil, r.failed("call it again: the server is started anew", why)
}

// failed says that the server cannot be used.
func (r *remote) failed(try string, why error) error {
	return tools.Problemf("unavailable", try, "the server %s failed: %s", r.name, plain(why.Error()))
}
