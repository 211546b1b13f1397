package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/forayhq/foray/agent/chat"
)

// Time limits of a server. A turn may take long, so answers have none.
const (
	headerTime = 10 * time.Second // for the head of a request
	bodyTime   = time.Minute      // for the whole request
	idleTime   = 2 * time.Minute  // between requests of one connection
	maxHeader  = 64 << 10         // bytes
)

// Serve serves a [chat.Chat] on a listener until ctx ends, and closes the listener. Then it refuses new requests, lets
// open ones finish for [Options].Stop, and cancels the rest. It does not close the Chat. It refuses to serve without a
// token where other machines can reach the listener. The error is nil if ctx ended the server. Nil options mean the
// defaults.
func Serve(ctx context.Context, l net.Listener, c *chat.Chat, o *Options) error {
	defer l.Close()
	options := o.withDefaults()
	if options.Token == "" && !isLocal(l.Addr()) {
		return fmt.Errorf("serve at %s: an address that other machines can reach needs a token", l.Addr())
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &http.Server{
		Handler: Handler(c, o), MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(options.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	patience, stop := context.WithTimeout(requests, options.Stop)
	defer stop()
	if s.Shutdown(patience) != nil {
		cancel()
		patience, stop := context.WithTimeout(context.Background(), defaultStop)
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
