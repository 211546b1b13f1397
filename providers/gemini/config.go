package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// BaseURL is where Google answers.
const BaseURL = "https://generativelanguage.googleapis.com"

// EmbeddingName is the model of Embed unless Config names another.
const EmbeddingName = "gemini-embedding-001"

// A Config says which model of which service to ask. Name and Key are needed.
type Config struct {
	Name          string                     // the model, as in "gemini-3-pro-preview", also with "models/" before it
	BaseURL       string                     // "": BaseURL; without the version, which is always v1beta
	Key           string                     `json:"-"` // sent as x-goog-api-key, never in a URL
	HTTPClient    *http.Client               `json:"-"` // nil: one without a time limit; redirects are never followed
	Info          providers.Info             // what the model supports; see New for what is filled in
	Thinking      Thinking                   // how the model thinks
	Generation    map[string]json.RawMessage // fields added to generationConfig, as in "temperature"; none that this package writes
	Safety        map[string]string          // thresholds by category, as in "HARM_CATEGORY_HARASSMENT": "BLOCK_NONE"
	EmbeddingName string                     // the model of Embed; "": EmbeddingName
	Plain         bool                       // allows http to a host that is not this machine: the key can be read on the way
}

// A Thinking says how a model thinks. The zero value sends nothing, which every model takes; models that do not think
// refuse anything else.
type Thinking struct {
	Level  string // Gemini 3: "minimal", "low", "medium" or "high"; "": the model's default
	Budget *int   // Gemini 2.5: tokens to think with at most; 0: none, -1: as many as the model likes; nil: its default
	Show   bool   // asks for summaries of the thoughts, which come as reasoning
}

// String names the model, and not the key.
func (c Config) String() string { return "gemini config of " + c.Name }

// GoString does as String, so that %#v does not show the key either.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one service in the Gemini dialect. It is immutable and safe for concurrent use.
type Model struct {
	config     Config
	name       string // without "models/"
	base       *url.URL
	client     *library.Client
	generation json.RawMessage // the part of generationConfig that is the same for all requests, as members
	safety     json.RawMessage // nil: none
}

// String names the model and the service, and not the key.
func (m *Model) String() string {
	return m.config.Info.Provider + "/" + m.config.Name + " at " + m.base.Host
}

// GoString does as String, so that %#v does not show the key either.
func (m *Model) GoString() string { return m.String() }

// Info returns what Config said, completed by New.
func (m *Model) Info() providers.Info { return m.config.Info }

// names are the names of models that can stand in a URL.
var names = regexp.MustCompile(`^[A-Za-z0-9_-]+(?:[./@:]?[A-Za-z0-9_-]+)*$`)

// New returns the model that c describes. It reaches no server. In Info, Name is always Config.Name, Provider "" is
// "gemini", Rules "" is contextwindow.Gemini, and StructuredOutput is set. A missing key is an *providers.Error of class
// Auth; a URL, name or field that cannot work is an error that says which, and never holds the key.
func New(c Config) (*Model, error) {
	if !names.MatchString(c.Name) {
		return nil, fmt.Errorf("gemini: the name of the model %q cannot stand in a URL", c.Name)
	}
	base, err := parseBase(cmp.Or(c.BaseURL, BaseURL), c.Plain)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	c.EmbeddingName = cmp.Or(c.EmbeddingName, EmbeddingName)
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, "gemini")
	c.Info.Rules, c.Info.StructuredOutput = cmp.Or(c.Info.Rules, contextwindow.Gemini), true
	m := &Model{config: c, name: strings.TrimPrefix(c.Name, "models/"), base: base}
	switch {
	case c.Key == "":
		return nil, m.error(providers.Auth, base.Host+" wants a key")
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, errors.New("gemini: the key holds a space, a line end or a character that is not ASCII")
	}
	if m.generation, err = generation(c); err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	m.safety = safety(c.Safety)
	if m.client, err = m.newClient(); err != nil {
		return nil, m.error(providers.Invalid, "building the client: "+err.Error()) // its errors show the whole configuration
	}
	return m, nil
}

// newClient returns the library's client, which sends over an exchange. Nothing of it comes from the environment.
func (m *Model) newClient() (*library.Client, error) {
	var own http.Client
	if m.config.HTTPClient != nil {
		own = *m.config.HTTPClient
	}
	// Following a redirect would send the conversation to a host that nobody named.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	own.Transport = &exchange{model: m, under: cmp.Or[http.RoundTripper](own.Transport, http.DefaultTransport)}
	return library.NewClient(context.Background(), &library.ClientConfig{
		APIKey: m.config.Key, Backend: library.BackendGeminiAPI, HTTPClient: &own,
		HTTPOptions: library.HTTPOptions{BaseURL: m.base.String(), APIVersion: "v1beta"},
	})
}

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

// ownFields are the fields of generationConfig that this package writes.
var ownFields = []string{"maxOutputTokens", "responseMimeType", "responseJsonSchema", "responseSchema", "thinkingConfig", "candidateCount"}

// generation returns the members of generationConfig that are the same for every request, in the order of their names,
// each with a comma before it.
func generation(c Config) (json.RawMessage, error) {
	fields := maps.Clone(c.Generation)
	for _, name := range ownFields {
		if _, taken := fields[name]; taken {
			return nil, fmt.Errorf("the field %q of generationConfig is written by this package", name)
		}
	}
	if c.Thinking != (Thinking{}) {
		config, err := marshal(struct {
			Show   bool   `json:"includeThoughts,omitempty"`
			Budget *int   `json:"thinkingBudget,omitempty"`
			Level  string `json:"thinkingLevel,omitempty"`
		}{c.Thinking.Show, c.Thinking.Budget, strings.ToUpper(c.Thinking.Level)})
		if err != nil {
			return nil, fmt.Errorf("the thinking configuration: %w", err)
		}
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		fields["thinkingConfig"] = config
	}
	var out json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !json.Valid(fields[name]) {
			return nil, fmt.Errorf("the field %q of generationConfig is not JSON", name)
		}
		key, err := marshal(name)
		if err != nil {
			return nil, fmt.Errorf("the field %q of generationConfig: %w", name, err)
		}
		out = append(append(append(append(out, ','), key...), ':'), fields[name]...)
	}
	return out, nil
}

// safety returns thresholds as the wire has them, in the order of their categories.
func safety(thresholds map[string]string) json.RawMessage {
	type setting struct {
		Category  string `json:"category"`
		Threshold string `json:"threshold"`
	}
	var all []setting
	for _, category := range slices.Sorted(maps.Keys(thresholds)) {
		all = append(all, setting{category, thresholds[category]})
	}
	if all == nil {
		return nil
	}
	raw, err := marshal(all)
	if err != nil {
		return nil // strings always encode
	}
	return raw
}
