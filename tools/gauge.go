package tools

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A Progress is how far a call of a tool is.
type Progress struct {
	Unit  string // what is counted, in the plural: "files"
	Done  int    // so many of them, from 0
	Total int    // of so many at most; 0: not known. At least Done, or 0
}

// A Gauge shows how far a call of a tool is: the tool counts, and whoever wants to know looks. Neither waits for the
// other, and nothing that the tool returns depends on it. The zero Gauge is ready to use. It is safe for concurrent use.
type Gauge struct {
	mu    sync.Mutex
	open  []*Count // that have not ended, as they began
	shown *Count   // the last of them, or else the last that ended; nil: none has begun
}

// Read returns what the Count shows that began last of those that have not ended; when all have, the one that ended last.
// It reports false when none has begun.
func (g *Gauge) Read() (Progress, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.shown
	if c == nil {
		return Progress{}, false
	}
	p := Progress{Unit: c.unit, Done: int(c.done.Load()), Total: c.total}
	if p.Total < p.Done {
		p.Total = 0
	}
	return p, true
}

// A Count is one count of a Gauge. A nil Count counts nothing. It is safe for concurrent use; Add is one atomic addition,
// fit for every file of a large tree.
type Count struct {
	gauge *Gauge
	unit  string
	total int
	done  atomic.Int64
}

// Counting begins to count on the Gauge of the run that ctx carries. unit says what is counted, in the plural; total how
// many there will be at most, 0 if that is not known. End must be called on what it returns: until then the Gauge shows no
// Count that began before. It returns nil when nobody looks.
func Counting(ctx context.Context, unit string, total int) *Count {
	g := RunFrom(ctx).Gauge
	if g == nil {
		return nil
	}
	c := &Count{gauge: g, unit: unit, total: total}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.shown = append(g.open, c), c
	return c
}

// Add counts n more.
func (c *Count) Add(n int) {
	if c != nil {
		c.done.Add(int64(n))
	}
}

// End says that nothing more will be counted. The Gauge shows again what began before, if that has not ended. A second
// End changes nothing.
func (c *Count) End() {
	if c == nil {
		return
	}
	g := c.gauge
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.open, c)
	if at < 0 {
		return
	}
	g.open = slices.Delete(g.open, at, at+1)
	g.shown = c
	if n := len(g.open); n > 0 {
		g.shown = g.open[n-1]
	}
}
