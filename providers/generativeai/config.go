package generativeai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	library "github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	transport "google.golang.org/api/transport/grpc"
	"google.golang.org/grpc"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// A Config says which model of which service to ask. Name and Key are needed.
type Config struct {
	Name          string         // the model, as in "gemini-2.5-flash", also with "models/" before it; none of Gemini 3
	BaseURL       string         // "": Google's; without the version, which is always v1beta
	Key           string         `json:"-"` // sent as x-goog-api-key, never in a URL
	HTTPClient    *http.Client   `json:"-"` // nil: one without a time limit; redirects are never followed
	Info          providers.Info // what the model supports; see New for what is filled in
	EmbeddingName string         // the model of Embed; "": gemini-embedding-001
	AllowHTTP     bool           // allow plain HTTP to remote hosts (exposes the key)
}

// String names the model, and not the key.
func (c Config) String() string { return "generativeai config of " + c.Name }

// GoString does as String, so that %#v does not show the key either.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one service over the older library. It is immutable and safe for concurrent use.
type Model struct {
	config  Config
	service *geminiwire.Service
	client  *library.Client
}

// String names the model and the service, and not the key.
func (m *Model) String() string { return m.service.String() }

// GoString does as String, so that %#v does not show the key either.
func (m *Model) GoString() string { return m.String() }

// Info returns what Config said, completed by New.
func (m *Model) Info() providers.Info { return m.config.Info }

// beyond are the names of models that this package cannot serve.
var beyond = regexp.MustCompile(`^(?:models/)?gemini-(?:[3-9]|[1-9]\d+|.*-latest$)`)

// New returns the model that c describes. It reaches no server. In Info, Name is always Config.Name, Provider "" is
// "generativeai", Rules "" is transcript.Gemini, and StructuredOutput is set. A missing key is an *providers.Error of
// class Auth, the name of a model of Gemini 3 or later, or of whatever is the latest, one of class Invalid that names
// the package to use; a URL or name that cannot work is an error that says so, and never holds the key.
func New(c Config) (*Model, error) {
	if beyond.MatchString(c.Name) {
		says := "this model wants its thought signatures back, which this library drops: use gemini/" + strings.TrimPrefix(c.Name, "models/")
		return nil, &providers.Error{Class: providers.Invalid, Provider: cmp.Or(c.Info.Provider, "generativeai"), Model: c.Name, Err: errors.New(says)}
	}
	service, err := geminiwire.New("generativeai", geminiwire.Config{Name: c.Name, BaseURL: c.BaseURL, Key: c.Key, AllowHTTP: c.AllowHTTP, Info: c.Info})
	if err != nil {
		return nil, err
	}
	c.EmbeddingName, c.Info = cmp.Or(c.EmbeddingName, geminiwire.EmbeddingName), service.Info
	m := &Model{config: c, service: service}
	if m.client, err = m.newClient(); err != nil {
		return nil, m.service.Error(providers.Invalid, "building the client: "+err.Error())
	}
	return m, nil
}

// newClient returns the library's client, which sends over an exchange. The library also builds a client for caches,
// which it neither lends nor closes, and which would call the service at once over gRPC, behind everybody's back: it
// gets a pool without connections. The options for that are documented as the libraries' own, so that
// TestNewCallsNobody stands behind them.
func (m *Model) newClient() (*library.Client, error) {
	own := geminiwire.Client(m.config.HTTPClient, func(under http.RoundTripper) http.RoundTripper {
		return &exchange{service: m.service, key: m.config.Key, under: under}
	})
	return library.NewClient(context.Background(),
		option.WithHTTPClient(own), option.WithEndpoint(m.service.Base.String()),
		transport.WithConnPool(noPool{}), internaloption.SkipDialSettingsValidation())
}

// A noPool is a pool of gRPC connections that has none.
type noPool struct{ grpc.ClientConnInterface }

// Conn returns nil, for there is none.
func (noPool) Conn() *grpc.ClientConn { return nil }

// Num returns 0.
func (noPool) Num() int { return 0 }

// Close has nothing to close.
func (noPool) Close() error { return nil }
