package providertest

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// Client returns an HTTP client whose connections close with the test.
func Client(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Turns returns a handler that answers the nth request with the nth turn.
func Turns(t testing.TB, turns []Turn, answer func(http.ResponseWriter, *http.Request, Turn)) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		if i >= len(turns) {
			t.Errorf("request %d of %d", i+1, len(turns))
			return
		}
		answer(w, r, turns[i])
	}
}

// Write sends the events of an answer as the turn demands: one in each write, or scattered. If the turn hangs, it waits
// until the client disconnects.
func Write(w http.ResponseWriter, r *http.Request, turn Turn, events []string) {
	flusher := w.(http.Flusher)
	wire := strings.Join(events, "")
	for len(wire) > 0 {
		n := len(events[0])
		if turn.Scatter > 0 {
			n = min(turn.Scatter, len(wire))
		} else {
			events = events[1:]
		}
		if _, err := io.WriteString(w, wire[:n]); err != nil {
			return // the client disconnected
		}
		flusher.Flush()
		wire = wire[n:]
	}
	if turn.Fault == Hang {
		<-r.Context().Done()
	}
}
