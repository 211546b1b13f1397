package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/forayhq/foray/providers"
)

// BaseURL is where OpenAI itself answers.
const BaseURL = "https://api.openai.com/v1"

// A Config says which model of which server to ask. Only Name is needed, and Key for OpenAI itself.
type Config struct {
	Name         string                     // the model, as the server knows it
	BaseURL      string                     // "": BaseURL; as in "http://localhost:11434/v1", without /chat/completions
	Key          string                     `json:"-"` // "": none is sent
	Organization string                     // sent as OpenAI-Organization; "": none
	ExtraHeaders map[string]string          `json:"-"` // sent with each request; treated as secret as the key
	ExtraBody    map[string]json.RawMessage // fields added to each request, as in "temperature"; none that this package writes
	HTTPClient   *http.Client               `json:"-"` // nil: one without a time limit; redirects are never followed
	Info         providers.Info             // what the model supports; Provider "" is "openai", Name is always Config.Name
	Plain        bool                       // allows http to a host that is not this machine: the key can be read on the way
	NoUsage      bool                       // does not ask for usage, for servers that refuse stream_options
}

// String names the model and the server, and not the key.
func (c Config) String() string { return "openai config of " + c.Name }

// GoString does as String, so that %#v does not show the key either.
func (c Config) GoString() string { return c.String() }

// A Model asks one model of one server in the chat dialect. It is immutable and safe for concurrent use.
type Model struct {
	config  Config
	base    *url.URL
	extra   []byte // the extra fields of the body: "," and members, or nothing
	http    *http.Client
	secrets []string
}

// String names the model and the server, and not the key.
func (m *Model) String() string {
	return m.config.Info.Provider + "/" + m.config.Name + " at " + m.base.Host
}

// GoString does as String, so that %#v does not show the key either.
func (m *Model) GoString() string { return m.String() }

// Info returns what Config said.
func (m *Model) Info() providers.Info { return m.config.Info }

// New returns the model that c describes. It reaches no server. A missing key for OpenAI itself is an *providers.Error
// of class Auth; a URL, name, header or field that cannot work is an error that says which, and never holds the key.
func New(c Config) (*Model, error) {
	if strings.TrimSpace(c.Name) == "" {
		return nil, errors.New("openai: no model named")
	}
	base, err := parseBase(cmp.Or(c.BaseURL, BaseURL), c.Plain)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c.Info.Name, c.Info.Provider = c.Name, cmp.Or(c.Info.Provider, "openai")
	if c.Key == "" && isOpenAI(base) {
		return nil, &providers.Error{
			Class: providers.Auth, Provider: c.Info.Provider, Model: c.Name, Err: errors.New(base.Host + " wants a key"),
		}
	}
	if err := checkHeaders(c); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	extra, err := members(c.ExtraBody)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	c.ExtraHeaders = maps.Clone(c.ExtraHeaders)
	return &Model{config: c, base: base, extra: extra, http: withoutRedirects(c.HTTPClient), secrets: secrets(c)}, nil
}

// parseBase reads a base URL. Its errors show the URL only where it cannot hold a secret.
func parseBase(text string, plain bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL") // the parser's error holds the whole text
	case u.User != nil:
		return nil, errors.New("the base URL holds credentials: give the key apart from it")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL holds a query or a fragment: give keys apart from it, and other parameters not at all")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("the base URL %q does not begin with https:// or http:// and a host", u)
	case strings.HasSuffix(u.Path, "/chat/completions"):
		return nil, fmt.Errorf("the base URL %q ends in /chat/completions: leave that out", u)
	case u.Scheme == "http" && !plain && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("the base URL %q is not encrypted and not on this machine", u)
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

func isOpenAI(u *url.URL) bool { return u.Hostname() == "api.openai.com" }

// checkHeaders finds what net/http would refuse later with each request.
func checkHeaders(c Config) error {
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("the key holds a space, a line end or a character that is not ASCII")
	}
	for _, name := range slices.Sorted(maps.Keys(c.ExtraHeaders)) {
		if name == "" || strings.ContainsAny(name, " \t\r\n:") || strings.ContainsAny(c.ExtraHeaders[name], "\r\n\x00") {
			return fmt.Errorf("the extra header %q cannot be sent", name)
		}
	}
	if strings.ContainsAny(c.Organization, "\r\n\x00") {
		return errors.New("the organization holds a line end")
	}
	return nil
}

// members returns fields as members of a JSON object, each with a comma before it, in the order of their names.
func members(fields map[string]json.RawMessage) ([]byte, error) {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(ownFields, name) {
			return nil, fmt.Errorf("the extra field %q is written by this package", name)
		}
		if !json.Valid(fields[name]) {
			return nil, fmt.Errorf("the extra field %q is not JSON", name)
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("the extra field %q: %w", name, err)
		}
		out = append(append(append(append(out, ','), key...), ':'), fields[name]...)
	}
	return out, nil
}

// withoutRedirects returns a client like c that takes a redirect for an answer: following one would send the
// conversation, and extra headers, to a host that nobody named.
func withoutRedirects(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// secrets returns what must not be seen in an error, longest first.
func secrets(c Config) []string {
	const shortest = 6 // a shorter value is no secret and might be a common word
	all := []string{c.Key}
	for _, value := range c.ExtraHeaders {
		all = append(all, value)
		if _, token, ok := strings.Cut(value, " "); ok { // as in "Bearer <token>"
			all = append(all, token)
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < shortest })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return all
}
