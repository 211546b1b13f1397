package generativeai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	library "github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	transport "google.golang.org/api/transport/grpc"
	"google.golang.org/grpc"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// BaseURL is where Google answers.
const BaseURL = "https://generativelanguage.googleapis.com"

// EmbeddingName is the model of Embed unless Config names another.
const EmbeddingName = "gemini-embedding-001"

// A Config says which model of which service to ask. Name and Key are needed.
type Config struct {
	Name          string         // the model, as in "gemini-2.5-flash", also with "models/" before it; none of Gemini 3
	BaseURL       string         // "": BaseURL; without the version, which is always v1beta
	Key           string         `json:"-"` // sent as x-goog-api-key, never in a URL
	HTTPClient    *http.Client   `json:"-"` // nil: one without a time limit; redirects are never followed
	Info          providers.Info // what the model supports; see New for what is filled in
	EmbeddingName string         // the model of Embed; "": EmbeddingName
	Plain         bool           // allows http to a host that is not this machine: the key can be read on the way
}

// String names the model, and not the key.
func (c Config) String() string { return "generativeai config of " + c.Name }

// GoString does as String, so that %#v does not show the key either.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one service over the older library. It is immutable and safe for concurrent use.
type Model struct {
	config Config
	base   *url.URL
	client *library.Client
}

// String names the model and the service, and not the key.
func (m *Model) String() string {
	return m.config.Info.Provider + "/" + m.config.Name + " at " + m.base.Host
}

// GoString does as String, so that %#v does not show the key either.
func (m *Model) GoString() string { return m.String() }

// Info returns what Config said, completed by New.
func (m *Model) Info() providers.Info { return m.config.Info }

// names are the names of models that can stand in a URL, and beyond those of models that this package cannot serve.
var (
	names  = regexp.MustCompile(`^[A-Za-z0-9_-]+(?:[./@:]?[A-Za-z0-9_-]+)*$`)
	beyond = regexp.MustCompile(`^(?:models/)?gemini-(?:[3-9]|[1-9]\d+|.*-latest$)`)
)

// New returns the model that c describes. It reaches no server. In Info, Name is always Config.Name, Provider "" is
// "generativeai", Rules "" is contextwindow.Gemini, and StructuredOutput is set. A missing key is an *providers.Error of
// class Auth, the name of a model of Gemini 3 or later, or of whatever is the latest, one of class Invalid that names
// the package to use; a URL or name that cannot work is an error that says so, and never holds the key.
func New(c Config) (*Model, error) {
	if !names.MatchString(c.Name) {
		return nil, fmt.Errorf("generativeai: the name of the model %q cannot stand in a URL", c.Name)
	}
	base, err := parseBase(cmp.Or(c.BaseURL, BaseURL), c.Plain)
	if err != nil {
		return nil, fmt.Errorf("generativeai: %w", err)
	}
	c.EmbeddingName = cmp.Or(c.EmbeddingName, EmbeddingName)
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, "generativeai")
	c.Info.Rules, c.Info.StructuredOutput = cmp.Or(c.Info.Rules, contextwindow.Gemini), true
	m := &Model{config: c, base: base}
	switch {
	case beyond.MatchString(c.Name):
		return nil, m.error(providers.Invalid, "this model wants its thought signatures back, which this library drops: use gemini/"+strings.TrimPrefix(c.Name, "models/"))
	case c.Key == "":
		return nil, m.error(providers.Auth, base.Host+" wants a key")
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, errors.New("generativeai: the key holds a space, a line end or a character that is not ASCII")
	}
	if m.client, err = m.newClient(); err != nil {
		return nil, m.error(providers.Invalid, "building the client: "+err.Error())
	}
	return m, nil
}

// newClient returns the library's client, which sends over an exchange. The library also builds a client for caches,
// which it neither lends nor closes, and which would call the service at once over gRPC, behind everybody's back: it
// gets a pool without connections. The options for that are documented as the libraries' own, so that
// TestNewCallsNobody stands behind them.
func (m *Model) newClient() (*library.Client, error) {
	var own http.Client
	if m.config.HTTPClient != nil {
		own = *m.config.HTTPClient
	}
	// Following a redirect would send the conversation to a host that nobody named.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	under := own.Transport
	if under == nil {
		under = http.DefaultTransport
	}
	own.Transport = &exchange{model: m, under: under}
	return library.NewClient(context.Background(),
		option.WithHTTPClient(&own), option.WithEndpoint(m.base.String()),
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

// parseBase reads a base URL. Its errors show the URL only where it cannot hold a secret.
func parseBase(text string, plain bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL") // the parser's error holds the whole text
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL holds credentials, a query or a fragment: give the key apart from it")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("the base URL %q does not begin with https:// or http:// and a host", u)
	case strings.HasSuffix(u.Path, "/v1beta") || strings.HasSuffix(u.Path, "/v1"):
		return nil, fmt.Errorf("the base URL %q ends in the version: leave that out", u)
	case u.Scheme == "http" && !plain && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("the base URL %q is not encrypted and not on this machine", u)
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
