package summary

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

// A Config says how an [Updater] works. Zero values mean the defaults.
type Config struct {
	Log       Log           // required
	Store     Store         // nil: in memory
	Ask       memory.Ask    // a model of the caller's choice; nil, or while it fails: summaries are made by rules
	Prompt    int           // tokens of messages in one request to the model (12,000)
	Messages  int           // new ones that trigger an update (10)
	Tokens    int           // of new messages that trigger an update (3,000); negative: never
	MaxTokens int           // of a summary, at least 100 (1,000)
	Timeout   time.Duration // of one request to the model (a minute)
	Logger    *slog.Logger  // nil: none
}

func (c Config) withDefaults() Config {
	c.Messages = cmp.Or(c.Messages, 10)
	c.Tokens = cmp.Or(c.Tokens, 3_000)
	c.MaxTokens = cmp.Or(c.MaxTokens, 1_000)
	c.Prompt = cmp.Or(c.Prompt, 12_000)
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	if c.Store == nil {
		c.Store = &inMemory{summaries: make(map[string]Thread)}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c *Config) check() error {
	switch {
	case c.Log == nil:
		return errors.New("summary: the config has no log of messages")
	case c.Messages < 1 || c.MaxTokens < 100 || c.Prompt < 0 || c.Timeout < 0:
		return fmt.Errorf("summary: %d messages (at least 1), %d tokens of a summary (at least 100), %d of a prompt, timeout %s",
			c.Messages, c.MaxTokens, c.Prompt, c.Timeout)
	}
	return nil
}

// An Updater keeps the summaries of threads up to date. It is safe for concurrent use; nothing is locked while a
// model or a store is called. Close it.
type Updater struct {
	config Config
	ctx    context.Context // of updates in the background
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	flights map[string]*flight
	pauses  map[string]pause

	updates, failures, rejected, conflicts atomic.Int64
}

// A flight is one update of a thread under way.
type flight struct {
	cancel context.CancelCauseFunc
	again  bool // another update was asked for meanwhile
	done   chan struct{}
}

// A pause is how long a thread, or the model for it, is left alone after failures.
type pause struct {
	failures int
	until    time.Time
	model    bool // only the model failed
}

// New returns an Updater, or an error that says what is wrong with the config.
func New(c Config) (*Updater, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Updater{config: c, flights: make(map[string]*flight), pauses: make(map[string]pause)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Get returns the summary of a thread, or the zero Thread.
func (s *Updater) Get(ctx context.Context, thread string) (Thread, error) {
	got, err := s.config.Store.LoadSummary(ctx, thread)
	if err != nil {
		return Thread{}, fmt.Errorf("loading the summary of thread %q: %w", thread, err)
	}
	return got, nil
}

// Through returns the text of a summary and the number of the last message that it covers, as contextbuilder.Summary
// wants them.
func (s *Updater) Through(ctx context.Context, thread string) (text string, last int64, err error) {
	got, err := s.Get(ctx, thread)
	return got.Text, got.Last, err
}

// Update updates the summary of a thread in the background, if enough messages are new, and returns at once. If an
// update of the thread is under way, another check follows it. After a failure of the model, the log or the store it is
// left alone for half a minute, and after each further one twice as long, up to half an hour. Without the model,
// summaries are made by rules meanwhile.
func (s *Updater) Update(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[thread]; f != nil {
		f.again = true
		return
	}
	if p := s.pauses[thread]; s.closed || !p.model && time.Now().Before(p.until) {
		return
	}
	ctx, f := s.open(s.ctx, thread)
	s.all.Go(func() {
		for again := true; again; {
			_, err := s.update(ctx, thread, false)
			again = s.settle(thread, f, err)
		}
	})
}

// Force updates the summary of a thread now, however few messages are new and whatever failed before, and returns it.
// It waits for an update under way. If [Updater.Reset] ends it, the error is [ErrConflict].
func (s *Updater) Force(ctx context.Context, thread string) (Thread, error) {
	f, own, err := s.enter(ctx, thread)
	if err != nil {
		return Thread{}, fmt.Errorf("updating the summary of thread %q: %w", thread, err)
	}
	defer s.all.Done()
	got, err := s.update(own, thread, true)
	for s.settle(thread, f, err) {
		got, err = s.update(own, thread, true)
	}
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.Canceled) {
			err = context.Cause(own) // the caller did not end it
		}
		return Thread{}, fmt.Errorf("updating the summary of thread %q: %w", thread, err)
	}
	return got, nil
}

// Reset removes the summary of a thread. It first cancels an update under way.
func (s *Updater) Reset(ctx context.Context, thread string) error {
	s.mu.Lock()
	if f := s.flights[thread]; f != nil {
		f.cancel(ErrConflict)
	}
	s.mu.Unlock()
	f, _, err := s.enter(ctx, thread)
	if err != nil {
		return fmt.Errorf("removing the summary of thread %q: %w", thread, err)
	}
	defer s.all.Done()
	err = s.config.Store.DeleteSummary(ctx, thread) // another Reset does not end this one
	s.mu.Lock()
	s.end(thread, f)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("removing the summary of thread %q: %w", thread, err)
	}
	return nil
}

// Counts are the numbers of updates by outcome.
type Counts struct {
	Updates   int64 // that were saved
	Failures  int64 // of models, logs and stores, including rejected answers
	Rejected  int64 // answers that were not accepted
	Conflicts int64 // updates that another one overtook
}

// Counts returns the outcomes so far.
func (s *Updater) Counts() Counts {
	return Counts{s.updates.Load(), s.failures.Load(), s.rejected.Load(), s.conflicts.Load()}
}

// Wait waits until no update is under way.
func (s *Updater) Wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		var under *flight
		for _, f := range s.flights {
			under = f
			break
		}
		s.mu.Unlock()
		if under == nil {
			return nil
		}
		select {
		case <-under.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close cancels the updates under way, which keep the old summaries, and waits for them. Later updates do nothing.
func (s *Updater) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.all.Wait()
}
