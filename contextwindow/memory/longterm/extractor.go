package longterm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/internal/textsearch"
)

// An Exchange is a message of a user and the answer to it.
type Exchange struct {
	User     string
	Thread   string
	Message  string // id of the user's message
	Question string // what the user said
	Answer   string
	At       time.Time
}

// An ExtractorConfig says how an [Extractor] works. Zero values mean the defaults.
type ExtractorConfig struct {
	Memories      *Memories  // required
	Ask           memory.Ask // a model that extracts statements; nil: rules alone do, for English, Chinese and German
	Off           bool       // nothing is extracted
	MinImportance int        // the least importance that is kept, 1 to 10 (5)
	// A statement replaces a memory that is at least UpdateSimilarity (0.85) similar, and is linked to one that is at
	// least LinkSimilarity (0.6) similar.
	UpdateSimilarity, LinkSimilarity float64
	Queue                            int           // exchanges of one user that may wait (64)
	Timeout                          time.Duration // of one request to the model (a minute)
	Logger                           *slog.Logger  // nil: none
}

func (c ExtractorConfig) withDefaults() ExtractorConfig {
	c.MinImportance = cmp.Or(c.MinImportance, 5)
	c.UpdateSimilarity = cmp.Or(c.UpdateSimilarity, .85)
	c.LinkSimilarity = cmp.Or(c.LinkSimilarity, .6)
	c.Queue = cmp.Or(c.Queue, 64)
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c *ExtractorConfig) check() error {
	switch {
	case c.Memories == nil:
		return errors.New("extractor: the config has no memories")
	case c.MinImportance < 1 || c.MinImportance > 10:
		return fmt.Errorf("extractor: importance %d is not from 1 to 10", c.MinImportance)
	case !(0 < c.LinkSimilarity && c.LinkSimilarity <= c.UpdateSimilarity && c.UpdateSimilarity <= 1):
		return fmt.Errorf("extractor: similarities %v (to link) and %v (to update) must be ascending, above 0, up to 1",
			c.LinkSimilarity, c.UpdateSimilarity)
	case c.Queue < 1 || c.Timeout < 0:
		return fmt.Errorf("extractor: queue of %d (at least 1), timeout %s", c.Queue, c.Timeout)
	}
	return nil
}

// An Extractor makes memories of exchanges in the background. Each user has a queue and, while it is not empty, one
// worker, so that the exchanges of a user are taken in order. It is safe for concurrent use. Close it.
type Extractor struct {
	config ExtractorConfig
	asking context.Context // of the requests to the model
	hurry  context.CancelFunc
	ctx    context.Context // of the workers
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	queues map[string]*queue // of users that have a worker
	idle   chan struct{}     // closed when the last worker ends; nil without workers

	dropped, skipped, failures, saved, updated, linked, superseded atomic.Int64
}

// A queue holds the exchanges of a user.
type queue struct {
	all  []Exchange
	done chan struct{} // closed when its worker ends
}

// NewExtractor returns an Extractor, or an error that says what is wrong with the config.
func NewExtractor(c ExtractorConfig) (*Extractor, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	e := &Extractor{config: c, queues: make(map[string]*queue)}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.asking, e.hurry = context.WithCancel(e.ctx)
	return e, nil
}

// Add queues an exchange and returns at once. If the queue is full, its oldest exchange is dropped. Trivial exchanges
// are skipped, and after Close all are.
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
	q, working := e.queues[x.User]
	if !working {
		q = &queue{done: make(chan struct{})}
		e.queues[x.User] = q
	}
	if len(q.all) == e.config.Queue {
		q.all = q.all[1:]
		e.dropped.Add(1)
	}
	q.all = append(q.all, x)
	if working {
		return
	}
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	e.all.Go(func() { e.work(x.User) })
}

// work takes the exchanges of a user until the queue is empty.
func (e *Extractor) work(user string) {
	for {
		x, ok := e.next(user)
		if !ok {
			return
		}
		if _, err := e.extract(e.ctx, e.asking, x); err != nil && !errors.Is(err, context.Canceled) {
			e.config.Logger.Warn("extracting memories", "thread", x.Thread, "error", err)
		}
	}
}

// next takes the oldest exchange of a user. Without one, the user's worker ends.
func (e *Extractor) next(user string) (Exchange, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queues[user]
	if len(q.all) == 0 || e.ctx.Err() != nil {
		close(q.done)
		delete(e.queues, user)
		if len(e.queues) == 0 {
			close(e.idle)
			e.idle = nil
		}
		return Exchange{}, false
	}
	x := q.all[0]
	q.all = q.all[1:]
	return x, true
}

