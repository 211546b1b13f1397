package tools

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A Progress shows how far a call of a tool is: the tool counts with [CountProgress], and the runtime reads. Neither
// waits for the other. The zero Progress is ready to use. It is safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	open  []*Counter // not ended, in the order of their start
	shown *Counter   // the last open one, else the last that ended; nil before the first
}

// A Status is one reading of a [Progress].
type Status struct {
	Unit  string // what is counted, in the plural: "files"
	Done  int    // how many are done
	Total int    // how many there are at most, never below Done; 0 if unknown
}

// Read returns the status of the newest open counter, else of the last that ended; false if there was none yet.
func (p *Progress) Read() (Status, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.shown
	if c == nil {
		return Status{}, false
	}
	s := Status{Unit: c.unit, Done: int(c.done.Load()), Total: c.total}
	if s.Total < s.Done {
		s.Total = 0
	}
	return s, true
}

// A Counter counts on a [Progress]. A nil Counter does nothing. It is safe for concurrent use; Add is one atomic
// addition, cheap enough for every file of a large tree.
type Counter struct {
	progress *Progress
	unit     string
	total    int
	done     atomic.Int64
}

// CountProgress starts a counter on the Progress of the run that ctx carries. unit is what it counts, in the plural;
// total is how many there are at most, 0 if unknown. The caller must call End. Until then the Progress shows no counter
// that started before. CountProgress returns nil when nobody reads.
func CountProgress(ctx context.Context, unit string, total int) *Counter {
	p := RunFrom(ctx).Progress
	if p == nil {
		return nil
	}
	c := &Counter{progress: p, unit: unit, total: total}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.shown = append(p.open, c), c
	return c
}

// Add counts n more.
func (c *Counter) Add(n int) {
	if c != nil {
		c.done.Add(int64(n))
	}
}

// End stops the counter, once. The Progress shows again the counter that started before, if it is open.
func (c *Counter) End() {
	if c == nil {
		return
	}
	p := c.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.open, c)
	if at < 0 {
		return
	}
	p.open = slices.Delete(p.open, at, at+1)
	p.shown = c
	if n := len(p.open); n > 0 {
		p.shown = p.open[n-1]
	}
}
