package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

// A Config says what a [Server] offers. The zero value of each optional field is its default.
type Config struct {
	Name, Version string // of the program
	Instructions  string // for the model of the client; optional
	Tools         []tools.Tool
	// MaxTokens is the largest result in tokens (default 8,000). Claude Code warns about results of more than 10,000.
	MaxTokens int
	// Reports are the names of the tools whose whole results are kept as resources, the newest 32.
	Reports []string
	Log     *slog.Logger // logs what clients do wrong; nil: none
}

const (
	defaultTokens = 8_000
	maxCalls      = 8                // at once; more wait
	maxMessage    = 4 << 20          // bytes of a message of a client
	maxSessions   = 1_000            // over HTTP at once
	idleTime      = 30 * time.Minute // after which a session over HTTP ends
)

// A Server offers tools. It is safe for concurrent use.
type Server struct {
	config Config
	set    *tools.Set
	memory *working.Memory
	calls  chan struct{} // a place for each running call
	shelf  shelf
	mcp    *mcp.Server
}

// New returns a server that offers the tools of c, and one that reads truncated texts again. It fails if the tools are
// not a valid set.
func New(c Config) (*Server, error) {
	c.MaxTokens = cmp.Or(c.MaxTokens, defaultTokens)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	s := &Server{config: c, memory: working.New(nil), calls: make(chan struct{}, maxCalls)}
	var err error
	all := append(slices.Clone(c.Tools), recall.ReadWorkingMemory(s.memory))
	if s.set, err = tools.NewSet(all...); err != nil {
		return nil, fmt.Errorf("the tools of the server: %w", err)
	}
	capabilities := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	if len(c.Reports) > 0 {
		capabilities.Resources = &mcp.ResourceCapabilities{ListChanged: true}
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: c.Name, Version: c.Version},
		&mcp.ServerOptions{Instructions: c.Instructions, Logger: c.Log, Capabilities: capabilities})
	s.mcp.AddReceivingMiddleware(offered)
	s.shelf.server = s.mcp
	no := false
	for _, t := range s.set.All() {
		s.mcp.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.Schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.Effects, IdempotentHint: !t.Effects, OpenWorldHint: &no},
		}, s.call(t))
	}
	return s, nil
}

// offered refuses the methods of what this server does not have, which the library would answer with empty lists.
func offered(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if strings.HasPrefix(method, "prompts/") || strings.HasPrefix(method, "completion/") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no " + method + " here"}
		}
		return next(ctx, method, req)
	}
}

// Run serves one client: messages are lines of JSON, of at most 4 MB. It returns nil when in ends or nobody reads out
// any more, and an error if ctx ends first or in is not the protocol. Running calls are cancelled then. Run closes in,
// if it is an io.Closer, so that a pending read ends.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	from, ok := in.(io.ReadCloser)
	if !ok {
		from = io.NopCloser(in)
	}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: from, Writer: open{out}, MaxLineLength: maxMessage})
	if slices.ContainsFunc(gone, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	return err
}

// gone are the errors of a client that has left: before or while it was answered.
var gone = []error{io.EOF, io.ErrClosedPipe, syscall.EPIPE}

// open is a stream that the protocol does not close.
type open struct{ io.Writer }

// Close does nothing.
func (open) Close() error { return nil }

// stateless is the first revision of the protocol without sessions.
const stateless = "2026-07-28"

// Handler serves any number of clients at every path of an address. One endpoint cannot serve clients with sessions and
// those without: requests that name a revision of 2026-07-28 or later, or the path /stateless, get the second kind.
func (s *Server) Handler() http.Handler {
	serve := func(*http.Request) *mcp.Server { return s.mcp }
	sessions := mcp.NewStreamableHTTPHandler(serve, &mcp.StreamableHTTPOptions{
		Logger: s.config.Log, SessionTimeout: idleTime, MaxRequestBodyBytes: maxMessage,
	})
	single := mcp.NewStreamableHTTPHandler(serve, &mcp.StreamableHTTPOptions{
		Logger: s.config.Log, Stateless: true, MaxRequestBodyBytes: maxMessage,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= stateless || r.URL.Path == "/stateless" {
			single.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Mcp-Session-Id") == "" && s.sessions() >= maxSessions {
			http.Error(w, "too many sessions", http.StatusServiceUnavailable)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// sessions returns how many sessions are open.
func (s *Server) sessions() (n int) {
	for range s.mcp.Sessions() {
		n++
	}
	return n
}

// Close ends the sessions of all clients.
func (s *Server) Close() error {
	var all []error
	for session := range s.mcp.Sessions() {
		all = append(all, session.Close())
	}
	return errors.Join(all...)
}
