// Package inspect serves the page of one run: what its window held at every request, and what it cost. The page
// follows a run that has not ended.
package inspect

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/internal/httpserve"
	"github.com/forayhq/foray/internal/line"
)

// NewToken returns a token that cannot be guessed.
func NewToken() string { return rand.Text() }

// Address returns what a browser opens. The token is in the fragment, which a browser sends to no server.
func Address(l net.Listener, token string) string {
	return fmt.Sprintf("http://%s/#token=%s", l.Addr(), url.PathEscape(token))
}

// stopTime is how long a request may last after the end of the server.
const stopTime = 200 * time.Millisecond

// Serve serves the page of a run on a listener until ctx ends, and closes the listener. All data requires the token,
// which must not be empty.
func Serve(ctx context.Context, l net.Listener, token string, from *Source, log *slog.Logger) error {
	if token == "" {
		return errors.New("a page of a run needs a token")
	}
	h, err := handler(ctx, token, from)
	if err != nil {
		return err
	}
	return httpserve.Serve(ctx, l, h, httpserve.Options{Token: token, Stop: stopTime, Log: log})
}

// Begin serves the page of a run on a free port of this machine until end is called, and returns its address.
func Begin(ctx context.Context, from *Source) (address string, end func(), err error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	token := NewToken()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Serve(ctx, l, token, from, slog.New(slog.DiscardHandler)) // a page that is gone says so itself
	}()
	return Address(l, token), func() { cancel(); <-done }, nil
}

// A server answers the page of one run.
type server struct {
	ctx  context.Context // of the server
	from *Source

	reading chan struct{} // holds a value while the run is read
	playing sync.Mutex

	run  reading
	side reading
}

// A reading is the run as it was at a mark.
type reading struct {
	mark  string
	body  []byte // JSON
	ended bool
	took  time.Duration
}

// handler returns the handler of the page, which holds no data, and of the data.
func handler(ctx context.Context, token string, from *Source) (http.Handler, error) {
	s := &server{ctx: ctx, from: from, reading: make(chan struct{}, 1)}
	var shell bytes.Buffer
	policy, err := page.WriteViewer(&shell, from.Title)
	if err != nil {
		return nil, err
	}
	mux, guard := http.NewServeMux(), httpserve.NewGuard(token)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write(shell.Bytes()) // the reader may be gone
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.Handle("GET /session", guard.Wrap(answer(s.session)))
	mux.Handle("GET /policies", guard.Wrap(answer(s.policies)))
	mux.Handle("GET /events", guard.Wrap(http.HandlerFunc(s.events)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}), nil
}

// answer answers with the JSON that get returns, or with its error as a line of text.
func answer(get func(context.Context) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := get(r.Context())
		if err != nil {
			http.Error(w, line.Printable(err.Error()), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}

func (s *server) session(ctx context.Context) ([]byte, error) {
	r, err := s.read(ctx)
	return r.body, err
}

// read returns the run as it is now. It reads it only if it has changed, and one time for all who ask.
func (s *server) read(ctx context.Context) (reading, error) {
	select {
	case s.reading <- struct{}{}:
	case <-ctx.Done():
		return reading{}, ctx.Err()
	}
	defer func() { <-s.reading }()
	mark, err := s.from.Mark(ctx)
	if err != nil {
		return reading{}, err
	}
	if s.run.body != nil && mark == s.run.mark {
		return s.run, nil
	}
	began := time.Now()
	run, err := page.ReadRun(ctx, s.from.Open, s.from.Price)
	if err != nil {
		return reading{}, err
	}
	body, err := json.Marshal(run)
	if err != nil {
		return reading{}, err
	}
	s.run = reading{mark: mark, body: body, ended: run.Ended() && !s.from.Ongoing, took: time.Since(began)}
	return s.run, nil
}

// policies plays the run through other policies, once for each state of it.
func (s *server) policies(ctx context.Context) ([]byte, error) {
	s.playing.Lock()
	defer s.playing.Unlock()
	mark, err := s.from.Mark(ctx)
	if err != nil {
		return nil, err
	}
	if s.side.body != nil && s.side.mark == mark {
		return s.side.body, nil
	}
	side, err := s.from.Play(ctx)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(side)
	if err == nil {
		s.side = reading{mark: mark, body: body}
	}
	return body, err
}

// How often the run is looked at, at most, and how much of the time reading it may take.
const (
	lookTime  = 300 * time.Millisecond
	readShare = 2 // pauses for each time that reading took
)

// events says when the run has changed, and ends when the run does. If the run cannot be read, the page asks for it
// and gets the error.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control, last := http.NewResponseController(w), ""
	for {
		now, err := s.read(r.Context())
		if err != nil {
			return
		}
		if now.mark != last {
			last = now.mark
			name := "changed"
			if now.ended {
				name = "ended"
			}
			_, err := fmt.Fprintf(w, "event: %s\ndata:\n\n", name)
			if err != nil || control.Flush() != nil || now.ended {
				return
			}
		}
		select {
		case <-s.ctx.Done():
			return
		case <-r.Context().Done():
			return
		case <-time.After(max(lookTime, readShare*now.took)):
		}
	}
}
