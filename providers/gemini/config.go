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

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// BaseURL is the address of Google's service.
const BaseURL = geminiwire.BaseURL

// A Config names a model and its service. Name and Key are required.
type Config struct {
	Name       string         // as in "gemini-3-pro-preview", also with "models/" before it
	BaseURL    string         // without the version, which is always v1beta; empty: BaseURL
	Key        string         `json:"-"` // sent as x-goog-api-key, never in a URL
	HTTPClient *http.Client   `json:"-"` // nil: one without a time limit; redirects are never followed
	Info       providers.Info // what the model supports; New completes it
	Thinking   Thinking       // how the model thinks
	// extra fields of generationConfig, as in "topK"; none that this package writes
	Generation    map[string]json.RawMessage
	Safety        map[string]string // thresholds by category, as in "HARM_CATEGORY_HARASSMENT": "BLOCK_NONE"
	EmbeddingName string            // model for Embed; empty: gemini-embedding-001
	AllowHTTP     bool              // allow plain HTTP to remote hosts (exposes the key)
}

// A Thinking says how a model thinks. The zero value sends nothing, which every model accepts. Models that do not think
// refuse any other value. [providers.Request] ReasoningEffort overrides Level and Budget.
type Thinking struct {
	Level  string // Gemini 3: "minimal", "low", "medium" or "high"; empty: the model's default
	Budget *int   // Gemini 2.5: most tokens to think with; 0: none, -1: the model decides; nil: its default
	Show   bool   // ask for summaries of the thoughts, which arrive as reasoning
}

// String names the model.
func (c Config) String() string { return "gemini config of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Model asks one model over the Gemini dialect. It is immutable and safe for concurrent use.
type Model struct {
	config  Config
	name    string // without "models/"
	service *geminiwire.Service
	client  *library.Client
	safety  json.RawMessage // nil: none
}

// String names the model and the service.
func (m *Model) String() string { return m.service.String() }

// GoString does as String, so that %#v does not print the key.
func (m *Model) GoString() string { return m.String() }

// Info returns Config.Info, completed by [New].
func (m *Model) Info() providers.Info { return m.config.Info }

// New returns the model that c describes. It reaches no server. It sets Info.Name to Config.Name,
// Info.StructuredOutput, and as defaults Info.Provider "gemini" and Info.Rules [transcript.Gemini]. A missing key is an
// [*providers.Error] of class Auth. Any other error names the URL, model or field that cannot work, and never contains
// the key.
func New(c Config) (*Model, error) {
	named := geminiwire.Config{Name: c.Name, BaseURL: c.BaseURL, Key: c.Key, AllowHTTP: c.AllowHTTP, Info: c.Info}
	service, err := geminiwire.New("gemini", named)
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
		// the library's errors show the whole configuration
		return nil, m.service.Error(providers.Invalid, "building the client: "+err.Error())
	}
	return m, nil
}

// newClient returns the library's client, which sends over an [exchange] and reads nothing from the environment.
func (m *Model) newClient() (*library.Client, error) {
	over := func(under http.RoundTripper) http.RoundTripper { return &exchange{m.service, under} }
	own := geminiwire.Client(m.config.HTTPClient, over)
	return library.NewClient(context.Background(), &library.ClientConfig{
		APIKey: m.config.Key, Backend: library.BackendGeminiAPI, HTTPClient: own,
		HTTPOptions: library.HTTPOptions{BaseURL: m.service.Base.String(), APIVersion: "v1beta"},
	})
}

// ownFields are the fields of generationConfig that this package writes.
var ownFields = []string{
	"maxOutputTokens", "responseMimeType", "responseJsonSchema", "responseSchema", "thinkingConfig", "candidateCount",
}

// safety returns thresholds for the wire, sorted by category.
func safety(thresholds map[string]string) json.RawMessage {
	type setting struct {
		Category  string `json:"category"`
		Threshold string `json:"threshold"`
	}
	if len(thresholds) == 0 {
		return nil
	}
	var all []setting
	for _, category := range slices.Sorted(maps.Keys(thresholds)) {
		all = append(all, setting{category, thresholds[category]})
	}
	raw, err := line.JSON(all)
	if err != nil {
		return nil // strings always encode
	}
	return raw
}
