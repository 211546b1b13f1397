package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// Bounds on all calls of the tools of a run together. A git tree of a few kilobytes can name more files than can ever
// be searched, and each search alone ends only at its own limit of time.
const (
	searchShare = .75 // of the time of a stage; the rest is for the answer
	maxExpired  = 3   // calls that reach their own limit of time; the tree is then too large to search
)

// A patience ends the calls of a run once they cost too much together. It is safe for concurrent use.
type patience struct {
	limit time.Duration // 0: unlimited

	mu      sync.Mutex
	began   time.Time // of the first call
	expired int       // calls that ran out of time
	refused int       // calls that were not made
}

// all wraps tools so that p bounds their calls.
func (p *patience) all(offered []tools.Tool) []tools.Tool {
	var wrapped []tools.Tool
	for _, t := range offered {
		call := t.Call
		t.Call = func(ctx context.Context, args json.RawMessage) (any, error) {
			ctx, cancel, err := p.begin(ctx)
			if err != nil {
				return nil, err
			}
			defer cancel()
			value, err := call(ctx, args)
			p.end(value, err)
			return value, err
		}
		wrapped = append(wrapped, t)
	}
	return wrapped
}

// begin refuses a call when the patience is at its end, and otherwise bounds its time.
func (p *patience) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
	if p.expired >= maxExpired || p.limit > 0 && time.Since(p.began) >= p.limit {
		p.refused++
		return nil, nil, &tools.Problem{Code: "deadline", Message: "the time for searching is used up", Try: "to finish"}
	}
	if p.limit == 0 {
		return ctx, func() {}, nil
	}
	timed, cancel := context.WithDeadline(ctx, p.began.Add(p.limit))
	return timed, cancel, nil
}

// end counts a call that ran out of time.
func (p *patience) end(value any, err error) {
	problem := (*tools.Problem)(nil)
	if result, ok := value.(interface{ Incomplete() *tools.Problem }); ok && err == nil {
		problem = result.Incomplete()
	} else {
		errors.As(err, &problem)
	}
	if errors.Is(err, context.DeadlineExceeded) || problem != nil && problem.Code == "deadline" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.expired++
	}
}

// why says what was left out, or "" if nothing was.
func (p *patience) why() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.expired+p.refused == 0 {
		return ""
	}
	limit := cmp.Or(p.limit, time.Since(p.began)).Round(time.Second)
	if p.expired >= maxExpired {
		limit = min(limit, time.Since(p.began).Round(time.Second))
	}
	return fmt.Sprintf("the tree is too large to search whole: after %v of searching, %s had run out of time and %s "+
		"left out", limit, line.Count(p.expired, "call"), wereLeft(p.refused))
}

func wereLeft(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}
