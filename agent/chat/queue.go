package chat

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/forayhq/foray/internal/queue"
)

// ErrBusy says that a hundred turns already wait for a thread.
var ErrBusy = errors.New("too many turns wait for this thread")

// maxWaiting is how many turns may wait for a thread.
const maxWaiting = 100

// A slot is the place of one request in a server that keeps the prefix of no other. There, a background request between
// two steps of a run would make the server read the whole conversation again. So whole runs and background requests
// take turns, in order of arrival. A nil slot is that of a server with many.
type slot struct{ *queue.Queue }

// slotTime replaces the default time-outs of background requests to such a server: they wait for runs, and local
// servers are slow.
const slotTime = 30 * time.Minute

func newSlot(slots int) *slot {
	if slots != 1 {
		return nil
	}
	return &slot{queue.New(maxWaiting, ErrBusy)}
}

// take waits for the slot. The caller must then call leave.
func (s *slot) take(ctx context.Context) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	return s.Enter(ctx, "", nil)
}

// An ask is what package memory calls an Ask.
type ask = func(ctx context.Context, system, prompt string) (string, error)

// background returns a background request that waits for the slot, and its time-out: 0 for the default.
func (s *slot) background(inner ask, timeout time.Duration) (ask, time.Duration) {
	if s == nil || inner == nil {
		return inner, timeout
	}
	return func(ctx context.Context, system, prompt string) (string, error) {
		leave, err := s.take(ctx)
		if err != nil {
			return "", err
		}
		defer leave()
		return inner(ctx, system, prompt)
	}, cmp.Or(timeout, slotTime)
}
