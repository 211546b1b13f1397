package server

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// progressTime is between two notifications about the progress of a call.
const progressTime = 500 * time.Millisecond

// follow notifies the client of the progress of its call, if it asked for that, until stop is called. The protocol
// wants numbers that grow, and a call may count several things one after the other: so the number is that of the
// notification, and the message says what is counted.
func follow(ctx context.Context, req *mcp.CallToolRequest, p *tools.Progress) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() {
		tick := time.NewTicker(progressTime)
		defer tick.Stop()
		last := ""
		for n := 1; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			text := progressText(p)
			if text == "" || text == last {
				continue
			}
			last = text
			params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: text}
			if req.Session.NotifyProgress(ctx, params) != nil {
				return // the client is gone, which ends the call too
			}
			n++
		}
	})
	return func() { cancel(); told.Wait() }
}

// progressText says how far a call is: "120 of 3,000 files".
func progressText(p *tools.Progress) string {
	status, ok := p.Read()
	switch {
	case !ok:
		return ""
	case status.Total > 0:
		return line.Number(status.Done) + " of " + line.Number(status.Total) + " " + status.Unit
	}
	return line.Number(status.Done) + " " + status.Unit
}
