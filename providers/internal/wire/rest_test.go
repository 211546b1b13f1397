package wire_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A lines answer takes each event as text; it is whole from a "finish" on, until more text follows.
type lines struct {
	text  []string
	whole bool
}

func (a *lines) Add(e wire.Event) ([]providers.Delta, error) {
	a.text = append(a.text, string(e.Data))
	a.whole = strings.Contains(string(e.Data), "finish")
	return nil, nil
}
func (a *lines) Ended() bool                                               { return false }
func (a *lines) Whole() bool                                               { return a.whole }
func (a *lines) End(*providers.Request) (out []providers.Delta, err error) { return nil, nil }

// collect reads a body as a stream of events.
func collect(body io.ReadCloser, a wire.Answer) error {
	resp := &http.Response{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
	return newReporter().Collect(resp, &providers.Request{}, a, func([]providers.Delta) error { return nil })
}

// A server that says nothing more after a finish, but a comment each second, is left after a while.
func TestRestEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, server := io.Pipe()
		var serving sync.WaitGroup
		defer serving.Wait() // for its last sleep
		serving.Go(func() {
			_, err := io.WriteString(server, "data: {\"a\":\"finish\"}\n\n")
			for ; err == nil; _, err = io.WriteString(server, ": still here\n\n") {
				time.Sleep(time.Second)
			}
		})
		started, a := time.Now(), &lines{}
		if err := collect(body, a); err != nil || len(a.text) != 1 {
			t.Errorf("error %v, events %q", err, a.text)
		}
		if took := time.Since(started); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// If a server sends real text after a finish, all of it is read, with no limit on its length or duration.
func TestRestOfUnsettledAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, server := io.Pipe()
		long := `data: {"a":"` + strings.Repeat("x", 48<<10) + "\"}\n\n"
		var serving sync.WaitGroup
		defer serving.Wait()
		serving.Go(func() {
			for range 5 {
				_, err := io.WriteString(server, "data: {\"a\":\"finish\"}\n\n"+long)
				if err != nil {
					t.Error(err)
				}
				time.Sleep(time.Minute)
			}
			server.CloseWithError(errors.New("reset"))
		})
		a := &lines{}
		if err := collect(body, a); err == nil || len(a.text) != 10 || a.whole {
			t.Errorf("error %v, %d events", err, len(a.text))
		}
	})
}
