package providers

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// What is wrong with the way to a model, for whoever can say how it is set. The errors around them name the value where it
// cannot hold a secret.
var (
	ErrNotEncrypted = errors.New("it is not encrypted and not on this machine") // an address over plain HTTP
	ErrKeyForm      = errors.New("the key holds a space, a line end or a character that is not ASCII")
	ErrModelName    = errors.New("it cannot stand in a URL") // the name of a model
)

// ParseBase reads the base URL of a service, without space around it and slashes at its end. It wants https, or http to
// this machine; plain allows http to any host, on whose way the key can be read. A URL that holds credentials, a query
// or a fragment is refused; plain HTTP elsewhere is ErrNotEncrypted. Errors show the URL only where it cannot hold a secret.
func ParseBase(text string, plain bool) (*url.URL, error) {
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
	case u.Scheme == "http" && !plain && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("the base URL %q: %w", u, ErrNotEncrypted)
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// CheckKey returns ErrKeyForm for a key that cannot stand in a header, which net/http would find with each request and
// show. "" is no error.
func CheckKey(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ErrKeyForm
	}
	return nil
}

// WithoutRedirects returns a client like c, or one without a time limit for nil, that takes a redirect for an answer:
// following one would send the conversation, and extra headers, to a host that nobody named.
func WithoutRedirects(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}
