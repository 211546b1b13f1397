package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/forayhq/foray/providers/internal/wire"
)

// A server that closes its connections after each answer, without announcing it, is asked again, with the whole body.
func TestPostSurvivesClosedConnections(t *testing.T) {
	var mu sync.Mutex
	seen, closed := map[string]bool{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"a":1}` || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("body %q, error %v, headers %v", body, err, r.Header)
		}
		if _, sent := r.Header["Idempotency-Key"]; sent {
			t.Error("the mark for net/http was sent")
		}
		mu.Lock()
		defer mu.Unlock()
		if seen[r.RemoteAddr] { // closed, but the client did not know yet
			closed++
			panic(http.ErrAbortHandler)
		}
		seen[r.RemoteAddr] = true
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	for range 3 {
		req, err := wire.Post(t.Context(), server.URL, []byte(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if closed != 2 || len(seen) != 3 {
		t.Errorf("%d requests on closed connections, %d answers, want 2 and 3", closed, len(seen))
	}
}
