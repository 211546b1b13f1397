package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// BaseURL is where Google answers.
const BaseURL = geminiwire.BaseURL

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
	EmbeddingName string                     // the model of Embed; "": gemini-embedding-001
	AllowHTTP     bool                       // allow plain HTTP to remote hosts (exposes the key)
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
	config  Config
	name    string // without "models/"
	service *geminiwire.Service
	client  *library.Client
	safety  json.RawMessage // nil: none
}

// String names the model and the service, and not the key.
func (m *Model) String() string { return m.service.String() }

// GoString does as String, so that %#v does not show the key either.
func (m *Model) GoString() string { return m.String() }

// Info returns what Config said, completed by New.
func (m *Model) Info() providers.Info { return m.config.Info }

// New returns the model that c describes. It reaches no server. In Info, Name is always Config.Name, Provider "" is
// "gemini", Rules "" is transcript.Gemini, and StructuredOutput is set. A missing key is an *providers.Error of class
// Auth; a URL, name or field that cannot work is an error that says which, and never holds the key.
func New(c Config) (*Model, error) {
	service, err := geminiwire.New("gemini", geminiwire.Config{Name: c.Name, BaseURL: c.BaseURL, Key: c.Key, AllowHTTP: c.AllowHTTP, Info: c.Info})
	if err != nil {
		return nil, err
	}
	c.EmbeddingName, c.Info = cmp.Or(c.EmbeddingName, geminiwire.EmbeddingName), service.Info
	m := &Model{config: c, name: strings.TrimPrefix(c.Name, "models/"), service: service}
	if err := wire.CheckMembers(c.Generation, ownFields); err != nil {
		return nil, fmt.Errorf("gemini: generationConfig: %w", err)
	}
	m.config.Generation = maps.Clone(c.Generation)
	m.safety = safety(c.Safety)
	if m.client, err = m.newClient(); err != nil {
		return nil, m.service.Error(providers.Invalid, "building the client: "+err.Error()) // its errors show the whole configuration
	}
	return m, nil
}

// newClient returns the library's client, which sends over an exchange. Nothing of it comes from the environment.
func (m *Model) newClient() (*library.Client, error) {
	own := geminiwire.Client(m.config.HTTPClient, func(under http.RoundTripper) http.RoundTripper { return &exchange{m.service, under} })
	return library.NewClient(context.Background(), &library.ClientConfig{
		APIKey: m.config.Key, Backend: library.BackendGeminiAPI, HTTPClient: own,
		HTTPOptions: library.HTTPOptions{BaseURL: m.service.Base.String(), APIVersion: "v1beta"},
	})
}

// ownFields are the fields of generationConfig that this package writes.
var ownFields = []string{"maxOutputTokens", "responseMimeType", "responseJsonSchema", "responseSchema", "thinkingConfig", "candidateCount"}

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
	raw, err := wire.Encode(all)
	if err != nil {
		return nil // strings always encode
	}
	return raw
}
