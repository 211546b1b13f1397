package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
)

// BaseURL is where the service answers.
const BaseURL = "https://api.anthropic.com/v1"

// Version is the version of the API that requests name, in the header anthropic-version.
const Version = "2023-06-01"

const name = "anthropic"

// A Config names a model and its service. Name and Key are required.
type Config struct {
	Name       string            // as in "claude-sonnet-4-5"
	BaseURL    string            // with its version, without /messages; empty: [BaseURL]
	Key        string            `json:"-"`
	Betas      []string          // features in the header anthropic-beta; nil: those that a request needs
	Headers    map[string]string `json:"-"` // sent with each request
	AllowHTTP  bool              // allow plain HTTP to remote hosts (exposes the key)
	HTTPClient *http.Client      `json:"-"` // nil: one without a time limit; redirects are never followed
	Info       providers.Info    // what the model supports; New completes it
	Notify     func(string)      `json:"-"` // hears what the service left out or failed to do; nil: discarded
	Compact    int               // input tokens, 50,000 or more, from which the service compacts; 0: it does not
}

// String names the model.
func (c Config) String() string { return "anthropic config of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of the service. It is immutable and safe for concurrent use.
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

// New returns the model that c describes. It reaches no server. A missing key is an error of class [providers.Auth];
// other errors name the part of c that is invalid. None contains the key.
func New(c Config) (*Model, error) {
	base, err := wire.CheckConfig(name, c.Name, cmp.Or(c.BaseURL, BaseURL), c.Key, c.AllowHTTP)
	if err != nil {
		return nil, err
	}
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, name)
	c.Info.Rules, c.Info.StructuredOutput = transcript.Anthropic, structured(c.Name)
	c.Info.NoForcedTools = c.Info.NoForcedTools || binds(c.Name)
	c.Info = models.Complete(c.Info)
	c.Info.Vision.Fetch = c.Info.Vision.Sees()
	if err := c.compacts(); err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	if c.Key == "" {
		return nil, &providers.Error{Class: providers.Auth, Provider: c.Info.Provider, Model: c.Name,
			Err: errors.New("no key: set ANTHROPIC_API_KEY")}
	}
	return &Model{
		config: c, base: base, http: wire.WithoutRedirects(c.HTTPClient),
		report: wire.NewReporter(c.Info.Provider, c.Name, "; is the base URL right?", c.Key),
	}, nil
}

// Stream sends req and yields the answer as it arrives.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	encode := func(req *providers.Request) (*body, error) {
		b, err := m.body(req)
		if err == nil {
			b.MaxTokens, b.Stream = m.length(req), true
		}
		return b, err
	}
	post := func(ctx context.Context, b *body) (*http.Response, error) { return m.post(ctx, "/messages", b) }
	return wire.Ask(ctx, m.report, req, encode, post, func() wire.Answer { return &answer{model: m} })
}

// Count returns how many tokens the service counts in a request: system prompt, messages and tools. It sends a request
// that makes no answer and costs nothing. Its errors are those of [Model.Stream].
func (m *Model) Count(ctx context.Context, req *providers.Request) (int, error) {
	b, err := m.body(req)
	if err != nil {
		return 0, m.report.Wrap(providers.Invalid, err)
	}
	b.Temperature, b.TopP, b.Stop = nil, nil, nil // the endpoint refuses what does not count
	resp, err := m.post(ctx, "/messages/count_tokens", b)
	if err != nil {
		return 0, m.report.Failed(ctx, err)
	}
	defer resp.Body.Close()
	var counted struct {
		Tokens int `json:"input_tokens"`
	}
	bounded := &wire.Bounded{Reader: resp.Body, Left: maxCount, TooLong: errors.New("the count is longer than 64 KB")}
	if err := json.NewDecoder(bounded).Decode(&counted); err != nil {
		return 0, m.report.Failed(ctx, m.report.Misled(providers.Malformed, "the count cannot be read: "+err.Error()))
	}
	return counted.Tokens, nil
}

// betas returns the features that a request needs, after those that are asked for anyway.
func (b *body) betas(asked []string) []string {
	all := slices.Clip(asked)
	need := func(beta string, needed bool) {
		if needed && !slices.Contains(all, beta) {
			all = append(all, beta)
		}
	}
	need(bindingBeta, b.Thinking != nil && b.Thinking.Binding != nil)
	need(compactBeta, b.Management != nil)
	return all
}

// maxCount bounds the answer to a request for a count, in bytes.
const maxCount = 64 << 10

func (m *Model) post(ctx context.Context, path string, b *body) (*http.Response, error) {
	raw, err := line.JSON(b)
	if err != nil {
		return nil, m.report.Wrap(providers.Invalid, err)
	}
	req, err := wire.Post(ctx, m.base.String()+path, raw)
	if err != nil {
		return nil, err
	}
	req.Header.Set("anthropic-version", Version)
	req.Header.Set("x-api-key", m.config.Key)
	if betas := b.betas(m.config.Betas); len(betas) > 0 {
		req.Header.Set("anthropic-beta", strings.Join(betas, ","))
	}
	for name, value := range m.config.Headers {
		req.Header.Set(name, value)
	}
	return wire.Do(m.http, req, m.refused)
}