// WaitFor waits until the exchanges of a user are read, or the context ends.
func (e *Extractor) WaitFor(ctx context.Context, user string) error {
	e.mu.Lock()
	q, working := e.queues[user]
	e.mu.Unlock()
	if !working {
		return nil
	}
	return ended(ctx, q.done)
}

// Wait waits until all queues are empty, or the context ends.
func (e *Extractor) Wait(ctx context.Context) error {
	e.mu.Lock()
	idle := e.idle
	e.mu.Unlock()
	if idle == nil {
		return nil
	}
	return ended(ctx, idle)
}

func ended(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close refuses further exchanges and waits for the queued ones. If the context ends first, rules take the place of the
// model for what is left, for at most two seconds, and Close returns the context's error. No worker runs after it.
func (e *Extractor) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	err := e.Wait(ctx)
	e.hurry()
	left, cancel := context.WithTimeout(context.Background(), rulesTime)
	defer cancel()
	if e.Wait(left) != nil {
		e.config.Logger.Warn("the last messages were not read for memories")
	}
	e.cancel()
	e.all.Wait()
	return err
}

// rulesTime is enough for rules to read a full queue, with a store that writes.
const rulesTime = 2 * time.Second

// ExtractorCounts are the numbers of exchanges and memories by outcome.
type ExtractorCounts struct {
	Dropped    int64 // exchanges dropped from a full queue
	Skipped    int64 // trivial exchanges
	Failures   int64 // of models and stores, and answers that were not a list of memories
	Saved      int64 // memories, including linked and superseding ones
	Updated    int64 // memories that got a new wording
	Linked     int64 // of those saved
	Superseded int64 // memories that no longer hold
}

// Counts returns the outcomes so far.
func (e *Extractor) Counts() ExtractorCounts {
	return ExtractorCounts{
		e.dropped.Load(), e.skipped.Load(), e.failures.Load(), e.saved.Load(), e.updated.Load(), e.linked.Load(),
		e.superseded.Load(),
	}
}

// Extract makes memories of one exchange now and returns them as stored. If the model finds nothing, rules make them.
// If it fails, times out, or does not answer with a list of memories, rules make them too, and Extract also returns an
// error.
func (e *Extractor) Extract(ctx context.Context, x Exchange) ([]Memory, error) {
	return e.extract(ctx, ctx, x)
}

// extract is Extract with a context of its own for the request to the model.
func (e *Extractor) extract(ctx, asking context.Context, x Exchange) ([]Memory, error) {
	statements, failed := e.statements(asking, x)
	if failed != nil {
		e.failures.Add(1)
		failed = fmt.Errorf("extracting memories: %w", failed)
		if ctx.Err() != nil {
			return nil, failed
		}
	}
	var kept []Memory
	for _, s := range statements {
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
	return kept, failed
}

// statements returns what an exchange states. The model finds it; rules do without a model, or if it fails or finds
// nothing. Rules always find the corrections that name the old value.
func (e *Extractor) statements(ctx context.Context, x Exchange) (found []statement, err error) {
	if e.config.Ask != nil {
		if found, err = e.ask(ctx, x); len(found) > 0 {
			return e.correct(found, x), nil
		}
	}
	for _, s := range stated.Of(x.Question) {
		found = append(found, statement{Content: s.Text, Category: Category(s.Kind), Importance: s.Importance})
	}
	return e.correct(found, x), err
}

// ask returns what an exchange states as the model sees it. It does not ask about a message that only asks.
func (e *Extractor) ask(ctx context.Context, x Exchange) ([]statement, error) {
	if declared(x.Question) == "" {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	known := e.config.Memories.about(x)
	answer, err := e.config.Ask(ctx, extractionPrompt, exchangePrompt(x, known))
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	found, err := parseStatements(answer, known)
	if err != nil {
		return nil, err
	}
	var said []statement
	for _, s := range found {
		s.Content = withoutVoice(s.Content, x.Question)
		if s.isMemory() && isSaid(s.Content, x) {
			said = append(said, inWordsOfRules(s)...)
		}
	}
	return said, nil
}

// greetings are words, beside acknowledgements, that say nothing worth remembering.
var greetings = strings.Fields("hi hello hey bye goodbye good morning afternoon evening night thanks thank you " +
	"so much nice 你好 您好 早上好 晚上好 晚安 再见 谢谢 谢谢你 多谢")

// trivial reports whether a message says nothing worth remembering: it is empty, or only greets, thanks or agrees.
func trivial(text string) bool {
	if speech.IsAcknowledgement(text) {
		return true
	}
	return !slices.ContainsFunc(textsearch.Words(text), func(w string) bool { return !slices.Contains(greetings, w) })
}
