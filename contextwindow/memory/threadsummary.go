package memory

import (
	"context"
	"errors"
	"time"

	"github.com/forayhq/foray/contextwindow"
)

// Ask asks a model once: a system prompt, a prompt, and the text that it answers. A nil Ask is no model.
type Ask func(ctx context.Context, system, prompt string) (string, error)

// ErrChanged says that a summary was saved by somebody else since it was read.
var ErrChanged = errors.New("the summary has changed since it was read")

// A Summary stands for the messages of a thread up to one of them.
type Summary struct {
	Text       string    `json:"text"`       // "": there is none
	Last       int64     `json:"last"`       // number of the last message that it covers
	Messages   int       `json:"messages"`   // that it covers
	Extractive bool      `json:"extractive"` // made by rules, without a model
	Updated    time.Time `json:"updated"`
}

// A ThreadMessage is one message of a thread. Seq numbers the messages of a thread, ascending from 1; gaps are allowed.
type ThreadMessage struct {
	Seq int64
	contextwindow.Message
}

// A ThreadLog gives the messages of threads. Implementations are safe for concurrent use.
type ThreadLog interface {
	// After returns the oldest messages of a thread that are newer than the one numbered seq, at most limit of them,
	// ascending. A thread that does not exist has none.
	After(ctx context.Context, thread string, seq int64, limit int) ([]ThreadMessage, error)
}

// A SummaryStore keeps the summaries of threads. Implementations are safe for concurrent use.
type SummaryStore interface {
	// LoadSummary returns the summary of a thread; the zero Summary if there is none.
	LoadSummary(ctx context.Context, thread string) (Summary, error)
	// SaveSummary replaces the summary of a thread if the one that is there covers messages up to last, 0 if there must be
	// none; otherwise it changes nothing and returns ErrChanged.
	SaveSummary(ctx context.Context, thread string, last int64, s Summary) error
	// DeleteSummary removes the summary of a thread. It is no error if there is none.
	DeleteSummary(ctx context.Context, thread string) error
}
