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
	"github.com/forayhq/foray/contextwindow/transcript"
)

// What can be wrong with a summary.
var (
	ErrConflict = errors.New("the summary has changed since it was read")
	ErrRejected = errors.New("the summary is not accepted")
)

// A Thread stands for the messages of a thread up to one of them.
type Thread struct {
	Text       string    `json:"text"`       // "": there is none
	Last       int64     `json:"last"`       // number of the last message that it covers
	Messages   int       `json:"messages"`   // that it covers
	Extractive bool      `json:"extractive"` // made by rules, without a model
	Updated    time.Time `json:"updated"`
}

// A Message is one message of a thread. Seq numbers the messages of a thread, ascending from 1; gaps are allowed.
type Message struct {
	Seq int64
	transcript.Message
}

// A Log returns the oldest messages of a thread that are newer than the one numbered seq, at most limit of them,
// ascending. A thread that does not exist has none. It is safe for concurrent use.
type Log func(ctx context.Context, thread string, seq int64, limit int) ([]Message, error)

// A Store keeps the summaries of threads. Implementations are safe for concurrent use.
type Store interface {
	// LoadSummary returns the summary of a thread; the zero Thread if there is none.
	LoadSummary(ctx context.Context, thread string) (Thread, error)
	// SaveSummary replaces the summary of a thread if the one that is there covers messages up to last, 0 if there must be
	// none; otherwise it changes nothing and returns ErrConflict.
	SaveSummary(ctx context.Context, thread string, last int64, s Thread) error
	// DeleteSummary removes the summary of a thread. It is no error if there is none.
	DeleteSummary(ctx context.Context, thread string) error
}

// The defaults of a Config (requirements: triggers and size).
const (
	summaryMessages = 10
	summaryTokens   = 3_000
	summaryMost     = 1_000
	summaryTimeout  = time.Minute
)

// A Config is what a Updater is made with. Zero means the defaults.
type Config struct {
	Log       Log           // required
	Store     Store         // nil: in memory
	Ask       memory.Ask    // a model of the caller's choice, fast or primary; nil: summaries are extractive
	Messages  int           // new ones that trigger an update; 0: 10
	Tokens    int           // of new messages that trigger one; 0: 3,000; negative: switched off
	MaxTokens int           // of a summary; 0: 1,000; the least is 100
	Timeout   time.Duration // of one request to the model; 0: a minute
	Logger    *slog.Logger  // nil: none
}

// A Updater keeps the summaries of threads up to date, behind the answers. It is safe for concurrent use: one
// flight a thread, and nothing is locked while a model or a store is asked. Close it.
type Updater struct {
	config Config
	ctx    context.Context // of updates in the background
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	flights map[string]*summaryFlight
	pauses  map[string]summaryPause

	updates, failures, rejected, conflicts atomic.Int64
}

// A summaryFlight is one update under way.
type summaryFlight struct {
	cancel context.CancelFunc
	again  bool // somebody asked meanwhile
	done   chan struct{}
}

// A summaryPause is how long a thread is left alone after failures.
type summaryPause struct {
	failures int
	until    time.Time
}

// New returns a Updater, or what is wrong with its config.
func New(c Config) (*Updater, error) {
	c.Messages = cmp.Or(c.Messages, summaryMessages)
	c.Tokens = cmp.Or(c.Tokens, summaryTokens)
	c.MaxTokens = cmp.Or(c.MaxTokens, summaryMost)
	c.Timeout = cmp.Or(c.Timeout, summaryTimeout)
	switch {
	case c.Log == nil:
		return nil, errors.New("making a thread summary: it has no log of messages")
	case c.Messages < 1 || c.MaxTokens < 100 || c.Timeout < 0:
		return nil, fmt.Errorf("making a thread summary: %d messages (at least 1), %d tokens of a summary (at least 100), timeout %s",
			c.Messages, c.MaxTokens, c.Timeout)
	}
	if c.Store == nil {
		c.Store = newSummaryMap()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Updater{config: c, flights: make(map[string]*summaryFlight), pauses: make(map[string]summaryPause)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Get returns the summary of a thread; the zero Thread if there is none.
func (s *Updater) Get(ctx context.Context, thread string) (Thread, error) {
	got, err := s.config.Store.LoadSummary(ctx, thread)
	if err != nil {
		return Thread{}, fmt.Errorf("loading the summary of thread %q: %w", thread, err)
	}
	return got, nil
}

// Through returns the text of the summary and the number of the last message that it covers. It is what
// contextbuilder.Summary asks for.
func (s *Updater) Through(ctx context.Context, thread string) (text string, last int64, err error) {
	got, err := s.Get(ctx, thread)
	return got.Text, got.Last, err
}

// Update brings the summary of a thread up to date in the background, if enough has come since the last one, and returns
// at once. While an update of the thread is under way, one more look follows it. After a failure the thread is left alone
// for a while, which doubles from half a minute to half an hour.
func (s *Updater) Update(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[thread]; f != nil {
		f.again = true
		return
	}
	if s.closed || time.Now().Before(s.pauses[thread].until) {
		return
	}
	ctx, f := s.open(s.ctx, thread)
	s.all.Go(func() {
		for again := true; again; {
			_, err := s.bring(ctx, thread, false)
			again = s.settle(thread, f, err)
		}
	})
}

// Force brings the summary of a thread up to date now, whatever has come since and whatever failed before, and returns
// it. It waits for an update that is under way.
func (s *Updater) Force(ctx context.Context, thread string) (Thread, error) {
	f, own, err := s.enter(ctx, thread)
	if err != nil {
		return Thread{}, fmt.Errorf("summing up thread %q: %w", thread, err)
	}
	defer s.all.Done()
	got, err := s.bring(own, thread, true)
	for s.settle(thread, f, err) {
		got, err = s.bring(own, thread, true)
	}
	if err != nil {
		return Thread{}, fmt.Errorf("summing up thread %q: %w", thread, err)
	}
	return got, nil
}

// Reset removes the summary of a thread. An update that is under way is ended first.
func (s *Updater) Reset(ctx context.Context, thread string) error {
	s.mu.Lock()
	if f := s.flights[thread]; f != nil {
		f.cancel()
	}
	s.mu.Unlock()
	f, own, err := s.enter(ctx, thread)
	if err != nil {
		return fmt.Errorf("removing the summary of thread %q: %w", thread, err)
	}
	defer s.all.Done()
	err = s.config.Store.DeleteSummary(own, thread)
	s.leave(thread, f)
	if err != nil {
		return fmt.Errorf("removing the summary of thread %q: %w", thread, err)
	}
	return nil
}

// Counts count what became of updates.
type Counts struct {
	Updates   int64 // that were saved
	Failures  int64 // of models, logs and stores, rejected answers included
	Rejected  int64 // answers that were not accepted
	Conflicts int64 // updates that came second and were not saved
}

// Counts returns what became of updates so far.
func (s *Updater) Counts() Counts {
	return Counts{s.updates.Load(), s.failures.Load(), s.rejected.Load(), s.conflicts.Load()}
}

// Wait waits until no update is under way.
func (s *Updater) Wait(ctx context.Context) error {
	for {
		s.mu.Lock()
		var under *summaryFlight
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

// Close ends the updates that are under way, whose old summaries stand, and waits for them. Updates after it do nothing.
func (s *Updater) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.all.Wait()
}
