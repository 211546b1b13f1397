package providers_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest"
)

// A sentCounter counts the bytes of an answer.
type sentCounter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c sentCounter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

func (c sentCounter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// maxSentAfter is what a server can send after a finish before it notices that nobody reads: the buffers of both
// sockets take most of it.
const maxSentAfter = 16 << 20

// An answer ends soon after its finish, whatever its server sends then.
func TestAttackAfterFinish(t *testing.T) {
	attacktable.Watch(t, "providers", "what is read after a finish")
	var sent atomic.Int64
	hostile := new(providertest.Hostile)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hostile.ServeHTTP(sentCounter{w, &sent}, r)
	}))
	defer server.Close()
	client := providertest.Client(t)
	for _, d := range attacked {
		m, err := d.open(server.URL, "endless-after", client)
		if err != nil {
			t.Fatal(err)
		}
		sent.Store(0)
		answer, err := providers.Ask(t.Context(), m, &providers.Request{
			Messages: []transcript.Message{{Role: transcript.User, Text: "Where is it?"}}, MaxOutput: 1000,
		})
		if err != nil || answer.Finish != providers.Stop {
			t.Errorf("%s: %+v, error %v", d.name, answer, err)
		}
		if n := sent.Load(); n > maxSentAfter {
			t.Errorf("%s: the server sent %d MB after the finish, want at most %d", d.name, n>>20, maxSentAfter>>20)
		}
	}
}
