package wire_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers/internal/wire"
)

func TestParseBaseRefuses(t *testing.T) {
	const secret = "s3cr3t-in-the-url"
	for _, tt := range []struct{ name, base, says string }{
		{"credentials", "https://user:" + secret + "@example.com/v1", "contains credentials"},
		{"a name as credentials", "https://" + secret + "@example.com/v1", "contains credentials"},
		{"a query", "https://example.com/v1?key=" + secret, "contains a query"},
		{"a fragment", "https://example.com/v1#" + secret, "contains a query or a fragment"},
		{"no URL", "https://exa mple.com:" + secret, "not a URL"},
		{"no scheme", "example.com/v1", "does not begin with https://"},
		{"another scheme", "ftp://example.com/v1", "does not begin with https://"},
		{"no host", "https:///v1", "and a host"},
		{"nothing", " ", "does not begin with https://"},
		{"not encrypted", "http://example.com/v1", "exposes the key"},
		{"not encrypted, a near name", "http://localhost.example.com/v1", "exposes the key"},
		{"not encrypted, a near address", "http://127.0.0.1.example.com", "exposes the key"},
		{"not encrypted, in the same network", "http://10.0.0.1/v1", "exposes the key"},
	} {
		u, err := wire.ParseBase(tt.base, false)
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), secret) || u != nil {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
}

func TestParseBaseTakes(t *testing.T) {
	for base, want := range map[string]string{
		"https://example.com":         "https://example.com",
		" https://example.com/v1//\n": "https://example.com/v1",
		"http://localhost:11434/v1":   "http://localhost:11434/v1",
		"http://127.0.0.1/v1":         "http://127.0.0.1/v1",
		"http://[::1]:80/v1":          "http://[::1]:80/v1",
		"http://api.localhost/v1":     "http://api.localhost/v1",
	} {
		if u, err := wire.ParseBase(base, false); err != nil || u.String() != want {
			t.Errorf("%q: %v, error %v", base, u, err)
		}
	}
	if u, err := wire.ParseBase("http://10.0.0.1/v1", true); err != nil || u.Host != "10.0.0.1" {
		t.Errorf("plain, and allowed: %v, error %v", u, err)
	}
}

func TestCheckKey(t *testing.T) {
	for key, good := range map[string]bool{"": true, "sk-Ab_1/+=.~": true, "a b": false, "a\n": false, "a\x00b": false, "schlüssel": false, "a\x7f": false} {
		if err := wire.CheckKey(key); (err == nil) != good || err != nil && strings.Contains(err.Error(), "schl") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// TestWithoutRedirects has a server that sends callers on, and a client of the caller's that keeps what it was.
func TestWithoutRedirects(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	theirs := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for name, c := range map[string]*http.Client{"none": nil, "theirs": theirs} {
		ours := wire.WithoutRedirects(c)
		resp, err := ours.Get(server.URL)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp.Body.Close()
		ours.CloseIdleConnections()
		if resp.StatusCode != http.StatusTemporaryRedirect || c != nil && (ours.Transport != c.Transport || c.CheckRedirect != nil) {
			t.Errorf("%s: status %d, transport %v", name, resp.StatusCode, ours.Transport)
		}
	}
}
