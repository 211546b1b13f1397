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

// A Config names a model and its service. Name and Key are required.
type Config struct {
	Name          string         // as in "gemini-2.5-flash", also with "models/" before it; not Gemini 3
	BaseURL       string         // without the version, which is always v1beta; empty: Google's
	Key           string         `json:"-"` // sent as x-goog-api-key, never in a URL
	HTTPClient    *http.Client   `json:"-"` // nil: one without a time limit; redirects are never followed
	Info          providers.Info // what the model supports; New completes it
	EmbeddingName string         // model for Embed; empty: gemini-embedding-001
	AllowHTTP     bool           // allow plain HTTP to remote hosts (exposes the key)
}

// String names the model.
func (c Config) String() string { return "generativeai config of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Model asks one model over the older library. It is immutable and safe for concurrent use.
type Model struct {
	config  Config
	service *geminiwire.Service
	client  *library.Client
}

// String names the model and the service.
func (m *Model) String() string { return m.service.String() }

// GoString does as String, so that %#v does not print the key.
func (m *Model) GoString() string { return m.String() }

// Info returns Config.Info, completed by [New].
func (m *Model) Info() providers.Info { return m.config.Info }

// beyond matches models that this package cannot serve.
var beyond = regexp.MustCompile(`^(?:models/)?gemini-(?:[3-9]|[1-9]\d+|.*-latest$)`)

// New returns the model that c describes. It reaches no server. It sets Info.Name to Config.Name,
// Info.StructuredOutput, and as defaults Info.Provider "generativeai" and Info.Rules [transcript.Gemini]. A missing key
// is an [*providers.Error] of class Auth. Gemini 3 and later, and names that mean the latest model, are one of class
// Invalid that names the package to use. Any other error names what cannot work, and never contains the key.
func New(c Config) (*Model, error) {
	if beyond.MatchString(c.Name) {
		says := "this model wants its thought signatures back, which this library drops: use gemini/" +
			strings.TrimPrefix(c.Name, "models/")
		return nil, &providers.Error{
			Class: providers.Invalid, Provider: cmp.Or(c.Info.Provider, "generativeai"), Model: c.Name, Err: errors.New(says),
		}
	}
	named := geminiwire.Config{Name: c.Name, BaseURL: c.BaseURL, Key: c.Key, AllowHTTP: c.AllowHTTP, Info: c.Info}
	service, err := geminiwire.New("generativeai", named)
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

// newClient returns the library's client, which sends over an [exchange]. The library also builds a client for caches
// that would connect over gRPC at once and that nobody can close, so it gets a pool without connections. The libraries
// call these options internal; TestNewCallsNobody checks that they still work.
func (m *Model) newClient() (*library.Client, error) {
	own := geminiwire.Client(m.config.HTTPClient, func(under http.RoundTripper) http.RoundTripper {
		return &exchange{service: m.service, key: m.config.Key, under: under}
	})
	return library.NewClient(context.Background(),
		option.WithHTTPClient(own), option.WithEndpoint(m.service.Base.String()),
		transport.WithConnPool(noPool{}), internaloption.SkipDialSettingsValidation())
}

// A noPool is an empty pool of gRPC connections.
type noPool struct{ grpc.ClientConnInterface }

// Conn returns nil.
func (noPool) Conn() *grpc.ClientConn { return nil }

// Num returns 0.
func (noPool) Num() int { return 0 }

// Close does nothing.
func (noPool) Close() error { return nil }
