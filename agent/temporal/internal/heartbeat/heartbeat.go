// Package heartbeat says that an activity is alive.
package heartbeat

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// Start records heartbeats of an activity until stop is called, one every quarter of its heartbeat time-out, and at
// most ten a second. So the server notices soon that a worker died, and the activity that its workflow was cancelled.
func Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	every := max(activity.GetInfo(ctx).HeartbeatTimeout/4, 100*time.Millisecond)
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
