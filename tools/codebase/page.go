package codebase

import (
	"context"
	"errors"
)

// finish takes over how a walk ended: a deadline is said in the page, a cancelled ctx is an error.
func (p *Page) finish(ctx context.Context, err error, w *walker) error {
	p.Skipped.add(w.skipped)
	return p.ended(ctx, err)
}

func (p *Page) ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errDeadline):
		p.TimedOut, p.Truncated, p.TruncatedBy = true, true, "deadline"
		return nil
	case ctx.Err() != nil:
		return expired(ctx)
	default:
		return err
	}
}

func (p *Page) pastEnd(offset, n int, noun string) {
	if offset > 0 && offset >= n && n > 0 {
		p.note("offset=%d is past the end: there are %d %s", offset, n, noun)
	}
}
