package httpserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Time limits of a server. An answer may take long, so answers have none.
const (
	headerTime = 10 * time.Second // for the head of a request
	bodyTime   = time.Minute      // for the whole request
	idleTime   = 2 * time.Minute  // between requests of one connection
	maxHeader  = 64 << 10         // bytes
)

// DefaultStop is how long [Serve] usually lets open requests finish.
const DefaultStop = 10 * time.Second

// Options say how a handler is served.
type Options struct {
	Token string        // what the handler requires; without one, the listener must be one of this machine
	Stop  time.Duration // how long open requests may last when the server stops
	Log   *slog.Logger  // logs errors of the server
}

// Serve serves a handler on a listener until ctx ends, and closes the listener. Then it refuses new requests, lets open
// ones finish for [Options].Stop, and cancels the rest. It refuses to serve without a token where other machines can
// reach the listener. The error is nil if ctx ended the server.
func Serve(ctx context.Context, l net.Listener, h http.Handler, o Options) error {
	defer l.Close()
	if o.Token == "" && !isLocal(l.Addr()) {
		return fmt.Errorf("serve at %s: an address that other machines can reach needs a token", l.Addr())
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &http.Server{
		Handler: h, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	patience, stop := context.WithTimeout(requests, o.Stop)
	defer stop()
	if s.Shutdown(patience) != nil {
		cancel()
		patience, stop := context.WithTimeout(context.Background(), DefaultStop)
		defer stop()
		if err := s.Shutdown(patience); err != nil {
			return errors.Join(fmt.Errorf("stop the server: %w", err), s.Close())
		}
	}
	<-ended
	return nil
}

// isLocal reports whether only this machine can reach an address.
func isLocal(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}
