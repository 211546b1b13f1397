// Package httpserve serves HTTP on this machine: who may ask ([Guard]), and how a server begins and ends ([Serve]).
package httpserve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// A Guard admits requests. It is safe for concurrent use.
type Guard struct {
	open  bool // no token is required
	token [sha256.Size]byte
	cross *http.CrossOriginProtection
}

// NewGuard returns a Guard that requires "Authorization: Bearer" with the token. With an empty token, requests must
// address the server by an IP address or as localhost, so that no web page can reach it through a domain of its own
// (DNS rebinding).
func NewGuard(token string) *Guard {
	return &Guard{open: token == "", token: sha256.Sum256([]byte(token)), cross: http.NewCrossOriginProtection()}
}

// Authorize returns 0 for a request that carries the token. Otherwise it returns the status of the refusal and a
// sentence, and sets the header that asks for a token. Tokens are compared by their hashes in constant time.
func (g *Guard) Authorize(w http.ResponseWriter, r *http.Request) (status int, why string) {
	if g.open {
		if !isAddress(r.Host) {
			return http.StatusMisdirectedRequest,
				"a server without a token answers only requests to an IP address or localhost"
		}
		return 0, ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	same := subtle.ConstantTimeCompare(hash[:], g.token[:]) == 1
	if !strings.EqualFold(scheme, "Bearer") || !same {
		w.Header().Set("WWW-Authenticate", `Bearer realm="foray"`)
		return http.StatusUnauthorized, "the token is missing or wrong"
	}
	return 0, ""
}

// SameOrigin returns 0 unless a web page of another origin sent the request. Then it returns the status of the refusal
// and a sentence.
func (g *Guard) SameOrigin(r *http.Request) (status int, why string) {
	if g.cross.Check(r) != nil {
		return http.StatusForbidden, "requests from web pages of other origins are refused"
	}
	return 0, ""
}

// Wrap returns a handler that passes admitted requests on, and refuses others with a line of text.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, why := g.Authorize(w, r)
		if status == 0 {
			status, why = g.SameOrigin(r)
		}
		if status != 0 {
			http.Error(w, why, status)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isAddress reports whether a Host header is an IP address or localhost, and not a name that could point anywhere.
func isAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(host, "localhost")
}
