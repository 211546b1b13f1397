// Package geminitest is the service of the Gemini dialect for tests: it answers the turns of providertest.Run on the wire
// as Google's service does, and holds every request to the service's own protos and to the rules that they do not tell.
//
// Server starts one; Answer speaks for the suite, Stream for a test that has its own bytes.
package geminitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Key is the key of the tests; no error, log or URL may show it.
const Key = "AIzaSyTest-0123456789abcdef"

// Server starts a service that answers with handler, after Check of the request, and returns its address. It ends with
// the test.
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
