package summary

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// The errors of this package.
var (
	ErrConflict = errors.New("the summary has changed since it was read")
	errRejected = errors.New("the summary is not accepted") // a model's answer
)

// A Thread is the summary of the messages of a thread, up to one of them.
type Thread struct {
	Text       string    `json:"text"`       // empty without a summary
	Last       int64     `json:"last"`       // number of the last message that it covers
	Messages   int       `json:"messages"`   // that it covers
	Extractive bool      `json:"extractive"` // made by rules, without a model
	Updated    time.Time `json:"updated"`
}

// A Message is one message of a thread. Seq numbers the messages of a thread, ascending from 1, perhaps with gaps.
type Message struct {
	Seq int64
	transcript.Message
}

// A Log returns the oldest messages of a thread after the one numbered seq, at most limit of them, in order. A thread
// that does not exist has none. It is safe for concurrent use.
type Log func(ctx context.Context, thread string, seq int64, limit int) ([]Message, error)

// A Store keeps the summaries of threads. Implementations are safe for concurrent use.
type Store interface {
	// LoadSummary returns the summary of a thread, or the zero Thread.
	LoadSummary(ctx context.Context, thread string) (Thread, error)
	// SaveSummary replaces the summary of a thread if the current one covers messages up to last; 0 means that the thread
	// has no summary yet. Otherwise it changes nothing and returns ErrConflict.
	SaveSummary(ctx context.Context, thread string, last int64, s Thread) error
	// DeleteSummary removes the summary of a thread. Without one it does nothing.
	DeleteSummary(ctx context.Context, thread string) error
}

// An inMemory is the Store of an updater without one.
type inMemory struct {
	mu        sync.Mutex
	summaries map[string]Thread
}

func (m *inMemory) LoadSummary(_ context.Context, thread string) (Thread, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.summaries[thread], nil
}

func (m *inMemory) SaveSummary(ctx context.Context, thread string, last int64, s Thread) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if have := m.summaries[thread].Last; have != last {
		return fmt.Errorf("%w: it covers messages up to %d, not %d", ErrConflict, have, last)
	}
	m.summaries[thread] = s
	return nil
}

func (m *inMemory) DeleteSummary(_ context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.summaries, thread)
	return nil
}
