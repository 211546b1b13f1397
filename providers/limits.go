package providers

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// Concurrent returns m with at most n answers in flight. Further requests wait in order of arrival until a slot is free
// or their context ends (class [Cancelled]). A request holds its slot from the start of the iteration to its end, so
// [Retry] around Concurrent holds none while it waits. All users of the returned model share the n slots; 0 or less
// means no limit.
func Concurrent(m Model, n int) Model {
	if n <= 0 {
		return m
	}
	places := make(chan struct{}, n)
	return layer{m, func(ctx context.Context, req *Request, yield func(Delta, error) bool) {
		err := ctx.Err()
		if err == nil {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			refuse(m, Cancelled, err, yield)
			return
		}
		defer func() { <-places }()
		pass(m.Stream(ctx, req), yield)
	}}
}

// RateLimit returns m with its requests limited to n per span, spread evenly after a burst (at least 1). It is a token
// bucket that all users of the returned model share. A request whose context ends while it waits has the class
// [Cancelled] and returns its token. An n or span of 0 or less means no limit.
func RateLimit(m Model, n int, span time.Duration, burst int) Model {
	if n <= 0 || span <= 0 {
		return m
	}
	bucket := rate.NewLimiter(rate.Limit(float64(n)/span.Seconds()), max(burst, 1))
	return layer{m, func(ctx context.Context, req *Request, yield func(Delta, error) bool) {
		if ctx.Err() != nil {
			refuse(m, Cancelled, ctx.Err(), yield)
			return
		}
		token := bucket.Reserve()
		if err := pause(ctx, token.Delay()); err != nil {
			token.Cancel()
			refuse(m, Cancelled, err, yield)
			return
		}
		pass(m.Stream(ctx, req), yield)
	}}
}
