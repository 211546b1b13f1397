package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
)

// baseURL is where a server on this machine answers.
const baseURL = "http://localhost:11434"

const name = "ollama"

// A Config names a model and its server. Name is required.
type Config struct {
	Name       string         // as in "qwen3:4b"
	BaseURL    string         // without a path; that of the OpenAI endpoint is dropped; empty: http://localhost:11434
	Key        string         `json:"-"` // "": none is sent
	AllowHTTP  bool           // allow plain HTTP to remote hosts (exposes the key)
	HTTPClient *http.Client   `json:"-"` // nil: one without a time limit; redirects are never followed
	Window     int            // tokens that the server shall run the model with; 0: its own default
	Info       providers.Info // what the model supports; New completes it
}

// String names the model.
func (c Config) String() string { return "ollama config of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one server. It is immutable and safe for concurrent use.
type Model struct {
	config Config
	base   *url.URL
	http   *http.Client
	report *wire.Reporter
}

// String names the model and the server.
func (m *Model) String() string { return m.report.String() + " at " + m.base.Host }

// GoString does as String, so that %#v does not print the key.
func (m *Model) GoString() string { return m.String() }

// Info returns Config.Info, completed by [New].
func (m *Model) Info() providers.Info { return m.config.Info }

// New returns the model that c describes. It reaches no server. Its errors name the part of c that is invalid and never
// contain the key.
func New(c Config) (*Model, error) {
	base, err := wire.CheckConfig(name, c.Name, cmp.Or(c.BaseURL, baseURL), c.Key, c.AllowHTTP)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/v1")
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, name)
	c.Info.Window = cmp.Or(c.Window, c.Info.Window)
	c.Info.NoForcedTools = true
	c.Info = models.Complete(c.Info)
	hint := fmt.Sprintf("; is Ollama at %s?", base)
	return &Model{
		config: c, base: base, http: wire.WithoutRedirects(c.HTTPClient),
		report: wire.NewReporter(c.Info.Provider, c.Name, hint, c.Key),
	}, nil
}

// Stream sends req and yields the answer as it arrives.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return wire.Ask(ctx, m.report, req, m.encode, m.post, func() wire.Answer { return &answer{model: m} })
}

func (m *Model) post(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := wire.Post(ctx, m.base.String()+"/api/chat", body)
	if err != nil {
		return nil, err
	}
	if m.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.config.Key)
	}
	return wire.Do(m.http, req, func(resp *http.Response) error {
		return m.report.Refused(resp, func(body []byte) *providers.Error { return m.refused(body, resp.StatusCode) })
	})
}

// A fault is the text of an error; of one in another form, its JSON.
type fault string

// UnmarshalJSON never fails.
func (f *fault) UnmarshalJSON(raw []byte) error {
	var text string
	if *f = fault(raw); json.Unmarshal(raw, &text) == nil {
		*f = fault(text)
	}
	return nil
}

// refused returns the error in the body of an answer, nil for another form.
func (m *Model) refused(body []byte, status int) *providers.Error {
	var f struct{ Error fault }
	if json.Unmarshal(body, &f) != nil || f.Error == "" {
		return nil
	}
	e := m.report.Error(wire.StatusClass(status), string(f.Error))
	if limit, tokens, over := wire.ParseOverflow(string(f.Error)); over {
		e.Class, e.Limit, e.Tokens = providers.Overflow, cmp.Or(limit, m.config.Window), tokens
	}
	return e
}
