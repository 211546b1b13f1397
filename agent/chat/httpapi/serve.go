package httpapi

import (
	"context"
	"net"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/httpserve"
)

// Serve serves a [chat.Chat] on a listener until ctx ends, and closes the listener. Then it refuses new requests, lets
// open ones finish for [Options].Stop, and cancels the rest. It does not close the Chat. It refuses to serve without a
// token where other machines can reach the listener. The error is nil if ctx ended the server. Nil options mean the
// defaults.
func Serve(ctx context.Context, l net.Listener, c *chat.Chat, o *Options) error {
	options := o.withDefaults()
	return httpserve.Serve(ctx, l, Handler(c, o),
		httpserve.Options{Token: options.Token, Stop: options.Stop, Log: options.Log})
}
