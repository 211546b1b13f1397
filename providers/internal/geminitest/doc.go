// Package geminitest is a service of the Gemini dialect for tests. It answers the turns of providertest.Run
// on the wire as Google's service does, and checks every request against the service's protos and its
// unwritten rules.
//
// Start with [Server]; [Answer] speaks for the suite, [Stream] for a test with bytes of its own.
package geminitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Key is the key in tests; no error, log or URL may show it.
const Key = "AIzaSyTest-0123456789abcdef"

// Server starts a service that answers with handler after [Check] of the request, and returns its address. It
// ends with the test.
func Server(t testing.TB, older bool, handler http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if err := Check(r, raw, older); err != nil {
			t.Errorf("the request is not the service's: %v\n%s", err, raw)
		}
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
