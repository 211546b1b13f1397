package wire

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/forayhq/foray/providers"
)

// ParseBase parses the base URL of a service and drops surrounding space and trailing slashes. It accepts https, http
// to this machine, and http to any host if allowHTTP is set; otherwise plain HTTP is a [providers.ErrNotEncrypted]. It
// refuses credentials, a query and a fragment. Its errors show the URL only if it cannot hold a secret.
func ParseBase(text string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL") // the parser's error holds the whole text
	case u.User != nil:
		return nil, errors.New("the base URL contains credentials: pass the key separately")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL contains a query or a fragment: pass keys separately, and drop other parameters")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("the base URL %q does not begin with https:// or http:// and a host", u)
	case u.Scheme == "http" && !allowHTTP && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("the base URL %q: %w", u, providers.ErrNotEncrypted)
	}
	return u, nil
}

// CheckConfig returns the base URL of a Config, after checking the name of the model and the key. Its errors begin
// with the dialect.
func CheckConfig(dialect, model, base, key string, allowHTTP bool) (*url.URL, error) {
	if strings.TrimSpace(model) == "" {
		return nil, fmt.Errorf("%s: Config.Name is empty: name a model", dialect)
	}
	u, err := ParseBase(base, allowHTTP)
	if err == nil {
		err = CheckKey(key)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dialect, err)
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// CheckKey returns [providers.ErrKeyForm] for a key that cannot be sent in a header: net/http would fail on each
// request and print the key. An empty key is valid.
func CheckKey(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return providers.ErrKeyForm
	}
	return nil
}

// WithoutRedirects returns a copy of c that returns redirects instead of following them: following one would send the
// conversation and extra headers to a host that the user did not name. For nil it returns a client without a time
// limit.
func WithoutRedirects(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}
