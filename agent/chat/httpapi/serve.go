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

// The patience of a server. A turn may take long, so that there is no limit to answers as a whole.
const (
	headerTime = 10 * time.Second // for the head of a request
	bodyTime   = time.Minute      // for the whole request
	idleTime   = 2 * time.Minute  // between requests of one connection
	maxHeader  = 64 << 10         // bytes
)

// ErrNoToken says that a server that others can reach has no token.
var ErrNoToken = errors.New("an address that others can reach needs a token")

// Serve serves a Chat on a listener, which it closes, until ctx ends. Then it takes no more requests and lets those under
// way finish for as long as the options say, after which it cancels their turns. It does not close the Chat. The error is ErrNoToken
// if there is no token and the listener's address is not one that only this machine can reach; nil if ctx ended it.
func Serve(ctx context.Context, l net.Listener, c *chat.Chat, o *Options) error {
	defer l.Close()
	options := o.withDefaults()
	if options.Token == "" && !isLocal(l.Addr()) {
		return fmt.Errorf("serving at %s: %w", l.Addr(), ErrNoToken)
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &http.Server{
		Handler: Handler(c, o), ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(options.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	patience, stop := context.WithTimeout(requests, options.Stop)
	defer stop()
	if s.Shutdown(patience) != nil {
		cancel()
		patience, stop := context.WithTimeout(context.Background(), defaultStop)
		defer stop()
		if err := s.Shutdown(patience); err != nil {
			return errors.Join(fmt.Errorf("stopping the server: %w", err), s.Close())
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
