package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
)

// BaseURL is the address of OpenAI itself.
const BaseURL = "https://api.openai.com/v1"

const (
	ownHost      = "api.openai.com"
	providerName = "openai"
)

// A Config names a model and its server. Name is required, and Key for OpenAI itself. Package catalog fills in the
// Config of other services.
type Config struct {
	Name string // as the server knows it
	// as in "http://localhost:11434/v1", without the path of a wire; empty: BaseURL
	BaseURL string
	Key     string  `json:"-"` // "": none is sent
	Wire    Wire    // empty: Responses for api.openai.com, else Chat
	Quirks  *Quirks // nil: OpenAI's own for api.openai.com, else none
	// tokens that the server runs the model with, as Ollama's num_ctx; 0: Info.Window
	Window       int
	Organization string                     // sent as OpenAI-Organization; may be empty
	ExtraHeaders map[string]string          `json:"-"` // sent with each request; treated as secret as the key
	ExtraBody    map[string]json.RawMessage // extra fields of each request, as in "user"; none that this package writes
	HTTPClient   *http.Client               `json:"-"` // nil: one without a time limit; redirects are never followed
	// what the model supports; an empty Provider is "openai", Name is always Config.Name
	Info      providers.Info
	AllowHTTP bool // allow plain HTTP to remote hosts (exposes the key)
	Compact   int  // input tokens, 1,000 or more, from which the service compacts; 0: it does not. On Responses only
}

// String names the model.
func (c Config) String() string { return "openai config of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one server. It is immutable and safe for concurrent use.
type Model struct {
	config Config
	window int // the size that the server runs the model with; 0: unknown
	form   form
	quirks Quirks
	base   *url.URL
	http   *http.Client
	report *wire.Reporter
	sealed string // the dialect of provider data that only this server and key can read; see sealedDialect
}

// String names the model and the server.
func (m *Model) String() string {
	return m.config.Info.Provider + "/" + m.config.Name + " at " + m.base.Host
}

// GoString does as String, so that %#v does not print the key.
func (m *Model) GoString() string { return m.String() }

// Info returns Config.Info with the known facts about the model, minus what the server's quirks rule out.
func (m *Model) Info() providers.Info { return m.config.Info }

// New returns the model that c describes. It sends no request. A missing key for OpenAI itself is an
// [*providers.Error] of class Auth. Any other error names the part of c that is invalid: the URL, the model, a header,
// a field, or a client that does not verify certificates. No error contains the key.
func New(c Config) (*Model, error) {
	if strings.TrimSpace(c.Name) == "" {
		return nil, errors.New("openai: Config.Name is empty: name a model")
	}
	base, err := wire.ParseBase(cmp.Or(c.BaseURL, BaseURL), c.AllowHTTP)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	for _, form := range forms {
		if strings.HasSuffix(base.Path, form.path) {
			return nil, fmt.Errorf("openai: the base URL %q ends in %s: leave that out", base, form.path)
		}
	}
	own := base.Host == ownHost
	if own && c.Key == "" {
		return nil, &providers.Error{
			Class: providers.Auth, Provider: cmp.Or(c.Info.Provider, providerName), Model: c.Name,
			Err: fmt.Errorf("%s requires a key: Config.Key is empty", base.Host),
		}
	}
	window := cmp.Or(c.Window, c.Info.Window)
	c = c.withDefaults(own)
	sealed := sealedDialect(base.Host, c.Key)
	if err := cmp.Or(c.check(), c.compacts(sealed)); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c.ExtraHeaders, c.ExtraBody = maps.Clone(c.ExtraHeaders), maps.Clone(c.ExtraBody)
	hint := fmt.Sprintf("; is the base URL %s right? For most servers it ends in /v1", base)
	return &Model{
		config: c, window: window, form: forms[c.Wire], quirks: *c.Quirks, base: base,
		http: wire.WithoutRedirects(c.HTTPClient), report: wire.NewReporter(c.Info.Provider, c.Name, hint, secrets(c)...),
		sealed: sealed,
	}, nil
}

// withDefaults fills in the defaults: those of OpenAI itself if own is set.
func (c Config) withDefaults(own bool) Config {
	wire, quirks := Chat, Quirks{}
	if own {
		wire, quirks = Responses, Quirks{MaxTokens: maxCompletionTokens} // its reasoning models refuse the old name
		c.Info.StructuredOutput = c.Info.StructuredOutput || models.FollowsSchema(c.Name)
		c.Info.Rules = cmp.Or(c.Info.Rules, transcript.OpenAI)
	}
	c.Wire = cmp.Or(c.Wire, wire)
	if c.Quirks == nil {
		c.Quirks = &quirks
	}
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, providerName)
	c.Info.Window = cmp.Or(c.Window, c.Info.Window)
	c.Info.NoForcedTools = c.Info.NoForcedTools || c.Quirks.NoForcedTools
	c.Info.StructuredOutput = c.Info.StructuredOutput && !c.Quirks.NoSchema
	c.Info = models.Complete(c.Info)
	c.Info.Vision.Fetch = c.Info.Vision.Sees()
	return c
}

// check returns an error for a Config that cannot work.
func (c Config) check() error {
	form, ok := forms[c.Wire]
	if !ok {
		return fmt.Errorf("unknown wire %q: use %q or %q", c.Wire, Responses, Chat)
	}
	if err := checkHeaders(c); err != nil {
		return err
	}
	if err := checkClient(c.HTTPClient); err != nil {
		return err
	}
	return wire.CheckMembers(c.ExtraBody, form.fields)
}

// checkHeaders rejects headers that net/http would refuse on each request.
func checkHeaders(c Config) error {
	if err := wire.CheckKey(c.Key); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.ExtraHeaders)) {
		if name == "" || strings.ContainsAny(name, " \t\r\n:") || strings.ContainsAny(c.ExtraHeaders[name], "\r\n\x00") {
			return fmt.Errorf("the extra header %q cannot be sent", name)
		}
	}
	if strings.ContainsAny(c.Organization, "\r\n\x00") {
		return errors.New("the organization contains a line end")
	}
	return nil
}

// checkClient rejects a client that trusts any server. Tests and proxies can add their certificate to RootCAs instead.
func checkClient(c *http.Client) error {
	if c == nil {
		return nil
	}
	if t, ok := c.Transport.(*http.Transport); ok && t.TLSClientConfig != nil && t.TLSClientConfig.InsecureSkipVerify {
		return errors.New("the HTTP client does not verify certificates: add the server's to RootCAs instead")
	}
	return nil
}

// secrets returns the values that errors must not contain.
func secrets(c Config) []string {
	all := []string{c.Key}
	for _, value := range c.ExtraHeaders {
		all = append(all, value)
		if _, token, ok := strings.Cut(value, " "); ok { // as in "Bearer <token>"
			all = append(all, token)
		}
	}
	return all
}
