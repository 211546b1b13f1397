package geminiwire

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
	"github.com/forayhq/foray/providers/internal/wire"
)

// BaseURL is the address of Google's service.
const BaseURL = "https://generativelanguage.googleapis.com"

// EmbeddingName is the default model for vectors.
const EmbeddingName = "gemini-embedding-001"

// maxEmbedded is how many texts the service accepts at once.
const maxEmbedded = 100

// Bounds on an answer that is not a stream. The largest one holds the vectors of a request, which have 3,072 numbers
// each; the libraries take up to 30 bytes for a number while they read it.
const (
	maxWhole     = 10 << 20           // bytes
	maxValues    = maxEmbedded * 4096 // JSON values
	maxWholeTime = 10 * time.Minute   // a slow proxy answers in less
)

// names matches model names that can be part of a URL.
var names = regexp.MustCompile(`^[A-Za-z0-9_-]+(?:[./@:]?[A-Za-z0-9_-]+)*$`)

// A Config names a model and its service.
type Config struct {
	Name      string         // also with "models/" before it
	BaseURL   string         // without the version; empty: BaseURL
	Key       string         `json:"-"`
	AllowHTTP bool           // allow plain HTTP to remote hosts (exposes the key)
	Info      providers.Info // what the model supports
}

// String names the model.
func (c Config) String() string { return "service of " + c.Name }

// GoString names the model, so that %#v does not print the key.
func (c Config) GoString() string { return c.String() }

// A Service is one model of one service. It is immutable and safe for concurrent use.
type Service struct {
	*wire.Reporter
	Base *url.URL
	Info providers.Info
}

// New returns the service of c for a dialect. It reaches no server. It sets Info.Name to Config.Name,
// Info.StructuredOutput, and as defaults Info.Provider to the dialect and Info.Rules to [transcript.Gemini]. A missing
// key is an [*providers.Error] of class Auth. Any other error names the URL, model or key that cannot work, as in
// [providers.ErrModelName], and never contains the key.
func New(dialect string, c Config) (*Service, error) {
	if !names.MatchString(c.Name) {
		return nil, fmt.Errorf("%s: model name %q: %w", dialect, c.Name, providers.ErrModelName)
	}
	base, err := wire.ParseBase(cmp.Or(c.BaseURL, BaseURL), c.AllowHTTP)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dialect, err)
	}
	if strings.HasSuffix(base.Path, "/v1beta") || strings.HasSuffix(base.Path, "/v1") {
		return nil, fmt.Errorf("%s: the base URL %q ends in the version: leave that out", dialect, base)
	}
	info := c.Info
	info.Name, info.Provider = c.Name, cmp.Or(info.Provider, dialect)
	info.Rules, info.StructuredOutput = cmp.Or(info.Rules, transcript.Gemini), true
	hint := fmt.Sprintf("; is the base URL %s right? It must not include the version", base)
	info = models.Complete(info)
	s := &Service{Reporter: wire.NewReporter(info.Provider, c.Name, hint, c.Key), Base: base, Info: info}
	if c.Key == "" {
		return nil, s.Error(providers.Auth, base.Host+" requires a key")
	}
	if err := wire.CheckKey(c.Key); err != nil {
		return nil, fmt.Errorf("%s: %w", dialect, err)
	}
	return s, nil
}

// String names the model and the service.
func (s *Service) String() string { return s.Reporter.String() + " at " + s.Base.Host }

// GoString does as String, so that %#v does not print the key.
func (s *Service) GoString() string { return s.String() }

// Client returns a copy of c, or a new client for nil, that sends over the transport that over makes from its own and
// follows no redirect.
func Client(c *http.Client, over func(under http.RoundTripper) http.RoundTripper) *http.Client {
	own := wire.WithoutRedirects(c)
	own.Transport = over(cmp.Or[http.RoundTripper](own.Transport, http.DefaultTransport))
	return own
}

// Embed returns one vector for each text, in order. It gives the texts to ask in batches that the service accepts, each
// with ten minutes.
func (s *Service) Embed(
	ctx context.Context, texts []string, ask func(ctx context.Context, batch []string) ([][]float32, error),
) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, maxEmbedded) {
		within, cancel := s.WithinTime(ctx, maxWholeTime)
		vectors, err := ask(within, batch)
		if err != nil {
			err = s.Failed(within, err)
		}
		cancel()
		if err != nil {
			return nil, err
		}
		if len(vectors) != len(batch) {
			says := fmt.Sprintf("the service answered %d texts with %d vectors", len(batch), len(vectors))
			return nil, s.Error(providers.Malformed, says)
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// Counted returns a token count, or the error of an answer without one.
func (s *Service) Counted(tokens int32) (int, error) {
	if tokens <= 0 {
		return 0, s.Misled(providers.Malformed, "the service answered without a count")
	}
	return int(tokens), nil
}

// Send sends a request over the transport under. An answer without success is an error with the details in its headers.
func (s *Service) Send(under http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := under.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, s.refused(resp)
	}
	return resp, nil
}

// Whole returns an answer that is not a stream if it is JSON; the libraries would put a whole web page into their
// errors. It closes the body of any other answer.
func (s *Service) Whole(resp *http.Response) (*http.Response, error) {
	start := make([]byte, 1)
	n, err := io.ReadFull(resp.Body, start)
	if err != nil && err != io.EOF {
		resp.Body.Close()
		return nil, err
	}
	if n == 0 || start[0] != '{' {
		resp.Body.Close()
		return nil, s.Misled(providers.Malformed, "the server answered with something other than JSON")
	}
	tooLong := s.TooLong(fmt.Sprintf("it is longer than %d MB, or has more than %d values", maxWhole>>20, maxValues))
	all := io.MultiReader(bytes.NewReader(start), resp.Body)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&fewValues{&wire.Bounded{Reader: all, Left: maxWhole, TooLong: tooLong}, maxValues, tooLong}, resp.Body}
	return resp, nil
}

// A fewValues reads JSON with at most left commas.
type fewValues struct {
	io.Reader
	left    int
	tooLong error
}

// Read fails for JSON with more values.
func (f *fewValues) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.left -= bytes.Count(p[:n], []byte{','}); f.left < 0 {
		return n, f.tooLong
	}
	return n, err
}

// Events returns the events of an answer.
func (s *Service) Events(resp *http.Response) *wire.Events { return wire.NewEvents(resp, s.Reporter) }

// maxParts bounds the texts of one event: decoded, a text of a byte takes hundreds.
const maxParts = 5_000

// CheckParts returns an error for an event of more texts than any answer needs.
func (s *Service) CheckParts(event []byte) error {
	if bytes.Count(event, []byte(`"text"`)) > maxParts {
		return s.TooLong(fmt.Sprintf("one event has more than %d texts", maxParts))
	}
	return nil
}
