package longterm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forayhq/foray/contextwindow/memory"
)

// An Exchange is a message of a user and what was answered.
type Exchange struct {
	User     string
	Thread   string
	Message  string // id of the user's message
	Question string // what the user said
	Answer   string
	At       time.Time
}

// The defaults of an ExtractorConfig (requirements: memory extraction).
const (
	extractionImportance = 5
	extractionUpdate     = .85
	extractionLink       = .6
	extractionQueue      = 64
	extractionTimeout    = time.Minute
)

// An ExtractorConfig is what an Extractor is made with. Zero means the defaults.
type ExtractorConfig struct {
	Memories *Memories // required
	// Ask is a model that picks out what to remember; nil: rules for English and Chinese do.
	Ask memory.Ask
	Off bool // nothing is extracted
	// MinImportance is the least importance that is kept, 1 to 10; 0: 5.
	MinImportance int
	// UpdateSimilarity is from where on a statement takes the place of one that is there, LinkSimilarity from where on it is
	// linked with it; up to 1. 0: 0.85 and 0.6.
	UpdateSimilarity, LinkSimilarity float64
	Queue                            int           // exchanges of one user that wait at most; 0: 64
	Timeout                          time.Duration // of one request to the model; 0: a minute
	Logger                           *slog.Logger  // nil: none
}

// An Extractor makes memories of exchanges, behind the answers. Each user has a queue and, while there is something in
// it, one worker, so that exchanges of a user are taken in order. It is safe for concurrent use. Close it.
type Extractor struct {
	config ExtractorConfig
	ctx    context.Context // of the workers
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	queues map[string][]Exchange // of users that have a worker
	idle   chan struct{}         // closed when there are none; nil then

	dropped, skipped, failures, saved, updated, linked, superseded atomic.Int64
}

// NewExtractor returns an Extractor, or what is wrong with its config.
func NewExtractor(c ExtractorConfig) (*Extractor, error) {
	c.MinImportance = cmp.Or(c.MinImportance, extractionImportance)
	c.UpdateSimilarity = cmp.Or(c.UpdateSimilarity, extractionUpdate)
	c.LinkSimilarity = cmp.Or(c.LinkSimilarity, extractionLink)
	c.Queue = cmp.Or(c.Queue, extractionQueue)
	c.Timeout = cmp.Or(c.Timeout, extractionTimeout)
	switch {
	case c.Memories == nil:
		return nil, errors.New("making an extraction: it has no long-term memory")
	case c.MinImportance < 1 || c.MinImportance > 10:
		return nil, fmt.Errorf("making an extraction: importance %d is not from 1 to 10", c.MinImportance)
	case !(0 < c.LinkSimilarity && c.LinkSimilarity <= c.UpdateSimilarity && c.UpdateSimilarity <= 1):
		return nil, fmt.Errorf("making an extraction: similarities %v (to link) and %v (to update) must be ascending, above 0, up to 1", c.LinkSimilarity, c.UpdateSimilarity)
	case c.Queue < 1 || c.Timeout < 0:
		return nil, fmt.Errorf("making an extraction: queue of %d (at least 1), timeout %s", c.Queue, c.Timeout)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Extractor{config: c, queues: make(map[string][]Exchange)}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e, nil
}

// Add puts an exchange into the queue of its user and returns at once. If the queue is full its oldest is dropped and
// counted. Trivial exchanges are passed over, and after Close all are.
func (e *Extractor) Add(x Exchange) {
	if e.config.Off {
		return
	}
	if trivial(x.Question) {
		e.skipped.Add(1)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	queue, working := e.queues[x.User]
	if len(queue) == e.config.Queue {
		queue = queue[1:]
		e.dropped.Add(1)
	}
	e.queues[x.User] = append(queue, x)
	if working {
		return
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	e.all.Go(func() { e.work(x.User) })
}

// work takes the exchanges of a user until there are no more.
func (e *Extractor) work(user string) {
	for {
		x, ok := e.next(user)
		if !ok {
			return
		}
		if _, err := e.Extract(e.ctx, x); err != nil && e.ctx.Err() == nil {
			e.config.Logger.Warn("extracting memories", "thread", x.Thread, "error", err)
		}
	}
}

// next takes the oldest exchange of a user; without one the worker of the user is over.
func (e *Extractor) next(user string) (Exchange, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	queue := e.queues[user]
	if len(queue) == 0 || e.ctx.Err() != nil {
		delete(e.queues, user)
		if len(e.queues) == 0 {
			close(e.idle)
			e.idle = nil
		}
		return Exchange{}, false
	}
	e.queues[user] = queue[1:]
	return queue[0], true
}

// Wait waits until all queues are empty, or the context ends.
func (e *Extractor) Wait(ctx context.Context) error {
	e.mu.Lock()
	idle := e.idle
	e.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close takes no more exchanges and waits for those in the queues; when the context ends, what is under way is ended,
// what is left is dropped, and the error is the context's. No worker runs when it returns.
func (e *Extractor) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	err := e.Wait(ctx)
	e.cancel()
	e.all.Wait()
	return err
}

// ExtractorCounts count what became of exchanges and of what was picked out of them.
type ExtractorCounts struct {
	Dropped    int64 // exchanges that a full queue had no room for
	Skipped    int64 // trivial exchanges
	Failures   int64 // of models and stores, and answers that were no list of memories
	Saved      int64 // memories, linked and superseding ones too
	Updated    int64 // memories that another wording took the place of
	Linked     int64 // of those saved
	Superseded int64 // memories that hold no longer
}

// Counts returns what became of exchanges so far.
func (e *Extractor) Counts() ExtractorCounts {
	return ExtractorCounts{
		e.dropped.Load(), e.skipped.Load(), e.failures.Load(), e.saved.Load(), e.updated.Load(), e.linked.Load(), e.superseded.Load(),
	}
}

// Extract makes memories of one exchange now, and returns them as they are kept. A model that fails, is slow, or gives no
// list of memories changes nothing, and is the error.
func (e *Extractor) Extract(ctx context.Context, x Exchange) ([]Memory, error) {
	picked, err := e.pick(ctx, x)
	if err != nil {
		e.failures.Add(1)
		return nil, fmt.Errorf("extracting memories: %w", err)
	}
	var kept []Memory
	for _, s := range picked {
		if s.Importance < e.config.MinImportance {
			continue
		}
		m, err := e.keep(ctx, x, s)
		if err != nil {
			e.failures.Add(1)
			return kept, fmt.Errorf("extracting memories: %w", err)
		}
		kept = append(kept, m)
	}
	return kept, nil
}

// pick returns what an exchange states, by the model if there is one.
func (e *Extractor) pick(ctx context.Context, x Exchange) ([]statement, error) {
	if e.config.Ask == nil {
		return statementsOf(x.Question), nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	known := e.config.Memories.about(x)
	answer, err := e.config.Ask(ctx, extractionPrompt, exchangePrompt(x, known))
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return parseStatements(answer, known)
}
